import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord, PendingFix, FeatureImplementation, ReviewReference } from "../feature/feature-record.ts";
import {
  getCurrentBasis,
  listChangedDependencies,
  isFeatureAccepted,
  isDesignFix,
  getReachedPhase,
} from "../feature-progress.ts";
import type { LeadAction, AgentWork } from "./lead-state.ts";
import { updateOrchestration, markPartitionTried } from "./feature-counters.ts";
import { cancelAssignments, cancelFeatureWork, cancelReview } from "./work-cancellation.ts";
import { setFeaturePhase } from "./wave-progress.ts";
import type { LeadDraft } from "./lead-draft.ts";
import { formatWaveHead, parseWaveHead } from "./action-ids.ts";
import { listActiveDependencies } from "./lead-view.ts";

const CLEARED_PLAN: Partial<FeatureImplementation> = { tasks_hash: null, groups: [], hash: null, excluded: [] };

/** Sets the groups of the fix to pending, or all groups if none of them exists. */
export function reopenTaskGroups(record: FeatureRecord, fix: PendingFix): FeatureRecord {
  const { groups } = record.implementation;
  // Code without known tasks needs new tasks for the fix.
  if (groups.length === 0) return requestNewPlan(record, { ...fix, source: "blocker", groups: [] });
  const meant = groups.filter(({ id }) => fix.groups.includes(id));
  const woken = new Set((meant.length > 0 ? meant : groups).map(({ id }) => id));
  return {
    ...record,
    fix: { ...fix, groups: [...woken] },
    implementation: {
      ...record.implementation,
      hash: null,
      groups: groups.map((group) => (woken.has(group.id) ? { ...group, status: "pending" } : group)),
    },
  };
}

/** Groups that are done stay done if the new plan contains them unchanged. */
export function requestNewPlan(record: FeatureRecord, fix: PendingFix): FeatureRecord {
  const next = setFeaturePhase(
    { ...record, fix, implementation: { ...record.implementation, hash: null } },
    "design-generated",
  );
  return updateOrchestration(next, { last_phase_action: null });
}

export const isPartitionPlanning = (work: AgentWork, { implementation }: FeatureRecord): boolean =>
  work.of === "tasks" && work.excluded.length > 0 && implementation.excluded.length === 0;

/** Planning around shared files failed. Plans without that limit; the feature waits for the files. */
export const abandonPartition = (record: FeatureRecord): FeatureRecord =>
  updateOrchestration(markPartitionTried(record), { last_phase_action: null });

export function refreshDesignBasis(draft: LeadDraft, record: FeatureRecord): FeatureRecord {
  const { features } = draft.lead();
  if (!record.design || listChangedDependencies(features, record).length === 0) return record;
  return { ...record, design: { ...record.design, basis: getCurrentBasis(features, record) } };
}

export function requestDesignFix(record: FeatureRecord, fix: PendingFix): FeatureRecord {
  const next = setFeaturePhase(
    { ...record, fix, implementation: { ...record.implementation, ...CLEARED_PLAN } },
    "design-generated",
  );
  return updateOrchestration(next, { last_phase_action: null });
}

export function voidFeatureDesign(record: FeatureRecord): FeatureRecord {
  const next = setFeaturePhase(
    {
      ...record,
      version_refs: { ...record.version_refs, design: null },
      reviews: { ...record.reviews, design: voidReviewReference(record.reviews.design) },
      implementation: { ...record.implementation, ...CLEARED_PLAN },
      fix: isDesignFix(record.fix) ? record.fix : null,
    },
    "initialized",
  );
  return updateOrchestration(next, { last_phase_action: null });
}

/** Keeps only the steering lines that the user has not answered. */
const voidReviewReference = (review: ReviewReference | null): ReviewReference | null =>
  review?.waiting ? { ...review, of: "void" } : null;

/** Resets features that were designed on an older version of this design and are not built yet. */
export function voidDependentDesigns(draft: LeadDraft, name: FeatureName, hash: string): void {
  const dependents = draft.features().filter((record) => listActiveDependencies(record).includes(name));
  for (const { feature_name: dependent } of dependents) {
    // An Architect at work on the old design would have to start over anyway.
    cancelAssignments(draft, (action) => action.kind === "spawn" && isDesignWork(action.work, dependent));
  }
  for (const { feature_name: other, design } of draft.features()) {
    const basis = design && Object.hasOwn(design.basis, name) ? design.basis[name] : undefined;
    const record = draft.feature(other);
    if (basis === undefined || basis === hash || !record || isBuiltOrUndesigned(record)) continue;
    cancelFeatureWork(draft, other);
    draft.keep(voidFeatureDesign(draft.feature(other) ?? record));
  }
}

const isDesignWork = (work: { readonly of: string; readonly feature?: FeatureName }, name: FeatureName): boolean =>
  work.of === "design" && work.feature === name;

function isBuiltOrUndesigned(record: FeatureRecord): boolean {
  const phase = getReachedPhase(record);
  return phase === "implementation-complete" || phase === "initialized";
}

/**
 * Part of a wave is rebuilt, so the results of its gate are out of date and the gate restarts. After a failed feature
 * review, a gate in progress keeps its count of tries. Gates of later waves cover all earlier ones: open ones restart
 * too, and of the finished ones the last, because it covers the rest.
 */
export function reopenWaveGates(draft: LeadDraft, { roadmap }: FeatureRecord, by: "user" | "review" = "user"): void {
  if (!roadmap) return;
  // A gate that has only started has no record yet.
  const reviewed = draft.reviewKeys().flatMap((key) => parseWaveHead(key.slice(0, key.indexOf("/"))) ?? []);
  const waves = new Set([roadmap.wave, ...draft.waves().map(({ wave }) => wave), ...reviewed]);
  const later = [...waves].filter((wave) => wave >= roadmap.wave).toSorted((a, b) => a - b);
  const isOver = (wave: number): boolean => draft.wave(wave)?.step === "done";
  const last = later.findLast(isOver);
  for (const wave of later)
    if (wave === roadmap.wave || wave === last || !isOver(wave)) reopenWaveGate(draft, wave, by);
}

/** Reopens the wave unless its finished gate already covered the accepted feature. */
export function reopenUncoveredWave(draft: LeadDraft, record: FeatureRecord): void {
  const isThrough = record.roadmap !== null && draft.wave(record.roadmap.wave)?.step === "done";
  if (!isThrough || !isFeatureAccepted(record)) reopenWaveGates(draft, record);
}

function reopenWaveGate(draft: LeadDraft, wave: number, by: "user" | "review"): void {
  const head = `${formatWaveHead(wave)}/`;
  for (const key of draft.reviewKeys()) if (key.startsWith(head)) cancelReview(draft, key);
  cancelAssignments(draft, (action) => action.id.startsWith(head) && !isSteeringQuestion(action));
  const record = draft.wave(wave);
  if (!record) return;
  const isUnderWay = by === "review" && record.step === "cross-check";
  const tries = isUnderWay ? record.tries : { cross_check: 0, dead_code: 0 };
  draft.keepWave({ ...record, step: "cross-check", tries, proceeded: [] });
}

/** A steering line waits for its answer, whatever happens to the code. */
const isSteeringQuestion = (action: LeadAction): boolean => action.kind === "ask" && action.question === "steering";
