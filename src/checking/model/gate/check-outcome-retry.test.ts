import { expect, test } from "vitest";
import { type FailureKind, planNextRetry, RETRY_WAITS_S } from "./check-outcome.ts";

test.each<[string, FailureKind[], number, boolean, number | undefined]>([
  ["nothing failed", [], 1, false, undefined],
  ["what can be mended is tried again", ["fixable"], 1, false, 1],
  ["what may pass is tried again", ["transient", "fixable"], 2, false, 5],
  ["the third time comes last", ["transient"], 3, false, 15],
  ["then nothing is left to try", ["transient"], 4, false, undefined],
  ["what is really wrong is not tried again", ["real"], 1, false, undefined],
  ["nor what stands beside it", ["fixable", "real"], 1, false, undefined],
  ["unless everything is", ["real"], 1, true, 1],
  ["and then only three times", ["real"], 4, true, undefined],
])("%s", (_, failures, runs, all, expected) => {
  expect(planNextRetry(failures, runs, all)).toBe(expected);
});

test("tries at most three times after the first run, over 21 seconds", () => {
  const waits = [1, 2, 3, 4, 5].flatMap((runs) => planNextRetry(["transient"], runs, false) ?? []);
  expect([waits, waits.reduce((sum, wait) => sum + wait, 0)]).toEqual([[...RETRY_WAITS_S], 21]);
});
