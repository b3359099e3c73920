import fs from "node:fs";
import { countSecondsBetween } from "#domain/day.ts";
import type { Journal, JournalPart, JournalPlace, WrittenLine } from "#operations/ports/journal.ts";
import { readLine, type SteadyClock } from "./line.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const NAME = /^\d{4}-\d\d-\d\d\.jsonl$/;
const MOST = 16 * 1024 * 1024;
/** Leading characters that identify a file. They contain the id of its first line. */
const BEGINNING = 64;
/** Seconds after the end of the day. Every hook of that day has finished by then. */
const LATEST_WRITE = 600;
const NEWLINE = 10;

export interface JournalParts {
  readonly root: string;
  readonly checkout: string;
  readonly clock: { now(): string };
  readonly steadyClock: SteadyClock;
}

export function journalIn(parts: JournalParts): Journal {
  return {
    checkout: parts.checkout,
    unread: async (places) => readJournal(parts, places),
    remove: async (file) => {
      if (NAME.test(file)) fs.rmSync(`${folderOf(parts.root)}/${file}`, { force: true });
    },
  };
}

export function readJournal(parts: JournalParts, places: ReadonlyMap<string, JournalPlace>): JournalPart[] {
  return filesIn(parts.root).flatMap((file) => {
    const found = readFile(`${folderOf(parts.root)}/${file}`, places.get(file), parts.steadyClock);
    const isSpent = countSecondsBetween(`${file.slice(0, 10)}T23:59:59Z`, parts.clock.now()) > LATEST_WRITE;
    return found ? [{ file, ...found, isSpent }] : [];
  });
}

const folderOf = (root: string): string => `${root}/.sdd/journal`;

function filesIn(root: string): string[] {
  const isThere = [`${root}/.sdd`, folderOf(root)].every((place) =>
    fs.lstatSync(place, { throwIfNoEntry: false })?.isDirectory(),
  );
  if (!isThere) return [];
  return fs
    .readdirSync(folderOf(root))
    .filter((name) => NAME.test(name))
    .toSorted();
}

function readFile(
  path: string,
  place: JournalPlace | undefined,
  clock: SteadyClock,
): Omit<JournalPart, "file" | "isSpent"> | undefined {
  let file: number | undefined;
  try {
    file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stat = fs.fstatSync(file);
    if (!stat.isFile()) return undefined;
    const first = bytesOf(file, 0, Math.min(BEGINNING, stat.size)).toString("latin1").split("\n")[0] ?? "";
    const start = place?.first === first ? Math.min(place.offset, stat.size) : 0;
    return { first, ...linesIn(bytesOf(file, start, Math.min(MOST, stat.size - start)), start, clock) };
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

function bytesOf(file: number, start: number, length: number): Buffer {
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
function linesIn(bytes: Buffer, start: number, clock: SteadyClock): Pick<JournalPart, "lines" | "garbage" | "end"> {
  const lines: WrittenLine[] = [];
  const garbage: number[] = [];
  let from = 0;
  for (let to = bytes.indexOf(NEWLINE); to >= 0; to = bytes.indexOf(NEWLINE, from)) {
    const text = bytes.toString("utf8", from, to);
    const end = start + to + 1;
    from = to + 1;
    const line = readLine(text, clock);
    if (line) lines.push({ ...line, end });
    else if (text !== "") garbage.push(end);
  }
  return { lines, garbage, end: start + from };
}
