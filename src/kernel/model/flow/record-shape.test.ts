import { expect, test } from "vitest";
import { createFlowState } from "./flow-engine.ts";
import {
  findInvalidField,
  listFlowFields,
  isArrayMatching,
  isPlainObject,
  isAllowedValue,
  isTimedReason,
  isStageReopening,
  isBoundedText,
  isTimestamp,
} from "./record-shape.ts";

const at = "2026-01-31T12:00:00Z";

test("the first field that does not hold is told, and those behind it are not looked at", () => {
  const asked: string[] = [];
  const field = (name: string, holds: boolean) => [name, () => asked.push(name) > 0 && holds] as const;
  expect(findInvalidField([field("a", true), field("b", false), field("c", false)])).toBe(
    'its field "b" is missing or wrong',
  );
  expect(asked).toEqual(["a", "b"]);
  expect(findInvalidField([field("a", true)])).toBe(undefined);
});

test.each([
  ["2026-01-31T12:00:00Z", true],
  ["2026-01-31T12:00:00.123456789Z", true],
  ["2026-01-31T12:00:00", false],
  ["2026-01-31 12:00:00Z", false],
  [" 2026-01-31T12:00:00Z", false],
  [1, false],
])("%j is a time: %s", (value, isIt) => {
  expect(isTimestamp(value)).toBe(isIt);
});

test("the small questions", () => {
  expect([{}, [], null, "x"].map(isPlainObject)).toEqual([true, false, false, false]);
  expect(["a", "b", "toString", 1].map((value) => isAllowedValue(["a"], value))).toEqual([true, false, false, false]);
  expect([[], [1], ["x", 1], {}].map((value) => isArrayMatching(value, (each) => each === 1))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(["", "12345", "123456", 5].map((value) => isBoundedText(value, 5))).toEqual([true, true, false, false]);
  expect([{ reason: "x", at }, { reason: "x" }, { at }, "x"].map(isTimedReason)).toEqual([true, false, false, false]);
  expect(
    [
      { stage: "a", reason: "x", at },
      { reason: "x", at },
    ].map(isStageReopening),
  ).toEqual([true, false]);
});

const open = createFlowState({ stages: [{ name: "a" }, { name: "b" }] }, at);
const problem = (value: object) => findInvalidField(listFlowFields(value as Record<string, unknown>, ["a", "b"]));

test("a flow that was just opened has its fields, and one whose stages nobody knows has not", () => {
  expect(problem(open)).toBe(undefined);
  expect(findInvalidField(listFlowFields({ ...open }, ["a"]))).toBe('its field "stages" is missing or wrong');
});

test.each([
  ["status", { ...open, status: "paused" }],
  ["stages", { ...open, stages: {} }],
  ["stages", { ...open, stages: [...open.stages, open.stages[1]] }],
  ["current_stage", { ...open, current_stage: "c" }],
  ["stages", { ...open, current_stage: "b" }],
  ["stages", { ...open, status: "completed" }],
])("a flow with another %s is told", (field, value) => {
  expect(problem(value)).toBe(`its field "${field}" is missing or wrong`);
});
