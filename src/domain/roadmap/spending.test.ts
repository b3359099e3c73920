import { expect, test } from "vitest";
import { type Spent, spendingOf } from "./spending.ts";

const spent = (role: Spent["role"], estimate: number, reported: number | null): Spent => ({ role, estimate, reported });

test("estimates stand against what was reported, role by role", () => {
  const entries = [
    spent("builder", 100, 150),
    spent("architect", 40, null),
    spent("builder", 100, 50),
    spent("builder", 100, null),
  ];
  expect(spendingOf(entries)).toEqual({
    roles: [
      { role: "architect", runs: 1, estimated: 40, told: 0, reported: 0, ratio: null },
      { role: "builder", runs: 3, estimated: 300, told: 2, reported: 200, ratio: 1 },
    ],
    counted: 340,
    estimated: 340,
    reported: 200,
    ratio: 1,
  });
});

test("nothing was spent before anything was done", () => {
  expect(spendingOf([])).toEqual({ roles: [], counted: 0, estimated: 0, reported: 0, ratio: null });
});
