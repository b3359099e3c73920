import { expect, test } from "vitest";
import { REVIEW_KINDS, type ReviewKind } from "./review-kinds.ts";
import { type StoredFinding, REVIEW_VERDICTS, type ReviewVerdict, type FindingSeverity } from "./review-finding.ts";
import { normalizeCategoryName, judgeReviewFindings, type AuditOpinion } from "./review-verdict.ts";

const found = (severity: FindingSeverity, category = "ambiguity", waived?: string): StoredFinding => ({
  id: "F1",
  severity,
  category,
  location: "src/login.ts",
  description: "It is not as it should be.",
  sources: ["rulebase"],
  seen: "new",
  ...(waived === undefined ? {} : { waived }),
});

const agreed: AuditOpinion = { verdict: "GO", spec_feedback: [], unresolved: [] };
const defect = { spec_feedback: [{ part: "design", spec: "login", description: "Impossible." }] } as const;
const conflict = { unresolved: ["Two inspectors disagree."] };

type Row = readonly [
  said: string,
  findings: StoredFinding[],
  more: Partial<AuditOpinion>,
  design: string,
  impl: string,
];

/** A dead-code review is judged as a design is. */
const ROWS: readonly Row[] = [
  ["nothing", [], {}, "GO", "GO"],
  ["a Low", [found("L")], {}, "GO", "GO"],
  ["a Medium and a Low", [found("M"), found("L")], {}, "GO", "GO"],
  ["one High", [found("H")], {}, "CONDITIONAL", "CONDITIONAL"],
  ["four Highs", [found("H"), found("H"), found("H"), found("H")], {}, "CONDITIONAL", "CONDITIONAL"],
  ["a conflict", [], conflict, "CONDITIONAL", "CONDITIONAL"],
  ["a High and a conflict", [found("H")], conflict, "CONDITIONAL", "CONDITIONAL"],
  ["a Critical", [found("C")], {}, "NO-GO", "NO-GO"],
  ["a Critical and a spec defect", [found("C")], defect, "NO-GO", "NO-GO"],
  ["a Low Critical pair", [found("L"), found("C")], {}, "NO-GO", "NO-GO"],
  ["a spec defect", [], defect, "GO", "SPEC-UPDATE-NEEDED"],
  ["a spec defect and a High", [found("H")], defect, "CONDITIONAL", "SPEC-UPDATE-NEEDED"],
  ["a spec defect and a conflict", [], { ...defect, ...conflict }, "CONDITIONAL", "SPEC-UPDATE-NEEDED"],
  ["a failing test", [found("M", "test-failure")], {}, "GO", "NO-GO"],
  ["a failing test and a spec defect", [found("H", "test-failure")], defect, "CONDITIONAL", "NO-GO"],
  ["a missing test", [found("L", "missing-test-file")], {}, "GO", "NO-GO"],
  ["a failing end-to-end test", [found("H", "e2e-failure")], {}, "CONDITIONAL", "NO-GO"],
  ["an endless end-to-end test", [found("H", "e2e-timeout")], {}, "CONDITIONAL", "NO-GO"],
  ["a changed signature", [found("H", "signature-mismatch")], {}, "CONDITIONAL", "NO-GO"],
  ["a changed signature and a spec defect", [found("L", "signature-mismatch")], defect, "GO", "NO-GO"],
  ["a wrong call", [found("M", "call-site-error")], {}, "GO", "NO-GO"],
  ["a wrong dependency", [found("M", "dependency-wrong")], {}, "GO", "NO-GO"],
  ["a broken contract", [found("M", "interface-contract")], {}, "GO", "NO-GO"],
  ["different types", [found("M", "type-mismatch")], {}, "GO", "NO-GO"],
  ["a misused interface", [found("M", "interface-inconsistency")], {}, "GO", "NO-GO"],
  ["categories in everyday spelling", [found("L", "Test Failures")], {}, "GO", "NO-GO"],
  ["weak tests", [found("M", "weak-assertion")], {}, "GO", "GO"],
  ["a waived Critical", [found("C", "ambiguity", "Known.")], {}, "GO", "GO"],
  ["a waived Critical and a High", [found("C", "ambiguity", "Known."), found("H")], {}, "CONDITIONAL", "CONDITIONAL"],
  ["a waived Critical and an open one", [found("C", "ambiguity", "Known."), found("C")], {}, "NO-GO", "NO-GO"],
  ["a waived High", [found("H", "ambiguity", "Known.")], {}, "GO", "GO"],
  ["a waived failing test", [found("H", "test-failure", "Flaky.")], {}, "GO", "GO"],
  [
    "a waived failing test and a spec defect",
    [found("H", "test-failure", "Flaky.")],
    defect,
    "GO",
    "SPEC-UPDATE-NEEDED",
  ],
];

const judged = ROWS.flatMap(([said, findings, more, design, impl]) =>
  REVIEW_KINDS.map((kind) => [said, kind, findings, more, kind === "impl" ? impl : design] as const),
);

test.each(judged)("%s gives the verdict of a review of kind %s", (_said, kind, findings, more, computed) => {
  const audit = { ...agreed, ...more, verdict: computed as ReviewVerdict };
  expect(judgeReviewFindings(kind, findings, audit)).toEqual({ computed, verdict: computed, override: null });
});

/** Every verdict that an auditor may argue for, against each that the findings may come to. */
const FINDINGS: Readonly<Record<ReviewVerdict, Partial<AuditOpinion> & { findings: StoredFinding[] }>> = {
  GO: { findings: [] },
  CONDITIONAL: { findings: [found("H")] },
  "NO-GO": { findings: [found("H", "test-failure")] },
  "SPEC-UPDATE-NEEDED": { findings: [], ...defect },
};

const arguments_ = REVIEW_VERDICTS.flatMap((computed) =>
  REVIEW_VERDICTS.filter((argued) => argued !== computed).map((argued) => [argued, computed] as const),
);

test.each(arguments_)("lets an auditor argue for %s where an implementation is %s", (argued, computed) => {
  const { findings, ...more } = FINDINGS[computed];
  const audit = { ...agreed, ...more, verdict: argued };
  const reason = "Seen with the user.";
  expect(judgeReviewFindings("impl", findings, audit)).toEqual({ computed, verdict: computed, override: null });
  expect(judgeReviewFindings("impl", findings, { ...audit, reason: "  " }).override).toBeNull();
  expect(judgeReviewFindings("impl", findings, { ...audit, reason })).toEqual({
    computed,
    verdict: argued,
    override: { verdict: argued, reason },
  });
});

test.each(REVIEW_KINDS.flatMap((kind) => REVIEW_VERDICTS.map((argued) => [argued, kind] as const)))(
  "does not accept an argued %s against a Critical in a review of kind %s",
  (argued, kind) => {
    const reason = "It is harmless.";
    const audit = { ...agreed, verdict: argued, reason };
    const override = argued === "NO-GO" ? null : { verdict: argued, reason };
    expect(judgeReviewFindings(kind, [found("C")], audit)).toEqual({ computed: "NO-GO", verdict: "NO-GO", override });
  },
);

test.each<[ReviewKind, ReviewVerdict]>([
  ["design", "CONDITIONAL"],
  ["dead-code", "CONDITIONAL"],
  ["impl", "SPEC-UPDATE-NEEDED"],
])("in a review of kind %s, turns an argued SPEC-UPDATE-NEEDED into %s", (kind, verdict) => {
  const argued = { verdict: "SPEC-UPDATE-NEEDED", reason: "The design cannot be built." } as const;
  const told = judgeReviewFindings(kind, [found("H")], { ...agreed, ...argued });
  expect(told).toEqual({ computed: "CONDITIONAL", verdict, override: argued });
});

test("accepts the auditor's argued verdict once the user waived the Critical", () => {
  const audit = { ...agreed, verdict: "CONDITIONAL", reason: "It is harmless." } as const;
  expect(judgeReviewFindings("design", [found("C", "ambiguity", "Known.")], audit)).toEqual({
    computed: "GO",
    verdict: "CONDITIONAL",
    override: { verdict: "CONDITIONAL", reason: "It is harmless." },
  });
});

test.each([
  ["Test Failure", "test-failure"],
  ["test_failure", "test-failure"],
  [" -test - failure- ", "test-failure"],
  ["Ｔｅｓｔ", "test"],
  ["曖昧さ", "曖昧さ"],
  ["", ""],
])("normalizes the category %j to %j", (category, name) => {
  expect(normalizeCategoryName(category)).toBe(name);
});
