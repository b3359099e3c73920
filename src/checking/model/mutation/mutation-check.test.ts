import { expect, test } from "vitest";
import type { TestOutcome, TestReport } from "../report/test-report.ts";
import { classifyMutationRun, summarizeMutations, type Mutation, type TargetTest } from "./mutation-check.ts";

const passed: TestOutcome = { file: "a.test.ts", name: "s > adds", status: "passed" };
const failed: TestOutcome = { ...passed, status: "failed" };
const elsewhere: TestOutcome = { file: "b.test.ts", name: "s > adds", status: "failed" };
const report = (...tests: TestOutcome[]): TestReport => ({ tests, failures: [] });
const NAMED: TargetTest[] = [{ file: "a.test.ts", name: "s > adds" }];
const WHOLE: TargetTest[] = [{ file: "a.test.ts" }];

test.each<[string, TestReport | "endless" | undefined, TargetTest[], string]>([
  ["a test of it failed", report(failed), NAMED, "detected"],
  ["any test of its file failed", report({ ...failed, name: "other" }), WHOLE, "detected"],
  ["another test of the file failed", report(passed, { ...failed, name: "s > other" }), NAMED, "survived"],
  ["a test of the same name elsewhere failed", report(passed, elsewhere), NAMED, "survived"],
  ["all passed", report(passed), NAMED, "survived"],
  [
    "a row of its table failed",
    report({ ...failed, name: "s > adds 3" }),
    [{ file: "a.test.ts", name: "s > adds %i" }],
    "detected",
  ],
  [
    "Go's blanks are underscores",
    report({ ...failed, name: "TestA > one_two" }),
    [{ file: "a.test.ts", name: "TestA > one two" }],
    "detected",
  ],
  ["it was skipped", report({ ...passed, status: "skipped" }), NAMED, "invalid"],
  ["it was not run", report(elsewhere), NAMED, "invalid"],
  ["nothing was run", report(), WHOLE, "invalid"],
  ["its file did not load", { tests: [passed], failures: [{ file: "a.test.ts", message: "x" }] }, WHOLE, "invalid"],
  [
    "another file did not load",
    { tests: [passed], failures: [{ file: "c.test.ts", message: "x" }] },
    WHOLE,
    "survived",
  ],
  ["it never ended", "endless", NAMED, "endless"],
  ["it left no report", undefined, NAMED, "invalid"],
])("%s", (_, told, targets, fate) => {
  expect(classifyMutationRun(told, targets, (file, path) => file === path)).toBe(fate);
});

test("summarizes the result and lists the mutations that were not tried", () => {
  const mutation = (line: number): Mutation => ({
    path: "a.ts",
    kind: "boolean",
    line,
    start: 0,
    end: 4,
    after: "false",
    shown: { before: "true", after: "false" },
  });
  const tried = (["detected", "survived", "invalid", "endless"] as const).map((fate, line) => ({
    mutation: mutation(line),
    fate,
  }));
  expect(summarizeMutations(tried, 10)).toEqual({
    tried: 4,
    detected: 2,
    invalid: 1,
    left: 6,
    survivors: [mutation(1)],
  });
});
