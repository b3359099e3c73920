import { Fault } from "#kernel/model/fault.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import { planQuestionEnd } from "#planning/operations/approval/ask-approval.ts";
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
import { applyLeadEvent } from "../../model/lead/apply-event.ts";
import type { Lead, LeadEffect, LeadEvent, LeadEventResult } from "../../model/lead/lead-state.ts";
import { findActionGroup } from "../../model/lead/lead-state.ts";
import { formatScopeHead, getReviewBatchPath } from "../../model/lead/lead-view.ts";
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
import { type CodeEdits, hashSteeringText, planAcceptedTexts } from "./held-files.ts";
import * as leadStore from "./lead-store.ts";

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

/** The only way to change the Lead: `decide` runs under the lock. Files and ledger change in the same write. */
export async function commitLeadEvents(
  engine: RoadmapEngine,
  decide: (tree: LockedStoreTree, lead: Lead) => LeadEventInput,
  code?: CodeEdits,
): Promise<LeadWriteOutcome> {
  const tools = { yaml: await engine.yaml(), templates: await loadKnowledgeTemplates(engine) };
  let events: readonly LeadEvent[] = [];
  const plan = (tree: LockedStoreTree): StorePlan<LeadWriteOutcome> => {
    const before = leadStore.loadLead(tree, engine, code);
    const fed = decide(tree, before);
    ({ events } = fed);
    const { lead: after, applied } = applyLeadEvents(before, events);
    const effects = applied.flatMap((each) => (each.kind === "repeated" ? [] : each.effects));
    const change = { before, after, effects: [...effects, ...(fed.effects ?? [])], at: engine.clock.now() };
    const planned = planLeadWrite(tree, engine, tools, change);
    const more = [fed, fed.after?.(applied) ?? {}];
    return {
      steps: [...more.flatMap((each) => each.steps ?? []), ...planned.steps],
      occurrences: [
        ...events.flatMap((event, i) => {
          const outcome = applied[i]?.kind ?? "repeated";
          if (outcome === "repeated") return [];
          const { subject, ...data } = leadStore.describeEvent(before, event);
          return [{ kind: `roadmap.${event.kind}`, subject, data: { ...data, outcome } }];
        }),
        ...planned.occurrences,
        ...more.flatMap((each) => each.occurrences ?? []),
      ],
      keeps: [
        ...(planned.keeps ?? []),
        ...leadStore.planSpendingUpdates(tree, engine.checkout, { before, after, events, applied }),
        ...leadStore.planRejectionUpdates(tree, engine.checkout, { before, after, events, applied }),
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

function applyLeadEvents(before: Lead, events: readonly LeadEvent[]) {
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

export function planLeadWrite(
  tree: StoreTree,
  { checkout, digest }: RoadmapEngine,
  { yaml, templates }: { readonly yaml: YamlEditor; readonly templates: KnowledgeTemplates },
  change: LeadChange,
): Pick<StorePlan<void>, "steps" | "keeps" | "occurrences"> {
  const { before, effects, at } = change;
  const steering = draftSteeringEffects(tree, effects, at, describeSteeringOccasion(change));
  const after = keepSteeringHeld(tree, steering, digest, change.after);
  const learned = createLessonPlan(tree, { checkout, digest, templates }, change);
  // The page is written only if features have waves, or if it already exists.
  const isRoadmap =
    [...after.features.values()].some(({ roadmap }) => roadmap !== null) || tree.has(paths.ROADMAP_PATH);
  const isPlanSame = after.features === before.features && after.waves === before.waves;
  const page = isPlanSame || !isRoadmap ? undefined : formatRoadmapPage(after);
  const pages = page === undefined || tree.text(paths.ROADMAP_PATH) === page ? [] : [page];
  const stops = effects.flatMap((effect) => {
    const out = effect.kind === "dismissed" ? before.out.get(effect.action) : undefined;
    return out
      ? [{ key: leadStore.createCheckoutKey(checkout, out.action.id), value: { session: out.session, at } }]
      : [];
  });
  return {
    steps: [
      ...planBatchSteps(tree, effects),
      ...planTaskSteps(tree, yaml, change),
      ...pages.map((text): StoreStep => ({ kind: "document", path: paths.ROADMAP_PATH, text })),
      ...steering.steps(),
      ...learned.steps,
      ...planRecordSteps({ ...change, after }),
    ],
    keeps: [
      ...(leadStore.isSameValue(before.run, after.run)
        ? []
        : [{ space: leadStore.RUN_SPACE.name, key: checkout, value: after.run }]),
      ...leadStore.planSpaceUpdates(leadStore.OPEN_REVIEW_SPACE, checkout, before.reviews, after.reviews),
      ...leadStore.planSpaceUpdates(leadStore.ASSIGNMENT_SPACE, checkout, before.out, after.out),
      ...planBuiltGroups(tree, checkout, change),
      ...planAcceptedTexts(tree, checkout, before, after),
      // A question that needs no answer any more is not shown to the user.
      ...[...before.out.values()].flatMap(({ action }) =>
        action.kind === "ask" && !after.out.has(action.id) ? planQuestionEnd(tree, action.id) : [],
      ),
      ...learned.keeps,
      ...stops.map((stop) => ({ space: leadStore.STOP_REQUEST_SPACE.name, ...stop })),
      ...steering.keeps(),
    ],
    occurrences: [...effects.flatMap(createEffectOccurrences), ...learned.occurrences],
  };
}

/** A line that Tenon itself adds to a steering file voids no design that was made on the file before. */
function keepSteeringHeld(
  tree: StoreTree,
  steering: Pick<ReturnType<typeof draftSteeringEffects>, "text">,
  digest: RoadmapEngine["digest"],
  lead: Lead,
): Lead {
  const changed = tree.names(paths.STEERING_FOLDER).flatMap((name) => {
    const path = paths.getSteeringFilePath(name);
    const [was, is] = [tree.text(path), steering.text(path)];
    if (was === undefined || is === undefined || was === is) return [];
    return [{ name, was: hashSteeringText(digest, name, was), is: hashSteeringText(digest, name, is) }];
  });
  if (changed.length === 0) return lead;
  const features = [...lead.features].map(([name, record]) => {
    const held = record.design?.steering;
    const moved = held ? changed.filter((file) => held[file.name] === file.was) : [];
    if (!record.design || moved.length === 0) return [name, record] as const;
    const now = { ...held, ...Object.fromEntries(moved.map((file) => [file.name, file.is])) };
    return [name, { ...record, design: { ...record.design, steering: now } }] as const;
  });
  return { ...lead, features: new Map(features) };
}

function planRecordSteps({ before, after, at }: LeadChange): StoreStep[] {
  const features = [...after.features].flatMap(([name, record]): StoreStep[] => {
    const rev = getNextRevision(before.features.get(name), record);
    if (rev === undefined) return [];
    const next = { ...record, updated_at: at, rev };
    return [{ kind: "record", path: paths.getFeatureRecordPath(name), record: next, shape: createFeatureShape(name) }];
  });
  const waves = [...after.waves].flatMap(([wave, record]): StoreStep[] => {
    const rev = getNextRevision(before.waves.get(wave), record);
    if (rev === undefined) return [];
    const next = { ...record, rev };
    return [{ kind: "record", path: paths.getWaveRecordPath(wave), record: next, shape: createWaveShape(wave) }];
  });
  return [...features, ...waves];
}

/** Undefined if nothing but the revision number differs. */
function getNextRevision<T extends RevisedRecord>(was: T | undefined, is: T): number | undefined {
  const isSame = was === is || (was !== undefined && leadStore.isSameValue({ ...was, rev: 0 }, { ...is, rev: 0 }));
  return isSame ? undefined : (was?.rev ?? 0) + 1;
}

/** The last version of each batch. A steering line may be answered in the same write or long after. */
function planBatchSteps(tree: StoreTree, effects: readonly LeadEffect[]): StoreStep[] {
  const batches = new Map<paths.WorkspacePath, StoredReview>();
  for (const effect of effects) {
    if (effect.kind === "batch") batches.set(getReviewBatchPath(effect.batch.scope, effect.batch.batch), effect.batch);
    if (effect.kind !== "proposal-answered") continue;
    const path = getReviewBatchPath(effect.scope, effect.batch);
    const stored = batches.get(path) ?? leadStore.readStoredBatch(tree, effect.scope, effect.batch);
    // A batch that was deleted by hand has no line to answer.
    if (stored?.steering[effect.line - 1]?.answer === "waiting")
      batches.set(path, answerSteeringProposal(stored, effect.line, effect.answer));
  }
  return [...batches].map(([path, batch]) => ({ kind: "document", path, text: formatStoredReview(batch) }));
}

function planTaskSteps(tree: StoreTree, yaml: YamlEditor, { before, after }: LeadChange): StoreStep[] {
  return [...after.features].flatMap(([name, record]): StoreStep[] => {
    const was = before.features.get(name);
    if (!was || was === record || leadStore.isSameValue(listTaskStatuses(was), listTaskStatuses(record))) return [];
    const path = paths.getFeatureTasksPath(name);
    const written = tree.text(path) ?? "";
    const text = updateTaskStatuses(yaml, written, record);
    return text === written ? [] : [{ kind: "document", path, text }];
  });
}

const listTaskStatuses = ({ implementation }: Pick<FeatureRecord, "implementation">) =>
  implementation.groups.flatMap(({ tasks, status }) => tasks.map((id) => [id, status] as const));

/** Updates each task's status in `tasks.yaml` from the record's groups. The rest of the file stays as written. */
export function updateTaskStatuses(yaml: YamlEditor, text: string, record: Pick<FeatureRecord, "implementation">) {
  const { tree } = yaml.read(text);
  const edits = tree ? createTaskStatusEdits(tree, new Map(listTaskStatuses(record))) : [];
  return edits.length === 0 ? text : yaml.edit(text, edits);
}

/** Also updates the product page when the roadmap structure changes and when a first design starts. */
function describeSteeringOccasion({ before, after }: LeadChange): ProductUpdate {
  const features = [...after.features.values()];
  const isOther = ({ features: others }: Lead, { feature_name: name, roadmap }: FeatureRecord): boolean =>
    roadmap !== null && !leadStore.isSameValue(others.get(name)?.roadmap, roadmap);
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
  const isNeeded = ({ at: then }: leadStore.FinishedGroup): boolean => since.some((begun) => begun <= then);
  const known = leadStore.loadCheckoutEntries(tree, leadStore.FINISHED_GROUP_SPACE, checkout);
  const needed = [...known, ...ended].filter(([, built]) => isNeeded(built));
  return leadStore.planSpaceUpdates(leadStore.FINISHED_GROUP_SPACE, checkout, known, new Map(needed));
}

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
