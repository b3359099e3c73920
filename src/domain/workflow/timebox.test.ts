import { expect, test } from "vitest";
import { Fault } from "../fault.ts";
import {
  extend,
  isOver,
  isWarningDue,
  openTimebox,
  parseDuration,
  rest,
  run,
  spentAt,
  type Timebox,
} from "./timebox.ts";

test.each([
  ["30m", 1800],
  ["1h", 3600],
  ["2 hours", 7200],
  ["1.5h", 5400],
  ["90 min", 5400],
  ["1d", 28_800],
  [" 2H ", 7200],
])("%j is %i seconds", (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

test.each(["", "2", "h", "-1h", "0m", "1 fortnight", "1e9h", "NaN", "2h30", "31d", "1.55h"])(
  "%j is no length of time",
  (text) => {
    expect(() => parseDuration(text)).toThrow(Fault);
  },
);

const at = (minutes: number): string =>
  `2026-01-31T${String(12 + Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}:00Z`;
const hour = openTimebox(3600, at(0));

/** Worked on from 12:00 on, seen every quarter of an hour. */
const workedUntil = (minutes: number): Timebox => {
  let timebox = hour;
  for (let minute = 15; minute <= minutes; minute += 15) timebox = run(timebox, at(minute));
  return timebox;
};

test("only work is counted", () => {
  const parked = rest(hour, at(20));
  expect([spentAt(parked, at(200)), spentAt(run(parked, at(100)), at(110))]).toEqual([1200, 1800]);
  expect(spentAt(hour, "2026-01-31T11:00:00Z")).toBe(0);
});

test("a silence of more than half an hour was no work, whoever comes back", () => {
  const silent = run(hour, at(10));
  expect([spentAt(silent, at(40)), spentAt(silent, at(41)), spentAt(silent, at(600))]).toEqual([2400, 600, 600]);
  expect(spentAt(run(silent, at(600)), at(605))).toBe(900);
  expect(rest(silent, at(600)).spent_s).toBe(600);
});

test("four fifths are a warning, and the whole is the end, until it is extended", () => {
  const near = workedUntil(45);
  expect([47, 48].map((minute) => isWarningDue(near, at(minute)))).toEqual([false, true]);
  expect(isWarningDue({ ...near, warned: true }, at(59))).toBe(false);
  expect([59, 60].map((minute) => isOver(near, at(minute)))).toEqual([false, true]);
  const longer = extend({ ...run(near, at(60)), warned: true }, 1800, "More to read", at(60));
  expect([isOver(longer, at(60)), isOver(longer, at(90)), isWarningDue(longer, at(72)), longer.extensions]).toEqual([
    false,
    true,
    true,
    [{ by_s: 1800, reason: "More to read", at: at(60) }],
  ]);
});
