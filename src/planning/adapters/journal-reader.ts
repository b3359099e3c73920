import fs from "node:fs";
import { countSecondsBetween } from "#kernel/model/utc-time.ts";
import type { JournalPosition } from "#code/operations/ports/higher-modules.ts";
import type { Journal, JournalPart, StoredJournalLine } from "../operations/ports/journal.ts";
import { parseJournalLine, type MonotonicClock } from "./journal-writer.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const JOURNAL_FILE_PATTERN = /^\d{4}-\d\d-\d\d\.jsonl$/;
const MAX_JOURNAL_READ = 16 * 1024 * 1024;
/** Leading characters that identify a file. They contain the id of its first line. */
const JOURNAL_FINGERPRINT_LENGTH = 64;
/** Seconds after the end of the day. Every hook of that day has finished by then. */
const JOURNAL_GRACE_SECONDS = 600;
const LINE_FEED = 10;

export interface JournalReaderOptions {
  readonly root: string;
  readonly checkout: string;
  readonly clock: { now(): string };
  readonly steadyClock: MonotonicClock;
}

export function createJournal(parts: JournalReaderOptions): Journal {
  return {
    checkout: parts.checkout,
    unread: async (places) => readJournalFiles(parts, places),
    remove: async (file) => {
      if (JOURNAL_FILE_PATTERN.test(file)) fs.rmSync(`${getJournalFolder(parts.root)}/${file}`, { force: true });
    },
  };
}

export function readJournalFiles(
  parts: JournalReaderOptions,
  places: ReadonlyMap<string, JournalPosition>,
): JournalPart[] {
  return listJournalFiles(parts.root).flatMap((file) => {
    const found = readJournalFile(`${getJournalFolder(parts.root)}/${file}`, places.get(file), parts.steadyClock);
    const isSpent = countSecondsBetween(`${file.slice(0, 10)}T23:59:59Z`, parts.clock.now()) > JOURNAL_GRACE_SECONDS;
    return found ? [{ file, ...found, isSpent }] : [];
  });
}

const getJournalFolder = (root: string): string => `${root}/.sdd/journal`;

function listJournalFiles(root: string): string[] {
  const isThere = [`${root}/.sdd`, getJournalFolder(root)].every((place) =>
    fs.lstatSync(place, { throwIfNoEntry: false })?.isDirectory(),
  );
  if (!isThere) return [];
  return fs
    .readdirSync(getJournalFolder(root))
    .filter((name) => JOURNAL_FILE_PATTERN.test(name))
    .toSorted();
}

function readJournalFile(
  path: string,
  place: JournalPosition | undefined,
  clock: MonotonicClock,
): Omit<JournalPart, "file" | "isSpent"> | undefined {
  let file: number | undefined;
  try {
    file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stat = fs.fstatSync(file);
    if (!stat.isFile()) return undefined;
    const first =
      readJournalBytes(file, 0, Math.min(JOURNAL_FINGERPRINT_LENGTH, stat.size)).toString("latin1").split("\n")[0] ??
      "";
    const start = place?.first === first ? Math.min(place.offset, stat.size) : 0;
    return {
      first,
      ...parseJournalBytes(readJournalBytes(file, start, Math.min(MAX_JOURNAL_READ, stat.size - start)), start, clock),
    };
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
function parseJournalBytes(
  bytes: Buffer,
  start: number,
  clock: MonotonicClock,
): Pick<JournalPart, "lines" | "garbage" | "end"> {
  const lines: StoredJournalLine[] = [];
  const garbage: number[] = [];
  let from = 0;
  for (let to = bytes.indexOf(LINE_FEED); to >= 0; to = bytes.indexOf(LINE_FEED, from)) {
    const text = bytes.toString("utf8", from, to);
    const end = start + to + 1;
    from = to + 1;
    const line = parseJournalLine(text, clock);
    if (line) lines.push({ ...line, end });
    else if (text !== "") garbage.push(end);
  }
  return { lines, garbage, end: start + from };
}
