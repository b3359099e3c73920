import { expect, test } from "vitest";
import * as z from "zod/mini";
import { createFlowState } from "./flow/flow-engine.ts";
import {
  boundedText,
  checkFlowOrder,
  createFlowFields,
  createRecordShape,
  findRecordProblem,
  matchesSchema,
  StageReopening,
  TimedReason,
  Timestamp,
} from "./record-schema.ts";

const at = "2026-01-31T12:00:00Z";

test("reports the first invalid field and keeps unknown ones", () => {
  const shape = createRecordShape(1, z.object({ a: z.string(), b: z.array(z.object({ c: z.int() })), d: z.string() }));
  expect(shape.schema).toBe(1);
  expect(shape.problem({ a: "x", b: [{ c: "no" }] })).toBe('its field "b" is missing or wrong');
  expect(shape.problem([])).toBe("it is not an object");
  const value = { a: "x", b: [], d: "y", later: 1 };
  expect([shape.problem(value), shape.trust(value)]).toEqual([undefined, value]);
});

test.each([
  ["2026-01-31T12:00:00Z", true],
  ["2026-01-31T12:00:00.123456789Z", true],
  ["2026-01-31T12:00:00", false],
  ["2026-01-31 12:00:00Z", false],
  [" 2026-01-31T12:00:00Z", false],
  [1, false],
])("%j is a time: %s", (value, isIt) => {
  expect(matchesSchema(Timestamp, value)).toBe(isIt);
});

test("checks limited texts and reasons with a time", () => {
  expect(["", "12345", "123456", 5].map((value) => matchesSchema(boundedText(5), value))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect([{ reason: "x", at }, { reason: "x" }, { at }, "x"].map((value) => matchesSchema(TimedReason, value))).toEqual(
    [true, false, false, false],
  );
  expect(
    [
      { stage: "a", reason: "x", at },
      { reason: "x", at },
    ].map((value) => matchesSchema(StageReopening, value)),
  ).toEqual([true, false]);
});

const open = createFlowState({ stages: [{ name: "a" }, { name: "b" }] }, at);
const Flow = z.object({ ...createFlowFields(["a", "b"]), abandoned: z.optional(TimedReason) }).check(checkFlowOrder);

test("accepts a flow that was just opened and rejects unknown stages", () => {
  expect(findRecordProblem(Flow, open)).toBe(undefined);
  expect(findRecordProblem(z.object(createFlowFields(["a"])).check(checkFlowOrder), open)).toBe(
    'its field "stages" is missing or wrong',
  );
});

test.each([
  ["status", { ...open, status: "paused" }],
  ["stages", { ...open, stages: {} }],
  ["stages", { ...open, stages: [...open.stages, open.stages[1]] }],
  ["current_stage", { ...open, current_stage: "c" }],
  ["current_stage", { ...open, stages: open.stages.slice(0, 1), current_stage: "b" }],
  ["stages", { ...open, current_stage: "b" }],
  ["stages", { ...open, status: "completed" }],
])("reports a flow with another %s", (field, value) => {
  expect(findRecordProblem(Flow, value)).toBe(`its field "${field}" is missing or wrong`);
});
