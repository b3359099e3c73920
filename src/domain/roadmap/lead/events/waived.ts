import type { FeatureRecord } from "../../../feature/record.ts";
import type { ReviewDisposition, ReviewVerdict } from "../../../review/finding.ts";
import { isRelatedBatch, applyFindingWaiver } from "../../../review/history.ts";
import { recordUserDecision } from "../changes/decision.ts";
import { cancelFeatureWork } from "../changes/dismissal.ts";
import type { LeadDraft } from "../draft.ts";
import type { StoredFinding, StoredReview } from "../event.ts";
import { getReviewBatchPath, formatScopeHead } from "../ids.ts";
import type { WaveReview } from "../next/wave.ts";
import { type JudgedReview, applyFeatureVerdict } from "../reports/verdict.ts";
import { applyWaveVerdict } from "../reports/wave-verdict.ts";
import { EVENT_APPLIED, type LeadEventOfKind, rejectLeadEvent, type EventOutcome } from "../taken.ts";

/** The user waived a finding and the review has a new verdict. Cancels the work that the old verdict started. */
export function applyWaiver(draft: LeadDraft, { review, finding: id }: LeadEventOfKind<"waived">): EventOutcome {
  const finding = review.findings.find((each) => each.id === id);
  if (finding?.waived === undefined) return rejectLeadEvent(`${id} of ${review.batch} is not waived.`);
  const disposition = applyWaivedVerdict(draft, review) ?? (review.disposition as ReviewDisposition);
  draft.effect({ kind: "batch", batch: { ...review, disposition } });
  addWaiverToOpenReviews(draft, review, finding);
  recordUserDecision(draft, {
    type: "USER_DECISION",
    summary: `${id} of ${review.batch} may stand`,
    context: `Review ${review.batch} of ${formatScopeHead(review.scope)}: ${finding.description}`,
    decision: `The finding is waived; the verdict is ${review.verdict}.`,
    said: finding.waived,
    impact: formatScopeHead(review.scope),
  });
  return EVENT_APPLIED;
}

/** An open review tracks the earlier findings, so the waiver applies there too. */
function addWaiverToOpenReviews(draft: LeadDraft, batch: StoredReview, finding: StoredFinding): void {
  for (const key of draft.reviewKeys()) {
    const open = draft.review(key);
    if (!open || !isRelatedBatch(batch, open.kind, open.scope)) continue;
    draft.keepReview(key, { ...open, tracked: applyFindingWaiver(open.tracked, finding) });
  }
}

/** Undefined if a later review counts, or if the verdict did not change. */
function applyWaivedVerdict(draft: LeadDraft, review: StoredReview): ReviewDisposition | undefined {
  if (review.scope.of === "feature") return applyWaivedFeatureVerdict(draft, review);
  return review.scope.of === "wave" ? applyWaivedWaveVerdict(draft, review, review.scope.wave) : undefined;
}

function applyWaivedFeatureVerdict(draft: LeadDraft, review: StoredReview): ReviewDisposition | undefined {
  const record = review.scope.of === "feature" ? draft.feature(review.scope.feature) : undefined;
  const ref = record?.reviews[review.kind === "design" ? "design" : "implementation"];
  if (!record || !ref || ref.batch !== review.batch || ref.verdict === review.verdict) return undefined;
  return applyFeatureVerdict(draft, cancelRequestedFix(draft, record, review), restoreJudgedReview(review));
}

function applyWaivedWaveVerdict(draft: LeadDraft, review: StoredReview, wave: number): ReviewDisposition | undefined {
  const which: WaveReview = review.kind === "dead-code" ? "dead-code" : "cross-check";
  const record = draft.wave(wave);
  const ref = which === "dead-code" ? record?.dead_code : record?.cross_check;
  const isMeant = record?.step === which && ref?.batch === review.batch && ref.verdict !== review.verdict;
  if (!isMeant) return undefined;
  for (const feature of draft.features()) draft.keep(cancelRequestedFix(draft, feature, review));
  return applyWaveVerdict(draft, wave, which, restoreJudgedReview(review));
}

/** Keeps a fix that has already started. */
function cancelRequestedFix(draft: LeadDraft, known: FeatureRecord, review: StoredReview): FeatureRecord {
  const { fix } = known;
  if (!fix || fix.batch !== getReviewBatchPath(review.scope, review.batch) || fix.source === "blocker") return known;
  const woken = known.implementation.groups.filter(({ id }) => fix.groups.includes(id));
  if (woken.some(({ status }) => status === "done")) return known;
  cancelFeatureWork(draft, known.feature_name);
  const record = draft.feature(known.feature_name) ?? known;
  if (woken.length === 0) return { ...record, fix: null };
  const { implementation, reviews } = record;
  const groups = implementation.groups.map((group) =>
    fix.groups.includes(group.id) ? { ...group, status: "done" as const } : group,
  );
  // The code has not changed since its review.
  const hash = reviews.implementation?.of ?? null;
  return { ...record, fix: null, implementation: { ...implementation, groups, hash } };
}

/** Pending steering lines stay with the stored batch. */
function restoreJudgedReview(review: StoredReview): JudgedReview {
  const { kind, scope, batch, of, inspectors, missing, mended, findings, removed, unresolved, spec_feedback } = review;
  const verdict = review.verdict as ReviewVerdict;
  return {
    review: { kind, scope, batch, of, inspectors, inspections: {}, missing, lost: {}, tracked: [], mended },
    verdict,
    findings,
    audit: {
      scope: formatScopeHead(scope),
      verdict,
      verified: findings,
      removed,
      resolved: review.resolved_conflicts,
      unresolved,
      spec_feedback,
      steering: [],
      notes: [],
      roadmap_advisory: [],
    },
  };
}
