import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureBlock, FeatureRecord } from "../feature/feature-record.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { compareCodeUnits, collectDownstreamFeatures } from "../dependency-graph.ts";
import { isFeatureAccepted, isFeatureBuilt, getReachedPhase } from "../feature-progress.ts";
import { resetFeatureCounters, countFeatureRun } from "./feature-counters.ts";
import { dropFeatureGoal, cancelFeatureWork } from "./work-cancellation.ts";
import { isFailedFeature } from "./wave-progress.ts";
import type { LeadDraft } from "./lead-draft.ts";
import { reopenUncoveredWave, reopenWaveGates } from "./feature-rework.ts";
import { getFeatureGoal, getActiveDependents, listActiveDependencies } from "./lead-view.ts";

/** Retries are exhausted. Blocks the feature and all its dependents until the user decides. */
export function escalateFeature(draft: LeadDraft, name: FeatureName, detail: string): void {
  cancelFeatureWork(draft, name);
  const record = draft.feature(name);
  if (!record) return;
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
  for (const other of collectDownstreamFeatures(getActiveDependents(draft.lead().features), [name]))
    blockDependent(draft, other, name);
}

function blockDependent(draft: LeadDraft, name: FeatureName, by: FeatureName): void {
  cancelFeatureWork(draft, name);
  const record = draft.feature(name);
  if (!record || record.blocked_info?.is_skipped) return;
  const known: FeatureBlock = record.blocked_info ?? {
    blocked_by: [],
    reason: "upstream_failure",
    blocked_at_phase: getReachedPhase(record),
    detail: `${by} failed, which it builds on.`,
    is_skipped: false,
  };
  const blocked_info = { ...known, blocked_by: addSortedName(known.blocked_by, by) };
  draft.keep({ ...record, phase: "blocked", blocked_info });
}

const addSortedName = (names: readonly FeatureName[], name: FeatureName): FeatureName[] =>
  [...new Set([...names, name])].toSorted(compareCodeUnits);

/** The user wants a fix. Dependents stay blocked until it succeeds. */
export function unblockForFix(draft: LeadDraft, name: FeatureName): void {
  const record = draft.feature(name);
  if (!record?.blocked_info) return;
  const fresh = countFeatureRun(resetFeatureCounters(record), "escalation");
  const others = record.blocked_info.blocked_by.filter((by) => by !== name);
  draft.keep(
    others.length === 0
      ? restoreReachedPhase(fresh)
      : {
          ...fresh,
          blocked_info: {
            ...record.blocked_info,
            blocked_by: others,
            reason: "upstream_failure",
            is_skipped: false,
            detail: `${others.join(" and ")} failed, which it builds on.`,
          },
        },
  );
  reopenWaveGates(draft, record);
  unblockReadyDependents(draft, name);
}

export function skipBlockedFeature(draft: LeadDraft, name: FeatureName): void {
  const record = draft.feature(name);
  if (!record?.blocked_info) return;
  draft.keep(countFeatureRun({ ...record, blocked_info: { ...record.blocked_info, is_skipped: true } }, "escalation"));
  dropFeatureGoal(draft, name);
  for (const other of draft.features()) {
    const { roadmap } = other;
    if (!roadmap?.dependencies.includes(name) || roadmap.skipped.includes(name)) continue;
    draft.keep({ ...other, roadmap: { ...roadmap, skipped: addSortedName(roadmap.skipped, name) } });
  }
  removeBlocker(draft, name);
}

export function unblockReadyDependents(draft: LeadDraft, name: FeatureName): void {
  const record = draft.feature(name);
  if (!record) return;
  const isSound = getFeatureGoal(draft.lead(), record) === "done" ? isFeatureAccepted : isFeatureBuilt;
  if (isSound(record)) removeBlocker(draft, name);
}

/** Removes the feature from every list of blockers. A feature without blockers returns to its former phase. */
export function removeBlocker(draft: LeadDraft, name: FeatureName): void {
  for (const record of draft.features()) {
    const { blocked_info, feature_name: other } = record;
    if (other === name || !blocked_info?.blocked_by.includes(name)) continue;
    dropBlockers(draft, record, new Set([name]));
  }
}

function dropBlockers(draft: LeadDraft, record: FeatureRecord, gone: ReadonlySet<FeatureName>): void {
  const { blocked_info } = record;
  if (!blocked_info) return;
  const blocked_by = blocked_info.blocked_by.filter((by) => !gone.has(by));
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
  for (const other of [name, ...collectDownstreamFeatures(getActiveDependents(features), [name])]) {
    const record = draft.feature(other);
    if (!record) continue;
    const upstream = collectUpstreamFeatures(draft, record);
    const gone = (record.blocked_info?.blocked_by ?? []).filter((by) => by !== other && !upstream.has(by));
    if (gone.length > 0) dropBlockers(draft, record, new Set(gone));
    for (const by of upstream) {
      const failed = draft.feature(by);
      if (failed && isFailedFeature(failed)) blockDependent(draft, other, by);
    }
  }
}

function collectUpstreamFeatures(draft: LeadDraft, record: FeatureRecord): ReadonlySet<FeatureName> {
  const names = new Set(listActiveDependencies(record));
  // Iterating a Set also visits values added during the iteration.
  for (const name of names) {
    const other = draft.feature(name);
    if (other) for (const next of listActiveDependencies(other)) names.add(next);
  }
  return names;
}
