import type { StoredFinding } from "../roadmap/lead/event.ts";
import type { Audit, Disposition, ReviewKind, ReviewVerdict } from "./finding.ts";

/** What the findings come to, what the auditor argued for instead, and what holds. */
export interface Judgement {
  readonly computed: ReviewVerdict;
  readonly verdict: ReviewVerdict;
  /** Recorded whether it holds or not. */
  readonly override: { readonly verdict: ReviewVerdict; readonly reason: string } | null;
}

/** As much of an audit as a verdict rests on besides the findings. */
export type Opinion = Pick<Audit, "verdict" | "reason" | "spec_feedback" | "unresolved">;

/** Tests that fail or are not there: code that was never seen to work. */
const FAILING_TESTS: ReadonlySet<string> = new Set([
  "e2e-failure",
  "e2e-timeout",
  "failing-test",
  "missing-test",
  "missing-test-file",
  "test-failure",
]);

/** Code that calls other code as nobody agreed. */
const WRONG_INTERFACES: ReadonlySet<string> = new Set([
  "call-site-error",
  "dependency-wrong",
  "interface-contract",
  "interface-inconsistency",
  "interface-mismatch",
  "signature-mismatch",
  "type-mismatch",
]);

/**
 * Judges by the findings that nobody waived. An auditor may argue for another verdict, with a reason. No argument takes
 * away a Critical, which is the user's to waive; and a spec can only be found wanting by what was built from it.
 */
export function judgeReview(kind: ReviewKind, findings: readonly StoredFinding[], audit: Opinion): Judgement {
  const standing = findings.filter(({ waived }) => waived === undefined);
  const computed = computedVerdict(kind, standing, audit);
  const reason = audit.reason?.trim() ?? "";
  if (audit.verdict === computed || reason === "") return { computed, verdict: computed, override: null };
  const isBarred = hasCritical(standing) || (audit.verdict === "SPEC-UPDATE-NEEDED" && kind !== "impl");
  return { computed, verdict: isBarred ? computed : audit.verdict, override: { verdict: audit.verdict, reason } };
}

/** Whether what was reviewed may go on. */
export const isPassing = (verdict: ReviewVerdict): boolean => verdict === "GO" || verdict === "CONDITIONAL";

/** What is done about a verdict as long as nobody has to be asked. */
export const DISPOSITION_OF: Readonly<Record<ReviewVerdict, Disposition>> = {
  GO: "GO-ACCEPTED",
  CONDITIONAL: "CONDITIONAL-TRACKED",
  "NO-GO": "NO-GO-FIXED",
  "SPEC-UPDATE-NEEDED": "SPEC-UPDATE-CASCADED",
};

function computedVerdict(kind: ReviewKind, standing: readonly StoredFinding[], audit: Opinion): ReviewVerdict {
  if (hasCritical(standing)) return "NO-GO";
  if (kind === "impl") {
    if (standing.some(({ category }) => isBlocking(category))) return "NO-GO";
    if (audit.spec_feedback.length > 0) return "SPEC-UPDATE-NEEDED";
  }
  const isOpen = audit.unresolved.length > 0 || standing.some(({ severity }) => severity === "H");
  return isOpen ? "CONDITIONAL" : "GO";
}

const hasCritical = (findings: readonly StoredFinding[]): boolean => findings.some(({ severity }) => severity === "C");

/** Whether an implementation cannot go on with it, whatever its severity. */
function isBlocking(category: string): boolean {
  const name = categoryName(category).replace(/s$/, "");
  return FAILING_TESTS.has(name) || WRONG_INTERFACES.has(name);
}

/** `Test Failure` and `test_failure` are `test-failure`. */
export const categoryName = (category: string): string =>
  category
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
