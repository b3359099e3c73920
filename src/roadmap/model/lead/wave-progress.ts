import type {
  SteeringProposal,
  FeatureRecord,
  FeaturePhase,
  ReviewReference,
  WaveRecord,
} from "../feature/feature-record.ts";
import type { LeadView } from "./lead-view.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { isPassingVerdict } from "../review/review-verdict.ts";
import { listChangedDependencies, isFeatureAccepted } from "../feature-progress.ts";
import { createReviewPassedId } from "./action-ids.ts";

/** Failed reviews of a wave after which the user is asked. */
export const MAX_GATE_TRIES = 3;

export type WaveReview = "cross-check" | "dead-code";

export type WaveStep =
  | { readonly kind: "review"; readonly review: WaveReview }
  | { readonly kind: "failed"; readonly review: WaveReview }
  | { readonly kind: "proposals" }
  | { readonly kind: "commit" }
  | { readonly kind: "aborted" }
  | { readonly kind: "waiting"; readonly why: string };

export const createWaveRecord = (wave: number): WaveRecord => ({
  wave,
  step: "cross-check",
  tries: { cross_check: 0, dead_code: 0 },
  cross_check: null,
  dead_code: null,
  proceeded: [],
  runs: {},
  schema: 1,
  rev: 0,
});

export const getGateTries = ({ tries }: WaveRecord, review: WaveReview): number =>
  review === "cross-check" ? tries.cross_check : tries.dead_code;

export function getWaveStep(view: LeadView): WaveStep | undefined {
  const { lead, openWave, byWave, placed } = view;
  const records = byWave.get(openWave);
  if (!lead.run.isOn || !records) return undefined;
  // A gate's findings can be fixed in any earlier wave, so all of them must be settled again.
  for (const [wave, its] of byWave) {
    if (wave > openWave) break;
    const open = its.find((record) => !isSettledFeature(view, record));
    if (open) return { kind: "waiting", why: `${open.feature_name} is not done` };
  }
  if (!records.some((record) => isReadyForGate(view, record))) return undefined;
  const record = lead.waves.get(openWave) ?? createWaveRecord(openWave);
  if (listWaveProposals(record).length > 0) return { kind: "proposals" };
  // The review of a single feature already covers everything.
  if (record.step === "commit" || placed === 1) return { kind: "commit" };
  if (record.step !== "cross-check" && record.step !== "dead-code") return { kind: "aborted" };
  const kind = getGateTries(record, record.step) >= MAX_GATE_TRIES ? "failed" : "review";
  return { kind, review: record.step };
}

export const listWaveProposals = ({ cross_check, dead_code }: WaveRecord): readonly SteeringProposal[] => [
  ...(cross_check?.waiting ?? []),
  ...(dead_code?.waiting ?? []),
];

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

const isSettledFeature = (view: LeadView, record: FeatureRecord): boolean =>
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
