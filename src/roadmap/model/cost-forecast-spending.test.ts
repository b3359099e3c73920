import { expect, test } from "vitest";
import { type SpendingTotals, summarizeSpending } from "./cost-forecast.ts";

/** One run. */
const spent = (estimated: number, reported: number | null): SpendingTotals => ({
  runs: 1,
  estimated,
  reports: reported === null ? 0 : 1,
  expected: reported === null ? 0 : estimated,
  reported: reported ?? 0,
});

test("compares reported costs with the estimates of the same runs", () => {
  const entries = [spent(100, 150), spent(40, null), spent(100, 100), spent(100, null)];
  const all = { runs: 4, estimated: 340, reports: 2, expected: 200, reported: 250, ratio: 1.25 };
  expect(summarizeSpending(entries)).toEqual(all);
});

test("reports no spending before the first run", () => {
  const all = { runs: 0, estimated: 0, reports: 0, expected: 0, reported: 0, ratio: null };
  expect(summarizeSpending([])).toEqual(all);
});
