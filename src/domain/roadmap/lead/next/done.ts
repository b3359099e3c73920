import type { FeatureName } from "../../../feature/name.ts";
import type { FeatureRecord, Phase, Proposal, ReviewRef } from "../../../feature/record.ts";
import { isPassing } from "../../../review/verdict.ts";
import { changedUnder, isAccepted } from "../../standing.ts";
import { passedId } from "../ids.ts";
import type { WaveRecord } from "../state.ts";
import type { View } from "../view.ts";

/** The same feature, that far; a blocked one is that far once it is free. */
export const inPhase = (record: FeatureRecord, phase: Exclude<Phase, "blocked">): FeatureRecord =>
  record.phase === "blocked" && record.blocked_info
    ? { ...record, blocked_info: { ...record.blocked_info, blocked_at_phase: phase } }
    : { ...record, phase };

export const hasFailed = (review: ReviewRef | null): boolean => review !== null && !isPassing(review.verdict);

/** Whether it failed itself, and the user has not let it go. */
export const isFailed = ({ phase, blocked_info }: FeatureRecord): boolean =>
  phase === "blocked" && blocked_info?.reason === "retries_exhausted" && !blocked_info.is_skipped;

/** Steering lines of a feature's reviews that wait for the user's word. */
export function proposalsOf({ reviews }: Pick<FeatureRecord, "reviews">): readonly Proposal[] {
  const { design, implementation } = reviews;
  if (!design?.waiting && !implementation?.waiting) return [];
  return [...(design?.waiting ?? []), ...(implementation?.waiting ?? [])];
}

/**
 * Whether a feature of a run needs nothing more before its wave's gate: built, reviewed as it is, and with every question
 * about it answered.
 */
export function isDone(view: View, record: FeatureRecord): boolean {
  return (
    isAccepted(record) &&
    followedUp(view, record).length === 0 &&
    proposalsOf(record).length === 0 &&
    isImplementationAgreed(view, record)
  );
}

/** In a run: what a feature is built on and became another since, so that somebody has to look at the feature again. */
export function followedUp({ lead }: View, record: FeatureRecord): readonly FeatureName[] {
  return lead.run.isOn && record.roadmap ? changedUnder(lead.features, record) : [];
}

/** Done, or out of it. */
export const isSettled = (view: View, record: FeatureRecord): boolean =>
  record.phase === "blocked" || isDone(view, record);

/** With `--gate` the user says whether to go on after a design review. Who went on has said so. */
export function isDesignAgreed(view: View, record: FeatureRecord): boolean {
  return record.orchestration.last_phase_action !== null || isAgreed(view, record, record.reviews.design);
}

/** As for a design. A wave whose gate has begun waited for the word on each of its features. */
export function isImplementationAgreed(view: View, record: FeatureRecord): boolean {
  const wave = record.roadmap && view.lead.waves.get(record.roadmap.wave);
  return hasBegun(wave ?? undefined) || isAgreed(view, record, record.reviews.implementation);
}

function isAgreed(view: View, { feature_name: name, roadmap }: FeatureRecord, review: ReviewRef | null): boolean {
  const { isOn, isGated } = view.lead.run;
  return !isOn || !isGated || !roadmap || !review || view.agreed.has(passedId(name, review.batch));
}

/** Whether something was reviewed at a wave's gate. */
const hasBegun = (wave: WaveRecord | undefined): boolean =>
  wave !== undefined && (wave.step !== "cross-check" || wave.tries.cross_check > 0);
