import type { FeatureRecord } from "#domain/feature/record.ts";
import { taskEdits } from "#domain/feature/tasks.ts";
import { answerSteering, storedReviewYaml } from "#domain/review/batch.ts";
import type { Action } from "#domain/roadmap/lead/action.ts";
import type { Effect, StoredReview } from "#domain/roadmap/lead/event.ts";
import type { HandedOut, Lead } from "#domain/roadmap/lead/state.ts";
import { batchPath, headOf } from "#domain/roadmap/lead/ids.ts";
import { roadmapPage } from "#domain/roadmap/page.ts";
import {
  getFeatureRecordPath,
  getFeatureTasksPath,
  type WorkspacePath,
  ROADMAP_PATH,
  getWaveRecordPath,
} from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import type { LedgerEntry, StoreOccurrence, StorePlan, RevisedRecord, StoreStep, StoreTree } from "../ports/store.ts";
import type { YamlEditor } from "../ports/yaml.ts";
import { featureShape, waveShape } from "../feature/census.ts";
import type { Templates } from "../knowledge/draft.ts";
import { learningPlan } from "../knowledge/learning.ts";
import { steeringKeeps, steeringSteps } from "../steering/steps.ts";
import { storedBatch } from "./batches.ts";
import { BUILT, type Built, DISMISSED, type Dismissal, keptOf, keyIn, OPEN_REVIEWS, OUT, RUN } from "./spaces.ts";

export interface Change {
  readonly before: Lead;
  readonly after: Lead;
  readonly effects: readonly Effect[];
  readonly at: string;
}

type Planning = Pick<Engine, "checkout" | "digest"> & {
  readonly tools: { readonly yaml: YamlEditor; readonly templates: Templates };
};

export function planOf(
  tree: StoreTree,
  planning: Planning,
  change: Change,
): Pick<StorePlan<void>, "steps" | "keeps" | "occurrences"> {
  const records = recordSteps(change);
  const learned = learningPlan(tree, { ...planning, templates: planning.tools.templates }, change);
  return {
    steps: [
      ...batchSteps(tree, change.effects),
      ...taskSteps(tree, planning.tools.yaml, change),
      ...roadmapStep(tree, change),
      ...steeringSteps(tree, change.effects, change.at, occasionOf(change)),
      ...learned.steps,
      ...records,
    ],
    keeps: [
      ...keptNow(planning, change),
      ...builtKept(tree, planning, change),
      ...learned.keeps,
      ...dismissals(planning, change),
      ...steeringKeeps(tree, change.effects),
    ],
    occurrences: [...change.effects.flatMap(told), ...learned.occurrences],
  };
}

function recordSteps({ before, after, at }: Change): StoreStep[] {
  const features = [...after.features].flatMap(([name, record]): StoreStep[] => {
    const was = before.features.get(name);
    if (!isChanged(was, record)) return [];
    const next = { ...record, updated_at: at, rev: (was?.rev ?? 0) + 1 };
    return [{ kind: "record", path: getFeatureRecordPath(name), record: next, shape: featureShape(name) }];
  });
  const waves = [...after.waves].flatMap(([wave, record]): StoreStep[] => {
    const was = before.waves.get(wave);
    if (!isChanged(was, record)) return [];
    const next = { ...record, rev: (was?.rev ?? 0) + 1 };
    return [{ kind: "record", path: getWaveRecordPath(wave), record: next, shape: waveShape(wave) }];
  });
  return [...features, ...waves];
}

/** Ignores the revision number. */
function isChanged<T extends RevisedRecord>(was: T | undefined, is: T): boolean {
  return was !== is && (was === undefined || JSON.stringify({ ...was, rev: 0 }) !== JSON.stringify({ ...is, rev: 0 }));
}

/** The last version of each batch. A steering line may be answered in the same write or long after. */
function batchSteps(tree: StoreTree, effects: readonly Effect[]): StoreStep[] {
  const batches = new Map<WorkspacePath, StoredReview>();
  for (const effect of effects) {
    if (effect.kind === "batch") batches.set(batchPath(effect.batch.scope, effect.batch.batch), effect.batch);
    if (effect.kind !== "proposal-answered") continue;
    const path = batchPath(effect.scope, effect.batch);
    const stored = batches.get(path) ?? storedBatch(tree, effect.scope, effect.batch);
    // A batch that was deleted by hand has no line to answer.
    if (stored?.steering[effect.line - 1]?.answer === "waiting")
      batches.set(path, answerSteering(stored, effect.line, effect.answer));
  }
  return [...batches].map(([path, batch]) => ({ kind: "document", path, text: storedReviewYaml(batch) }));
}

function taskSteps(tree: StoreTree, yaml: YamlEditor, { before, after }: Change): StoreStep[] {
  return [...after.features].flatMap(([name, record]): StoreStep[] => {
    const was = before.features.get(name);
    if (!was || was === record || statuses(was) === statuses(record)) return [];
    const text = tree.text(getFeatureTasksPath(name));
    const marked = text === undefined ? undefined : markTasks(yaml, text, record);
    return marked === undefined || marked === text
      ? []
      : [{ kind: "document", path: getFeatureTasksPath(name), text: marked }];
  });
}

/** Updates each task's status in `tasks.yaml` from the record's groups. The rest of the file stays as written. */
export function markTasks(
  yaml: YamlEditor,
  text: string,
  { implementation }: Pick<FeatureRecord, "implementation">,
): string {
  const { tree } = yaml.read(text);
  const known = new Map(implementation.groups.flatMap(({ tasks, status }) => tasks.map((id) => [id, status])));
  const edits = tree ? taskEdits(tree, known) : [];
  return edits.length === 0 ? text : yaml.edit(text, edits);
}

const statuses = ({ implementation }: FeatureRecord): string =>
  JSON.stringify(implementation.groups.map(({ tasks, status }) => [tasks, status]));

/** Written only if features have waves, or if the page already exists. */
function roadmapStep(tree: StoreTree, { before, after }: Change): StoreStep[] {
  const isSame = after.features === before.features && after.waves === before.waves;
  const isRoadmap = [...after.features.values()].some(({ roadmap }) => roadmap !== null);
  if (isSame || (!isRoadmap && !tree.has(ROADMAP_PATH))) return [];
  const text = roadmapPage(after);
  return tree.text(ROADMAP_PATH) === text ? [] : [{ kind: "document", path: ROADMAP_PATH, text }];
}

/** Also updates the product page when the roadmap structure changes and when a first design starts. */
function occasionOf({ before, after }: Change): Parameters<typeof steeringSteps>[3] {
  const features = [...after.features.values()];
  const isOther = ({ features: others }: Lead, { feature_name: name, roadmap }: FeatureRecord): boolean =>
    roadmap !== null && !same(others.get(name)?.roadmap, roadmap);
  const isCutAnew =
    features.some((record) => isOther(before, record)) ||
    [...before.features.values()].some((record) => isOther(after, record));
  const begun = new Set(
    [...after.out.values()].flatMap(({ action }) => {
      const isFirst = action.kind === "spawn" && action.work.of === "design" && action.work.mode === "new";
      return isFirst && !before.out.has(action.id) ? [action.work.feature] : [];
    }),
  );
  return {
    ...(isCutAnew ? { planned: features } : {}),
    designed: features.filter(({ feature_name }) => begun.has(feature_name)),
  };
}

function keptNow({ checkout }: Planning, { before, after }: Change): LedgerEntry[] {
  return [
    ...(same(before.run, after.run) ? [] : [{ space: RUN.name, key: checkout, value: after.run }]),
    ...differences(OPEN_REVIEWS.name, checkout, before.reviews, after.reviews),
    ...differences(OUT.name, checkout, before.out, after.out),
  ];
}

const same = (one: unknown, other: unknown): boolean => one === other || JSON.stringify(one) === JSON.stringify(other);

function differences<T>(
  space: string,
  checkout: string,
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
): LedgerEntry[] {
  const gone = [...before.keys()].filter((name) => !after.has(name));
  const changed = [...after].filter(([name, value]) => !same(before.get(name), value));
  return [
    ...gone.map((name) => ({ space, key: keyIn(checkout, name) })),
    ...changed.map(([name, value]) => ({ space, key: keyIn(checkout, name), value })),
  ];
}

/** Keeps finished groups as long as an agent is at work that started before they ended. */
function builtKept(tree: StoreTree, { checkout }: Planning, { before, after, at }: Change): LedgerEntry[] {
  const ended = [...before.out].flatMap(([id, { action }]) => {
    const group = after.out.has(id) ? undefined : groupOf(before, action);
    return group ? [{ name: `${group.feature}/${group.id}`, value: { at, files: group.files } satisfies Built }] : [];
  });
  const since = [...after.out.values()].filter(({ action }) => groupOf(after, action)).map((out) => out.at);
  const isNeeded = ({ at: then }: Built): boolean => since.some((begun) => begun <= then);
  const known = keptOf(tree, BUILT, checkout);
  const old = [...known].filter(([, built]) => !isNeeded(built)).map(([name]) => ({ name, value: undefined }));
  return [...old, ...ended.filter(({ value }) => isNeeded(value))].map(({ name, value }) => ({
    space: BUILT.name,
    key: keyIn(checkout, name),
    ...(value ? { value } : {}),
  }));
}

function groupOf(
  { features }: Lead,
  action: Action,
): { feature: string; id: string; files: readonly string[] } | undefined {
  if (action.kind !== "spawn" || action.work.of !== "build") return undefined;
  const { feature, group: id } = action.work;
  const group = features.get(feature)?.implementation.groups.find((each) => each.id === id);
  return group && { feature, id, files: group.files };
}

function dismissals({ checkout }: Planning, { before, effects, at }: Change): LedgerEntry[] {
  return effects.flatMap((effect) => {
    const out: HandedOut | undefined = effect.kind === "dismissed" ? before.out.get(effect.action) : undefined;
    if (effect.kind !== "dismissed" || !out) return [];
    const value: Dismissal = { session: out.session, at };
    return [{ space: DISMISSED.name, key: keyIn(checkout, effect.action), value }];
  });
}

function told(effect: Effect): StoreOccurrence[] {
  switch (effect.kind) {
    case "batch": {
      const { batch, kind, scope, verdict, disposition, counts } = effect.batch;
      return [
        { kind: "roadmap.reviewed", subject: headOf(scope), data: { batch, kind, verdict, disposition, counts } },
      ];
    }
    case "decision":
      return [{ kind: "roadmap.decided", subject: effect.type, data: { summary: effect.summary } }];
    case "tasks-done":
      return [{ kind: "roadmap.tasks-done", subject: effect.feature, data: { tasks: effect.tasks } }];
    case "dismissed":
      return [{ kind: "roadmap.dismissed", subject: effect.action }];
    case "wave-finished":
      return [{ kind: "roadmap.wave-finished", subject: `wave-${effect.wave}` }];
    case "steering":
      return [{ kind: "roadmap.steered", subject: effect.file }];
    case "proposal-answered":
      return [
        {
          kind: "roadmap.proposal-answered",
          subject: headOf(effect.scope),
          data: { batch: effect.batch, answer: effect.answer },
        },
      ];
    case "tags":
      return [];
  }
}
