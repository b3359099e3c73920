import { expect, test } from "vitest";
import { assessClarity } from "./clarity-gate.ts";
import { CLARITY_DIMENSION_NAMES } from "#kernel/model/stages/project-stages.ts";
import { findUnearnedStages, beginProject, endProjectStage } from "./project-lifecycle.ts";
import type { ProjectRecord, ClarityRound, ProjectValidation } from "./project-record.ts";

const at = "2026-01-31T12:00:00Z";
const claims = CLARITY_DIMENSION_NAMES.map((dimension) => ({
  dimension,
  score: 80,
  evidence: `The words on ${dimension}`,
}));
const { dimensions, score, threshold, passed } = assessClarity(
  claims,
  [{ name: "s", text: claims.map(({ evidence }) => evidence).join(". ") }],
  "guided",
);
const ROUND: ClarityRound = { at, dimensions, score, threshold, passed };
const VALIDATION: ProjectValidation = { at, verdict: "PASS", facts: "PASS" };

function ended(stages: number, changes: Partial<ProjectRecord> = {}): ProjectRecord {
  let record = beginProject({ name: "Tides", description: "Tables", mode: "guided" }, at);
  for (let i = 0; i < stages; i++) [record] = endProjectStage(record, at);
  return { ...record, rounds: [ROUND], validations: [VALIDATION], ...changes };
}

const told = (record: ProjectRecord) => findUnearnedStages(record).map(({ problem }) => problem);
const GATE = "Stage clarify is completed, but no round passed the Clarity Gate.";
const VERDICT = "Stage validate is completed, but it has no verdict.";
const round = (changes: Partial<ClarityRound>): Partial<ProjectRecord> => ({ rounds: [{ ...ROUND, ...changes }] });
const first = (changes: object) =>
  round({ dimensions: dimensions.map((each, i) => (i === 0 ? { ...each, ...changes } : each)) });

test("a project that followed the rules has earned its stages", () => {
  expect([told(ended(7)), told(ended(4)), told(ended(0, { rounds: [], validations: [] }))]).toEqual([[], [], []]);
});

test.each<[string, Partial<ProjectRecord>]>([
  ["no round", { rounds: [] }],
  ["a round that did not pass", round({ passed: false })],
  ["a score below the threshold of its mode", round({ score: 69 })],
  ["a score that differs from the dimensions", round({ score: 81 })],
  ["a missing dimension", round({ dimensions: dimensions.slice(1), score: 69 })],
  ["no dimension at all", round({ dimensions: [] })],
  ["an empty dimension", first({ counted: 0, score: 0 })],
  ["a counted fact without a source", first({ found_in: undefined })],
])("with %s the gate is not earned", (_, changes) => {
  expect(told(ended(5, changes))).toEqual([GATE]);
  expect(told(ended(3, changes))).toEqual([]);
});

test.each<[string, ProjectValidation[], string[]]>([
  ["none", [], [VERDICT]],
  ["FAIL", [{ ...VALIDATION, verdict: "FAIL" }], [VERDICT]],
  ["a milder one", [{ ...VALIDATION, facts: "FAIL" }], [VERDICT]],
  ["a milder one with its reason", [{ ...VALIDATION, facts: "FAIL", override: "It is so" }], []],
  ["a stricter one", [{ ...VALIDATION, verdict: "PASS_WITH_WARNINGS" }], []],
])("checks the verdict %s", (_, validations, problems) => {
  expect(told(ended(7, { validations }))).toEqual(problems);
});
