import { expect, test } from "vitest";
import { type FailureKind, planNextRetry, RETRY_WAITS_S } from "./check-outcome.ts";

test.each<[string, FailureKind[], number, boolean, number | undefined]>([
  ["does not retry without a failure", [], 1, false, undefined],
  ["retries a fixable failure after one second", ["fixable"], 1, false, 1],
  ["retries a second time after five seconds", ["transient", "fixable"], 2, false, 5],
  ["retries a third time after fifteen seconds", ["transient"], 3, false, 15],
  ["does not retry a fourth time", ["transient"], 4, false, undefined],
  ["does not retry a real failure", ["real"], 1, false, undefined],
  ["does not retry a fixable failure beside a real one", ["fixable", "real"], 1, false, undefined],
  ["retries a real failure if every failure is retried", ["real"], 1, true, 1],
  ["retries a real failure at most three times", ["real"], 4, true, undefined],
])("%s", (_, failures, runs, all, expected) => {
  expect(planNextRetry(failures, runs, all)).toBe(expected);
});

test("tries at most three times after the first run, over 21 seconds", () => {
  const waits = [1, 2, 3, 4, 5].flatMap((runs) => planNextRetry(["transient"], runs, false) ?? []);
  expect([waits, waits.reduce((sum, wait) => sum + wait, 0)]).toEqual([[...RETRY_WAITS_S], 21]);
});
