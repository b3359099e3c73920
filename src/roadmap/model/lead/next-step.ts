import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { hasCurrentPass, isDesignFix } from "../feature-progress.ts";
import { normalizePathKey, PathSet } from "../feature/claimed-path.ts";
import type { FeatureRecord, TaskGroupRecord } from "../feature/feature-record.ts";
import { findFileOverlaps, listClaimedFiles, partitionOverlaps, serializeOverlaps } from "../file-ownership.ts";
import { wasPartitionTried } from "./lead-draft.ts";
import { isBuildAction, type Lead } from "./lead-state.ts";
import * as leadView from "./lead-view.ts";

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

export function getNextStep(view: leadView.LeadView, record: FeatureRecord): NextStep {
  const { feature_name: name, blocked_info, design, fix } = record;
  const { reviews, run } = view.lead;
  if (leadView.isFailedFeature(record)) return { kind: "escalated" };
  if (record.phase === "blocked") {
    const by = blocked_info?.blocked_by ?? [];
    return { kind: "blocked", why: blocked_info?.is_skipped ? "it was skipped" : `blocked by ${by.join(", ")}` };
  }
  if (leadView.getFeatureGoal(view.lead, record) === null) return { kind: "resting" };
  if (reviews.has(leadView.joinReviewKey(name, "design")) || reviews.has(leadView.joinReviewKey(name, "impl")))
    return createWaitingStep("its review is under way");
  if (leadView.getFeatureGoal(view.lead, record) === "commit") return { kind: "commit" };
  if (isDesignFix(fix)) {
    if (fix?.isStructural && run.isOn && run.isGated) return { kind: "structure" };
    return { kind: "design", mode: design ? "existing" : "new", isFix: true };
  }
  switch (record.phase) {
    case "initialized": {
      // A design builds on the designs of its dependencies, so those come first and must be stable.
      const before = leadView.listActiveDependencies(record).find((on) => {
        const other = view.lead.features.get(on);
        if (!other?.design || other.phase === "initialized" || isDesignFix(other.fix)) return true;
        // Its first review may still change what it offers.
        return leadView.getFeatureGoal(view.lead, other) === "done" && other.reviews.design === null;
      });
      if (before !== undefined) return createWaitingStep(`it builds on the design of ${before}`);
      return { kind: "design", mode: design ? "existing" : "new", isFix: false };
    }
    case "design-generated":
      return getDesignedStep(view, record);
    case "implementation-complete":
      return record.implementation.hash === null ? getBuildStep(view, record) : getBuiltStep(view, record);
    default:
      return createWaitingStep(`its phase '${String(record.phase satisfies never)}' is unknown`);
  }
}

const createWaitingStep = (why: string): NextStep => ({ kind: "waiting", why });

const PROPOSALS_WAIT = createWaitingStep("the user must answer a proposal of its review");

function getDesignedStep(view: leadView.LeadView, record: FeatureRecord): NextStep {
  const { lead } = view;
  const goal = leadView.getFeatureGoal(lead, record);
  const { design: review } = record.reviews;
  const isMandatory = goal === "done";
  const isHeld = hasCurrentPass(review, record.design?.hash) && !leadView.hasDesignEdit(view, record);
  if (leadView.hasFailedReview(review) || (isMandatory && !isHeld)) return { kind: "design-review" };
  if (goal === "design") return { kind: "reached" };
  if (isMandatory && !leadView.isDesignApproved(view, record)) return { kind: "agreement", of: "design" };
  if (leadView.listFeatureProposals(record).length > 0) return PROPOSALS_WAIT;
  const before = lead.run.isOn && record.roadmap ? findBuildObstacle(view, record) : undefined;
  if (before !== undefined) return createWaitingStep(before);
  if (record.orchestration.last_phase_action !== "tasks-generated") {
    const blocker = record.fix?.source === "blocker" ? record.fix.detail : null;
    return { kind: "tasks", excluded: record.implementation.excluded, blocker };
  }
  return goal === "tasks" ? { kind: "reached" } : getBuildStep(view, record);
}

/** Designs may run ahead. Code waits for the gates of earlier waves and for its dependencies. */
function findBuildObstacle(view: leadView.LeadView, record: FeatureRecord): string | undefined {
  const wave = leadView.getFeatureWave(record);
  if (wave > view.openWave) return `the gate of wave ${view.openWave} comes first`;
  const question = findWaveToApprove(view);
  if (wave === view.openWave && question !== undefined)
    return `the user must decide whether to continue after wave ${question}`;
  const before = leadView.listActiveDependencies(record).find((name) => {
    const other = view.lead.features.get(name);
    // A dependency in a later wave cannot hold this feature up.
    return other !== undefined && leadView.getFeatureWave(other) <= wave && !leadView.isReadyForGate(view, other);
  });
  return before === undefined ? undefined : `it is built on ${before}`;
}

/** With `--gate`: the finished wave that the user must approve. Work in the next wave counts as approval. */
export function findWaveToApprove({ lead, openWave, byWave, agreed }: leadView.LeadView): number | undefined {
  if (!lead.run.isOn || !lead.run.isGated) return undefined;
  const next = byWave.get(openWave);
  const hasStarted = next?.some(
    ({ phase, orchestration }) => phase === "implementation-complete" || orchestration.last_phase_action !== null,
  );
  if (!next || hasStarted) return undefined;
  const last = [...byWave.keys()].findLast((wave) => wave < openWave && lead.waves.get(wave)?.step === "done");
  return last === undefined || agreed.has(leadView.createWavePassedId(last)) ? undefined : last;
}

function getBuildStep(view: leadView.LeadView, record: FeatureRecord): NextStep {
  const pending = record.implementation.groups.filter(({ status }) => status === "pending");
  if (pending.length === 0) return { kind: "gate" };
  const claims = getFileClaims(view, record);
  const excluded = claims.without.get(record.feature_name) ?? [];
  if (excluded.length > 0 && canPartitionFeature(view, record)) return { kind: "tasks", excluded, blocker: null };
  const before = claims.waits.get(record.feature_name);
  if (before) return createWaitingStep(`${before.join(" and ")} has files first that it claims too`);
  const groups = listReadyGroups(view, pending, claims.isApart);
  return groups.length > 0 ? { kind: "build", groups } : createWaitingStep("its groups wait for running groups");
}

/** Only once, and only before any group of the plan has started. */
function canPartitionFeature({ lead, outOf }: leadView.LeadView, record: FeatureRecord): boolean {
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

function listReadyGroups({ held }: leadView.LeadView, pending: readonly TaskGroupRecord[], isApart: boolean) {
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

function getBuiltStep(view: leadView.LeadView, record: FeatureRecord): NextStep {
  const { implementation: review } = record.reviews;
  const goal = leadView.getFeatureGoal(view.lead, record);
  const isMandatory = goal === "done";
  if (goal === "design" || goal === "tasks") return { kind: "reached" };
  if (isMandatory && leadView.hasDesignEdit(view, record)) return { kind: "design-review" };
  // Code that changed after its gate passes the gate again, and then its review.
  if (leadView.getHeldEdits(view, record).code) return { kind: "gate" };
  if (leadView.hasFailedReview(review) || (isMandatory && !hasCurrentPass(review, record.implementation.hash)))
    return { kind: "impl-review" };
  const on = leadView.listFollowUpCauses(view, record);
  if (on.length > 0) return view.lead.run.isGated ? { kind: "follow-up", on } : { kind: "impl-review" };
  if (isMandatory && !leadView.isImplementationApproved(view, record))
    return { kind: "agreement", of: "implementation" };
  if (leadView.listFeatureProposals(record).length > 0) return PROPOSALS_WAIT;
  return { kind: view.lead.run.isOn && record.roadmap ? "reached" : "commit" };
}

interface FileClaims {
  /** The features each feature waits for, so that a file has one writer at a time. */
  readonly waits: ReadonlyMap<string, readonly string[]>;
  readonly without: ReadonlyMap<string, readonly string[]>;
  /** True if no file is claimed twice, not even by two groups of one feature. */
  readonly isApart: boolean;
}

const NO_SHARED_CLAIMS: FileClaims = { waits: new Map(), without: new Map(), isApart: true };
/** Cached because assignments do not change claims, and many actions are assigned in one call. */
const claimsCache = new WeakMap<Lead["features"], Pick<Lead, "run" | "waves"> & { byWave: Map<number, FileClaims> }>();

function getFileClaims(view: leadView.LeadView, record: FeatureRecord): FileClaims {
  const wave = leadView.getFeatureWave(record);
  // A feature without a wave waits for no other. Its own groups may still share files.
  if (wave === leadView.NO_WAVE) return { ...NO_SHARED_CLAIMS, isApart: false };
  const { features, run, waves } = view.lead;
  const known = claimsCache.get(features);
  const isCurrent = known?.run === run && known.waves === waves;
  const { byWave } = isCurrent ? known : { byWave: new Map<number, FileClaims>() };
  if (!isCurrent) claimsCache.set(features, { run, waves, byWave });
  const found = byWave.get(wave) ?? computeFileClaims(view, view.byWave.get(wave) ?? []);
  byWave.set(wave, found);
  return found;
}

function computeFileClaims(view: leadView.LeadView, records: readonly FeatureRecord[]): FileClaims {
  const claiming = records.filter((record) => {
    const goal = leadView.getFeatureGoal(view.lead, record);
    const isBuilding = goal === "implementation" || goal === "done";
    return record.phase !== "blocked" && isBuilding && !leadView.isReadyForGate(view, record);
  });
  const named = claiming.flatMap(({ design, implementation: { groups } }) =>
    groups.length > 0 ? groups.flatMap(({ files }) => files) : (design?.files ?? []),
  );
  // Usually no file is shared.
  if (new PathSet(named).size === named.length) return NO_SHARED_CLAIMS;
  const found = findFileOverlaps(breakDependencyCycles(listSharingFeatures(claiming)), () => false);
  return { waits: serializeOverlaps(found), without: partitionOverlaps(found), isApart: false };
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
