import { expect, test } from "vitest";
import { type RoleSpending, summarizeSpending } from "./cost-forecast.ts";

/** One run. */
const spent = (role: string, estimated: number, reported: number | null): RoleSpending => ({
  role,
  runs: 1,
  estimated,
  reports: reported === null ? 0 : 1,
  expected: reported === null ? 0 : estimated,
  reported: reported ?? 0,
});

test("estimates stand against what was reported, role by role", () => {
  const entries = [
    spent("builder", 100, 150),
    spent("architect", 40, null),
    spent("builder", 100, 100),
    spent("builder", 100, null),
  ];
  const builder = { role: "builder", runs: 3, estimated: 300, reports: 2, expected: 200, reported: 250, ratio: 1.25 };
  expect(summarizeSpending(entries)).toEqual({
    roles: [{ role: "architect", runs: 1, estimated: 40, reports: 0, expected: 0, reported: 0, ratio: null }, builder],
    all: { ...builder, role: "all", runs: 4, estimated: 340 },
    counted: 150 + 40 + 100 + 100,
  });
});

test("nothing was spent before anything was done", () => {
  const all = { role: "all", runs: 0, estimated: 0, reports: 0, expected: 0, reported: 0, ratio: null };
  expect(summarizeSpending([])).toEqual({ roles: [], all, counted: 0 });
});
