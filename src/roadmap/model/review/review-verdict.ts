import type { ReviewKind } from "./review-kinds.ts";
import type { StoredFinding, AuditResult, ReviewDisposition, ReviewVerdict } from "./review-finding.ts";

export interface ReviewJudgement {
  readonly computed: ReviewVerdict;
  readonly verdict: ReviewVerdict;
  /** Recorded even where it does not apply. */
  readonly override: { readonly verdict: ReviewVerdict; readonly reason: string } | null;
}

export type AuditOpinion = Pick<AuditResult, "verdict" | "reason" | "spec_feedback" | "unresolved">;

const FAILING_TEST_CATEGORIES: ReadonlySet<string> = new Set([
  "e2e-failure",
  "e2e-timeout",
  "failing-test",
  "missing-test",
  "missing-test-file",
  "test-failure",
]);

const INTERFACE_ERROR_CATEGORIES: ReadonlySet<string> = new Set([
  "call-site-error",
  "dependency-wrong",
  "interface-contract",
  "interface-inconsistency",
  "interface-mismatch",
  "signature-mismatch",
  "type-mismatch",
]);

/**
 * Judges by the findings that are not waived. An auditor may argue for a different verdict with a reason. No argument
 * overrides a Critical, which only the user can waive. Only a review of an implementation can require a spec update.
 */
export function judgeReviewFindings(
  kind: ReviewKind,
  findings: readonly StoredFinding[],
  audit: AuditOpinion,
): ReviewJudgement {
  const standing = findings.filter(({ waived }) => waived === undefined);
  const computed = computeReviewVerdict(kind, standing, audit);
  const reason = audit.reason?.trim() ?? "";
  if (audit.verdict === computed || reason === "") return { computed, verdict: computed, override: null };
  const isBarred = hasCriticalFinding(standing) || (audit.verdict === "SPEC-UPDATE-NEEDED" && kind !== "impl");
  return { computed, verdict: isBarred ? computed : audit.verdict, override: { verdict: audit.verdict, reason } };
}

export const isPassingVerdict = (verdict: ReviewVerdict): boolean => verdict === "GO" || verdict === "CONDITIONAL";

export const VERDICT_DISPOSITIONS: Readonly<Record<ReviewVerdict, ReviewDisposition>> = {
  GO: "GO-ACCEPTED",
  CONDITIONAL: "CONDITIONAL-TRACKED",
  "NO-GO": "NO-GO-FIXED",
  "SPEC-UPDATE-NEEDED": "SPEC-UPDATE-CASCADED",
};

function computeReviewVerdict(
  kind: ReviewKind,
  standing: readonly StoredFinding[],
  audit: AuditOpinion,
): ReviewVerdict {
  if (hasCriticalFinding(standing)) return "NO-GO";
  if (kind === "impl") {
    if (standing.some(({ category }) => isBlockingCategory(category))) return "NO-GO";
    if (audit.spec_feedback.length > 0) return "SPEC-UPDATE-NEEDED";
  }
  const isOpen = audit.unresolved.length > 0 || standing.some(({ severity }) => severity === "H");
  return isOpen ? "CONDITIONAL" : "GO";
}

const hasCriticalFinding = (findings: readonly StoredFinding[]): boolean =>
  findings.some(({ severity }) => severity === "C");

/** Blocks an implementation at any severity. */
function isBlockingCategory(category: string): boolean {
  const name = normalizeCategoryName(category).replace(/s$/, "");
  return FAILING_TEST_CATEGORIES.has(name) || INTERFACE_ERROR_CATEGORIES.has(name);
}

/** `Test Failure` and `test_failure` are `test-failure`. */
export const normalizeCategoryName = (category: string): string =>
  category
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
