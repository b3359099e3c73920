import { expect, test } from "vitest";
import { limitShownProblems, createVerdict } from "./verdict.ts";

test.each([
  ["passes without problems", [], true],
  ["refuses with one", [{ problem: "TASK-001 is missing.", line: 3 }], false],
])("a gate %s", (_, problems, passed) => {
  expect(createVerdict(problems)).toEqual({ passed, problems });
});

test.each([
  [50, 50, undefined],
  [53, 51, "3 more are left out."],
])("reports %i problems as %i", (n, told, last) => {
  const problems = Array.from({ length: n }, (_, i) => ({ problem: `problem ${i + 1}` }));
  const pressing = limitShownProblems(problems);
  expect([pressing.length, pressing.at(50)?.problem]).toEqual([told, last]);
});
