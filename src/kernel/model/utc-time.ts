const DAY_MS = 86_400_000;
/** The year has four digits, so earlier days are not representable. */
const FIRST_DAY_MS = Date.parse("0001-01-01T00:00:00Z");

/** As `2026-01-31T12:00:00Z`. `toISOString` would look up the time zone first, which takes a fifth of a millisecond. */
export function formatUtcTime(time: Date): string {
  const [day, month] = [time.getUTCDate(), time.getUTCMonth() + 1];
  const pad = (number: number): string => String(number).padStart(2, "0");
  const clock = [time.getUTCHours(), time.getUTCMinutes(), time.getUTCSeconds()].map(pad).join(":");
  return `${time.getUTCFullYear()}-${pad(month)}-${pad(day)}T${clock}Z`;
}

/** Keeps the time of day. Times are UTC, such as `2026-01-31T12:00:00Z`. */
export function subtractDays(time: string, days: number): string {
  const day = Math.max(FIRST_DAY_MS, Date.parse(`${time.slice(0, 10)}T00:00:00Z`) - days * DAY_MS);
  return `${new Date(day).toISOString().slice(0, 10)}${time.slice(10)}`;
}

export const countDaysBetween = (from: string, to: string): number =>
  Math.floor((Date.parse(to) - Date.parse(from)) / DAY_MS);

/** Whole seconds: fractions do not count. */
export const countSecondsBetween = (from: string, to: string): number => parseSeconds(to) - parseSeconds(from);

/** A clock that no program can set, since the start of the machine. */
export interface SteadyMoment {
  readonly boot: string;
  readonly ms: number;
}

/** The user's clock may be set meanwhile. It counts only after a restart of the machine. */
export function countElapsedSeconds(
  from: { readonly at: string; readonly steady?: SteadyMoment | undefined },
  to: { readonly at: string; readonly steady?: SteadyMoment | undefined },
): number {
  const [before, now] = [from.steady, to.steady];
  const isSameBoot = before !== undefined && now !== undefined && before.boot === now.boot && before.ms <= now.ms;
  return isSameBoot ? Math.floor((now.ms - before.ms) / 1000) : countSecondsBetween(from.at, to.at);
}

const parseSeconds = (time: string): number => Math.floor(Date.parse(time) / 1000);

/** Rounded down: `45 s`, `12 min`, `4 h 30 min`, `3 days`. */
export function formatDuration(seconds: number): string {
  const minutes = Math.floor(Math.max(0, seconds) / 60);
  if (minutes === 0) return `${Math.floor(Math.max(0, seconds))} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}
