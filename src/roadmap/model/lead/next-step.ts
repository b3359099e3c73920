import { PathSet, normalizePathKey } from "../feature/claimed-path.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord, TaskGroupRecord } from "../feature/feature-record.ts";
import { hasCurrentPass, isDesignFix } from "../feature-progress.ts";
import { wasPartitionTried } from "./feature-counters.ts";
import {
  listFollowUpCauses,
  hasFailedReview,
  isDesignApproved,
  isReadyForGate,
  isFailedFeature,
  isImplementationApproved,
  listFeatureProposals,
} from "./wave-progress.ts";
import { joinReviewKey, createWavePassedId } from "./action-ids.ts";
import { getFeatureGoal, listActiveDependencies, type LeadView, getFeatureWave, NO_WAVE } from "./lead-view.ts";
import { listClaimedFiles, findFileOverlaps, partitionOverlaps, serializeOverlaps } from "../file-ownership.ts";
import type { Lead } from "./lead-state.ts";

/** The next step of a feature. It follows from the record and is never stored. */
export type NextStep =
  | { readonly kind: "blocked"; readonly why: string }
  | { readonly kind: "escalated" }
  | { readonly kind: "resting" }
  | { readonly kind: "reached" }
  | { readonly kind: "waiting"; readonly why: string }
  | { readonly kind: "structure" }
  | { readonly kind: "design"; readonly mode: "new" | "existing"; readonly isFix: boolean }
  | { readonly kind: "design-review" }
  | { readonly kind: "agreement"; readonly of: "design" | "implementation" }
  | { readonly kind: "tasks"; readonly excluded: readonly string[]; readonly blocker: string | null }
  | { readonly kind: "build"; readonly groups: readonly TaskGroupRecord[] }
  | { readonly kind: "gate" }
  | { readonly kind: "impl-review" }
  | { readonly kind: "follow-up"; readonly on: readonly FeatureName[] }
  | { readonly kind: "commit" };

export function getNextStep(view: LeadView, record: FeatureRecord): NextStep {
  if (record.phase === "blocked") return getBlockedStep(record);
  const aim = getFeatureGoal(view.lead, record);
  if (aim === null) return { kind: "resting" };
  if (hasOpenReview(view, record)) return createWaitingStep("its review is under way");
  if (isDesignFix(record.fix)) return getDesignFixStep(view, record);
  switch (record.phase) {
    case "initialized":
      return getDesignStep(view, record);
    case "design-generated":
      return getDesignedStep(view, record);
    case "implementation-complete":
      if (record.implementation.hash === null) return getBuildStep(view, record);
      return getBuiltStep(view, record);
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

function getDesignFixStep(view: LeadView, record: FeatureRecord): NextStep {
  const { isOn, isGated } = view.lead.run;
  if (record.fix?.isStructural && isOn && isGated) return { kind: "structure" };
  return { kind: "design", mode: record.design ? "existing" : "new", isFix: true };
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

function getDesignedStep(view: LeadView, record: FeatureRecord): NextStep {
  const { lead } = view;
  const aim = getFeatureGoal(lead, record);
  const { design: review } = record.reviews;
  const isMandatory = aim === "done";
  if (hasFailedReview(review) || (isMandatory && !hasCurrentPass(review, record.design?.hash)))
    return { kind: "design-review" };
  if (aim === "design") return { kind: "reached" };
  if (isMandatory && !isDesignApproved(view, record)) return { kind: "agreement", of: "design" };
  if (listFeatureProposals(record).length > 0)
    return createWaitingStep("the user has to answer what its review proposes");
  const before = lead.run.isOn && record.roadmap ? findBuildObstacle(view, record) : undefined;
  if (before !== undefined) return createWaitingStep(before);
  if (record.orchestration.last_phase_action !== "tasks-generated") {
    const blocker = record.fix?.source === "blocker" ? record.fix.detail : null;
    return { kind: "tasks", excluded: record.implementation.excluded, blocker };
  }
  return aim === "tasks" ? { kind: "reached" } : getBuildStep(view, record);
}

/** Designs may run ahead. Code waits for the gates of earlier waves and for its dependencies. */
function findBuildObstacle(view: LeadView, record: FeatureRecord): string | undefined {
  const wave = getFeatureWave(record);
  if (wave > view.openWave) return `the gate of wave ${view.openWave} comes first`;
  const question = findWaveToApprove(view);
  if (wave === view.openWave && question !== undefined) {
    return `the user has to say whether to go on after wave ${question}`;
  }
  const before = listActiveDependencies(record).find((name) => {
    const other = view.lead.features.get(name);
    // A dependency in a later wave cannot hold this feature up.
    return other !== undefined && getFeatureWave(other) <= wave && !isReadyForGate(view, other);
  });
  return before === undefined ? undefined : `it is built on ${before}`;
}

/** With `--gate`: the finished wave that the user must approve. Work in the next wave counts as approval. */
export function findWaveToApprove(view: LeadView): number | undefined {
  const { lead, openWave, byWave } = view;
  if (!lead.run.isOn || !lead.run.isGated) return undefined;
  const next = byWave.get(openWave);
  if (!next || next.some(hasStartedBuild)) return undefined;
  const last = [...byWave.keys()].findLast((wave) => wave < openWave && lead.waves.get(wave)?.step === "done");
  return last === undefined || view.agreed.has(createWavePassedId(last)) ? undefined : last;
}

const hasStartedBuild = ({ phase, orchestration }: FeatureRecord): boolean =>
  phase === "implementation-complete" || orchestration.last_phase_action !== null;

function getBuildStep(view: LeadView, record: FeatureRecord): NextStep {
  const { groups } = record.implementation;
  const pending = groups.filter(({ status }) => status === "pending");
  if (pending.length === 0) return { kind: "gate" };
  const claims = getFileClaims(view, record);
  const without = claims.without.get(record.feature_name) ?? [];
  if (without.length > 0 && canPartitionFeature(view, record))
    return { kind: "tasks", excluded: without, blocker: null };
  const before = claims.waits.get(record.feature_name);
  if (before) return createWaitingStep(`${before.join(" and ")} has files first that it claims too`);
  const ready = listReadyGroups(view, pending, claims.isApart);
  return ready.length > 0 ? { kind: "build", groups: ready } : createWaitingStep("its groups wait for those at work");
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
    !outOf.get(name)?.some(({ action }) => action.kind === "spawn" && action.work.of === "build")
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
  return isApart ? free : dropSharedGroups(free);
}

function dropSharedGroups(groups: readonly TaskGroupRecord[]): readonly TaskGroupRecord[] {
  const taken = new PathSet();
  return groups.filter(({ files }) => {
    if (files.some((file) => taken.has(file))) return false;
    for (const file of files) taken.add(file);
    return true;
  });
}

function getBuiltStep(view: LeadView, record: FeatureRecord): NextStep {
  const { implementation: review } = record.reviews;
  const aim = getFeatureGoal(view.lead, record);
  const isMandatory = aim === "done";
  if (aim === "design" || aim === "tasks") return { kind: "reached" };
  if (hasFailedReview(review) || (isMandatory && !hasCurrentPass(review, record.implementation.hash))) {
    return { kind: "impl-review" };
  }
  const on = listFollowUpCauses(view, record);
  if (on.length > 0) return view.lead.run.isGated ? { kind: "follow-up", on } : { kind: "impl-review" };
  if (isMandatory && !isImplementationApproved(view, record)) return { kind: "agreement", of: "implementation" };
  if (listFeatureProposals(record).length > 0)
    return createWaitingStep("the user has to answer what its review proposes");
  return view.lead.run.isOn && record.roadmap ? { kind: "reached" } : { kind: "commit" };
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
/** A feature without a wave waits for no other. Its own groups may still share files. */
const UNPLACED_CLAIMS: FileClaims = { ...NO_SHARED_CLAIMS, isApart: false };
/** Cached because assignments do not change claims, and many actions are assigned in one call. */
const claimsCache = new WeakMap<Lead["features"], ClaimsCacheEntry>();

function getFileClaims(view: LeadView, record: FeatureRecord): FileClaims {
  const wave = getFeatureWave(record);
  if (wave === NO_WAVE) return UNPLACED_CLAIMS;
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
  const claiming = records.filter((record) => record.phase !== "blocked" && isClaimingFiles(view, record));
  if (hasDistinctFiles(claiming)) return NO_SHARED_CLAIMS;
  const found = findFileOverlaps(breakDependencyCycles(listSharingFeatures(claiming)), () => false);
  return { waits: serializeOverlaps(found), without: partitionOverlaps(found), isApart: false };
}

function isClaimingFiles(view: LeadView, record: FeatureRecord): boolean {
  const aim = getFeatureGoal(view.lead, record);
  return (aim === "implementation" || aim === "done") && !isReadyForGate(view, record);
}

/** Fast path: usually no file is shared. */
function hasDistinctFiles(records: readonly FeatureRecord[]): boolean {
  const files = new PathSet();
  let named = 0;
  for (const { design, implementation } of records) {
    for (const group of implementation.groups) {
      for (const file of group.files) files.add(file);
      named += group.files.length;
    }
    if (implementation.groups.length > 0 || !design) continue;
    for (const file of design.files) files.add(file);
    named += design.files.length;
  }
  return files.size === named;
}

function listSharingFeatures(records: readonly FeatureRecord[]): FeatureRecord[] {
  const holders = new Map<string, FeatureRecord>();
  const sharing = new Set<FeatureRecord>();
  for (const record of records) {
    for (const file of listClaimedFiles(record)) {
      const holder = holders.get(normalizePathKey(file));
      if (holder) sharing.add(holder).add(record);
      else holders.set(normalizePathKey(file), record);
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
