import type { StoredReview } from "../roadmap/lead/event.ts";
import { countsOf } from "./batch.ts";
import type { ReviewVerdict } from "./finding.ts";
import { DISPOSITION_OF, judgeReview } from "./verdict.ts";

/** A review as the user's waiver leaves it: the finding stays, counts no more, and the verdict is computed anew. */
export function withWaiver(review: StoredReview, finding: string, reason: string): StoredReview {
  const findings = review.findings.map((each) => (each.id === finding ? { ...each, waived: reason } : each));
  const { override } = review;
  const opinion = {
    verdict: (override?.verdict ?? review.computed) as ReviewVerdict,
    ...(override ? { reason: override.reason } : {}),
    spec_feedback: review.spec_feedback,
    unresolved: review.unresolved,
  };
  const { computed, verdict } = judgeReview(review.kind, findings, opinion);
  const disposition = verdict === review.verdict ? review.disposition : DISPOSITION_OF[verdict];
  return { ...review, findings, computed, verdict, disposition, counts: countsOf(findings) };
}
