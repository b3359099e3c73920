import { countSecondsBetween } from "../day.ts";
import { Fault } from "../fault.ts";
import { quote } from "../quote.ts";

export interface Timebox {
  readonly limit_s: number;
  readonly spent_s: number;
  readonly running_since?: string;
  /** Time of the last activity. A silence longer than `MAX_SILENCE_SECONDS` does not count as work. */
  readonly seen_at?: string;
  /** The warning at 80 % is given once. */
  readonly warned?: boolean;
  readonly extensions: readonly { readonly by_s: number; readonly reason: string; readonly at: string }[];
}

const TIMEBOX_WARNING_RATIO = 0.8;
/** Equal to the session timeout. */
const MAX_SILENCE_SECONDS = 30 * 60;
const DURATION_UNITS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 8 * 3600 };
const DURATION_PATTERN = /^(\d{1,4}(?:\.\d)?) ?(m|min|minutes?|h|hours?|d|days?)$/;
const MAX_TIMEBOX_SECONDS = 30 * 8 * 3600;

/** Parses `30m`, `2 hours`, `1.5h` or `1d`. A day is eight hours because only work counts. */
export function parseWorkDuration(text: string): number {
  const [, amount = "", unit = ""] = DURATION_PATTERN.exec(text.trim().toLowerCase()) ?? [];
  const seconds = Math.round(Number(amount) * (DURATION_UNITS[unit.charAt(0)] ?? Number.NaN));
  if (amount !== "" && seconds >= 60 && seconds <= MAX_TIMEBOX_SECONDS) return seconds;
  throw new Fault("timebox.unreadable", {
    what: `${quote(text, 40)} is not a length of time.`,
    why: 'It is written as 30m, 2h, "2 hours" or 1d, from a minute to 30 days of eight hours.',
    fix: { operation: "workflow.research", input: { topic: "…", timebox: "2h" } },
  });
}

export const openTimebox = (limit_s: number, at: string): Timebox => ({
  limit_s,
  spent_s: 0,
  running_since: at,
  seen_at: at,
  extensions: [],
});

/** A clock set back subtracts nothing, and a night adds nothing. */
export function computeTimeSpent({ spent_s, running_since, seen_at }: Timebox, at: string): number {
  if (running_since === undefined) return spent_s;
  const until = seen_at !== undefined && countSecondsBetween(seen_at, at) > MAX_SILENCE_SECONDS ? seen_at : at;
  return spent_s + Math.max(0, countSecondsBetween(running_since, until));
}

export function pauseTimebox(timebox: Timebox, at: string): Timebox {
  const { running_since: _, seen_at: __, ...kept } = timebox;
  return { ...kept, spent_s: computeTimeSpent(timebox, at) };
}

export function resumeTimebox(timebox: Timebox, at: string): Timebox {
  const { running_since, seen_at } = timebox;
  const isOn =
    running_since !== undefined && (seen_at === undefined || countSecondsBetween(seen_at, at) <= MAX_SILENCE_SECONDS);
  return isOn ? { ...timebox, seen_at: at } : { ...pauseTimebox(timebox, at), running_since: at, seen_at: at };
}

export function extendTimebox(timebox: Timebox, by_s: number, reason: string, at: string): Timebox {
  const { warned: _, ...kept } = timebox;
  return {
    ...kept,
    limit_s: timebox.limit_s + by_s,
    extensions: [...timebox.extensions, { by_s, reason, at }],
  };
}

export const isTimeboxExceeded = (timebox: Timebox, at: string): boolean =>
  computeTimeSpent(timebox, at) >= timebox.limit_s;

export const isTimeboxWarningDue = (timebox: Timebox, at: string): boolean =>
  timebox.warned !== true && computeTimeSpent(timebox, at) >= TIMEBOX_WARNING_RATIO * timebox.limit_s;
