import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { collectDownstreamFeatures } from "../dependency-graph.ts";
import {
  getCurrentBasis,
  getReachedPhase,
  isDesignFix,
  isFeatureAccepted,
  isFeatureBuilt,
  listChangedDependencies,
} from "../feature-progress.ts";
import { PathSet } from "../feature/claimed-path.ts";
import type { FeatureRecord, PendingFix } from "../feature/feature-record.ts";
import {
  cancelAssignments,
  cancelFeatureWork,
  cancelReview,
  countFeatureRun,
  dropFeatureGoal,
  type LeadDraft,
  markPartitionTried,
  resetFeatureCounters,
  updateOrchestration,
} from "./lead-draft.ts";
import type { AgentWork, LeadAction } from "./lead-state.ts";
import * as leadView from "./lead-view.ts";

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
export const requestNewPlan = (record: FeatureRecord, fix: PendingFix): FeatureRecord =>
  returnToPhase({ ...record, fix, implementation: { ...record.implementation, hash: null } }, "design-generated");

/** The plan stays: the next design decides which of it still holds. A spec update starts over. */
export function requestDesignFix(record: FeatureRecord, fix: PendingFix): FeatureRecord {
  const { plan_text, ...implementation } = record.implementation;
  const plan = plan_text === undefined ? {} : { plan_text };
  const left = fix.source === "spec-update" ? { tasks_hash: null, groups: [], excluded: [] } : plan;
  return returnToPhase(
    { ...record, fix, implementation: { ...implementation, ...left, hash: null } },
    "design-generated",
  );
}

export function voidFeatureDesign(record: FeatureRecord): FeatureRecord {
  const { design: review } = record.reviews;
  const next: FeatureRecord = {
    ...record,
    version_refs: { ...record.version_refs, design: null },
    // Keeps only the steering lines that the user has not answered.
    reviews: { ...record.reviews, design: review?.waiting ? { ...review, of: "void" } : null },
    implementation: { ...record.implementation, hash: null },
    fix: isDesignFix(record.fix) ? record.fix : null,
  };
  return returnToPhase(next, "initialized");
}

/** For a blocked feature, sets the phase it returns to. */
function returnToPhase(record: FeatureRecord, phase: "initialized" | "design-generated"): FeatureRecord {
  const next = updateOrchestration(record, { last_phase_action: null });
  return record.phase === "blocked" && record.blocked_info
    ? { ...next, blocked_info: { ...record.blocked_info, blocked_at_phase: phase } }
    : { ...next, phase };
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

/** Resets features that were designed on an older version of this design and are not built yet. */
export function voidDependentDesigns(draft: LeadDraft, name: FeatureName, hash: string): void {
  for (const record of draft.features.values()) {
    if (!leadView.listActiveDependencies(record).includes(name)) continue;
    // An Architect at work on the old design would have to start over anyway.
    cancelAssignments(
      draft,
      (action) => action.kind === "spawn" && action.work.of === "design" && action.work.feature === record.feature_name,
    );
  }
  for (const record of draft.features.values()) {
    const { design } = record;
    const basis = design && Object.hasOwn(design.basis, name) ? design.basis[name] : undefined;
    const phase = getReachedPhase(record);
    const isOpen = phase !== "implementation-complete" && phase !== "initialized";
    if (basis === undefined || basis === hash || !isOpen) continue;
    draft.keep(voidFeatureDesign(cancelFeatureWork(draft, record)));
  }
}

/**
 * Part of a wave is rebuilt, so its gate restarts; after a failed feature review it keeps its count of tries. Later
 * gates cover earlier waves: open ones restart, and of the finished ones the last. After a revision of one feature,
 * that one searches only for dead code.
 */
export function reopenWaveGates(
  draft: LeadDraft,
  { roadmap }: FeatureRecord,
  by: "user" | "review" | "revision" = "user",
): void {
  if (!roadmap) return;
  // A gate that has only started has no record yet.
  const reviewed = draft.reviews.keys().flatMap((key) => leadView.parseWaveHead(key.slice(0, key.indexOf("/"))) ?? []);
  const waves = new Set([roadmap.wave, ...draft.waves.keys(), ...reviewed]);
  const later = [...waves].filter((wave) => wave >= roadmap.wave).toSorted((a, b) => a - b);
  const isOver = (wave: number): boolean => draft.waves.get(wave)?.step === "done";
  const last = later.findLast(isOver);
  // A steering line waits for its answer, whatever happens to the code.
  const isSteering = (action: LeadAction): boolean => action.kind === "ask" && action.question === "steering";
  for (const wave of later) {
    if (wave !== roadmap.wave && wave !== last && isOver(wave)) continue;
    const head = `${leadView.formatWaveHead(wave)}/`;
    for (const key of draft.reviews.keys()) if (key.startsWith(head)) cancelReview(draft, key);
    cancelAssignments(draft, (action) => action.id.startsWith(head) && !isSteering(action));
    const record = draft.waves.get(wave);
    if (!record) continue;
    const isUnderWay = by === "review" && record.step === "cross-check";
    const tries = isUnderWay ? record.tries : { cross_check: 0, dead_code: 0 };
    const { tested: _, is_short: __, ...rest } = record;
    const isRevised = by === "revision" && record.step === "done";
    // A gate begins only after those of earlier waves, so a later wave remembers that it needs no cross-check.
    const isBehind = hasOpenGateBefore(draft, wave);
    const isShort = by === "revision" && isBehind && (isRevised || record.is_short === true);
    const step = !isRevised || isBehind ? "cross-check" : wave === last ? "dead-code" : "commit";
    const marks = { ...(isRevised ? { reopened: true } : {}), ...(isShort ? { is_short: true } : {}) };
    draft.waves.set(wave, { ...rest, ...marks, step, tries, proceeded: [] });
  }
}

const hasOpenGateBefore = (draft: LeadDraft, wave: number): boolean =>
  draft.features.values().some(({ roadmap, phase }) => {
    const before = roadmap && roadmap.wave < wave ? draft.waves.get(roadmap.wave) : undefined;
    return phase !== "blocked" && before !== undefined && before.step !== "done";
  });

/** Reopens the wave unless its finished gate already covered the accepted feature. */
export function reopenUncoveredWave(draft: LeadDraft, record: FeatureRecord): void {
  const isThrough = record.roadmap !== null && draft.waves.get(record.roadmap.wave)?.step === "done";
  if (!isThrough || !isFeatureAccepted(record)) reopenWaveGates(draft, record);
}

/** Retries are exhausted. Blocks the feature and all its dependents until the user decides. */
export function escalateFeature(draft: LeadDraft, name: FeatureName, detail: string): void {
  const known = draft.feature(name);
  if (!known) return;
  const record = cancelFeatureWork(draft, known);
  draft.keep({
    ...record,
    phase: "blocked",
    blocked_info: {
      blocked_by: addSortedName(record.blocked_info?.blocked_by ?? [], name),
      reason: "retries_exhausted",
      blocked_at_phase: getReachedPhase(record),
      detail: sanitizeText(detail, 1_000),
      is_skipped: false,
    },
  });
  for (const other of collectDownstreamFeatures(leadView.getActiveDependents(draft.lead().features), [name]))
    blockDependent(draft, other, name);
}

function blockDependent(draft: LeadDraft, name: FeatureName, by: FeatureName): void {
  const known = draft.feature(name);
  if (!known) return;
  const record = cancelFeatureWork(draft, known);
  if (record.blocked_info?.is_skipped) return;
  const info = record.blocked_info ?? {
    blocked_by: [],
    reason: "upstream_failure",
    blocked_at_phase: getReachedPhase(record),
    detail: `${by} failed, which it builds on.`,
    is_skipped: false,
  };
  draft.keep({
    ...record,
    phase: "blocked",
    blocked_info: { ...info, blocked_by: addSortedName(info.blocked_by, by) },
  });
}

const addSortedName = (names: readonly FeatureName[], name: FeatureName): FeatureName[] =>
  [...new Set([...names, name])].toSorted();

/** The user wants a fix. Dependents stay blocked until it succeeds. */
export function unblockForFix(draft: LeadDraft, record: FeatureRecord): void {
  const { feature_name: name, blocked_info } = record;
  if (!blocked_info) return;
  const fresh = countFeatureRun(resetFeatureCounters(record), "escalation");
  const others = blocked_info.blocked_by.filter((by) => by !== name);
  const waiting = {
    ...blocked_info,
    blocked_by: others,
    reason: "upstream_failure",
    is_skipped: false,
    detail: `${others.join(" and ")} failed, which it builds on.`,
  } as const;
  draft.keep(others.length === 0 ? restoreReachedPhase(fresh) : { ...fresh, blocked_info: waiting });
  reopenWaveGates(draft, record);
  unblockReadyDependents(draft, name);
}

export function skipBlockedFeature(draft: LeadDraft, record: FeatureRecord): void {
  const { feature_name: name, blocked_info } = record;
  if (!blocked_info) return;
  draft.keep(countFeatureRun({ ...record, blocked_info: { ...blocked_info, is_skipped: true } }, "escalation"));
  dropFeatureGoal(draft, name);
  for (const other of draft.features.values()) {
    const { roadmap } = other;
    if (!roadmap?.dependencies.includes(name) || roadmap.skipped.includes(name)) continue;
    draft.keep({ ...other, roadmap: { ...roadmap, skipped: addSortedName(roadmap.skipped, name) } });
  }
  removeBlocker(draft, name);
  reopenSharedGroups(draft, record);
}

/** A file that a skipped feature has written too must not keep its half: the other owner removes that. */
function reopenSharedGroups(draft: LeadDraft, skipped: FeatureRecord): void {
  const { feature_name: name, implementation, orchestration } = skipped;
  const begun = implementation.groups.filter(({ id }) => (orchestration.runs[`build-${id}`] ?? 0) > 0);
  const written = new PathSet(begun.flatMap(({ files }) => files));
  for (const other of draft.features.values()) {
    const isCommitted = draft.waves.get(leadView.getFeatureWave(other))?.step === "done";
    if (other.feature_name === name || other.phase === "blocked" || other.fix || isCommitted) continue;
    const shared = other.implementation.groups.filter(
      ({ files, status }) => status === "done" && files.some((file) => written.has(file)),
    );
    if (shared.length === 0) continue;
    const files = shared.flatMap((group) => group.files.filter((file) => written.has(file)));
    const detail = `${name} was skipped. Remove what belongs to it from ${files.join(", ")}: imports, exports, calls, tests.`;
    const fix = { source: "gate", batch: null, detail, groups: shared.map(({ id }) => id) } as const;
    draft.keep(reopenTaskGroups(cancelFeatureWork(draft, other), fix));
    reopenWaveGates(draft, other);
  }
}

export function unblockReadyDependents(draft: LeadDraft, name: FeatureName): void {
  const record = draft.feature(name);
  if (!record) return;
  const isSound = leadView.getFeatureGoal(draft.lead(), record) === "done" ? isFeatureAccepted : isFeatureBuilt;
  if (isSound(record)) removeBlocker(draft, name);
}

/** Removes the feature from every list of blockers. A feature without blockers returns to its former phase. */
export function removeBlocker(draft: LeadDraft, name: FeatureName): void {
  for (const record of draft.features.values()) {
    const isBlocked = record.feature_name !== name && record.blocked_info?.blocked_by.includes(name);
    if (isBlocked) dropBlockers(draft, record, [name]);
  }
}

function dropBlockers(draft: LeadDraft, record: FeatureRecord, gone: readonly FeatureName[]): void {
  const { blocked_info } = record;
  if (!blocked_info) return;
  const blocked_by = blocked_info.blocked_by.filter((by) => !gone.includes(by));
  if (blocked_by.length > 0) draft.keep({ ...record, blocked_info: { ...blocked_info, blocked_by } });
  else if (!blocked_info.is_skipped) {
    draft.keep(restoreReachedPhase(record));
    reopenUncoveredWave(draft, restoreReachedPhase(record));
  }
}

const restoreReachedPhase = (record: FeatureRecord): FeatureRecord => ({
  ...record,
  phase: getReachedPhase(record),
  blocked_info: null,
});

export function recomputeBlockers(draft: LeadDraft, name: FeatureName): void {
  const { features } = draft.lead();
  for (const other of [name, ...collectDownstreamFeatures(leadView.getActiveDependents(features), [name])]) {
    const record = draft.feature(other);
    if (!record) continue;
    const upstream = new Set(leadView.listActiveDependencies(record));
    // Iterating a Set also visits values added during the iteration.
    for (const on of upstream) {
      const needed = draft.feature(on);
      if (needed) for (const next of leadView.listActiveDependencies(needed)) upstream.add(next);
    }
    const gone = (record.blocked_info?.blocked_by ?? []).filter((by) => by !== other && !upstream.has(by));
    if (gone.length > 0) dropBlockers(draft, record, gone);
    for (const by of upstream) {
      const failed = draft.feature(by);
      if (failed && leadView.isFailedFeature(failed)) blockDependent(draft, other, by);
    }
  }
}
