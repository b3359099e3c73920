import fc from "fast-check";
import { expect, test } from "vitest";
import { parseFeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  answerSteeringProposal,
  parseStoredReview,
  formatStoredReview,
  waiveStoredFinding,
  findStoredReviewProblem,
} from "./stored-review.ts";
import { FINDING_SEVERITIES, type StoredFinding, type StoredReview } from "./review-finding.ts";

const critical: StoredFinding = {
  id: "F1",
  severity: "C",
  category: "security-concern",
  location: "src/login.ts",
  description: "The password is logged",
  sources: ["quality", "test"],
  seen: "new",
};
const failing: StoredFinding = { ...critical, id: "F2", severity: "H", category: "test-failure", seen: "tracked" };

const stored: StoredReview = {
  batch: "B2",
  kind: "impl",
  scope: { of: "feature", feature: parseFeatureName("user-login"), tasks: ["1.1"] },
  at: "2026-08-02T10:00:00Z",
  of: "0f3a",
  verdict: "NO-GO",
  computed: "NO-GO",
  override: { verdict: "CONDITIONAL", reason: "It is a prototype." },
  disposition: "NO-GO-RETURNED",
  counts: { C: 1, H: 1, M: 0, L: 0 },
  inspectors: ["interface", "quality"],
  missing: ["interface"],
  findings: [critical, failing],
  removed: [{ agent: "test", reason: "covered", finding: "No test of logout" }],
  resolved_conflicts: [{ agents: ["quality", "test"], resolution: "quality is right", conflict: "severity" }],
  unresolved: ["interface and test disagree"],
  spec_feedback: [{ part: "design", spec: "user-login", description: "Two readings" }],
  steering: [
    { level: "CODIFY", file: "tech.md", text: "Errors are logged once.", answer: "applied" },
    { level: "PROPOSE", file: "product.md", text: "No passwords in logs.", answer: "waiting" },
  ],
  mended: [{ severity: "L", category: "naming", location: "src/a.ts", description: "x", sources: [] }],
  notes: ["All read."],
};

test("writes a stored review as YAML", () => {
  expect(formatStoredReview({ ...stored, findings: [critical], mended: [] })).toMatchInlineSnapshot(`
    "batch: "B2"
    kind: "impl"
    scope:
      of: "feature"
      feature: "user-login"
      tasks:
        - "1.1"
    at: "2026-08-02T10:00:00Z"
    of: "0f3a"
    verdict: "NO-GO"
    computed: "NO-GO"
    override:
      verdict: "CONDITIONAL"
      reason: "It is a prototype."
    disposition: "NO-GO-RETURNED"
    counts:
      C: 1
      H: 1
      M: 0
      L: 0
    inspectors:
      - "interface"
      - "quality"
    missing:
      - "interface"
    findings:
      - id: "F1"
        severity: "C"
        category: "security-concern"
        location: "src/login.ts"
        description: "The password is logged"
        sources:
          - "quality"
          - "test"
        seen: "new"
    removed:
      - agent: "test"
        reason: "covered"
        finding: "No test of logout"
    resolved_conflicts:
      - agents:
          - "quality"
          - "test"
        resolution: "quality is right"
        conflict: "severity"
    unresolved:
      - "interface and test disagree"
    spec_feedback:
      - part: "design"
        spec: "user-login"
        description: "Two readings"
    steering:
      - level: "CODIFY"
        file: "tech.md"
        text: "Errors are logged once."
        answer: "applied"
      - level: "PROPOSE"
        file: "product.md"
        text: "No passwords in logs."
        answer: "waiting"
    mended: []
    notes:
      - "All read."
    "
  `);
});

test("reads back what it stores", () => {
  expect(parseStoredReview(formatStoredReview(stored))).toEqual(stored);
  const texts = fc.array(fc.string({ unit: "binary", maxLength: 40 }), { maxLength: 4 });
  fc.assert(
    fc.property(texts, fc.constantFrom(...FINDING_SEVERITIES), (notes, severity) => {
      const words = notes.filter((note) => note !== "").map((note) => note.toWellFormed());
      const findings = words.map((description, i) => ({ ...critical, id: `F${i + 1}`, severity, description }));
      const review = { ...stored, notes: words, findings };
      expect(parseStoredReview(formatStoredReview(review))).toEqual(review);
    }),
  );
});

test.each<[string, string, unknown]>([
  ["no batch", "batch", "2"],
  ["a batch with an invalid number", "batch", "B0"],
  ["an unknown kind", "kind", "code"],
  ["no scope", "scope", null],
  ["an empty scope", "scope", { of: "galaxy" }],
  ["a wave before the first", "scope", { of: "wave", wave: 0 }],
  ["a feature given as a path", "scope", { of: "feature", feature: "../etc" }],
  ["tasks that are not a list", "scope", { of: "feature", feature: "user-login", tasks: "1.1" }],
  ["no time", "at", "yesterday"],
  ["no hash", "of", ""],
  ["an unknown verdict", "verdict", "MAYBE"],
  ["an unknown computed verdict", "computed", undefined],
  ["an override without a reason", "override", { verdict: "GO", reason: "" }],
  ["an unknown disposition", "disposition", "FINE"],
  ["negative counts", "counts", { C: -1, H: 0, M: 0, L: 0 }],
  ["incomplete counts", "counts", { C: 1 }],
  ["inspectors that are not texts", "inspectors", [1]],
  ["missing inspectors that are not a list", "missing", "interface"],
  ["findings that are not a list", "findings", {}],
  ["a finding without an id", "findings", [{ ...critical, id: undefined }]],
  ["a repeated finding", "findings", [critical, critical]],
  ["a finding without a severity", "findings", [{ ...critical, severity: "X" }]],
  ["a finding with an unknown history", "findings", [{ ...critical, seen: "once" }]],
  ["a finding without sources", "findings", [{ ...critical, sources: undefined }]],
  ["a waiver without a reason", "findings", [{ ...critical, waived: "" }]],
  ["a removed finding without a reason", "removed", [{ agent: "test", finding: "x" }]],
  ["a conflict without agents", "resolved_conflicts", [{ resolution: "x", conflict: "y" }]],
  ["an unresolved item that is not a text", "unresolved", [{}]],
  ["feedback without a target", "spec_feedback", [{ part: "code", spec: "x", description: "y" }]],
  ["steering without an answer", "steering", [{ level: "CODIFY", file: "tech.md", text: "x" }]],
  ["steering outside its folder", "steering", [{ level: "CODIFY", file: "../tech.md", text: "x", answer: "applied" }]],
  ["a fixed finding without a location", "mended", [{ ...critical, location: 4 }]],
  ["too many notes", "notes", Array.from({ length: 5_001 }, () => "x")],
  ["an endless note", "notes", ["x".repeat(10_001)]],
])("rejects a review with %s", (_what, field, value) => {
  expect(findStoredReviewProblem({ ...stored, [field]: value })).toBe(`its field "${field}" is missing or wrong`);
});

test("ignores unknown fields, and rejects everything but an object", () => {
  expect(findStoredReviewProblem({ ...stored, engine: "next" })).toBeUndefined();
  expect([null, [], "x", 4].map(findStoredReviewProblem)).toEqual(Array(4).fill("it is not an object"));
});

test.each([
  ["batch: B1\n", [{ problem: 'As a review, its field "kind" is missing or wrong.' }]],
  ["batch\n", [{ problem: '"batch" is not a key with a value: write key: "value".', line: 1 }]],
])("rejects %j", (text, problems) => {
  expect(parseStoredReview(text)).toEqual({ problems });
});

test("applies the auditor's argued verdict once the Critical is waived", () => {
  const waived = waiveStoredFinding(stored, "F1", "  We know. ");
  expect(waived).toEqual({
    ...stored,
    verdict: "CONDITIONAL",
    disposition: "CONDITIONAL-TRACKED",
    counts: { C: 0, H: 1, M: 0, L: 0 },
    findings: [{ ...critical, waived: "We know." }, failing],
  });
});

test.each<[string, Partial<StoredReview>, string, string, string]>([
  [
    "a Critical beside an open one",
    { findings: [critical, { ...critical, id: "F2" }] },
    "NO-GO",
    "NO-GO",
    "NO-GO-RETURNED",
  ],
  ["a Critical beside a failing test", { override: null }, "NO-GO", "NO-GO", "NO-GO-RETURNED"],
  [
    "a Critical beside a spec defect",
    { override: null, findings: [critical] },
    "SPEC-UPDATE-NEEDED",
    "SPEC-UPDATE-NEEDED",
    "SPEC-UPDATE-CASCADED",
  ],
  [
    "the last finding",
    { override: null, findings: [critical], spec_feedback: [], unresolved: [] },
    "GO",
    "GO",
    "GO-ACCEPTED",
  ],
  [
    "an escalated finding that stays escalated",
    { override: null, disposition: "ESCALATED" },
    "NO-GO",
    "NO-GO",
    "ESCALATED",
  ],
])("gives the verdict after the user waives %s", (_what, more, computed, verdict, disposition) => {
  const waived = waiveStoredFinding({ ...stored, ...more }, "F1", "We know.");
  expect([waived.computed, waived.verdict, waived.disposition]).toEqual([computed, verdict, disposition]);
});

test.each([
  ["F9", "We know.", "review.unknown-finding", "The review has F1, F2."],
  ["", "We know.", "review.unknown-finding", "The review has F1, F2."],
  ["F1", " ", "review.no-reason", "Later readers of the review need to know why it may stay."],
])("rejects a waiver of %j for %j", (id, reason, code, why) => {
  expect(() => waiveStoredFinding(stored, id, reason)).toThrow(expect.objectContaining({ code, why }));
});

test("rejects a waiver in a review without findings", () => {
  const why = "The review found nothing.";
  expect(() => waiveStoredFinding({ ...stored, findings: [] }, "F1", "x")).toThrow(expect.objectContaining({ why }));
});

test.each(["approved", "rejected", "excepted"] as const)("marks a proposal as %s once", (answer) => {
  const answered = answerSteeringProposal(stored, 2, answer);
  expect(answered).toEqual({ ...stored, steering: [stored.steering[0], { ...stored.steering[1], answer }] });
  expect(() => answerSteeringProposal(answered, 2, answer)).toThrow(
    expect.objectContaining({ code: "review.no-proposal", why: "No line waits for an answer." }),
  );
});

test.each([0, 1, 3, 1.5])("rejects an answer to line %d, which needs none", (number) => {
  expect(() => answerSteeringProposal(stored, number, "approved")).toThrow(
    expect.objectContaining({ code: "review.no-proposal", why: "Those that wait: 2." }),
  );
});
