import { Fault } from "#kernel/model/fault.ts";
import {
  getFeatureRecordPath,
  getFeatureTasksPath,
  getWaveRecordPath,
  ROADMAP_PATH,
  type WorkspacePath,
} from "#kernel/model/workspace-paths.ts";
import type { YamlEditor } from "#kernel/operations/ports/yaml.ts";
import type {
  LedgerEntry,
  LockedStoreTree,
  RevisedRecord,
  StoreOccurrence,
  StorePlan,
  StoreStep,
  StoreTree,
} from "#store/operations/ports/store.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import { createTaskStatusEdits } from "../../model/feature/task-plan.ts";
import { describeAccomplishedWork } from "../../model/handover/accomplished-work.ts";
import { formatScopeHead, getReviewBatchPath } from "../../model/lead/action-ids.ts";
import { applyLeadEvent } from "../../model/lead/apply-event.ts";
import type { LeadEffect, LeadEvent, LeadEventResult } from "../../model/lead/lead-events.ts";
import { findActionGroup, type Lead } from "../../model/lead/lead-state.ts";
import type { StoredReview } from "../../model/review/review-finding.ts";
import { answerSteeringProposal, formatStoredReview } from "../../model/review/stored-review.ts";
import { formatRoadmapPage } from "../../model/roadmap-page.ts";
import type { RoadmapEngine } from "../engine.ts";
import { createFeatureShape, createWaveShape } from "../feature/feature-records.ts";
import { commitWithSession } from "../handover/commit-with-session.ts";
import { describeNextStep } from "../handover/next-step.ts";
import { createLessonPlan } from "../knowledge/collect-lessons.ts";
import { type KnowledgeTemplates, loadKnowledgeTemplates } from "../knowledge/knowledge-folder.ts";
import { draftSteeringEffects, type ProductUpdate } from "../steering/steering-draft.ts";
import {
  ASSIGNMENT_SPACE,
  createCheckoutKey,
  createEventOccurrences,
  FINISHED_GROUP_SPACE,
  type FinishedGroup,
  isSameValue,
  loadCheckoutEntries,
  loadLead,
  OPEN_REVIEW_SPACE,
  planRejectionUpdates,
  planSpaceUpdates,
  planSpendingUpdates,
  RUN_SPACE,
  STOP_REQUEST_SPACE,
} from "./lead-store.ts";
import { readStoredBatch } from "./review-batches.ts";

type LeadWriteEngine = Pick<
  RoadmapEngine,
  "store" | "observers" | "notice" | "assets" | "checkout" | "digest" | "clock" | "yaml" | "branch"
>;

export interface LeadEventInput extends Partial<Pick<StorePlan<void>, "steps" | "keeps" | "occurrences">> {
  readonly events: readonly LeadEvent[];
  /** Decisions and steering lines that follow from the command itself, not from an event. */
  readonly effects?: readonly LeadEffect[];
  readonly after?: (applied: readonly LeadEventResult[]) => Pick<LeadEventInput, "steps" | "keeps" | "occurrences">;
}

export interface LeadWriteOutcome {
  readonly applied: readonly LeadEventResult[];
  readonly before: Lead;
  readonly lead: Lead;
}

/**
 * The only way to change the Lead. `decide` runs under the lock on the current Lead, so two processes never apply
 * events to the same state. Files and ledger change in the same write.
 */
export async function commitLeadEvents(
  engine: LeadWriteEngine,
  decide: (tree: LockedStoreTree, lead: Lead) => LeadEventInput,
): Promise<LeadWriteOutcome> {
  const tools = { yaml: await engine.yaml(), templates: await loadKnowledgeTemplates(engine) };
  const { checkout, digest } = engine;
  let events: readonly LeadEvent[] = [];
  const plan = (tree: LockedStoreTree): StorePlan<LeadWriteOutcome> => {
    const before = loadLead(tree, engine);
    const fed = decide(tree, before);
    ({ events } = fed);
    const { lead: after, applied } = applyLeadEvents(before, events);
    const effects = applied.flatMap((each) => (each.kind === "repeated" ? [] : each.effects));
    const change = { before, after, effects: [...effects, ...(fed.effects ?? [])], at: engine.clock.now() };
    const planned = planLeadWrite(tree, { checkout, digest, tools }, change);
    const more = [fed, fed.after?.(applied) ?? {}];
    return {
      steps: [...more.flatMap((each) => each.steps ?? []), ...planned.steps],
      occurrences: [
        ...createEventOccurrences(before, events, applied),
        ...planned.occurrences,
        ...more.flatMap((each) => each.occurrences ?? []),
      ],
      keeps: [
        ...(planned.keeps ?? []),
        ...planSpendingUpdates(tree, engine, change, events),
        ...planRejectionUpdates(tree, engine, before, events, applied),
        ...more.flatMap((each) => each.keeps ?? []),
      ],
      result: { applied, before, lead: after },
    };
  };
  return commitWithSession(engine, plan, (_, { result: { applied, before, lead: after } }) => {
    const work = describeAccomplishedWork({ before, after, events, applied });
    return work && { accomplished: work.lines, next: describeNextStep(after), files: work.files };
  });
}

function applyLeadEvents(
  before: Lead,
  events: readonly LeadEvent[],
): { readonly lead: Lead; readonly applied: readonly LeadEventResult[] } {
  let lead = before;
  const applied = events.map((event) => {
    const next = applyLeadEvent(lead, event);
    lead = next.lead;
    return next.applied;
  });
  return { lead, applied };
}

/** All or nothing: throws if any event is rejected. */
export const commitAllLeadEvents: typeof commitLeadEvents = (engine, decide) =>
  commitLeadEvents(engine, (tree, lead) => {
    const fed = decide(tree, lead);
    const refused = applyLeadEvents(lead, fed.events).applied.find(({ kind }) => kind === "refused");
    if (refused?.kind !== "refused") return fed;
    throw new Fault("roadmap.refused", {
      what: "Nothing was changed.",
      why: refused.problems.map(({ problem }) => problem).join(" "),
      fix: { operation: "roadmap.manage", input: { action: "show" } },
    });
  });

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
  const { checkout } = planning;
  const { before, after, effects, at } = change;
  const steering = draftSteeringEffects(tree, effects, at, describeSteeringOccasion(change));
  const learned = createLessonPlan(tree, { ...planning, templates: planning.tools.templates }, change);
  return {
    steps: [
      ...planBatchSteps(tree, effects),
      ...planTaskSteps(tree, planning.tools.yaml, change),
      ...planRoadmapPage(tree, change),
      ...steering.steps(),
      ...learned.steps,
      ...planRecordSteps(change),
    ],
    keeps: [
      ...(isSameValue(before.run, after.run) ? [] : [{ space: RUN_SPACE.name, key: checkout, value: after.run }]),
      ...planSpaceUpdates(OPEN_REVIEW_SPACE, checkout, before.reviews, after.reviews),
      ...planSpaceUpdates(ASSIGNMENT_SPACE, checkout, before.out, after.out),
      ...planBuiltGroups(tree, checkout, change),
      ...learned.keeps,
      ...planStopRequests(checkout, change),
      ...steering.keeps(),
    ],
    occurrences: [...effects.flatMap(createEffectOccurrences), ...learned.occurrences],
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
const isRecordChanged = <T extends RevisedRecord>(was: T | undefined, is: T): boolean =>
  was !== is && (was === undefined || !isSameValue({ ...was, rev: 0 }, { ...is, rev: 0 }));

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
    if (!was || was === record || isSameValue(listTaskStatuses(was), listTaskStatuses(record))) return [];
    const path = getFeatureTasksPath(name);
    const text = tree.text(path);
    const marked = text === undefined ? undefined : updateTaskStatuses(yaml, text, record);
    return marked === undefined || marked === text ? [] : [{ kind: "document", path, text: marked }];
  });
}

const listTaskStatuses = ({ implementation }: Pick<FeatureRecord, "implementation">) =>
  implementation.groups.flatMap(({ tasks, status }) => tasks.map((id) => [id, status] as const));

/** Updates each task's status in `tasks.yaml` from the record's groups. The rest of the file stays as written. */
export function updateTaskStatuses(
  yaml: YamlEditor,
  text: string,
  record: Pick<FeatureRecord, "implementation">,
): string {
  const { tree } = yaml.read(text);
  const edits = tree ? createTaskStatusEdits(tree, new Map(listTaskStatuses(record))) : [];
  return edits.length === 0 ? text : yaml.edit(text, edits);
}

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

/** Keeps finished groups as long as an agent is at work that started before they ended. */
function planBuiltGroups(tree: StoreTree, checkout: string, { before, after, at }: LeadChange): LedgerEntry[] {
  const ended = [...before.out].flatMap(([id, { action }]) => {
    const group = after.out.has(id) ? undefined : findActionGroup(before, action);
    return group ? [[`${group.feature}/${group.id}`, { at, files: group.files }] as const] : [];
  });
  const since = [...after.out.values()].filter(({ action }) => findActionGroup(after, action)).map((out) => out.at);
  const isNeeded = ({ at: then }: FinishedGroup): boolean => since.some((begun) => begun <= then);
  const known = loadCheckoutEntries(tree, FINISHED_GROUP_SPACE, checkout);
  const needed = [...known, ...ended].filter(([, built]) => isNeeded(built));
  return planSpaceUpdates(FINISHED_GROUP_SPACE, checkout, known, new Map(needed));
}

const planStopRequests = (checkout: string, { before, effects, at }: LeadChange): LedgerEntry[] =>
  effects.flatMap((effect) => {
    const out = effect.kind === "dismissed" ? before.out.get(effect.action) : undefined;
    if (!out) return [];
    const key = createCheckoutKey(checkout, out.action.id);
    return [{ space: STOP_REQUEST_SPACE.name, key, value: { session: out.session, at } }];
  });

function createEffectOccurrences(effect: LeadEffect): StoreOccurrence[] {
  switch (effect.kind) {
    case "batch": {
      const { batch, kind, scope, verdict, disposition, counts } = effect.batch;
      const data = { batch, kind, verdict, disposition, counts };
      return [{ kind: "roadmap.reviewed", subject: formatScopeHead(scope), data }];
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
    case "proposal-answered": {
      const data = { batch: effect.batch, answer: effect.answer };
      return [{ kind: "roadmap.proposal-answered", subject: formatScopeHead(effect.scope), data }];
    }
    case "tags":
      return [];
  }
}
