import { sanitizeText } from "../../../quote.ts";
import { unaccounted } from "../../../review/accounted.ts";
import { batchOf } from "../../../review/batch.ts";
import type { Disposition } from "../../../review/finding.ts";
import { withHistory } from "../../../review/history.ts";
import { scopeProblem } from "../../../review/scope.ts";
import { DISPOSITION_OF, isPassing, judgeReview } from "../../../review/verdict.ts";
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
  const other = scopeProblem(review.scope, audit.scope);
  if (other !== undefined) return rejectLeadEvent(other);
  const silent = unaccounted(review, audit);
  if (silent.length > 0) return rejectLeadEvent(...silent);
  const findings = withHistory(audit.verified, review.tracked, review.mended);
  const { verdict } = judgeReview(review.kind, findings, audit);
  draft.dropReview(key);
  const disposition = applyAuditVerdict(draft, { review, verdict, findings, audit });
  draft.effect({ kind: "batch", batch: batchOf(review, audit, facts.at, disposition) });
  codifySteeringLines(draft, key, { review, verdict, findings, audit });
  return EVENT_APPLIED;
}

function applyAuditVerdict(draft: LeadDraft, judged: JudgedReview): Disposition {
  const { scope } = judged.review;
  const record = scope.of === "feature" ? draft.feature(scope.feature) : undefined;
  if (record) return applyFeatureVerdict(draft, record, judged);
  const which = scope.of === "wave" ? matchGateReview(draft, scope.wave, judged) : undefined;
  if (scope.of === "wave" && which) return applyWaveVerdict(draft, scope.wave, which, judged);
  // A review of several features outside of a gate only reports its findings. The user decides.
  const { waiting } = createReviewReference(judged, "ESCALATED", null);
  if (waiting) draft.changeRun({ proposals: [...(draft.run.proposals ?? []), ...waiting] });
  return isPassing(judged.verdict) ? DISPOSITION_OF[judged.verdict] : "ESCALATED";
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
