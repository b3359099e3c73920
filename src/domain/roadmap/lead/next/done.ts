import type { FeatureName } from "../../../feature/name.ts";
import type { FeatureRecord, FeaturePhase, SteeringProposal, ReviewReference } from "../../../feature/record.ts";
import { isPassingVerdict } from "../../../review/verdict.ts";
import { listChangedDependencies, isFeatureAccepted } from "../../standing.ts";
import { createReviewPassedId } from "../ids.ts";
import type { WaveRecord } from "../state.ts";
import type { LeadView } from "../view.ts";

/** For a blocked feature, sets the phase it returns to. */
export const setFeaturePhase = (record: FeatureRecord, phase: Exclude<FeaturePhase, "blocked">): FeatureRecord =>
  record.phase === "blocked" && record.blocked_info
    ? { ...record, blocked_info: { ...record.blocked_info, blocked_at_phase: phase } }
    : { ...record, phase };

export const hasFailedReview = (review: ReviewReference | null): boolean =>
  review !== null && !isPassingVerdict(review.verdict);

/** True if the feature itself failed and the user has not skipped it. */
export const isFailedFeature = ({ phase, blocked_info }: FeatureRecord): boolean =>
  phase === "blocked" && blocked_info?.reason === "retries_exhausted" && !blocked_info.is_skipped;

export function listFeatureProposals({ reviews }: Pick<FeatureRecord, "reviews">): readonly SteeringProposal[] {
  const { design, implementation } = reviews;
  if (!design?.waiting && !implementation?.waiting) return [];
  return [...(design?.waiting ?? []), ...(implementation?.waiting ?? [])];
}

/**
 * True if a feature of a run is ready for its wave's gate: built, reviewed in its current state, and without open
 * questions.
 */
export function isReadyForGate(view: LeadView, record: FeatureRecord): boolean {
  return (
    isFeatureAccepted(record) &&
    listFollowUpCauses(view, record).length === 0 &&
    listFeatureProposals(record).length === 0 &&
    isImplementationApproved(view, record)
  );
}

/** In a run: the changed dependencies that make another review of the feature necessary. */
export function listFollowUpCauses({ lead }: LeadView, record: FeatureRecord): readonly FeatureName[] {
  return lead.run.isOn && record.roadmap ? listChangedDependencies(lead.features, record) : [];
}

export const isSettledFeature = (view: LeadView, record: FeatureRecord): boolean =>
  record.phase === "blocked" || isReadyForGate(view, record);

/** With `--gate` the user approves each design review. Tasks in progress count as approval. */
export function isDesignApproved(view: LeadView, record: FeatureRecord): boolean {
  return record.orchestration.last_phase_action !== null || isReviewApproved(view, record, record.reviews.design);
}

/** With `--gate` the user approves each code review. A started gate already waited for the approval of each feature. */
export function isImplementationApproved(view: LeadView, record: FeatureRecord): boolean {
  const wave = record.roadmap && view.lead.waves.get(record.roadmap.wave);
  return hasGateStarted(wave ?? undefined) || isReviewApproved(view, record, record.reviews.implementation);
}

function isReviewApproved(
  view: LeadView,
  { feature_name: name, roadmap }: FeatureRecord,
  review: ReviewReference | null,
): boolean {
  const { isOn, isGated } = view.lead.run;
  return !isOn || !isGated || !roadmap || !review || view.agreed.has(createReviewPassedId(name, review.batch));
}

const hasGateStarted = (wave: WaveRecord | undefined): boolean =>
  wave !== undefined && (wave.step !== "cross-check" || wave.tries.cross_check > 0);
