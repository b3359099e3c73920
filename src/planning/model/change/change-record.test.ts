import fc from "fast-check";
import { expect, test } from "vitest";
import {
  abandonChange,
  addDecisionToChange,
  advanceChange,
  archiveChange,
  beginChange,
  storeContextCheck,
  reopenChange,
  resizeChange,
} from "./change-lifecycle.ts";
import { type ChangeRecord, findChangeRecordProblem } from "./change-record.ts";
import { isUsualChangeRecord } from "./usual-change-record.ts";

const at = "2026-01-31T12:00:00Z";
const begun = beginChange({ type: "fix", size: "medium", description: "Fix it" }, [], () => false, at);
const advance = (record: ChangeRecord): ChangeRecord => advanceChange(record, at)[0];
const end = (record: ChangeRecord): ChangeRecord => (record.status === "active" ? end(advance(record)) : record);
const abandoned = abandonChange(advance(begun), "No", at)[0];
const fact = { id: "CF-1", severity: "critical", fact: "FR-009 does not exist." } as const;
const check = { at, tree: "0123456789abcdef".repeat(4), facts: [fact] };
/** It has every field that a record can have. */
const FULL: ChangeRecord = {
  ...abandonChange(
    resizeChange(
      {
        ...reopenChange(addDecisionToChange(abandoned, "ADR-001", at), "describe", "Yes", at)[0],
        base_commit: "a".repeat(40),
      },
      "medium",
      "It grew",
      at,
      { files: 30, lines: 2_000, requirements: 3 },
    )[0],
    "No",
    at,
  )[0],
  deltas: [
    { op: "added", id: "FR-002", priority: "should", base: "0".repeat(64), was: "", text: "It shall." },
    { op: "renamed", id: "FR-001", to: "NFR-001", base: "a".repeat(64), was: "It does.", text: "" },
  ],
  merged: [{ id: "BR-001", how: "document" }],
  context_check: check,
};
const [DELTA, RENAMED] = FULL.deltas ?? [];

/** Also checks that the short check accepts nothing that the schema rejects. */
function problem(value: unknown): string | undefined {
  const found = findChangeRecordProblem(value, "fix-it");
  if (found !== undefined && isUsualChangeRecord(value, "fix-it")) throw new Error(`Accepted, though ${found}.`);
  return found;
}
const wrong = (field: string): string => `its field "${field}" is missing or wrong`;

test.each([
  ["begun", begun],
  ["under way", advance(begun)],
  ["reopened", reopenChange(advance(begun), "describe", "Misread", at)[0]],
  ["completed", end(begun)],
  ["abandoned", abandoned],
  ["archived when completed", archiveChange(end(begun), at)[0]],
  ["archived when abandoned", archiveChange(abandoned, at)[0]],
  ["abandoned twice", FULL],
  ["checked", storeContextCheck(begun, { ...check, facts: [] })],
])("a change that is %s has the documented shape", (_, record) => {
  expect(problem(record)).toBe(undefined);
  expect(isUsualChangeRecord(record, "fix-it")).toBe(record.deltas === undefined);
});

test.each([[null], [undefined], ["text"], [1], [true], [[]], [[begun]]])("%j is not a record", (value) => {
  expect(problem(value)).toBe("it is not an object");
});

test("rejects a record in a folder of a different name", () => {
  expect(findChangeRecordProblem(begun, "fix-that")).toBe(wrong("id"));
  expect(isUsualChangeRecord(begun, "fix-that")).toBe(false);
});

const OPTIONAL = new Set([
  "needs_receipt",
  "no_code",
  "reopenings",
  "abandoned",
  "base_commit",
  "sizings",
  "deltas",
  "merged",
  "context_check",
  "schema",
  "rev",
]);

test.each(Object.keys(FULL).filter((field) => !OPTIONAL.has(field)))("reports a record without %s", (field) => {
  const { [field]: _gone, ...rest } = FULL as unknown as Record<string, unknown>;
  expect(problem(rest)).toBe(wrong(field));
});

const WRONG: readonly (readonly [field: string, value: unknown])[] = [
  ...["id", "type", "size", "description", "stages", "current_stage", "adrs", "status", "created_at", "updated_at"]
    .concat(["reopenings", "abandoned", "base_commit", "sizings", "deltas", "merged", "context_check"])
    .flatMap((field) => [null, 1, true, {}, [1], [[]], [null]].map((value) => [field, value] as const)),
  ...["id", "type", "size", "stages", "current_stage", "adrs", "status", "created_at", "updated_at"]
    .concat(["reopenings", "abandoned", "base_commit", "sizings", "deltas", "merged", "context_check"])
    .map((field) => [field, ""] as const),
  ["id", "../fix-it"],
  ["type", "epic"],
  ["type", "constructor"],
  ["size", "huge"],
  ["status", "cancelled"],
  ["current_stage", "design"],
  ["current_stage", "__proto__"],
  ["adrs", ["ADR-1"]],
  ["adrs", ["../ADR-001"]],
  ["adrs", ["ADR-001", "adr-002"]],
  ["adrs", ["ADR-0000001"]],
  ["created_at", "2026-01-31"],
  ["created_at", "2026-01-31T12:00:00"],
  ["created_at", "2026-01-31T12:00:00+01:00"],
  ["updated_at", "2026-01-31T12:00:00Z\n"],
  ["base_commit", "HEAD"],
  ["base_commit", "--output=x"],
  ["base_commit", "A".repeat(40)],
  ["sizings", [{ from: "small", to: "huge", reason: "x", at }]],
  ["sizings", [{ to: "large", reason: "x", at }]],
  ["sizings", [{ from: "small", to: "large", at }]],
  ["sizings", [{ from: "small", to: "large", reason: "x" }]],
  ["sizings", [{ from: "small", to: "large", reason: "x", at, files: -1 }]],
  ["sizings", [{ from: "small", to: "large", reason: "x", at, lines: 1.5 }]],
  ["sizings", [{ from: "small", to: "large", reason: "x", at, requirements: "many" }]],
  ["reopenings", [{ stage: "describe", reason: "x" }]],
  ["reopenings", [{ stage: 1, reason: "x", at }]],
  ["reopenings", [{ reason: "x", at }]],
  ["reopenings", [{ stage: "describe", at }]],
  ["reopenings", [{ stage: "describe", reason: "x", at, abandoned: "no" }]],
  ["abandoned", { reason: "x" }],
  ["context_check", { ...check, at: "today" }],
  ["context_check", { ...check, tree: "0".repeat(63) }],
  ["context_check", { ...check, facts: "none" }],
  ["context_check", { ...check, facts: [{ ...fact, id: "CF-1.5" }] }],
  ["context_check", { ...check, facts: [{ ...fact, severity: "grave" }] }],
  ["context_check", { ...check, facts: [{ ...fact, fact: "x".repeat(1_000) }] }],
  ["context_check", { ...check, facts: Array.from({ length: 121 }, () => fact) }],
  ["abandoned", { at }],
  ["abandoned", { reason: "x", at: "today" }],
  ["deltas", [{ ...DELTA, op: "ADDED" }]],
  ["deltas", [{ ...DELTA, id: "FR-1" }]],
  ["deltas", [{ ...DELTA, to: "FR-003" }]],
  ["deltas", [{ ...RENAMED, to: undefined }]],
  ["deltas", [{ ...DELTA, priority: "maybe" }]],
  ["deltas", [{ ...DELTA, base: "0" }]],
  ["deltas", [{ ...DELTA, was: undefined }]],
  ["deltas", [{ ...DELTA, text: 1 }]],
  ["merged", [{ id: "FR-001", how: "somehow" }]],
  ["merged", [{ id: "../FR-001", how: "same" }]],
  ["stages", []],
];

test.each(WRONG)("reports a record whose %s is %j", (field, value) => {
  expect(problem({ ...FULL, [field]: value })).toBe(wrong(field));
});

const stage = begun.stages[0];

test.each([
  ["no name", { status: "in_progress" }],
  ["an unknown name", { ...stage, name: "deploy" }],
  ["no status", { name: "describe" }],
  ["an unknown status", { ...stage, status: "done" }],
  ["an invalid start time", { ...stage, started_at: "today" }],
  ["an invalid end time", { ...stage, completed_at: 5 }],
  ["a reason that is not a text", { ...stage, stale_because: 5 }],
  ["another's name", { ...stage, name: "tasks" }],
  ["an empty stage", "describe"],
])("reports a stage with %s", (_case, entry) => {
  expect(problem({ ...begun, stages: [entry, ...begun.stages.slice(1)] })).toBe(wrong("stages"));
});

/** `▸····`: the statuses of the five stages of a medium fix. */
const MARKS = { "·": "pending", "▸": "in_progress", "✓": "completed", "!": "stale", "–": "skipped" } as const;
const marked = (marks: string): unknown[] =>
  begun.stages.map(({ name }, i) => ({ name, status: MARKS[marks[i] as keyof typeof MARKS] }));

test.each([
  ["active", "▸····", "describe", true],
  ["active", "✓–▸!·", "spec", true],
  ["active", "✓✓✓✓▸", "verify", true],
  ["completed", "✓–✓✓✓", "verify", true],
  ["abandoned", "✓▸···", "context-check", true],
  ["archived", "✓✓✓✓✓", "verify", true],
  ["active", "✓✓✓✓✓", "verify", false],
  ["active", "·····", "describe", false],
  ["active", "▸▸···", "describe", false],
  ["active", "▸····", "context-check", false],
  ["active", "!▸···", "context-check", false],
  ["active", "·▸···", "context-check", false],
  ["active", "▸✓···", "describe", false],
  ["active", "▸–···", "describe", false],
  ["completed", "✓✓✓✓▸", "verify", false],
  ["abandoned", "✓✓✓✓✓", "verify", false],
  ["archived", "✓▸···", "context-check", false],
])("%s at %s with %s open: %s", (status, marks, current_stage, isSound) => {
  expect(problem({ ...begun, status, current_stage, stages: marked(marks) })).toBe(
    isSound ? undefined : wrong("stages"),
  );
});

test("leaves unknown fields alone at every depth", () => {
  fc.assert(
    fc.property(fc.string(), fc.jsonValue(), (name, value) => {
      const extra = { [`x-${name}`]: value };
      const widened = {
        ...extra,
        ...FULL,
        stages: FULL.stages.map((entry) => ({ ...entry, ...extra })),
        reopenings: FULL.reopenings?.map((entry) => ({ ...extra, ...entry })),
        abandoned: { ...FULL.abandoned, ...extra },
      };
      expect(problem(widened)).toBe(undefined);
    }),
  );
});

test("does not throw for any JSON value", () => {
  const anything = fc.jsonValue();
  const shaped = fc.record({ id: fc.constant("fix-it"), stages: fc.array(anything), reopenings: fc.array(anything) });
  fc.assert(
    fc.property(fc.oneof(anything, shaped), (value) => {
      expect(problem(value)).toMatch(/^its field "[a-z_]+" is missing or wrong$|^it is not an object$/);
    }),
  );
});
