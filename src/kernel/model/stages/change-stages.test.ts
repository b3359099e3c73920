import { expect, test } from "vitest";
import { advanceChange, beginChange } from "#planning/model/change/change-lifecycle.ts";
import {
  CHANGE_SIZES,
  CHANGE_STAGES,
  CHANGE_TYPES,
  buildChangeFlow,
  type ChangeSize,
  type ChangeType,
} from "./change-stages.ts";

const at = "2026-01-31T12:00:00Z";

/** The table of the design, as it is printed there. */
const FLOWS: readonly (readonly [ChangeType, ChangeSize, string])[] = [
  ...CHANGE_TYPES.map((type) => [type, "quick", "verify"] as const),
  ["fix", "small", "describe → context-check → tasks → verify"],
  ["fix", "medium", "describe → context-check → spec → tasks → verify"],
  ["fix", "large", "describe → context-check → spec → design → tasks → verify"],
  ["feature", "small", "describe → context-check → tasks → verify"],
  ["feature", "medium", "propose → context-check → spec → tasks → verify"],
  ["feature", "large", "propose → context-check → spec → clarify → design → tasks → verify"],
  ["refactor", "small", "scope → context-check → tasks → verify"],
  ["refactor", "medium", "scope → context-check → design → tasks → verify"],
  ["refactor", "large", "scope → context-check → spec → design → tasks → verify"],
  ["enhancement", "small", "describe → context-check → tasks → verify"],
  ["enhancement", "medium", "propose → context-check → spec → tasks → verify"],
  ["enhancement", "large", "propose → context-check → spec → clarify → design → tasks → verify"],
];

test("has a row for each of four types and four sizes", () => {
  const all = CHANGE_TYPES.flatMap((type) => CHANGE_SIZES.map((size) => `${size} ${type}`));
  expect(FLOWS.map(([type, size]) => `${size} ${type}`).toSorted()).toEqual(all.toSorted());
});

test("uses every stage in a flow, and only stages of the table", () => {
  const used = new Set(FLOWS.flatMap(([, , stages]) => stages.split(" → ")));
  expect([...used].toSorted()).toEqual([...CHANGE_STAGES].toSorted());
});

test.each(FLOWS)("sends a %s that is %s through %s", (type, size, stages) => {
  expect(buildChangeFlow(type, size)).toEqual({ stages: stages.split(" → ").map((name) => ({ name })) });
});

test.each(FLOWS)("drives a %s that is %s to its end, stage by stage", (type, size, stages) => {
  let record = beginChange({ type, size, description: "Try it" }, [], () => false, at);
  const visited: string[] = [];
  for (; record.status === "active"; [record] = advanceChange(record, at)) visited.push(record.current_stage);
  expect({ visited: visited.join(" → "), status: record.status, rev: record.rev }).toEqual({
    visited: stages,
    status: "completed",
    rev: visited.length + 1,
  });
  expect(record.stages).toEqual(
    visited.map((name) => ({ name, status: "completed", started_at: at, completed_at: at })),
  );
});
