import { JOURNAL_EVENTS, type JournalEventName, type JournalLine } from "#domain/workflow/fold.ts";
import { parseLockPath } from "#domain/workflow/locks.ts";
import { parseSessionName } from "#domain/workflow/session-name.ts";

/** Monotonic time since `boot`, shared by all processes of the machine. */
export interface MonotonicClock {
  readonly boot: string;
  nowMs(): number;
}

/** Bytes. Appends up to this length are not interleaved with other writers. */
const MAX_JOURNAL_LINE = 4096;

const JOURNAL_TIME_PATTERN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const REPORTED_CLAIM_PATTERN = /^[\w.-]{1,80} [\w-]{1,40}$/;

export interface JournalNote {
  readonly id: string;
  readonly event: JournalEventName;
  readonly session: string;
  readonly at: string;
  readonly steady: number;
  readonly boot: string;
  readonly paths?: readonly string[];
  readonly told?: string | undefined;
  readonly ms: number;
}

/** One line per event. More only if the paths do not fit. */
export function formatJournalLines(note: JournalNote): string[] {
  const { id, paths = [], ms, ...rest } = note;
  const line = (some: readonly string[], i: number): string =>
    `${JSON.stringify({ v: 1, id: i === 0 ? id : `${id}.${i}`, ...rest, ...(some.length > 0 ? { paths: some } : {}), ms: i === 0 ? ms : 0 })}\n`;
  const lines: string[][] = [[]];
  for (const path of paths) {
    const last = lines.at(-1) ?? [];
    if (last.length === 0 || Buffer.byteLength(line([...last, path], lines.length)) <= MAX_JOURNAL_LINE)
      last.push(path);
    else lines.push([path]);
  }
  return lines.map(line).filter((text) => Buffer.byteLength(text) <= MAX_JOURNAL_LINE);
}

export function parseJournalLine(
  text: string,
  clock: MonotonicClock,
): (JournalLine & { readonly ms: number }) | undefined {
  if (text.length > MAX_JOURNAL_LINE) return undefined;
  const value = parseJsonObject(text);
  const { v, event, session, at, steady, boot, ms, told } = value ?? {};
  const known = JOURNAL_EVENTS.find((each) => each === event);
  const isSound =
    v === 1 &&
    known !== undefined &&
    typeof session === "string" &&
    parseSessionName(session) === session &&
    typeof at === "string" &&
    JOURNAL_TIME_PATTERN.test(at) &&
    isValidAmount(steady) &&
    typeof boot === "string" &&
    isValidAmount(ms);
  if (!isSound) return undefined;
  const ago = clock.nowMs() - steady;
  return {
    event: known,
    session,
    at,
    paths: parseJournalPaths(value?.["paths"]),
    // A smaller clock value means that the clock restarted.
    ageMs: boot === clock.boot && ago >= 0 ? ago : Number.POSITIVE_INFINITY,
    ms,
    ...(typeof told === "string" && REPORTED_CLAIM_PATTERN.test(told) ? { told } : {}),
  };
}

const isValidAmount = (value: unknown): value is number => typeof value === "number" && value >= 0 && value < 1e15;

function parseJsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function parseJournalPaths(value: unknown): string[] {
  return Array.isArray(value) ? value.flatMap((path: unknown) => tryParseLockPath(path) ?? []) : [];
}

export function tryParseLockPath(path: unknown): string | undefined {
  try {
    return typeof path === "string" ? parseLockPath(path) : undefined;
  } catch {
    return undefined;
  }
}
