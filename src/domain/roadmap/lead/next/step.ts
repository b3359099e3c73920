import { PathSet } from "../../../feature/file-path.ts";
import type { FeatureName } from "../../../feature/name.ts";
import type { FeatureRecord, GroupRecord } from "../../../feature/record.ts";
import { hasPassed, isDesignFix } from "../../standing.ts";
import { isPartitionTried } from "../changes/counters.ts";
import { claimsIn } from "./claims.ts";
import {
  followedUp,
  hasFailed,
  isDesignAgreed,
  isDone,
  isFailed,
  isImplementationAgreed,
  proposalsOf,
} from "./done.ts";
import { reviewKeyOf, wavePassedId } from "../ids.ts";
import { aimOf, neededBy, type View, waveOf } from "../view.ts";

/** The next step of a feature. It follows from the record and is never stored. */
export type Step =
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
  | { readonly kind: "build"; readonly groups: readonly GroupRecord[] }
  | { readonly kind: "gate" }
  | { readonly kind: "impl-review" }
  | { readonly kind: "follow-up"; readonly on: readonly FeatureName[] }
  | { readonly kind: "commit" };

export function stepOf(view: View, record: FeatureRecord): Step {
  if (record.phase === "blocked") return blockedStep(record);
  const aim = aimOf(view.lead, record);
  if (aim === null) return { kind: "resting" };
  if (isUnderReview(view, record)) return waiting("its review is under way");
  if (isDesignFix(record.fix)) return mendingStep(view, record);
  switch (record.phase) {
    case "initialized":
      return designStep(view, record);
    case "design-generated":
      return designedStep(view, record);
    case "implementation-complete":
      if (record.implementation.hash === null) return buildStep(view, record);
      return builtStep(view, record);
    default:
      return waiting(`its phase '${String(record.phase satisfies never)}' is unknown`);
  }
}

const waiting = (why: string): Step => ({ kind: "waiting", why });

function blockedStep(record: FeatureRecord): Step {
  if (isFailed(record)) return { kind: "escalated" };
  const by = record.blocked_info?.blocked_by ?? [];
  return { kind: "blocked", why: record.blocked_info?.is_skipped ? "it was skipped" : `blocked by ${by.join(", ")}` };
}

const isUnderReview = ({ lead: { reviews } }: View, { feature_name: name }: FeatureRecord): boolean =>
  reviews.size > 0 && (reviews.has(reviewKeyOf(name, "design")) || reviews.has(reviewKeyOf(name, "impl")));

function mendingStep(view: View, record: FeatureRecord): Step {
  const { isOn, isGated } = view.lead.run;
  if (record.fix?.isStructural && isOn && isGated) return { kind: "structure" };
  return { kind: "design", mode: record.design ? "existing" : "new", isFix: true };
}

/** A design builds on the designs of its dependencies, so those come first and must be stable. */
function designStep(view: View, record: FeatureRecord): Step {
  const before = neededBy(record).find((name) => {
    const other = view.lead.features.get(name);
    return !other?.design || other.phase === "initialized" || isDesignFix(other.fix);
  });
  if (before !== undefined) return waiting(`it builds on the design of ${before}`);
  return { kind: "design", mode: record.design ? "existing" : "new", isFix: false };
}

function designedStep(view: View, record: FeatureRecord): Step {
  const { lead } = view;
  const aim = aimOf(lead, record);
  const { design: review } = record.reviews;
  const isMandatory = aim === "done";
  if (hasFailed(review) || (isMandatory && !hasPassed(review, record.design?.hash))) return { kind: "design-review" };
  if (aim === "design") return { kind: "reached" };
  if (isMandatory && !isDesignAgreed(view, record)) return { kind: "agreement", of: "design" };
  if (proposalsOf(record).length > 0) return waiting("the user has to answer what its review proposes");
  const before = lead.run.isOn && record.roadmap ? whatBuildingWaitsFor(view, record) : undefined;
  if (before !== undefined) return waiting(before);
  if (record.orchestration.last_phase_action !== "tasks-generated") {
    const blocker = record.fix?.source === "blocker" ? record.fix.detail : null;
    return { kind: "tasks", excluded: record.implementation.excluded, blocker };
  }
  return aim === "tasks" ? { kind: "reached" } : buildStep(view, record);
}

/** Designs may run ahead. Code waits for the gates of earlier waves and for its dependencies. */
function whatBuildingWaitsFor(view: View, record: FeatureRecord): string | undefined {
  const wave = waveOf(record);
  if (wave > view.openWave) return `the gate of wave ${view.openWave} comes first`;
  const question = wavePassedQuestion(view);
  if (wave === view.openWave && question !== undefined) {
    return `the user has to say whether to go on after wave ${question}`;
  }
  const before = neededBy(record).find((name) => {
    const other = view.lead.features.get(name);
    // A dependency in a later wave cannot hold this feature up.
    return other !== undefined && waveOf(other) <= wave && !isDone(view, other);
  });
  return before === undefined ? undefined : `it is built on ${before}`;
}

/** With `--gate`: the finished wave that the user must approve. Work in the next wave counts as approval. */
export function wavePassedQuestion(view: View): number | undefined {
  const { lead, openWave, byWave } = view;
  if (!lead.run.isOn || !lead.run.isGated) return undefined;
  const next = byWave.get(openWave);
  if (!next || next.some(hasBegunBuilding)) return undefined;
  const last = [...byWave.keys()].findLast((wave) => wave < openWave && lead.waves.get(wave)?.step === "done");
  return last === undefined || view.agreed.has(wavePassedId(last)) ? undefined : last;
}

const hasBegunBuilding = ({ phase, orchestration }: FeatureRecord): boolean =>
  phase === "implementation-complete" || orchestration.last_phase_action !== null;

function buildStep(view: View, record: FeatureRecord): Step {
  const { groups } = record.implementation;
  const pending = groups.filter(({ status }) => status === "pending");
  if (pending.length === 0) return { kind: "gate" };
  const claims = claimsIn(view, record);
  const without = claims.without.get(record.feature_name) ?? [];
  if (without.length > 0 && mayPartition(view, record)) return { kind: "tasks", excluded: without, blocker: null };
  const before = claims.waits.get(record.feature_name);
  if (before) return waiting(`${before.join(" and ")} has files first that it claims too`);
  const ready = readyGroups(view, pending, claims.isApart);
  return ready.length > 0 ? { kind: "build", groups: ready } : waiting("its groups wait for those at work");
}

/** Only once, and only before any group of the plan has started. */
function mayPartition({ lead, outOf }: View, record: FeatureRecord): boolean {
  const { feature_name: name, implementation, fix } = record;
  return (
    lead.run.onOverlap === "partition" &&
    fix === null &&
    implementation.excluded.length === 0 &&
    !isPartitionTried(record) &&
    implementation.groups.every(({ status }) => status === "pending") &&
    !outOf.get(name)?.some(({ action }) => action.kind === "spawn" && action.work.of === "build")
  );
}

function readyGroups({ held }: View, pending: readonly GroupRecord[], isApart: boolean): readonly GroupRecord[] {
  const isOpen = (id: string): boolean => pending.some((group) => group.id === id);
  const free = pending.filter(
    ({ id, depends, files }) =>
      !depends.some((other) => other !== id && isOpen(other)) &&
      (held.size === 0 || !files.some((file) => held.has(file))),
  );
  return isApart ? free : withoutShared(free);
}

function withoutShared(groups: readonly GroupRecord[]): readonly GroupRecord[] {
  const taken = new PathSet();
  return groups.filter(({ files }) => {
    if (files.some((file) => taken.has(file))) return false;
    for (const file of files) taken.add(file);
    return true;
  });
}

function builtStep(view: View, record: FeatureRecord): Step {
  const { implementation: review } = record.reviews;
  const aim = aimOf(view.lead, record);
  const isMandatory = aim === "done";
  if (aim === "design" || aim === "tasks") return { kind: "reached" };
  if (hasFailed(review) || (isMandatory && !hasPassed(review, record.implementation.hash))) {
    return { kind: "impl-review" };
  }
  const on = followedUp(view, record);
  if (on.length > 0) return view.lead.run.isGated ? { kind: "follow-up", on } : { kind: "impl-review" };
  if (isMandatory && !isImplementationAgreed(view, record)) return { kind: "agreement", of: "implementation" };
  if (proposalsOf(record).length > 0) return waiting("the user has to answer what its review proposes");
  return view.lead.run.isOn && record.roadmap ? { kind: "reached" } : { kind: "commit" };
}
