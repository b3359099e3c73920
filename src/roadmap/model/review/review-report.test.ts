import { expect, test } from "vitest";
import { parseAuditReport, formatAuditReport } from "./review-report.ts";
import type { AuditResult } from "./review-finding.ts";

const audit: AuditResult = {
  verdict: "SPEC-UPDATE-NEEDED",
  reason: "The criterion cannot be met.",
  scope: "user-login",
  verified: [
    {
      sources: ["impl-rulebase", "test"],
      severity: "H",
      category: "traceability-missing",
      location: "src/login.ts",
      description: "S1.AC2 has no test",
    },
  ],
  removed: [{ agent: "quality", reason: "false positive", finding: "M|dead-code|src/login.ts|unused" }],
  resolved: [{ agents: ["test", "quality"], resolution: "test is right", conflict: "severity of H1" }],
  unresolved: ["interface says number, test says string"],
  spec_feedback: [{ part: "specifications", spec: "user-login", description: "AC2 has two readings" }],
  steering: [
    { level: "CODIFY", file: "tech.md", text: "Errors are logged once" },
    { level: "PROPOSE", file: "product.md", text: "No passwords in logs" },
  ],
  notes: ["All five reported."],
  roadmap_advisory: ["Wave 2 builds on this."],
};

const CPF = `VERDICT:SPEC-UPDATE-NEEDED
REASON:The criterion cannot be met.
SCOPE:user-login
VERIFIED:
impl-rulebase+test|H|traceability-missing|src/login.ts|S1.AC2 has no test
REMOVED:
quality|false positive|M\\|dead-code\\|src/login.ts\\|unused
RESOLVED:
test+quality|test is right|severity of H1
UNRESOLVED:
interface says number, test says string
SPEC_FEEDBACK:
specifications|user-login|AC2 has two readings
STEERING:
CODIFY|tech.md|Errors are logged once
PROPOSE|product.md|No passwords in logs
NOTES:
All five reported.
ROADMAP_ADVISORY:
Wave 2 builds on this.
`;

const nothing: AuditResult = {
  verdict: "GO",
  scope: "",
  verified: [],
  removed: [],
  resolved: [],
  unresolved: [],
  spec_feedback: [],
  steering: [],
  notes: [],
  roadmap_advisory: [],
};

test("writes an audit as CPF, and reads it from CPF and JSON", () => {
  expect(formatAuditReport(audit)).toBe(CPF);
  expect(parseAuditReport(CPF)).toEqual(audit);
  expect(parseAuditReport(JSON.stringify(audit))).toEqual(audit);
  expect(parseAuditReport(formatAuditReport(nothing))).toEqual(nothing);
});

test.each<[string, string, AuditResult]>([
  ["only a verdict", "VERDICT:GO", nothing],
  ["only a verdict in JSON", '{"verdict":"GO"}', nothing],
  [
    "the location of a wave",
    "VERDICT:GO\nSCOPE:wave-scoped-cross-check\nWAVE_SCOPE:1..2\nSPECS_IN_SCOPE:a,b",
    { ...nothing, scope: "wave-scoped-cross-check" },
  ],
  ["the location of a wave in JSON", '{"verdict":"GO","wave_scope":"1..2","specs_in_scope":["a","b"]}', nothing],
])("reads an audit with %s", (_what, text, told) => {
  expect(parseAuditReport(text)).toEqual(told);
});

const json = (more: object): string => JSON.stringify({ ...nothing, ...more });

test.each<[string, string, readonly object[]]>([
  ["no verdict", "SCOPE:user-login", [{ problem: "VERDICT is missing." }]],
  ["no verdict in JSON", "{}", [{ problem: "verdict is missing." }]],
  [
    "an error for a verdict",
    "VERDICT:ERROR",
    [{ problem: 'VERDICT is "ERROR", and may be GO, CONDITIONAL, NO-GO or SPEC-UPDATE-NEEDED.', line: 1 }],
  ],
  [
    "findings without an inspector",
    "VERDICT:GO\nVERIFIED:\n|H|a|b|c",
    [{ problem: "The field sources is empty.", line: 3 }],
  ],
  [
    "findings without an inspector in JSON",
    json({ verified: [{ ...audit.verified[0], sources: [] }] }),
    [{ problem: "verified[0].sources is empty." }],
  ],
  [
    "the row of an inspector",
    "VERDICT:GO\nVERIFIED:\nH|a|b|c",
    [
      {
        problem: "A row of VERIFIED has 5 fields, sources|severity|category|location|description, and this has 4.",
        line: 3,
      },
    ],
  ],
  [
    "steering outside its folder",
    "VERDICT:GO\nSTEERING:\nCODIFY|../../etc/x.md|x\nADOPT|tech.md|x",
    [
      {
        problem:
          'The field file is "../../etc/x.md", and must be the bare name of a file in sdd/steering, such as tech.md.',
        line: 3,
      },
      { problem: 'The field level is "ADOPT", and may be CODIFY or PROPOSE.', line: 4 },
    ],
  ],
  [
    "feedback on code in JSON",
    json({ spec_feedback: [{ part: "code", spec: "user-login", description: "x" }] }),
    [{ problem: 'spec_feedback[0].part is "code", and may be specifications or design.' }],
  ],
])("rejects an audit with %s", (_what, text, problems) => {
  expect(parseAuditReport(text)).toEqual({ problems });
});
