import { expect, test } from "vitest";
import { Fault } from "../fault.ts";
import { extend, isOver, isWarningDue, openTimebox, parseDuration, rest, run, spentAt } from "./timebox.ts";

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

test("only work is counted", () => {
  const parked = rest(hour, at(20));
  expect([spentAt(parked, at(200)), spentAt(run(parked, at(100)), at(110))]).toEqual([1200, 1800]);
  expect(run(hour, at(50))).toBe(hour);
  expect(spentAt(hour, "2026-01-31T11:00:00Z")).toBe(0);
});

test("four fifths are a warning, and the whole is the end, until it is extended", () => {
  expect([
    isWarningDue(hour, at(47)),
    isWarningDue(hour, at(48)),
    isWarningDue({ ...hour, warned: true }, at(59)),
  ]).toEqual([false, true, false]);
  expect([isOver(hour, at(59)), isOver(hour, at(60))]).toEqual([false, true]);
  const longer = extend({ ...hour, warned: true }, 1800, "More to read", at(60));
  expect([isOver(longer, at(60)), isOver(longer, at(90)), isWarningDue(longer, at(72)), longer.extensions]).toEqual([
    false,
    true,
    true,
    [{ by_s: 1800, reason: "More to read", at: at(60) }],
  ]);
});
