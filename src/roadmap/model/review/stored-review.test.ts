import { expect, test } from "vitest";
import { parseFeatureName } from "#kernel/model/ids/feature-name.ts";
import type { OpenReview } from "../lead/lead-state.ts";
import { createStoredReview, countOpenFindings } from "./stored-review.ts";
import type { AuditResult, ReviewFinding } from "./review-finding.ts";

const feature = parseFeatureName("user-login");
const at = "2026-08-02T10:00:00Z";

const swallowed: ReviewFinding = {
  severity: "M",
  category: "error-handling-drift",
  location: "src/login.ts",
  description: "Errors are swallowed",
  sources: ["quality"],
};
const logged: ReviewFinding = { ...swallowed, description: "The password is logged", severity: "H", sources: ["test"] };
const inspection = { scope: "user-login", findings: [], notes: [] };

const review: OpenReview = {
  kind: "impl",
  scope: { of: "feature", feature },
  batch: "B2",
  of: "0f3a",
  inspectors: ["interface", "quality", "test"],
  inspections: { interface: inspection, quality: inspection, test: inspection },
  missing: [],
  lost: {},
  tracked: [],
  mended: [],
};

const audit: AuditResult = {
  scope: "user-login",
  verdict: "GO",
  verified: [],
  removed: [],
  resolved: [],
  unresolved: [],
  spec_feedback: [],
  steering: [],
  notes: [],
  roadmap_advisory: [],
};

test("stores a finished review", () => {
  const told: AuditResult = {
    ...audit,
    verdict: "CONDITIONAL",
    reason: "The drift is known.",
    verified: [swallowed, logged],
    removed: [{ agent: "test", reason: "covered", finding: "No test of logout" }],
    resolved: [{ agents: ["quality", "test"], resolution: "quality is right", conflict: "severity" }],
    unresolved: ["interface and test disagree"],
    steering: [
      { level: "CODIFY", file: "tech.md", text: "Errors are logged once." },
      { level: "PROPOSE", file: "product.md", text: "No passwords in logs." },
    ],
    notes: ["All read."],
    roadmap_advisory: ["Logout comes next."],
  };
  const known = { ...review, tracked: [swallowed], mended: [logged], missing: ["interface"], inspections: {} };
  const batch = createStoredReview(known, told, at, "NO-GO-RETURNED");
  expect(batch).toEqual({
    batch: "B2",
    kind: "impl",
    scope: { of: "feature", feature },
    at,
    of: "0f3a",
    verdict: "NO-GO",
    computed: "NO-GO",
    override: { verdict: "CONDITIONAL", reason: "The drift is known." },
    disposition: "NO-GO-RETURNED",
    counts: { C: 1, H: 0, M: 1, L: 0 },
    inspectors: ["interface", "quality", "test"],
    missing: ["interface", "quality", "test"],
    findings: [
      { ...logged, id: "F1", severity: "C", seen: "regression" },
      { ...swallowed, id: "F2", seen: "tracked" },
    ],
    removed: told.removed,
    resolved_conflicts: told.resolved,
    unresolved: told.unresolved,
    spec_feedback: [],
    steering: [
      { level: "CODIFY", file: "tech.md", text: "Errors are logged once.", answer: "applied" },
      { level: "PROPOSE", file: "product.md", text: "No passwords in logs.", answer: "waiting" },
    ],
    mended: [],
    notes: ["All read.", "Logout comes next."],
  });
});

test.each<[string, Partial<OpenReview>, ReviewFinding[]]>([
  ["every inspector reported", {}, [swallowed, logged]],
  ["one inspector is missing", { inspections: { interface: inspection, test: inspection } }, [logged]],
  ["only some tasks were reviewed", { scope: { of: "feature", feature, tasks: ["1.1"] } }, []],
  ["no inspector reported", { inspections: {} }, []],
])("lists fixed findings where %s", (_what, more, mended) => {
  const known = { ...review, tracked: [swallowed, logged], ...more };
  expect(createStoredReview(known, audit, at, "GO-ACCEPTED").mended).toEqual(mended);
});

test("counts a finding without an inspector as checked", () => {
  const known = { ...review, inspections: {}, tracked: [{ ...swallowed, sources: [] }] };
  expect(createStoredReview(known, audit, at, "GO-ACCEPTED").mended).toEqual(known.tracked);
});

test("does not count waived findings", () => {
  const told = { ...swallowed, id: "F1", seen: "new" as const };
  expect(countOpenFindings([told, { ...told, id: "F2", waived: "Known." }])).toEqual({ C: 0, H: 0, M: 1, L: 0 });
});
