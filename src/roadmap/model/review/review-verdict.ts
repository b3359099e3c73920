import type { ReviewKind } from "./review-kinds.ts";
import type { StoredFinding, AuditResult, ReviewDisposition, ReviewVerdict } from "./review-finding.ts";

export type AuditOpinion = Pick<AuditResult, "verdict" | "reason" | "spec_feedback" | "unresolved">;

/** Failing tests and interface errors block an implementation at any severity. */
const BLOCKING_CATEGORIES: ReadonlySet<string> = new Set(
  [
    "e2e-failure e2e-timeout failing-test missing-test missing-test-file test-failure",
    "call-site-error dependency-wrong interface-contract interface-inconsistency interface-mismatch",
    "signature-mismatch type-mismatch",
  ].flatMap((names) => names.split(" ")),
);

/** An auditor may argue for a different verdict, but only the user can waive a Critical. */
export function judgeReviewFindings(kind: ReviewKind, findings: readonly StoredFinding[], audit: AuditOpinion) {
  const standing = findings.filter(({ waived }) => waived === undefined);
  const hasCritical = standing.some(({ severity }) => severity === "C");
  const computed = hasCritical ? "NO-GO" : computeVerdict(kind, standing, audit);
  const reason = audit.reason?.trim() ?? "";
  if (audit.verdict === computed || reason === "") return { verdict: computed, computed, override: null };
  const isBarred = hasCritical || (audit.verdict === "SPEC-UPDATE-NEEDED" && kind !== "impl");
  // The override is recorded even where it does not apply.
  return { verdict: isBarred ? computed : audit.verdict, computed, override: { verdict: audit.verdict, reason } };
}

export const isPassingVerdict = (verdict: ReviewVerdict): boolean => verdict === "GO" || verdict === "CONDITIONAL";

export const VERDICT_DISPOSITIONS: Readonly<Record<ReviewVerdict, ReviewDisposition>> = {
  GO: "GO-ACCEPTED",
  CONDITIONAL: "CONDITIONAL-TRACKED",
  "NO-GO": "NO-GO-RETURNED",
  "SPEC-UPDATE-NEEDED": "SPEC-UPDATE-CASCADED",
};

function computeVerdict(kind: ReviewKind, standing: readonly StoredFinding[], audit: AuditOpinion): ReviewVerdict {
  const hasBlocker = standing.some(({ category }) =>
    BLOCKING_CATEGORIES.has(normalizeCategoryName(category).replace(/s$/, "")),
  );
  if (kind === "impl" && hasBlocker) return "NO-GO";
  if (kind === "impl" && audit.spec_feedback.length > 0) return "SPEC-UPDATE-NEEDED";
  const isOpen = audit.unresolved.length > 0 || standing.some(({ severity }) => severity === "H");
  return isOpen ? "CONDITIONAL" : "GO";
}

/** `Test Failure` and `test_failure` are `test-failure`. */
export const normalizeCategoryName = (category: string): string =>
  category
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
