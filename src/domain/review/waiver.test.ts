import { expect, test } from "vitest";
import type { StoredFinding, StoredReview } from "../roadmap/lead/event.ts";
import type { FeatureName } from "../feature/name.ts";
import { withWaiver } from "./waiver.ts";

const finding = (id: string, severity: StoredFinding["severity"], category = "coverage-gap"): StoredFinding => ({
  id,
  severity,
  category,
  location: "Spec 1",
  description: "It says nothing of errors.",
  sources: ["rulebase"],
  seen: "new",
});

const review = (findings: readonly StoredFinding[], more: Partial<StoredReview> = {}): StoredReview => ({
  batch: "B2",
  kind: "design",
  scope: { of: "feature", feature: "user-login" as FeatureName },
  at: "2026-01-31T12:00:00Z",
  of: "hash",
  verdict: "NO-GO",
  computed: "NO-GO",
  override: null,
  disposition: "NO-GO-FIXED",
  counts: { C: 0, H: 0, M: 0, L: 0 },
  inspectors: ["rulebase"],
  missing: [],
  findings,
  removed: [],
  resolved_conflicts: [],
  unresolved: [],
  spec_feedback: [],
  steering: [],
  mended: [],
  notes: [],
  ...more,
});

const said = { part: "design", spec: "Spec 1", description: "It cannot be built so." } as const;

test.each<[string, StoredReview, string, string, string]>([
  ["the only Critical", review([finding("F1", "C")]), "F1", "GO", "GO-ACCEPTED"],
  [
    "the only Critical beside a High",
    review([finding("F1", "C"), finding("F2", "H")]),
    "F1",
    "CONDITIONAL",
    "CONDITIONAL-TRACKED",
  ],
  ["one of two Criticals", review([finding("F1", "C"), finding("F2", "C")]), "F1", "NO-GO", "NO-GO-FIXED"],
  ["a High beside a Critical", review([finding("F1", "C"), finding("F2", "H")]), "F2", "NO-GO", "NO-GO-FIXED"],
  [
    "a failing test of an implementation",
    review([finding("F1", "M", "test-failure")], { kind: "impl" }),
    "F1",
    "GO",
    "GO-ACCEPTED",
  ],
  [
    "the Critical before a defect of the spec",
    review([finding("F1", "C")], { kind: "impl", spec_feedback: [said] }),
    "F1",
    "SPEC-UPDATE-NEEDED",
    "SPEC-UPDATE-CASCADED",
  ],
  [
    "what was escalated, in vain",
    review([finding("F1", "C"), finding("F2", "C")], { disposition: "ESCALATED" }),
    "F1",
    "NO-GO",
    "ESCALATED",
  ],
  [
    "the Critical that barred what an auditor argued for",
    review([finding("F1", "C"), finding("F2", "H")], { override: { verdict: "GO", reason: "Known and planned." } }),
    "F1",
    "GO",
    "GO-ACCEPTED",
  ],
])("waiving %s", (_, before, id, verdict, disposition) => {
  const after = withWaiver(before, id, "The provider guarantees it");
  expect({ verdict: after.verdict, disposition: after.disposition }).toEqual({ verdict, disposition });
  expect(after.findings.filter(({ waived }) => waived !== undefined)).toEqual([
    { ...before.findings.find((each) => each.id === id), waived: "The provider guarantees it" },
  ]);
});

test("what is waived counts no more", () => {
  const before = review([finding("F1", "C"), finding("F2", "H"), finding("F3", "H")]);
  expect(withWaiver(before, "F2", "So agreed").counts).toEqual({ C: 1, H: 1, M: 0, L: 0 });
});
