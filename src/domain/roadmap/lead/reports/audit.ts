import { sanitizeText } from "../../../quote.ts";
import { findUnaccountedCriticals } from "../../../review/accounted.ts";
import { createStoredReview } from "../../../review/batch.ts";
import type { ReviewDisposition } from "../../../review/finding.ts";
import { addFindingHistory } from "../../../review/history.ts";
import { findScopeMismatch } from "../../../review/scope.ts";
import { VERDICT_DISPOSITIONS, isPassingVerdict, judgeReviewFindings } from "../../../review/verdict.ts";
import type { LeadDraft } from "../draft.ts";
import { EVENT_APPLIED, rejectLeadEvent, type ReportWithFacts, type EventOutcome } from "../taken.ts";
import { getLeadView } from "../view.ts";
import { getWaveStep, type WaveReview } from "../next/wave.ts";
import { voidChangedReview } from "./inspection.ts";
import { type JudgedReview, createReviewReference, applyFeatureVerdict } from "./verdict.ts";
import { applyWaveVerdict } from "./wave-verdict.ts";

/** The engine computes the verdict from the audit, and what follows. */
export function applyAudit(
  draft: LeadDraft,
  key: string,
  { report: { audit }, facts }: ReportWithFacts<"audit">,
): EventOutcome {
  const review = draft.review(key);
  if (!review) return rejectLeadEvent(`The review ${key} is over.`);
  const isVoid = voidChangedReview(draft, key, review, facts);
  if (isVoid) return isVoid;
  const other = findScopeMismatch(review.scope, audit.scope);
  if (other !== undefined) return rejectLeadEvent(other);
  const silent = findUnaccountedCriticals(review, audit);
  if (silent.length > 0) return rejectLeadEvent(...silent);
  const findings = addFindingHistory(audit.verified, review.tracked, review.mended);
  const { verdict } = judgeReviewFindings(review.kind, findings, audit);
  draft.dropReview(key);
  const disposition = applyAuditVerdict(draft, { review, verdict, findings, audit });
  draft.effect({ kind: "batch", batch: createStoredReview(review, audit, facts.at, disposition) });
  codifySteeringLines(draft, key, { review, verdict, findings, audit });
  return EVENT_APPLIED;
}

function applyAuditVerdict(draft: LeadDraft, judged: JudgedReview): ReviewDisposition {
  const { scope } = judged.review;
  const record = scope.of === "feature" ? draft.feature(scope.feature) : undefined;
  if (record) return applyFeatureVerdict(draft, record, judged);
  const which = scope.of === "wave" ? matchGateReview(draft, scope.wave, judged) : undefined;
  if (scope.of === "wave" && which) return applyWaveVerdict(draft, scope.wave, which, judged);
  // A review of several features outside of a gate only reports its findings. The user decides.
  const { waiting } = createReviewReference(judged, "ESCALATED", null);
  if (waiting) draft.changeRun({ proposals: [...(draft.run.proposals ?? []), ...waiting] });
  return isPassingVerdict(judged.verdict) ? VERDICT_DISPOSITIONS[judged.verdict] : "ESCALATED";
}

/** Undefined if the gate is not waiting for this review. */
function matchGateReview(draft: LeadDraft, wave: number, { review }: JudgedReview): WaveReview | undefined {
  const view = getLeadView(draft.base);
  const step = view.openWave === wave ? getWaveStep(view) : undefined;
  if (step?.kind !== "review") return undefined;
  return review.kind === (step.review === "cross-check" ? "impl" : "dead-code") ? step.review : undefined;
}

/** CODIFY lines describe existing practice, so they need no approval. */
function codifySteeringLines(draft: LeadDraft, key: string, { review, audit }: JudgedReview): void {
  for (const { level, file, text } of audit.steering) {
    if (level !== "CODIFY") continue;
    draft.effect({ kind: "steering", file, text });
    draft.effect({
      kind: "decision",
      type: "STEERING_UPDATE",
      summary: `${sanitizeText(file, 60)}: ${sanitizeText(text, 100)}`,
      context: `Review ${review.batch} of ${key} found it in use already.`,
      decision: text,
      reason: "It is written down so that others keep to it.",
      impact: file,
      source: `review verdict ${review.batch}`,
    });
  }
}
