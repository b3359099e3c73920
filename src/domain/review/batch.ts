import type { StoredFinding, StoredReview } from "../roadmap/lead/event.ts";
import type { OpenReview } from "../roadmap/lead/state.ts";
import type { Audit, Disposition, Finding, Severity } from "./finding.ts";
import { mendedNow, withHistory } from "./history.ts";
import { missingOf, nameOfInspector } from "./rollcall.ts";
import { judgeReview } from "./verdict.ts";

/** A review that is over, as it is stored. */
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

/** Of what stands: a finding that the user waived counts no more. */
export function countsOf(findings: readonly StoredFinding[]): Record<Severity, number> {
  const counts = { C: 0, H: 0, M: 0, L: 0 };
  for (const { severity, waived } of findings) if (waived === undefined) counts[severity] += 1;
  return counts;
}

/**
 * What would have been found if it were there still. Whose inspectors all are missing was not looked for, and a review of
 * some tasks says nothing of the others: both stay open.
 */
function lookedFor(review: OpenReview): readonly Finding[] {
  if (review.scope.of === "feature" && review.scope.tasks !== undefined) return [];
  const missing = missingOf(review);
  return review.tracked.filter(
    ({ sources }) =>
      sources.length === 0 || sources.some((source) => !missing.includes(nameOfInspector(review.kind, source))),
  );
}
