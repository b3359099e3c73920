import fs from "node:fs";
import { dirname, resolve } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { Fault } from "#domain/fault.ts";
import { LONGEST_CONTENT } from "#domain/memory/observation.ts";
import { plain } from "#domain/quote.ts";
import type { Absorbed, Clean } from "#operations/memory.ts";
import { asFault, errorCode } from "../../files/error.ts";
import type { Database } from "../../sqlite/database.ts";
import { badLine, type Entry, HEAD, readEntry } from "../entry.ts";
import { absorb, type Tally } from "./absorb.ts";
import { entriesOf } from "./emit.ts";
import { foreignEntries } from "./foreign.ts";

const BATCH = 200;
const SQLITE_MAGIC = "SQLite format 3\0";
/** Bytes of one line: a text and its revisions, all at their longest, are far below it. */
const LONGEST_LINE = 256 * 1024 * 1024;

/** All of it as lines of JSON, as it is at one moment. An existing file is never written over. */
export async function exportMemory(db: Database, to: string, cwd: string): Promise<{ file: string; lines: number }> {
  const file = resolve(cwd, to);
  if (db.exists) await db.open();
  const out = openNew(file);
  try {
    let lines = 0;
    const write = (value: unknown): void => {
      fs.writeSync(out, `${JSON.stringify(value)}\n`);
      lines++;
    };
    write(HEAD);
    if (db.exists) {
      using reader = new DatabaseSync(db.file, { readOnly: true, timeout: 15_000 });
      reader.exec("BEGIN");
      for (const entry of entriesOf((sql, ...values) => reader.prepare(sql).all(...values))) write(entry);
    }
    fs.fsyncSync(out);
    return { file, lines };
  } catch (error) {
    fs.rmSync(file, { force: true });
    throw asFault(error, file, "write");
  } finally {
    fs.closeSync(out);
  }
}

function openNew(file: string): number {
  try {
    return fs.openSync(file, "wx", 0o600);
  } catch (error) {
    if (errorCode(error) === "EEXIST") throw taken(file);
    throw asFault(error, file, "write");
  }
}

function taken(file: string): Fault {
  return new Fault("memory.file-exists", {
    what: `${plain(file, 200)} was not written.`,
    why: "There is a file of that name, and it is not written over.",
    fix: "Give another name, or move the file away.",
  });
}

/**
 * Takes in an export of Tenon, or the database of Hoofy or engram. The whole file is read once before anything is kept;
 * then it goes in by batches, so that others can write in between. Stopped in the middle, it can be run again.
 */
export async function importMemory(
  db: Database,
  from: string,
  cwd: string,
  clean: Clean,
  at: string,
): Promise<Absorbed> {
  const file = resolve(cwd, from);
  const isForeign = headOf(file) === SQLITE_MAGIC;
  const entries = (): Iterable<Entry> => (isForeign ? foreignEntries(file, at) : linesIn(file));
  for (const entry of entries()) refuseLong(file, entry);
  const tally: Tally = { read: 0, added: 0, updated: 0, unchanged: 0, buried: 0 };
  let batch: Entry[] = [];
  const flush = async (): Promise<void> => {
    const cleaned = await Promise.all(batch.map((entry) => cleanEntry(entry, clean)));
    batch = [];
    await db.alone(() => cleaned.forEach((entry) => absorb(db, entry, tally, at)));
  };
  for (const entry of entries()) {
    batch.push(entry);
    if (batch.length === BATCH) await flush();
  }
  await flush();
  return { kind: isForeign ? "a memory of Hoofy or engram" : "an export of Tenon", ...tally };
}

function headOf(file: string): string {
  try {
    const descriptor = fs.openSync(file, "r");
    try {
      const bytes = Buffer.alloc(SQLITE_MAGIC.length);
      return bytes.toString("latin1", 0, fs.readSync(descriptor, bytes, 0, bytes.length, 0));
    } finally {
      fs.closeSync(descriptor);
    }
  } catch (error) {
    throw asFault(error, file, "read");
  }
}

function* linesIn(file: string): Generator<Entry> {
  const descriptor = fs.openSync(file, "r");
  try {
    let rest = Buffer.alloc(0);
    let number = 0;
    const chunk = Buffer.alloc(1 << 16);
    const entry = (line: Buffer): Entry | undefined => readEntry(file, decode(file, line, ++number), number);
    for (let size = fs.readSync(descriptor, chunk); size > 0; size = fs.readSync(descriptor, chunk)) {
      rest = Buffer.concat([rest, chunk.subarray(0, size)]);
      if (rest.length > LONGEST_LINE) throw badLine(file, number + 1, "It has no end.");
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        const found = entry(rest.subarray(0, end));
        if (found) yield found;
        rest = rest.subarray(end + 1);
      }
    }
    // Without the last line break the last line may be cut short; if it is whole it is taken.
    const last = rest.length > 0 || number === 0 ? entry(rest) : undefined;
    if (last) yield last;
  } finally {
    fs.closeSync(descriptor);
  }
}

function decode(file: string, line: Buffer, number: number): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(line);
  } catch {
    throw badLine(file, number, "It is not UTF-8 text.");
  }
}

/** A limit is a fault and no cut, here as everywhere. */
function refuseLong(file: string, entry: Entry): void {
  if (entry.kind !== "observation") return;
  for (const { content } of [entry, ...entry.revisions]) {
    const length = Buffer.byteLength(content);
    if (length <= LONGEST_CONTENT) continue;
    throw new Fault("memory.too-long", {
      what: `${plain(file, 200)} was not imported.`,
      why: `The text of ${entry.id} has ${length} bytes, and at most ${LONGEST_CONTENT} fit.`,
      fix: "Shorten it where it comes from, and export it again.",
    });
  }
}

/** Every field that a person or an agent wrote. */
async function cleanEntry(entry: Entry, clean: Clean): Promise<Entry> {
  switch (entry.kind) {
    case "session":
      return entry.summary === undefined ? entry : { ...entry, summary: await clean(entry.summary) };
    case "relation":
      return entry.note === undefined ? entry : { ...entry, note: await clean(entry.note) };
    case "observation": {
      const texts = async <T extends { title: string; content: string }>(each: T): Promise<T> => ({
        ...each,
        title: await clean(each.title),
        content: await clean(each.content),
      });
      return { ...(await texts(entry)), revisions: await Promise.all(entry.revisions.map(texts)) };
    }
    case "project":
    case "gone":
      return entry;
  }
}

/** A copy as it is at one moment, while others go on reading and writing. */
export async function backUp(db: Database, to: string, cwd: string): Promise<{ file: string; bytes: number }> {
  const file = resolve(cwd, to);
  await db.open();
  fs.closeSync(openNew(file));
  try {
    using source = new DatabaseSync(db.file, { readOnly: true, timeout: 15_000 });
    await backup(source, file);
    using copy = new DatabaseSync(file, { readOnly: true });
    const check = Object.values(copy.prepare("PRAGMA quick_check").get() ?? {})[0];
    if (check !== "ok") throw new Error(String(check));
    return { file, bytes: fs.statSync(file).size };
  } catch (error) {
    fs.rmSync(file, { force: true });
    throw asFault(error, dirname(file), "write");
  }
}
