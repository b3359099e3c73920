import { Fault } from "../fault.ts";
import type { Problem } from "../gate/verdict.ts";
import { formatPlainYaml } from "../plain-yaml.ts";
import { quote } from "../quote.ts";
import { parsePlainYaml } from "../read-plain-yaml.ts";
import type { StoredFinding, StoredReview } from "../roadmap/lead/event.ts";
import type { OpenReview } from "../roadmap/lead/state.ts";
import type { Audit, Disposition, Finding, ReviewVerdict, Severity } from "./finding.ts";
import { mendedNow, withHistory } from "./history.ts";
import { missingOf, nameOfInspector } from "./rollcall.ts";
import { asStoredReview, storedReviewProblem } from "./stored-shape.ts";
import { DISPOSITION_OF, judgeReview } from "./verdict.ts";

export function batchOf(review: OpenReview, audit: Audit, at: string, disposition: Disposition): StoredReview {
  const findings = withHistory(audit.verified, review.tracked, review.mended);
  const { computed, verdict, override } = judgeReview(review.kind, findings, audit);
  return {
    batch: review.batch,
    kind: review.kind,
    scope: review.scope,
    at,
    of: review.of,
    verdict,
    computed,
    override,
    disposition,
    counts: countsOf(findings),
    inspectors: review.inspectors,
    missing: missingOf(review),
    findings,
    removed: audit.removed,
    resolved_conflicts: audit.resolved,
    unresolved: audit.unresolved,
    spec_feedback: audit.spec_feedback,
    steering: audit.steering.map((line) => ({ ...line, answer: line.level === "CODIFY" ? "applied" : "waiting" })),
    mended: mendedNow(lookedFor(review), findings, audit.removed),
    notes: [...audit.notes, ...audit.roadmap_advisory],
  };
}

export const storedReviewYaml = (review: StoredReview): string =>
  formatPlainYaml(JSON.parse(JSON.stringify(review)) as Parameters<typeof formatPlainYaml>[0]);

export function readStoredReview(text: string): StoredReview | { readonly problems: readonly Problem[] } {
  const read = parsePlainYaml(text);
  if ("problem" in read) return { problems: [read] };
  const problem = storedReviewProblem(read.value);
  return problem === undefined ? asStoredReview(read.value) : { problems: [{ problem: `As a review, ${problem}.` }] };
}

export function waive(review: StoredReview, id: string, reason: string): StoredReview {
  const what = `The finding ${quote(id, 20)} of ${review.batch} was not waived.`;
  if (!review.findings.some((finding) => finding.id === id)) {
    const ids = review.findings.map((finding) => finding.id).join(", ");
    const why = ids === "" ? "The review found nothing." : `The review has ${ids}.`;
    throw new Fault("review.unknown-finding", { what, why, fix: "Name a finding by its id, such as F1." });
  }
  if (reason.trim() === "") {
    const why = "Whoever reads the review later has to know why it may stand.";
    throw new Fault("review.no-reason", { what, why, fix: "Say the user's reason." });
  }
  const findings = review.findings.map((finding) =>
    finding.id === id ? { ...finding, waived: reason.trim() } : finding,
  );
  return judgedAnew({ ...review, findings });
}

/** Lines are counted from 1, as in the question ids. */
export function answerSteering(
  review: StoredReview,
  number: number,
  answer: "approved" | "rejected" | "excepted",
): StoredReview {
  if (review.steering[number - 1]?.answer !== "waiting") {
    const waiting = review.steering.flatMap((line, i) => (line.answer === "waiting" ? [String(i + 1)] : []));
    throw new Fault("review.no-proposal", {
      what: `Line ${number} of the steering in ${review.batch} was not answered.`,
      why: waiting.length === 0 ? "No line waits for an answer." : `Those that wait: ${waiting.join(", ")}.`,
      fix: "Answer a line that was proposed and has no answer yet.",
    });
  }
  return { ...review, steering: review.steering.map((line, i) => (i === number - 1 ? { ...line, answer } : line)) };
}

/** The auditor's argument counts again: the user may have waived the Critical that blocked it. */
function judgedAnew(review: StoredReview): StoredReview {
  const { kind, findings, spec_feedback, unresolved, override } = review;
  const opinion = { verdict: review.computed as ReviewVerdict, spec_feedback, unresolved, ...argued(override) };
  const { computed, verdict } = judgeReview(kind, findings, opinion);
  const disposition = verdict === review.verdict ? review.disposition : DISPOSITION_OF[verdict];
  return { ...review, verdict, computed, disposition, counts: countsOf(findings) };
}

const argued = (override: StoredReview["override"]): { verdict: ReviewVerdict; reason: string } | undefined =>
  override === null ? undefined : { verdict: override.verdict as ReviewVerdict, reason: override.reason };

export function countsOf(findings: readonly StoredFinding[]): Record<Severity, number> {
  const counts = { C: 0, H: 0, M: 0, L: 0 };
  for (const { severity, waived } of findings) if (waived === undefined) counts[severity] += 1;
  return counts;
}

/**
 * Findings that this review would report again if they still existed. Findings whose inspectors are all missing stay
 * open, and so does every finding in a review of selected tasks.
 */
function lookedFor(review: OpenReview): readonly Finding[] {
  if (review.scope.of === "feature" && review.scope.tasks !== undefined) return [];
  const missing = missingOf(review);
  return review.tracked.filter(
    ({ sources }) =>
      sources.length === 0 || sources.some((source) => !missing.includes(nameOfInspector(review.kind, source))),
  );
}
