import { expect, test } from "vitest";
import {
  isLockFile,
  nextLargerSize,
  describeOutgrownLimits,
  selectSmallestFittingSize,
  nextSmallerSize,
} from "./change-size.ts";
import { DOCUMENTED_SIZES } from "#kernel/model/stages/change-stages.ts";
import type { ChangeRecord } from "./change-record.ts";

const at = "2026-01-31T12:00:00Z";
const kept = (files: number, lines: number): NonNullable<ChangeRecord["sizings"]>[number] => ({
  from: "small",
  to: "small",
  reason: "x",
  at,
  files,
  lines,
});

test.each([
  [{}, "small"],
  [{ files: 5, lines: 200, requirements: 2 }, "small"],
  [{ files: 6 }, "medium"],
  [{ lines: 201 }, "medium"],
  [{ requirements: 3 }, "medium"],
  [{ files: 20, lines: 1_000, requirements: 10 }, "medium"],
  [{ files: 21 }, "large"],
  [{ lines: 1_001 }, "large"],
  [{ requirements: 11 }, "large"],
  [{ files: 1_000_000 }, "large"],
])("measures %j as a change of size %s", (measured, size) => {
  expect(selectSmallestFittingSize(measured)).toBe(size);
});

const growth = (files: number, lines = 0, requirements = 0) => ({ files, lines, requirements });

test.each([
  ["small", undefined, growth(5, 200, 2), []],
  ["small", undefined, growth(6, 200, 2), ["6 files (a small change has at most 5)"]],
  [
    "small",
    undefined,
    growth(6, 201, 3),
    [
      "6 files (a small change has at most 5)",
      "201 lines (a small change has at most 200)",
      "3 requirements (a small change has at most 2)",
    ],
  ],
  ["medium", undefined, growth(20, 1_000, 10), []],
  ["medium", undefined, growth(21), ["21 files (a medium change has at most 20)"]],
  ["large", undefined, growth(9_999, 999_999, 999), []],
  ["small", [kept(6, 100)], growth(11, 150), []],
  [
    "small",
    [kept(6, 100)],
    growth(12, 150),
    ["12 files (a small change has at most 5, and 6 when its size was confirmed)"],
  ],
  ["small", [kept(6, 100)], growth(6, 199), []],
  ["small", [kept(6, 100)], growth(6, 201), ["201 lines (a small change has at most 200)"]],
  ["small", [kept(6, 150)], growth(6, 201), []],
  ["small", [kept(6, 0), kept(12, 0)], growth(20), []],
  ["medium", [kept(6, 0), { ...kept(12, 0), to: "medium" }], growth(21), ["21 files (a medium change has at most 20)"]],
  [
    "quick",
    undefined,
    growth(4, 51),
    ["4 files (a quick change has at most 3)", "51 lines (a quick change has at most 50)"],
  ],
  ["quick", [{ ...kept(4, 60), from: "small", to: "quick" }], growth(7, 119), []],
  ["small", [{ from: "small", to: "small", reason: "x", at }], growth(6), ["6 files (a small change has at most 5)"]],
] as const)("a %s change, sized %j, that measures %j has outgrown its size by %j", (size, sizings, grown, facts) => {
  expect(describeOutgrownLimits({ size, ...(sizings ? { sizings } : {}) }, grown)).toEqual(facts);
});

test("every size has a neighbour above and below, except at the ends", () => {
  expect(nextLargerSize("quick")).toBe("small");
  expect(DOCUMENTED_SIZES.map((size) => [nextSmallerSize(size), nextLargerSize(size)])).toEqual([
    [undefined, "medium"],
    ["small", "large"],
    ["medium", undefined],
  ]);
});

test.each([
  ["package-lock.json", true],
  ["web/yarn.lock", true],
  ["Cargo.lock", true],
  ["go.sum", true],
  ["src/lock.ts", false],
  ["my-package-lock.json", false],
])("%s is a lock file: %s", (path, isLock) => {
  expect(isLockFile(path)).toBe(isLock);
});
