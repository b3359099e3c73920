import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { normalizePathKey, PathSet } from "../feature/claimed-path.ts";
import type { FeatureRecord, TaskGroupRecord } from "../feature/feature-record.ts";
import { hasCurrentPass, isDesignFix } from "../feature-progress.ts";
import { findFileOverlaps, listClaimedFiles, partitionOverlaps, serializeOverlaps } from "../file-ownership.ts";
import { createWavePassedId, joinReviewKey } from "./action-ids.ts";
import { wasPartitionTried } from "./feature-counters.ts";
import { isBuildAction, type Lead } from "./lead-state.ts";
import {
  getFeatureGoal,
  getFeatureWave,
  hasFailedReview,
  isDesignApproved,
  isFailedFeature,
  isImplementationApproved,
  isReadyForGate,
  type LeadView,
  listActiveDependencies,
  listFeatureProposals,
  listFollowUpCauses,
  NO_WAVE,
} from "./lead-view.ts";

/** The next step of a feature. It follows from the record and is never stored. */
export type NextStep =
  | { readonly kind: "waiting" | "blocked"; readonly why: string }
  | { readonly kind: "design"; readonly mode: "new" | "existing"; readonly isFix: boolean }
  | { readonly kind: "agreement"; readonly of: "design" | "implementation" }
  | { readonly kind: "tasks"; readonly excluded: readonly string[]; readonly blocker: string | null }
  | { readonly kind: "build"; readonly groups: readonly TaskGroupRecord[] }
  | { readonly kind: "follow-up"; readonly on: readonly FeatureName[] }
  | { readonly kind: "escalated" | "resting" | "reached" | "structure" | "gate" | "commit" }
  | { readonly kind: "design-review" | "impl-review" };

export function getNextStep(view: LeadView, record: FeatureRecord): NextStep {
  if (record.phase === "blocked") return getBlockedStep(record);
  if (getFeatureGoal(view.lead, record) === null) return { kind: "resting" };
  if (hasOpenReview(view, record)) return createWaitingStep("its review is under way");
  if (isDesignFix(record.fix)) return getDesignFixStep(view, record);
  switch (record.phase) {
    case "initialized":
      return getDesignStep(view, record);
    case "design-generated":
      return getDesignedStep(view, record);
    case "implementation-complete":
      return record.implementation.hash === null ? getBuildStep(view, record) : getBuiltStep(view, record);
    default:
      return createWaitingStep(`its phase '${String(record.phase satisfies never)}' is unknown`);
  }
}

const createWaitingStep = (why: string): NextStep => ({ kind: "waiting", why });

function getBlockedStep(record: FeatureRecord): NextStep {
  if (isFailedFeature(record)) return { kind: "escalated" };
  const by = record.blocked_info?.blocked_by ?? [];
  return { kind: "blocked", why: record.blocked_info?.is_skipped ? "it was skipped" : `blocked by ${by.join(", ")}` };
}

const hasOpenReview = ({ lead: { reviews } }: LeadView, { feature_name: name }: FeatureRecord): boolean =>
  reviews.size > 0 && (reviews.has(joinReviewKey(name, "design")) || reviews.has(joinReviewKey(name, "impl")));

function getDesignFixStep({ lead: { run } }: LeadView, { fix, design }: FeatureRecord): NextStep {
  if (fix?.isStructural && run.isOn && run.isGated) return { kind: "structure" };
  return { kind: "design", mode: design ? "existing" : "new", isFix: true };
}

/** A design builds on the designs of its dependencies, so those come first and must be stable. */
function getDesignStep(view: LeadView, record: FeatureRecord): NextStep {
  const before = listActiveDependencies(record).find((name) => {
    const other = view.lead.features.get(name);
    return !other?.design || other.phase === "initialized" || isDesignFix(other.fix);
  });
  if (before !== undefined) return createWaitingStep(`it builds on the design of ${before}`);
  return { kind: "design", mode: record.design ? "existing" : "new", isFix: false };
}

const PROPOSALS_WAIT = createWaitingStep("the user has to answer what its review proposes");

function getDesignedStep(view: LeadView, record: FeatureRecord): NextStep {
  const { lead } = view;
  const goal = getFeatureGoal(lead, record);
  const { design: review } = record.reviews;
  const isMandatory = goal === "done";
  if (hasFailedReview(review) || (isMandatory && !hasCurrentPass(review, record.design?.hash)))
    return { kind: "design-review" };
  if (goal === "design") return { kind: "reached" };
  if (isMandatory && !isDesignApproved(view, record)) return { kind: "agreement", of: "design" };
  if (listFeatureProposals(record).length > 0) return PROPOSALS_WAIT;
  const before = lead.run.isOn && record.roadmap ? findBuildObstacle(view, record) : undefined;
  if (before !== undefined) return createWaitingStep(before);
  if (record.orchestration.last_phase_action !== "tasks-generated") {
    const blocker = record.fix?.source === "blocker" ? record.fix.detail : null;
    return { kind: "tasks", excluded: record.implementation.excluded, blocker };
  }
  return goal === "tasks" ? { kind: "reached" } : getBuildStep(view, record);
}

/** Designs may run ahead. Code waits for the gates of earlier waves and for its dependencies. */
function findBuildObstacle(view: LeadView, record: FeatureRecord): string | undefined {
  const wave = getFeatureWave(record);
  if (wave > view.openWave) return `the gate of wave ${view.openWave} comes first`;
  const question = findWaveToApprove(view);
  if (wave === view.openWave && question !== undefined)
    return `the user has to say whether to go on after wave ${question}`;
  const before = listActiveDependencies(record).find((name) => {
    const other = view.lead.features.get(name);
    // A dependency in a later wave cannot hold this feature up.
    return other !== undefined && getFeatureWave(other) <= wave && !isReadyForGate(view, other);
  });
  return before === undefined ? undefined : `it is built on ${before}`;
}

/** With `--gate`: the finished wave that the user must approve. Work in the next wave counts as approval. */
export function findWaveToApprove({ lead, openWave, byWave, agreed }: LeadView): number | undefined {
  if (!lead.run.isOn || !lead.run.isGated) return undefined;
  const next = byWave.get(openWave);
  const hasStarted = next?.some(
    ({ phase, orchestration }) => phase === "implementation-complete" || orchestration.last_phase_action !== null,
  );
  if (!next || hasStarted) return undefined;
  const last = [...byWave.keys()].findLast((wave) => wave < openWave && lead.waves.get(wave)?.step === "done");
  return last === undefined || agreed.has(createWavePassedId(last)) ? undefined : last;
}

function getBuildStep(view: LeadView, record: FeatureRecord): NextStep {
  const pending = record.implementation.groups.filter(({ status }) => status === "pending");
  if (pending.length === 0) return { kind: "gate" };
  const claims = getFileClaims(view, record);
  const excluded = claims.without.get(record.feature_name) ?? [];
  if (excluded.length > 0 && canPartitionFeature(view, record)) return { kind: "tasks", excluded, blocker: null };
  const before = claims.waits.get(record.feature_name);
  if (before) return createWaitingStep(`${before.join(" and ")} has files first that it claims too`);
  const groups = listReadyGroups(view, pending, claims.isApart);
  return groups.length > 0 ? { kind: "build", groups } : createWaitingStep("its groups wait for those at work");
}

/** Only once, and only before any group of the plan has started. */
function canPartitionFeature({ lead, outOf }: LeadView, record: FeatureRecord): boolean {
  const { feature_name: name, implementation, fix } = record;
  return (
    lead.run.onOverlap === "partition" &&
    fix === null &&
    implementation.excluded.length === 0 &&
    !wasPartitionTried(record) &&
    implementation.groups.every(({ status }) => status === "pending") &&
    !outOf.get(name)?.some(({ action }) => isBuildAction(action))
  );
}

function listReadyGroups(
  { held }: LeadView,
  pending: readonly TaskGroupRecord[],
  isApart: boolean,
): readonly TaskGroupRecord[] {
  const isOpen = (id: string): boolean => pending.some((group) => group.id === id);
  const free = pending.filter(
    ({ id, depends, files }) =>
      !depends.some((other) => other !== id && isOpen(other)) &&
      (held.size === 0 || !files.some((file) => held.has(file))),
  );
  if (isApart) return free;
  const taken = new PathSet();
  return free.filter(({ files }) => {
    if (files.some((file) => taken.has(file))) return false;
    for (const file of files) taken.add(file);
    return true;
  });
}

function getBuiltStep(view: LeadView, record: FeatureRecord): NextStep {
  const { implementation: review } = record.reviews;
  const goal = getFeatureGoal(view.lead, record);
  const isMandatory = goal === "done";
  if (goal === "design" || goal === "tasks") return { kind: "reached" };
  if (hasFailedReview(review) || (isMandatory && !hasCurrentPass(review, record.implementation.hash)))
    return { kind: "impl-review" };
  const on = listFollowUpCauses(view, record);
  if (on.length > 0) return view.lead.run.isGated ? { kind: "follow-up", on } : { kind: "impl-review" };
  if (isMandatory && !isImplementationApproved(view, record)) return { kind: "agreement", of: "implementation" };
  if (listFeatureProposals(record).length > 0) return PROPOSALS_WAIT;
  return { kind: view.lead.run.isOn && record.roadmap ? "reached" : "commit" };
}

interface FileClaims {
  /** The features each feature waits for, so that a file has one writer at a time. */
  readonly waits: ReadonlyMap<string, readonly string[]>;
  readonly without: ReadonlyMap<string, readonly string[]>;
  /** True if no file is claimed twice, not even by two groups of one feature. */
  readonly isApart: boolean;
}

interface ClaimsCacheEntry {
  readonly run: Lead["run"];
  readonly waves: Lead["waves"];
  readonly byWave: Map<number, FileClaims>;
}

const NO_SHARED_CLAIMS: FileClaims = { waits: new Map(), without: new Map(), isApart: true };
/** Cached because assignments do not change claims, and many actions are assigned in one call. */
const claimsCache = new WeakMap<Lead["features"], ClaimsCacheEntry>();

function getFileClaims(view: LeadView, record: FeatureRecord): FileClaims {
  const wave = getFeatureWave(record);
  // A feature without a wave waits for no other. Its own groups may still share files.
  if (wave === NO_WAVE) return { ...NO_SHARED_CLAIMS, isApart: false };
  const { byWave } = getClaimsCacheEntry(view.lead);
  const found = byWave.get(wave) ?? computeFileClaims(view, view.byWave.get(wave) ?? []);
  byWave.set(wave, found);
  return found;
}

function getClaimsCacheEntry({ features, run, waves }: Lead): ClaimsCacheEntry {
  const before = claimsCache.get(features);
  if (before?.run === run && before.waves === waves) return before;
  const next = { run, waves, byWave: new Map<number, FileClaims>() };
  claimsCache.set(features, next);
  return next;
}

function computeFileClaims(view: LeadView, records: readonly FeatureRecord[]): FileClaims {
  const claiming = records.filter((record) => {
    const goal = getFeatureGoal(view.lead, record);
    const isBuilding = goal === "implementation" || goal === "done";
    return record.phase !== "blocked" && isBuilding && !isReadyForGate(view, record);
  });
  if (hasDistinctFiles(claiming)) return NO_SHARED_CLAIMS;
  const found = findFileOverlaps(breakDependencyCycles(listSharingFeatures(claiming)), () => false);
  return { waits: serializeOverlaps(found), without: partitionOverlaps(found), isApart: false };
}

/** Fast path: usually no file is shared. */
function hasDistinctFiles(records: readonly FeatureRecord[]): boolean {
  const named = records.flatMap(({ design, implementation: { groups } }) =>
    groups.length > 0 ? groups.flatMap(({ files }) => files) : (design?.files ?? []),
  );
  return new PathSet(named).size === named.length;
}

function listSharingFeatures(records: readonly FeatureRecord[]): FeatureRecord[] {
  const holders = new Map<string, FeatureRecord>();
  const sharing = new Set<FeatureRecord>();
  for (const record of records) {
    for (const key of listClaimedFiles(record).map(normalizePathKey)) {
      const holder = holders.get(key);
      if (holder) sharing.add(holder).add(record);
      else holders.set(key, record);
    }
  }
  return records.filter((record) => sharing.has(record));
}

/** Merged records can contain a dependency cycle. Then names decide the order. */
function breakDependencyCycles(records: readonly FeatureRecord[]): readonly FeatureRecord[] {
  const left = new Map(records.map((record) => [record.feature_name, record]));
  for (let before = left.size + 1; left.size < before;) {
    before = left.size;
    for (const [name, { roadmap }] of left) if (!roadmap?.dependencies.some((on) => left.has(on))) left.delete(name);
  }
  if (left.size === 0) return records;
  return records.map((record) =>
    record.roadmap ? { ...record, roadmap: { ...record.roadmap, dependencies: [] } } : record,
  );
}
