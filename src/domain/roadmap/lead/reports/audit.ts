import { sanitizeText } from "../../../quote.ts";
import { unaccounted } from "../../../review/accounted.ts";
import { batchOf } from "../../../review/batch.ts";
import type { Disposition } from "../../../review/finding.ts";
import { withHistory } from "../../../review/history.ts";
import { scopeProblem } from "../../../review/scope.ts";
import { DISPOSITION_OF, isPassing, judgeReview } from "../../../review/verdict.ts";
import type { Draft } from "../draft.ts";
import { APPLIED, refuse, type Reported, type Taken } from "../taken.ts";
import { viewOf } from "../view.ts";
import { waveStepOf, type WaveReview } from "../next/wave.ts";
import { voidIfChanged } from "./inspection.ts";
import { type Judged, refOf, takeFeatureVerdict } from "./verdict.ts";
import { takeWaveVerdict } from "./wave-verdict.ts";

/** The engine computes the verdict from the audit, and what follows. */
export function takeAudit(draft: Draft, key: string, { report: { audit }, facts }: Reported<"audit">): Taken {
  const review = draft.review(key);
  if (!review) return refuse(`The review ${key} is over.`);
  const isVoid = voidIfChanged(draft, key, review, facts);
  if (isVoid) return isVoid;
  const other = scopeProblem(review.scope, audit.scope);
  if (other !== undefined) return refuse(other);
  const silent = unaccounted(review, audit);
  if (silent.length > 0) return refuse(...silent);
  const findings = withHistory(audit.verified, review.tracked, review.mended);
  const { verdict } = judgeReview(review.kind, findings, audit);
  draft.dropReview(key);
  const disposition = follow(draft, { review, verdict, findings, audit });
  draft.effect({ kind: "batch", batch: batchOf(review, audit, facts.at, disposition) });
  codify(draft, key, { review, verdict, findings, audit });
  return APPLIED;
}

function follow(draft: Draft, judged: Judged): Disposition {
  const { scope } = judged.review;
  const record = scope.of === "feature" ? draft.feature(scope.feature) : undefined;
  if (record) return takeFeatureVerdict(draft, record, judged);
  const which = scope.of === "wave" ? gateReview(draft, scope.wave, judged) : undefined;
  if (scope.of === "wave" && which) return takeWaveVerdict(draft, scope.wave, which, judged);
  // A review of several features outside of a gate only reports its findings. The user decides.
  const { waiting } = refOf(judged, "ESCALATED", null);
  if (waiting) draft.changeRun({ proposals: [...(draft.run.proposals ?? []), ...waiting] });
  return isPassing(judged.verdict) ? DISPOSITION_OF[judged.verdict] : "ESCALATED";
}

/** Undefined if the gate is not waiting for this review. */
function gateReview(draft: Draft, wave: number, { review }: Judged): WaveReview | undefined {
  const view = viewOf(draft.base);
  const step = view.openWave === wave ? waveStepOf(view) : undefined;
  if (step?.kind !== "review") return undefined;
  return review.kind === (step.review === "cross-check" ? "impl" : "dead-code") ? step.review : undefined;
}

/** CODIFY lines describe existing practice, so they need no approval. */
function codify(draft: Draft, key: string, { review, audit }: Judged): void {
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
