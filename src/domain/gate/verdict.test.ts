import { expect, test } from "vitest";
import { verdict } from "./verdict.ts";

test.each([
  ["passes without problems", [], true],
  ["refuses with one", [{ problem: "TASK-001 is missing.", line: 3 }], false],
])("a gate %s", (_, problems, passed) => {
  expect(verdict(problems)).toEqual({ passed, problems });
});
