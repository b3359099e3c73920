import { describe, expect, test } from "vitest";
import { Fault } from "#kernel/model/fault.ts";
import {
  extendTimebox,
  isTimeboxExceeded,
  isTimeboxWarningDue,
  openTimebox,
  parseWorkDuration,
  formatWorkDuration,
  pauseTimebox,
  resumeTimebox,
  computeTimeSpent,
  type Timebox,
} from "./workflow-record.ts";

test.each([
  ["30m", 1800],
  ["1h", 3600],
  ["2 hours", 7200],
  ["1.5h", 5400],
  ["90 min", 5400],
  ["1d", 28_800],
  [" 2H ", 7200],
])("reads %j as %i seconds", (text, seconds) => {
  expect(parseWorkDuration(text)).toBe(seconds);
});

test.each(["", "2", "h", "-1h", "0m", "1 fortnight", "1e9h", "NaN", "2h30", "31d", "1.55h"])(
  "%j is not a duration",
  (text) => {
    expect(() => parseWorkDuration(text)).toThrow(Fault);
  },
);

const at = (minutes: number): string =>
  `2026-01-31T${String(12 + Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}:00Z`;
const hour = openTimebox(3600, at(0));

/** Worked on from 12:00 on, seen every quarter of an hour. */
const workedUntil = (minutes: number): Timebox => {
  let timebox = hour;
  for (let minute = 15; minute <= minutes; minute += 15) timebox = resumeTimebox(timebox, at(minute));
  return timebox;
};

test("counts only time at work", () => {
  const parked = pauseTimebox(hour, at(20));
  expect([computeTimeSpent(parked, at(200)), computeTimeSpent(resumeTimebox(parked, at(100)), at(110))]).toEqual([
    1200, 1800,
  ]);
  expect(computeTimeSpent(hour, "2026-01-31T11:00:00Z")).toBe(0);
});

test("does not count a silence of more than half an hour as work", () => {
  const silent = resumeTimebox(hour, at(10));
  expect([
    computeTimeSpent(silent, at(40)),
    computeTimeSpent(silent, at(41)),
    computeTimeSpent(silent, at(600)),
  ]).toEqual([2400, 600, 600]);
  expect(computeTimeSpent(resumeTimebox(silent, at(600)), at(605))).toBe(900);
  expect(pauseTimebox(silent, at(600)).spent_s).toBe(600);
});

test("warns at four fifths of the time, and stops at its end until it is extended", () => {
  const near = workedUntil(45);
  expect([47, 48].map((minute) => isTimeboxWarningDue(near, at(minute)))).toEqual([false, true]);
  expect(isTimeboxWarningDue({ ...near, warned: true }, at(59))).toBe(false);
  expect([59, 60].map((minute) => isTimeboxExceeded(near, at(minute)))).toEqual([false, true]);
  const longer = extendTimebox({ ...resumeTimebox(near, at(60)), warned: true }, 1800, "More to read", at(60));
  expect([
    isTimeboxExceeded(longer, at(60)),
    isTimeboxExceeded(longer, at(90)),
    isTimeboxWarningDue(longer, at(72)),
    longer.extensions,
  ]).toEqual([false, true, true, [{ by_s: 1800, reason: "More to read", at: at(60) }]]);
});

test.each([
  ["8d", "8 days"],
  ["30d", "30 days"],
  ["1d", "8 h"],
  ["90m", "1 h 30 min"],
  ["60.5h", "60 h 30 min"],
  ["2d", "2 days"],
])("shows %s as %s", (text, shown) => {
  expect(formatWorkDuration(parseWorkDuration(text))).toBe(shown);
});

describe("a steady clock", () => {
  const steady = (minutes: number, boot = "boot") => ({ boot, ms: minutes * 60_000 });
  const running = openTimebox(3600, at(60), steady(60));

  test.each([
    ["back", at(0)],
    ["ahead", at(600)],
  ])("counts the same when the user's clock is set %s", (_, set) => {
    expect(computeTimeSpent(running, set, steady(70))).toBe(600);
    const seen = resumeTimebox(running, set, steady(70));
    expect(computeTimeSpent(seen, at(61), steady(80))).toBe(1200);
    expect(pauseTimebox(seen, at(61), steady(80))).toEqual({ limit_s: 3600, spent_s: 1200, extensions: [] });
    expect([90, 130].map((minute) => isTimeboxExceeded(seen, at(61), steady(minute)))).toEqual([false, false]);
  });

  test("counts no silence, whatever the user's clock shows", () => {
    expect(computeTimeSpent(resumeTimebox(running, at(70), steady(70)), at(71), steady(600))).toBe(600);
  });

  test("gives way to the user's clock after a restart, and in a record without it", () => {
    expect(computeTimeSpent(running, at(70), steady(1, "next boot"))).toBe(600);
    const older = openTimebox(3600, at(60));
    const joined = resumeTimebox(older, at(70), steady(70));
    expect([computeTimeSpent(older, at(70), steady(70)), computeTimeSpent(joined, at(0), steady(75))]).toEqual([
      600, 900,
    ]);
  });
});
