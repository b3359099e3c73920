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
  disposition: "NO-GO-FIXED",
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

test("a stored review as YAML", () => {
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
    disposition: "NO-GO-FIXED"
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

test("what is stored is read back", () => {
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
  ["a batch nobody counts to", "batch", "B0"],
  ["an unknown kind", "kind", "code"],
  ["no scope", "scope", null],
  ["a scope of nothing", "scope", { of: "galaxy" }],
  ["a wave before the first", "scope", { of: "wave", wave: 0 }],
  ["a feature by a path", "scope", { of: "feature", feature: "../etc" }],
  ["tasks that are no list", "scope", { of: "feature", feature: "user-login", tasks: "1.1" }],
  ["no time", "at", "yesterday"],
  ["no hash", "of", ""],
  ["an unknown verdict", "verdict", "MAYBE"],
  ["an unknown computed verdict", "computed", undefined],
  ["an override without a reason", "override", { verdict: "GO", reason: "" }],
  ["an unknown disposition", "disposition", "FINE"],
  ["counts below nothing", "counts", { C: -1, H: 0, M: 0, L: 0 }],
  ["counts that are not all there", "counts", { C: 1 }],
  ["inspectors that are no texts", "inspectors", [1]],
  ["missing ones that are no list", "missing", "interface"],
  ["findings that are no list", "findings", {}],
  ["a finding without an id", "findings", [{ ...critical, id: undefined }]],
  ["a finding twice", "findings", [critical, critical]],
  ["a finding of no severity", "findings", [{ ...critical, severity: "X" }]],
  ["a finding nobody knows how seen", "findings", [{ ...critical, seen: "once" }]],
  ["a finding without sources", "findings", [{ ...critical, sources: undefined }]],
  ["a waiver without a reason", "findings", [{ ...critical, waived: "" }]],
  ["something removed without a reason", "removed", [{ agent: "test", finding: "x" }]],
  ["a conflict without agents", "resolved_conflicts", [{ resolution: "x", conflict: "y" }]],
  ["something unresolved that is no text", "unresolved", [{}]],
  ["feedback on nothing", "spec_feedback", [{ part: "code", spec: "x", description: "y" }]],
  ["steering without an answer", "steering", [{ level: "CODIFY", file: "tech.md", text: "x" }]],
  ["steering that leads out", "steering", [{ level: "CODIFY", file: "../tech.md", text: "x", answer: "applied" }]],
  ["something mended without a place", "mended", [{ ...critical, location: 4 }]],
  ["too many notes", "notes", Array.from({ length: 5_001 }, () => "x")],
  ["a note without end", "notes", ["x".repeat(10_001)]],
])("a review with %s is not taken", (_what, field, value) => {
  expect(findStoredReviewProblem({ ...stored, [field]: value })).toBe(`its field "${field}" is missing or wrong`);
});

test("fields that nobody knows are left alone, and nothing but an object is a review", () => {
  expect(findStoredReviewProblem({ ...stored, engine: "next" })).toBeUndefined();
  expect([null, [], "x", 4].map(findStoredReviewProblem)).toEqual(Array(4).fill("it is not an object"));
});

test.each([
  ["batch: B1\n", [{ problem: 'As a review, its field "kind" is missing or wrong.' }]],
  ["batch\n", [{ problem: '"batch" is not a key with a value: write key: "value".', line: 1 }]],
])("%j cannot be read", (text, problems) => {
  expect(parseStoredReview(text)).toEqual({ problems });
});

test("with the Critical waived, what the auditor argued for holds", () => {
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
    "a Critical, where another stands",
    { findings: [critical, { ...critical, id: "F2" }] },
    "NO-GO",
    "NO-GO",
    "NO-GO-FIXED",
  ],
  ["a Critical beside a failing test", { override: null }, "NO-GO", "NO-GO", "NO-GO-FIXED"],
  [
    "a Critical beside a defect",
    { override: null, findings: [critical] },
    "SPEC-UPDATE-NEEDED",
    "SPEC-UPDATE-NEEDED",
    "SPEC-UPDATE-CASCADED",
  ],
  [
    "the last of all",
    { override: null, findings: [critical], spec_feedback: [], unresolved: [] },
    "GO",
    "GO",
    "GO-ACCEPTED",
  ],
  ["one that was escalated and still is", { override: null, disposition: "ESCALATED" }, "NO-GO", "NO-GO", "ESCALATED"],
])("the user waives %s", (_what, more, computed, verdict, disposition) => {
  const waived = waiveStoredFinding({ ...stored, ...more }, "F1", "We know.");
  expect([waived.computed, waived.verdict, waived.disposition]).toEqual([computed, verdict, disposition]);
});

test.each([
  ["F9", "We know.", "review.unknown-finding", "The review has F1, F2."],
  ["", "We know.", "review.unknown-finding", "The review has F1, F2."],
  ["F1", " ", "review.no-reason", "Later readers of the review need to know why it may stay."],
])("%j is not waived for %j", (id, reason, code, why) => {
  expect(() => waiveStoredFinding(stored, id, reason)).toThrow(expect.objectContaining({ code, why }));
});

test("nothing is waived where nothing was found", () => {
  const why = "The review found nothing.";
  expect(() => waiveStoredFinding({ ...stored, findings: [] }, "F1", "x")).toThrow(expect.objectContaining({ why }));
});

test.each(["approved", "rejected", "excepted"] as const)("a proposal is %s, once", (answer) => {
  const answered = answerSteeringProposal(stored, 2, answer);
  expect(answered).toEqual({ ...stored, steering: [stored.steering[0], { ...stored.steering[1], answer }] });
  expect(() => answerSteeringProposal(answered, 2, answer)).toThrow(
    expect.objectContaining({ code: "review.no-proposal", why: "No line waits for an answer." }),
  );
});

test.each([0, 1, 3, 1.5])("line %d does not wait for an answer", (number) => {
  expect(() => answerSteeringProposal(stored, number, "approved")).toThrow(
    expect.objectContaining({ code: "review.no-proposal", why: "Those that wait: 2." }),
  );
});
