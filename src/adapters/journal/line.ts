import { JOURNAL_EVENTS, type JournalEvent, type JournalLine } from "#domain/workflow/fold.ts";
import { lockPath } from "#domain/workflow/locks.ts";
import { sessionName } from "#domain/workflow/session-name.ts";

/** Monotonic time since `boot`, shared by all processes of the machine. */
export interface SteadyClock {
  readonly boot: string;
  nowMs(): number;
}

/** Bytes. Appends up to this length are not interleaved with other writers. */
const LONGEST_LINE = 4096;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const TOLD = /^[\w.-]{1,80} [\w-]{1,40}$/;

export interface Note {
  readonly id: string;
  readonly event: JournalEvent;
  readonly session: string;
  readonly at: string;
  readonly steady: number;
  readonly boot: string;
  readonly paths?: readonly string[];
  readonly told?: string | undefined;
  readonly ms: number;
}

/** One line per event. More only if the paths do not fit. */
export function linesOf(note: Note): string[] {
  const { id, paths = [], ms, ...rest } = note;
  const line = (some: readonly string[], i: number): string =>
    `${JSON.stringify({ v: 1, id: i === 0 ? id : `${id}.${i}`, ...rest, ...(some.length > 0 ? { paths: some } : {}), ms: i === 0 ? ms : 0 })}\n`;
  const lines: string[][] = [[]];
  for (const path of paths) {
    const last = lines.at(-1) ?? [];
    if (last.length === 0 || Buffer.byteLength(line([...last, path], lines.length)) <= LONGEST_LINE) last.push(path);
    else lines.push([path]);
  }
  return lines.map(line).filter((text) => Buffer.byteLength(text) <= LONGEST_LINE);
}

export function readLine(text: string, clock: SteadyClock): (JournalLine & { readonly ms: number }) | undefined {
  if (text.length > LONGEST_LINE) return undefined;
  const value = parsed(text);
  const { v, event, session, at, steady, boot, ms, told } = value ?? {};
  const known = JOURNAL_EVENTS.find((each) => each === event);
  const isSound =
    v === 1 &&
    known !== undefined &&
    typeof session === "string" &&
    sessionName(session) === session &&
    typeof at === "string" &&
    TIME.test(at) &&
    isAmount(steady) &&
    typeof boot === "string" &&
    isAmount(ms);
  if (!isSound) return undefined;
  const ago = clock.nowMs() - steady;
  return {
    event: known,
    session,
    at,
    paths: pathsOf(value?.["paths"]),
    // A smaller clock value means that the clock restarted.
    ageMs: boot === clock.boot && ago >= 0 ? ago : Number.POSITIVE_INFINITY,
    ms,
    ...(typeof told === "string" && TOLD.test(told) ? { told } : {}),
  };
}

const isAmount = (value: unknown): value is number => typeof value === "number" && value >= 0 && value < 1e15;

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function pathsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.flatMap((path: unknown) => asLockPath(path) ?? []) : [];
}

export function asLockPath(path: unknown): string | undefined {
  try {
    return typeof path === "string" ? lockPath(path) : undefined;
  } catch {
    return undefined;
  }
}
