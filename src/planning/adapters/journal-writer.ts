import fs from "node:fs";
import { JOURNAL_EVENTS, type JournalEventName, type JournalLine } from "../model/workflow/journal-fold.ts";
import { parseLockPath } from "../model/workflow/file-locks.ts";
import { parseSessionName } from "../model/workflow/work-sessions.ts";

const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
/** Bytes per day. More means a runaway writer and no process that folds the journal. */
const MAX_JOURNAL_BYTES = 8 * 1024 * 1024;
const NEWLINE_BYTE = 10;

/**
 * Appends to today's file. Each line is one append, so that many processes can write at once. Returns false on failure,
 * because a hook must never fail for it.
 */
export function appendJournalLines(root: string, note: JournalNote): boolean {
  try {
    const file = openJournalDay(root, note.at.slice(0, 10));
    try {
      const stat = fs.fstatSync(file);
      if (!stat.isFile() || stat.size > MAX_JOURNAL_BYTES) return false;
      // A line cut off by a full disk must not swallow this one.
      const isTorn = stat.size > 0 && readLastByte(file, stat.size) !== NEWLINE_BYTE;
      for (const [i, line] of formatJournalLines(note).entries())
        fs.writeSync(file, i === 0 && isTorn ? `\n${line}` : line);
      return true;
    } finally {
      fs.closeSync(file);
    }
  } catch {
    return false;
  }
}

function openJournalDay(root: string, day: string): number {
  // Plain string paths: path functions cost a hook more than the write itself.
  const folder = `${root}/.sdd/journal`;
  rejectFolderLink(`${root}/.sdd`);
  if (!isJournalFolder(folder)) createJournalFolder(root, folder);
  // Readable by the owner only, because it shows who works on which file.
  return fs.openSync(`${folder}/${day}.jsonl`, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
}

function readLastByte(file: number, size: number): number | undefined {
  const byte = Buffer.alloc(1);
  return fs.readSync(file, byte, 0, 1, size - 1) === 1 ? byte[0] : undefined;
}

function isJournalFolder(place: string): boolean {
  const stat = fs.lstatSync(place, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isDirectory()) throw new Error("Something else stands there.");
  return stat !== undefined;
}

const rejectFolderLink = (place: string): void => void isJournalFolder(place);

function createJournalFolder(root: string, folder: string): void {
  const machine = `${root}/.sdd`;
  fs.mkdirSync(machine, { recursive: true, mode: 0o755 });
  writeMachineGitignore(machine);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Created exclusively, so that an existing link is not followed. */
function writeMachineGitignore(machine: string): void {
  try {
    fs.writeFileSync(`${machine}/.gitignore`, "*\n", { flag: "wx", mode: 0o644 });
  } catch {}
}

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
