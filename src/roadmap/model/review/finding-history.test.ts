import { expect, test } from "vitest";
import { findUnaccountedFindings } from "./consensus.ts";
import { findLoweredCriticals, listLoweredFindings } from "./finding-history.ts";
import type { AuditResult, ReviewFinding } from "./review-finding.ts";

const critical: ReviewFinding = {
  severity: "C",
  category: "security-concern",
  location: "src/login.ts:12",
  description: "The password is logged",
  sources: ["quality"],
};
const high: ReviewFinding = {
  ...critical,
  severity: "H",
  location: "src/logout.ts",
  description: "Errors are swallowed",
};
const inspections = { quality: { scope: "user-login", findings: [critical, high], notes: [] } };
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

test("reports a Critical that the audit does not mention", () => {
  expect(findUnaccountedFindings({ inspections }, audit)).toEqual([
    {
      problem:
        'The Critical of quality at "src/login.ts:12", "The password is logged", is in neither VERIFIED, REMOVED nor RESOLVED.',
    },
  ]);
});

test.each<[string, Partial<AuditResult>]>([
  ["verified", { verified: [critical] }],
  ["verified in different words", { verified: [{ ...critical, description: "It logs the password" }] }],
  [
    "merged into a different finding at its location",
    { verified: [{ ...high, severity: "C", location: "src/login.ts" }] },
  ],
  [
    "verified as less, with the reason",
    {
      verified: [{ ...critical, severity: "L" }],
      resolved: [{ agents: ["quality"], resolution: "Only in tests", conflict: "the password is logged" }],
    },
  ],
  ["removed", { removed: [{ agent: "quality", reason: "it is masked", finding: "password is logged" }] }],
  ["resolved", { resolved: [{ agents: ["quality", "test"], resolution: "no", conflict: "is a password logged?" }] }],
])("accepts a Critical that is %s", (_what, more) => {
  expect(findUnaccountedFindings({ inspections }, { ...audit, ...more })).toEqual([]);
  expect(findLoweredCriticals({ inspections }, { ...audit, ...more })).toEqual([]);
});

test.each(["H", "M", "L"] as const)("the auditor cannot make %s of a Critical without a reason", (severity) => {
  const verified = [{ ...critical, severity, description: "It logs the password" }];
  expect(findLoweredCriticals({ inspections }, { ...audit, verified })).toEqual([
    {
      problem: `The Critical of quality at "src/login.ts:12", "The password is logged", is ${severity} in VERIFIED. Keep it C, or give the reason under REMOVED or RESOLVED.`,
    },
  ]);
});

test("a stored review shows which findings the auditor lowered, and no raised one", () => {
  const lowered = listLoweredFindings({ inspections }, { ...audit, verified: [{ ...critical, severity: "L" }] });
  expect(lowered).toContain(
    'The auditor lowered a finding of quality at "src/login.ts:12", "The password is logged", from C to L.',
  );
  expect(listLoweredFindings({ inspections }, { ...audit, verified: [critical] })).toEqual([]);
});

test.each<[string, Partial<AuditResult>]>([
  ["elsewhere", { verified: [{ ...critical, location: "src/other.ts" }] }],
  ["a different finding", { removed: [{ agent: "quality", reason: "no", finding: "errors are swallowed" }] }],
])("does not accept a Critical with %s", (_what, more) => {
  expect(findUnaccountedFindings({ inspections }, { ...audit, ...more })).toHaveLength(1);
});
