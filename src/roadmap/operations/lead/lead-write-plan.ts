import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import { createTaskStatusEdits } from "../../model/feature/task-plan.ts";
import { answerSteeringProposal, formatStoredReview } from "../../model/review/stored-review.ts";
import type { LeadAction, ActionAssignment, Lead } from "../../model/lead/lead-state.ts";
import type { LeadEffect } from "../../model/lead/lead-events.ts";
import type { StoredReview } from "../../model/review/review-finding.ts";
import { getReviewBatchPath, formatScopeHead } from "../../model/lead/action-ids.ts";
import { formatRoadmapPage } from "../../model/roadmap-page.ts";
import {
  getFeatureRecordPath,
  getFeatureTasksPath,
  type WorkspacePath,
  ROADMAP_PATH,
  getWaveRecordPath,
} from "#kernel/model/workspace-paths.ts";
import type { RoadmapEngine } from "../engine.ts";
import type {
  LedgerEntry,
  StoreOccurrence,
  StorePlan,
  RevisedRecord,
  StoreStep,
  StoreTree,
} from "#store/operations/ports/store.ts";
import type { YamlEditor } from "#kernel/operations/ports/yaml.ts";
import { createFeatureShape, createWaveShape } from "../feature/feature-records.ts";
import type { KnowledgeTemplates } from "../knowledge/knowledge-folder.ts";
import { createLessonPlan } from "../knowledge/collect-lessons.ts";
import { draftSteeringEffects, type ProductUpdate } from "../steering/steering-draft.ts";
import { readStoredBatch } from "./review-batches.ts";
import {
  FINISHED_GROUP_SPACE,
  type FinishedGroup,
  STOP_REQUEST_SPACE,
  type StopRequest,
  loadCheckoutEntries,
  createCheckoutKey,
  OPEN_REVIEW_SPACE,
  ASSIGNMENT_SPACE,
  RUN_SPACE,
} from "./lead-store.ts";

export interface LeadChange {
  readonly before: Lead;
  readonly after: Lead;
  readonly effects: readonly LeadEffect[];
  readonly at: string;
}

type WritePlanEngine = Pick<RoadmapEngine, "checkout" | "digest"> & {
  readonly tools: { readonly yaml: YamlEditor; readonly templates: KnowledgeTemplates };
};

export function planLeadWrite(
  tree: StoreTree,
  planning: WritePlanEngine,
  change: LeadChange,
): Pick<StorePlan<void>, "steps" | "keeps" | "occurrences"> {
  const records = planRecordSteps(change);
  const steering = draftSteeringEffects(tree, change.effects, change.at, describeSteeringOccasion(change));
  const learned = createLessonPlan(tree, { ...planning, templates: planning.tools.templates }, change);
  return {
    steps: [
      ...planBatchSteps(tree, change.effects),
      ...planTaskSteps(tree, planning.tools.yaml, change),
      ...planRoadmapPage(tree, change),
      ...steering.steps(),
      ...learned.steps,
      ...records,
    ],
    keeps: [
      ...planLedgerUpdates(planning, change),
      ...planBuiltGroups(tree, planning, change),
      ...learned.keeps,
      ...planDismissals(planning, change),
      ...steering.keeps(),
    ],
    occurrences: [...change.effects.flatMap(createEffectOccurrences), ...learned.occurrences],
  };
}

function planRecordSteps({ before, after, at }: LeadChange): StoreStep[] {
  const features = [...after.features].flatMap(([name, record]): StoreStep[] => {
    const was = before.features.get(name);
    if (!isRecordChanged(was, record)) return [];
    const next = { ...record, updated_at: at, rev: (was?.rev ?? 0) + 1 };
    return [{ kind: "record", path: getFeatureRecordPath(name), record: next, shape: createFeatureShape(name) }];
  });
  const waves = [...after.waves].flatMap(([wave, record]): StoreStep[] => {
    const was = before.waves.get(wave);
    if (!isRecordChanged(was, record)) return [];
    const next = { ...record, rev: (was?.rev ?? 0) + 1 };
    return [{ kind: "record", path: getWaveRecordPath(wave), record: next, shape: createWaveShape(wave) }];
  });
  return [...features, ...waves];
}

/** Ignores the revision number. */
function isRecordChanged<T extends RevisedRecord>(was: T | undefined, is: T): boolean {
  return was !== is && (was === undefined || JSON.stringify({ ...was, rev: 0 }) !== JSON.stringify({ ...is, rev: 0 }));
}

/** The last version of each batch. A steering line may be answered in the same write or long after. */
function planBatchSteps(tree: StoreTree, effects: readonly LeadEffect[]): StoreStep[] {
  const batches = new Map<WorkspacePath, StoredReview>();
  for (const effect of effects) {
    if (effect.kind === "batch") batches.set(getReviewBatchPath(effect.batch.scope, effect.batch.batch), effect.batch);
    if (effect.kind !== "proposal-answered") continue;
    const path = getReviewBatchPath(effect.scope, effect.batch);
    const stored = batches.get(path) ?? readStoredBatch(tree, effect.scope, effect.batch);
    // A batch that was deleted by hand has no line to answer.
    if (stored?.steering[effect.line - 1]?.answer === "waiting")
      batches.set(path, answerSteeringProposal(stored, effect.line, effect.answer));
  }
  return [...batches].map(([path, batch]) => ({ kind: "document", path, text: formatStoredReview(batch) }));
}

function planTaskSteps(tree: StoreTree, yaml: YamlEditor, { before, after }: LeadChange): StoreStep[] {
  return [...after.features].flatMap(([name, record]): StoreStep[] => {
    const was = before.features.get(name);
    if (!was || was === record || serializeTaskStatuses(was) === serializeTaskStatuses(record)) return [];
    const text = tree.text(getFeatureTasksPath(name));
    const marked = text === undefined ? undefined : updateTaskStatuses(yaml, text, record);
    return marked === undefined || marked === text
      ? []
      : [{ kind: "document", path: getFeatureTasksPath(name), text: marked }];
  });
}

/** Updates each task's status in `tasks.yaml` from the record's groups. The rest of the file stays as written. */
export function updateTaskStatuses(
  yaml: YamlEditor,
  text: string,
  { implementation }: Pick<FeatureRecord, "implementation">,
): string {
  const { tree } = yaml.read(text);
  const known = new Map(implementation.groups.flatMap(({ tasks, status }) => tasks.map((id) => [id, status])));
  const edits = tree ? createTaskStatusEdits(tree, known) : [];
  return edits.length === 0 ? text : yaml.edit(text, edits);
}

const serializeTaskStatuses = ({ implementation }: FeatureRecord): string =>
  JSON.stringify(implementation.groups.map(({ tasks, status }) => [tasks, status]));

/** Written only if features have waves, or if the page already exists. */
function planRoadmapPage(tree: StoreTree, { before, after }: LeadChange): StoreStep[] {
  const isSame = after.features === before.features && after.waves === before.waves;
  const isRoadmap = [...after.features.values()].some(({ roadmap }) => roadmap !== null);
  if (isSame || (!isRoadmap && !tree.has(ROADMAP_PATH))) return [];
  const text = formatRoadmapPage(after);
  return tree.text(ROADMAP_PATH) === text ? [] : [{ kind: "document", path: ROADMAP_PATH, text }];
}

/** Also updates the product page when the roadmap structure changes and when a first design starts. */
function describeSteeringOccasion({ before, after }: LeadChange): ProductUpdate {
  const features = [...after.features.values()];
  const isOther = ({ features: others }: Lead, { feature_name: name, roadmap }: FeatureRecord): boolean =>
    roadmap !== null && !isSameValue(others.get(name)?.roadmap, roadmap);
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

function planLedgerUpdates({ checkout }: WritePlanEngine, { before, after }: LeadChange): LedgerEntry[] {
  return [
    ...(isSameValue(before.run, after.run) ? [] : [{ space: RUN_SPACE.name, key: checkout, value: after.run }]),
    ...planSpaceUpdates(OPEN_REVIEW_SPACE.name, checkout, before.reviews, after.reviews),
    ...planSpaceUpdates(ASSIGNMENT_SPACE.name, checkout, before.out, after.out),
  ];
}

const isSameValue = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

function planSpaceUpdates<T>(
  space: string,
  checkout: string,
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
): LedgerEntry[] {
  const gone = [...before.keys()].filter((name) => !after.has(name));
  const changed = [...after].filter(([name, value]) => !isSameValue(before.get(name), value));
  return [
    ...gone.map((name) => ({ space, key: createCheckoutKey(checkout, name) })),
    ...changed.map(([name, value]) => ({ space, key: createCheckoutKey(checkout, name), value })),
  ];
}

/** Keeps finished groups as long as an agent is at work that started before they ended. */
function planBuiltGroups(
  tree: StoreTree,
  { checkout }: WritePlanEngine,
  { before, after, at }: LeadChange,
): LedgerEntry[] {
  const ended = [...before.out].flatMap(([id, { action }]) => {
    const group = after.out.has(id) ? undefined : findActionGroup(before, action);
    return group
      ? [{ name: `${group.feature}/${group.id}`, value: { at, files: group.files } satisfies FinishedGroup }]
      : [];
  });
  const since = [...after.out.values()].filter(({ action }) => findActionGroup(after, action)).map((out) => out.at);
  const isNeeded = ({ at: then }: FinishedGroup): boolean => since.some((begun) => begun <= then);
  const known = loadCheckoutEntries(tree, FINISHED_GROUP_SPACE, checkout);
  const old = [...known].filter(([, built]) => !isNeeded(built)).map(([name]) => ({ name, value: undefined }));
  return [...old, ...ended.filter(({ value }) => isNeeded(value))].map(({ name, value }) => ({
    space: FINISHED_GROUP_SPACE.name,
    key: createCheckoutKey(checkout, name),
    ...(value ? { value } : {}),
  }));
}

function findActionGroup(
  { features }: Lead,
  action: LeadAction,
): { feature: string; id: string; files: readonly string[] } | undefined {
  if (action.kind !== "spawn" || action.work.of !== "build") return undefined;
  const { feature, group: id } = action.work;
  const group = features.get(feature)?.implementation.groups.find((each) => each.id === id);
  return group && { feature, id, files: group.files };
}

function planDismissals({ checkout }: WritePlanEngine, { before, effects, at }: LeadChange): LedgerEntry[] {
  return effects.flatMap((effect) => {
    const out: ActionAssignment | undefined = effect.kind === "dismissed" ? before.out.get(effect.action) : undefined;
    if (effect.kind !== "dismissed" || !out) return [];
    const value: StopRequest = { session: out.session, at };
    return [{ space: STOP_REQUEST_SPACE.name, key: createCheckoutKey(checkout, effect.action), value }];
  });
}

function createEffectOccurrences(effect: LeadEffect): StoreOccurrence[] {
  switch (effect.kind) {
    case "batch": {
      const { batch, kind, scope, verdict, disposition, counts } = effect.batch;
      return [
        {
          kind: "roadmap.reviewed",
          subject: formatScopeHead(scope),
          data: { batch, kind, verdict, disposition, counts },
        },
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
          subject: formatScopeHead(effect.scope),
          data: { batch: effect.batch, answer: effect.answer },
        },
      ];
    case "tags":
      return [];
  }
}
