import fc from "fast-check";
import { expect, test } from "vitest";
import { countDaysBetween, formatUtcTime, subtractDays } from "./utc-time.ts";

const DAY = 86_400_000;
const written = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, "Z");
const anyTime = fc
  .date({ min: new Date("1000-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59Z"), noInvalidDate: true })
  .map((date) => new Date(Math.floor(date.getTime() / 1000) * 1000));

test("writes a time as toISOString does, in whole seconds", () => {
  fc.assert(
    fc.property(anyTime, (time) => {
      expect(formatUtcTime(time)).toBe(written(time));
    }),
  );
});

test.each([
  ["2026-03-01T12:30:00Z", 0, "2026-03-01T12:30:00Z"],
  ["2026-03-01T12:30:00Z", 1, "2026-02-28T12:30:00Z"],
  ["2024-03-01T00:00:00Z", 1, "2024-02-29T00:00:00Z"],
  ["1900-03-01T00:00:00Z", 1, "1900-02-28T00:00:00Z"],
  ["2000-03-01T00:00:00Z", 1, "2000-02-29T00:00:00Z"],
  ["2026-01-01T23:59:59Z", 1, "2025-12-31T23:59:59Z"],
  ["2026-12-31T00:00:00Z", 365, "2025-12-31T00:00:00Z"],
  ["2026-01-31T00:00:00Z", 10_000_000, "0001-01-01T00:00:00Z"],
])("%s, %i days earlier, is %s", (time, days, earlier) => {
  expect(subtractDays(time, days)).toBe(earlier);
});

test("counts the days before any time as the calendar does", () => {
  fc.assert(
    fc.property(anyTime, fc.nat({ max: 300_000 }), (date, days) => {
      expect(subtractDays(written(date), days)).toBe(written(new Date(date.getTime() - days * DAY)));
    }),
    { numRuns: 2000 },
  );
});

test("counts whole days between any two times", () => {
  fc.assert(
    fc.property(anyTime, anyTime, (from, to) => {
      expect(countDaysBetween(written(from), written(to))).toBe(Math.floor((to.getTime() - from.getTime()) / DAY));
    }),
    { numRuns: 2000 },
  );
});

test("does not count a day that lacks a second", () => {
  expect([
    countDaysBetween("2026-01-31T12:00:00Z", "2026-02-01T11:59:59Z"),
    countDaysBetween("2026-01-31T12:00:00Z", "2026-02-01T12:00:00Z"),
  ]).toEqual([0, 1]);
});
