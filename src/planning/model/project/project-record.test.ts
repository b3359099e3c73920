import fc from "fast-check";
import { expect, test } from "vitest";
import { assessClarity } from "./clarity-gate.ts";
import { CLARITY_DIMENSION_NAMES } from "#kernel/model/stages/project-stages.ts";
import { beginProject, endProjectStage, reopenProjectStage } from "./project-lifecycle.ts";
import { type ProjectRecord, asProjectRecord, findProjectRecordProblem } from "./project-record.ts";

const at = "2026-01-31T12:00:00Z";
const begun = beginProject({ name: "Tides", description: "Tables", mode: "guided" }, at);
const claims = CLARITY_DIMENSION_NAMES.map((dimension) => ({
  dimension,
  score: 50,
  evidence: "The words are here",
  waiver: "It is so",
}));
const { dimensions, score, threshold, passed } = assessClarity(
  claims,
  [{ name: "s", text: "The words are here" }],
  "guided",
);
/** It has every field that a record can have. */
const FULL: ProjectRecord = {
  ...reopenProjectStage(endProjectStage(begun, at)[0], "propose", "Misread", at)[0],
  ids: ["FR-001", "NFR-00001", "BR-001"],
  rounds: [{ at, answers: "Who?", dimensions, score, threshold, passed }],
  validations: [{ at, verdict: "PASS", facts: "FAIL", override: "It is so" }],
};
const wrong = (field: string): string => `its field "${field}" is missing or wrong`;

test("the record has the documented shape", () => {
  expect([findProjectRecordProblem(begun), findProjectRecordProblem(FULL)]).toEqual([undefined, undefined]);
  expect(asProjectRecord(FULL)).toBe(FULL);
});

test.each([[null], [undefined], ["text"], [1], [[]], [[FULL]]])("%j is not a record", (value) => {
  expect(findProjectRecordProblem(value)).toBe("it is not an object");
});

const { schema: _, rev: __, ...REQUIRED } = FULL;

test.each(Object.keys(REQUIRED))("reports a record without %s", (field) => {
  const { [field]: _gone, ...rest } = FULL as unknown as Record<string, unknown>;
  expect(findProjectRecordProblem(rest)).toBe(wrong(field));
});

const [round] = FULL.rounds;
const [dimension] = dimensions;
const [validation] = FULL.validations;
const rounds = (changes: object) => [{ ...round, ...changes }];
const assessed = (changes: object) => rounds({ dimensions: [{ ...dimension, ...changes }] });

test.each<[field: string, value: unknown]>([
  ...Object.keys(REQUIRED).flatMap((field) =>
    [null, 1, {}, [1], [null]].map((value): [string, unknown] => [field, value]),
  ),
  ["name", "x".repeat(401)],
  ["description", "x".repeat(4001)],
  ["mode", "easy"],
  ["status", "paused"],
  ["current_stage", "describe"],
  ["stages", FULL.stages.map((stage) => ({ ...stage, status: "completed" }))],
  ["ids", ["FR-1"]],
  ["ids", ["FR-100000"]],
  ["ids", ["../FR-001"]],
  ["ids", ["TASK-001"]],
  ["ids", ["FR-001\n"]],
  ["rounds", rounds({ at: "today" })],
  ["rounds", rounds({ answers: 1 })],
  ["rounds", rounds({ answers: "x".repeat(524_289) })],
  ["rounds", rounds({ score: 101 })],
  ["rounds", rounds({ score: -1 })],
  ["rounds", rounds({ score: 1.5 })],
  ["rounds", rounds({ threshold: "70" })],
  ["rounds", rounds({ passed: 1 })],
  ["rounds", rounds({ dimensions: {} })],
  ["rounds", assessed({ dimension: "colour" })],
  ["rounds", assessed({ score: 101 })],
  ["rounds", assessed({ counted: undefined })],
  ["rounds", assessed({ evidence: 1 })],
  ["rounds", assessed({ waiver: "x".repeat(4001) })],
  ["rounds", assessed({ found_in: [] })],
  ["validations", [{ ...validation, verdict: "MAYBE" }]],
  ["validations", [{ ...validation, facts: undefined }]],
  ["validations", [{ ...validation, at: 1 }]],
  ["validations", [{ ...validation, override: 1 }]],
  ["reopenings", [{ stage: "design", reason: "x" }]],
  ["created_at", "2026-01-31"],
  ["updated_at", "2026-01-31T12:00:00+01:00"],
])("reports a record whose %s is %j", (field, value) => {
  expect(findProjectRecordProblem({ ...FULL, [field]: value })).toBe(wrong(field));
});

test("leaves unknown fields alone, and throws for no JSON value", () => {
  fc.assert(
    fc.property(fc.string(), fc.jsonValue(), (name, value) => {
      expect(findProjectRecordProblem({ [`x-${name}`]: value, ...FULL })).toBe(undefined);
      expect(findProjectRecordProblem(value)).toMatch(/^its field|^it is not/);
      expect(findProjectRecordProblem({ ...FULL, stages: [value] })).toBe(wrong("stages"));
      expect(findProjectRecordProblem({ ...FULL, rounds: [value] })).toBe(wrong("rounds"));
    }),
  );
});
