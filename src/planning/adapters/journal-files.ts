import fs from "node:fs";
import { isPlainObject } from "#kernel/model/plain-object.ts";
import { countSecondsBetween } from "#kernel/model/utc-time.ts";
import type { JournalPosition } from "#code/operations/ports/higher-modules.ts";
import { JOURNAL_EVENTS, type JournalLine } from "../model/workflow/journal-fold.ts";
import { MAX_QUOTE } from "../model/approval/approval-proof.ts";
import type { HeardAnswer } from "../model/approval/user-message.ts";
import { parseLockPath } from "../model/workflow/file-locks.ts";
import { parseSessionName } from "../model/workflow/work-sessions.ts";
import type { Journal, JournalPart, StoredJournalLine } from "../operations/ports/journal.ts";

const { O_APPEND, O_CREAT, O_RDONLY, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
/** Bytes per day. More means a runaway writer and no process that folds the journal. */
const MAX_JOURNAL_BYTES = 8 * 1024 * 1024;
const MAX_JOURNAL_READ = 16 * 1024 * 1024;
/** Bytes. Appends up to this length are not interleaved with other writers. */
const MAX_JOURNAL_LINE = 4096;
/** Leading characters that identify a file. They contain the id of its first line. */
const JOURNAL_FINGERPRINT_LENGTH = 64;
/** Seconds after the end of the day. Every hook of that day has finished by then. */
const JOURNAL_GRACE_SECONDS = 600;
const NEWLINE_BYTE = 10;
const JOURNAL_FILE_PATTERN = /^\d{4}-\d\d-\d\d\.jsonl$/;
const JOURNAL_TIME_PATTERN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const PROCESS_MARK_PATTERN = /^\d{1,10}\.\d{1,20}@[\w.-]{1,40}$/;
const REPORTED_CLAIM_PATTERN = /^[\w.-]{1,80} [\w-]{1,40}$/;

/** Monotonic time since `boot`, shared by all processes of the machine. */
export interface MonotonicClock {
  readonly boot: string;
  nowMs(): number;
}

export interface JournalNote extends Pick<JournalLine, "event" | "session" | "at"> {
  readonly id: string;
  readonly steady: number;
  readonly boot: string;
  readonly paths?: readonly string[];
  readonly changed?: readonly number[] | undefined;
  readonly shell?: readonly [number, string] | undefined;
  readonly told?: string | undefined;
  readonly heard?: readonly HeardAnswer[] | undefined;
  readonly client?: string | undefined;
  readonly ms: number;
}

// Plain string paths: path functions cost a hook more than the write itself.
const getJournalFolder = (root: string): string => `${root}/.sdd/journal`;

function ignoreError<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch {
    return undefined;
  }
}

/** Each line is one append, so that many processes can write at once. False on failure: a hook must never fail for it. */
export function appendJournalLines(root: string, note: JournalNote): boolean {
  try {
    const file = openJournalDay(root, note.at.slice(0, 10));
    try {
      const stat = fs.fstatSync(file);
      if (!stat.isFile() || stat.size > MAX_JOURNAL_BYTES) return false;
      // A line cut off by a full disk must not swallow this one.
      const isTorn = stat.size > 0 && readJournalBytes(file, stat.size - 1, 1)[0] !== NEWLINE_BYTE;
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
  const [machine, folder] = [`${root}/.sdd`, getJournalFolder(root)];
  const [, hasFolder] = [machine, folder].map((place) => {
    const stat = fs.lstatSync(place, { throwIfNoEntry: false });
    if (stat !== undefined && !stat.isDirectory()) throw new Error("It is not a folder.");
    return stat !== undefined;
  });
  if (!hasFolder) {
    fs.mkdirSync(machine, { recursive: true, mode: 0o755 });
    // Created exclusively, so that an existing link is not followed.
    ignoreError(() => fs.writeFileSync(`${machine}/.gitignore`, "*\n", { flag: "wx", mode: 0o644 }));
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  // Readable by the owner only, because it shows who works on which file.
  return fs.openSync(`${folder}/${day}.jsonl`, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
}

/** One line per event. More only if the paths do not fit. */
export function formatJournalLines(note: JournalNote): string[] {
  const { id, paths = [], changed, ms, ...rest } = note;
  const times = new Map(paths.map((path, i) => [path, changed?.[i]]));
  const line = (some: readonly string[], i: number): string => {
    const seen = {
      ...(some.length > 0 ? { paths: some } : {}),
      ...(some.length > 0 && changed ? { changed: some.map((path) => times.get(path) ?? 0) } : {}),
    };
    return `${JSON.stringify({ v: 1, id: i === 0 ? id : `${id}.${i}`, ...rest, ...seen, ms: i === 0 ? ms : 0 })}\n`;
  };
  const lines: string[][] = [[]];
  for (const path of paths) {
    const last = lines.at(-1) ?? [];
    if (last.length === 0 || Buffer.byteLength(line([...last, path], lines.length)) <= MAX_JOURNAL_LINE)
      last.push(path);
    else lines.push([path]);
  }
  return lines.map(line).filter((text) => Buffer.byteLength(text) <= MAX_JOURNAL_LINE);
}

export function parseJournalLine(text: string, clock: MonotonicClock) {
  if (text.length > MAX_JOURNAL_LINE) return undefined;
  const value = ignoreError((): unknown => JSON.parse(text));
  const { v, event, session, at, steady, boot, ms, told, heard, paths, client, changed, shell } = isPlainObject(value)
    ? value
    : {};
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
    ...parseEditedPaths(paths, changed),
    ...(isShellNote(shell) ? { shell } : {}),
    // A smaller clock value means that the clock restarted.
    ageMs: boot === clock.boot && ago >= 0 ? ago : Number.POSITIVE_INFINITY,
    steady: { boot, ms: steady },
    ms,
    ...(typeof told === "string" && REPORTED_CLAIM_PATTERN.test(told) ? { told } : {}),
    ...(Array.isArray(heard) && heard.every(isHeardAnswer) ? { heard } : {}),
    ...(typeof client === "string" && PROCESS_MARK_PATTERN.test(client) ? { client } : {}),
  };
}

const isHeardAnswer = (value: unknown): value is HeardAnswer => {
  const { key, choice, quote } = isPlainObject(value) ? value : {};
  return (
    typeof key === "string" &&
    typeof quote === "string" &&
    quote.length <= MAX_QUOTE &&
    (choice === undefined || typeof choice === "string")
  );
};

function parseEditedPaths(paths: unknown, changed: unknown) {
  const times: unknown[] = Array.isArray(changed) ? changed : [];
  const edited = (Array.isArray(paths) ? (paths as unknown[]) : []).flatMap((said, i) => {
    const [path, time] = [tryParseLockPath(said), times[i]];
    return path === undefined ? [] : [{ path, time: isValidAmount(time) ? time : 0 }];
  });
  return { paths: edited.map(({ path }) => path), changed: edited.map(({ time }) => time) };
}

const isShellNote = (value: unknown): value is readonly [number, string] =>
  Array.isArray(value) && isValidAmount(value[0]) && typeof value[1] === "string" && /^[\w.:-]{0,80}$/.test(value[1]);

const isValidAmount = (value: unknown): value is number => typeof value === "number" && value >= 0 && value < 1e15;

export const tryParseLockPath = (path: unknown): string | undefined =>
  typeof path === "string" ? ignoreError(() => parseLockPath(path)) : undefined;

export interface JournalReaderOptions {
  readonly root: string;
  readonly checkout: string;
  readonly clock: { now(): string };
  readonly steadyClock: MonotonicClock;
}

/** Bytes from the end. The notes of a session that runs beside many others may be further up. */
const SHELL_NOTES_BYTES = 65_536;

/** The newest note of the session about a shell command, or about that one command, in the journal of the day. */
export function findShellNote(root: string, { at, session, call }: { at: string; session: string; call?: string }) {
  const path = `${getJournalFolder(root)}/${at.slice(0, 10)}.jsonl`;
  const file = ignoreError(() => fs.openSync(path, O_RDONLY | O_NOFOLLOW));
  if (file === undefined) return undefined;
  try {
    const { size } = fs.fstatSync(file);
    const start = Math.max(0, size - SHELL_NOTES_BYTES);
    const bytes = readJournalBytes(file, start, size - start);
    const { lines } = parseJournalBytes(bytes, start, { boot: "", nowMs: () => 0 });
    const isAsked = ({ event, shell }: StoredJournalLine): boolean =>
      shell !== undefined && (call === undefined || (event === "PreToolUse" && shell[1] === call));
    return lines.findLast((line) => line.session === session && isAsked(line))?.shell?.[0];
  } finally {
    fs.closeSync(file);
  }
}

export const createJournal = (parts: JournalReaderOptions): Journal => ({
  checkout: parts.checkout,
  unread: async (places) => readJournalFiles(parts, places),
  remove: async (file) => {
    if (JOURNAL_FILE_PATTERN.test(file)) fs.rmSync(`${getJournalFolder(parts.root)}/${file}`, { force: true });
  },
});

export function readJournalFiles(
  { root, clock, steadyClock }: JournalReaderOptions,
  places: ReadonlyMap<string, JournalPosition>,
): JournalPart[] {
  const folder = getJournalFolder(root);
  const isThere = [`${root}/.sdd`, folder].every((place) =>
    fs.lstatSync(place, { throwIfNoEntry: false })?.isDirectory(),
  );
  const names = isThere ? fs.readdirSync(folder).filter((name) => JOURNAL_FILE_PATTERN.test(name)) : [];
  return names.toSorted().flatMap((file) => {
    const found = readJournalFile(`${folder}/${file}`, places.get(file), steadyClock);
    const isSpent = countSecondsBetween(`${file.slice(0, 10)}T23:59:59Z`, clock.now()) > JOURNAL_GRACE_SECONDS;
    return found ? [{ file, ...found, isSpent }] : [];
  });
}

function readJournalFile(path: string, place: JournalPosition | undefined, clock: MonotonicClock) {
  let file: number | undefined;
  try {
    file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stat = fs.fstatSync(file);
    if (!stat.isFile()) return undefined;
    const { size } = stat;
    const head = readJournalBytes(file, 0, Math.min(JOURNAL_FINGERPRINT_LENGTH, size)).toString("latin1");
    const [first = ""] = head.split("\n");
    const start = place?.first === first ? Math.min(place.offset, size) : 0;
    const bytes = readJournalBytes(file, start, Math.min(MAX_JOURNAL_READ, size - start));
    return { first, ...parseJournalBytes(bytes, start, clock) };
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

function readJournalBytes(file: number, start: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const more = fs.readSync(file, bytes, read, length - read, start + read);
    if (more === 0) break;
    read += more;
  }
  return bytes.subarray(0, read);
}

/** The last line may be incomplete and is left for the next read. */
function parseJournalBytes(bytes: Buffer, start: number, clock: MonotonicClock) {
  const lines: StoredJournalLine[] = [];
  const garbage: number[] = [];
  let from = 0;
  for (let to = bytes.indexOf(NEWLINE_BYTE); to >= 0; to = bytes.indexOf(NEWLINE_BYTE, from)) {
    const text = bytes.toString("utf8", from, to);
    const end = start + to + 1;
    from = to + 1;
    const line = parseJournalLine(text, clock);
    if (line) lines.push({ ...line, end });
    else if (text !== "") garbage.push(end);
  }
  return { lines, garbage, end: start + from };
}
