import fs from "node:fs";
import { dirname, resolve } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { Fault } from "#kernel/model/fault.ts";
import { MAX_CONTENT_BYTES } from "../model/observation.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { MemoryImportResult, TextCleanFunction } from "../operations/ports/memory.ts";
import { toFileFault, readErrorCode } from "#kernel/adapters/system-error.ts";
import type { SqliteDatabase, DatabaseRow } from "#kernel/adapters/sqlite-database.ts";
import {
  createBadLineFault,
  type MemoryEntry,
  EXPORT_HEADER,
  parseMemoryEntry,
  readForeignEntries,
} from "./memory-entries.ts";
import { importEntry, type ImportedProjects, type ImportTally } from "./memory-import.ts";
import { forgetWrittenTerms, pickTextColumn, toObservation, toRevision } from "./memory-tables.ts";

const IMPORT_BATCH_SIZE = 200;
const SQLITE_MAGIC = "SQLite format 3\0";
const LONGEST_IMPORT_LINE = 256 * 1024 * 1024;
const MOST_CACHED_NAMES = 10_000;
/** Counters that continue from an imported number stay far below the largest safe integer. */
const LARGEST_IMPORT_NUMBER = 2 ** 48;

export async function exportMemoryLines(
  db: SqliteDatabase,
  to: string,
  cwd: string,
): Promise<{ file: string; lines: number }> {
  const file = resolve(cwd, to);
  if (db.exists) await db.open();
  const out = createExportFile(file);
  try {
    let lines = 0;
    const write = (value: unknown): void => {
      fs.writeFileSync(out, `${JSON.stringify(value)}\n`);
      lines++;
    };
    write(EXPORT_HEADER);
    if (db.exists) {
      using reader = new DatabaseSync(db.file, { readOnly: true, timeout: 15_000 });
      reader.exec("BEGIN");
      for (const entry of listExportEntries((sql, ...values) => reader.prepare(sql).all(...values))) write(entry);
    }
    fs.fsyncSync(out);
    return { file, lines };
  } catch (error) {
    fs.rmSync(file, { force: true });
    throw toFileFault(error, file, "write");
  } finally {
    fs.closeSync(out);
  }
}

function createExportFile(file: string): number {
  try {
    return fs.openSync(file, "wx", 0o600);
  } catch (error) {
    if (readErrorCode(error) === "EEXIST") throw createFileExistsFault(file);
    throw toFileFault(error, file, "write");
  }
}

function createFileExistsFault(file: string): Fault {
  return new Fault("memory.file-exists", {
    what: `${sanitizeText(file, 200)} was not written.`,
    why: "There is a file of that name, and it is not written over.",
    fix: "Give another name, or move the file away.",
  });
}

/**
 * Imports an export of Tenon, or the database of Hoofy or engram. Validates the complete file first, then imports in
 * batches, so that others can write in between. An interrupted import can run again.
 */
export async function importMemoryFile(
  db: SqliteDatabase,
  from: string,
  cwd: string,
  clean: TextCleanFunction,
  at: string,
): Promise<MemoryImportResult> {
  const file = resolve(cwd, from);
  const isForeign = readFileMagic(file) === SQLITE_MAGIC;
  const entries = (): Iterable<MemoryEntry> => (isForeign ? readForeignEntries(file, at) : readImportLines(file));
  try {
    for (const entry of entries()) assertEntryLimits(file, entry);
  } catch (error) {
    throw isForeign ? toBadDatabaseFault(error, file) : toFileFault(error, file, "read");
  }
  const tally: ImportTally = { read: 0, added: 0, updated: 0, unchanged: 0, buried: 0 };
  const projects: ImportedProjects = new Map();
  const names = cacheCleanText(clean);
  let batch: MemoryEntry[] = [];
  const flush = async (): Promise<void> => {
    const cleaned = await Promise.all(batch.map((entry) => cleanMemoryEntry(entry, clean, names)));
    batch = [];
    await db.alone(() => {
      forgetWrittenTerms(db);
      for (const entry of cleaned) importEntry(db, entry, { tally, projects }, at);
    });
  };
  for (const entry of entries()) {
    batch.push(entry);
    if (batch.length === IMPORT_BATCH_SIZE) await flush();
  }
  await flush();
  return { kind: isForeign ? "a memory of Hoofy or engram" : "an export of Tenon", ...tally };
}

/** Does not block on a pipe, and accepts regular files only. */
function openImportFile(file: string): number {
  const descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  if (fs.fstatSync(descriptor).isFile()) return descriptor;
  fs.closeSync(descriptor);
  throw new Fault("files.not-a-file", {
    what: `${sanitizeText(file, 200)} was not imported.`,
    why: "It is not a regular file.",
    fix: "Give a file that tenon memory export wrote, or the memory.db of Hoofy or engram.",
  });
}

function readFileMagic(file: string): string {
  try {
    const descriptor = openImportFile(file);
    try {
      const bytes = Buffer.alloc(SQLITE_MAGIC.length);
      return bytes.toString("latin1", 0, fs.readSync(descriptor, bytes, 0, bytes.length, 0));
    } finally {
      fs.closeSync(descriptor);
    }
  } catch (error) {
    throw toFileFault(error, file, "read");
  }
}

function* readImportLines(file: string): Generator<MemoryEntry> {
  const descriptor = openImportFile(file);
  try {
    let pieces: Buffer[] = [];
    let length = 0;
    let number = 0;
    const chunk = Buffer.alloc(1 << 16);
    const entry = (end: Buffer): MemoryEntry | undefined => {
      const line = Buffer.concat([...pieces, end]);
      pieces = [];
      length = 0;
      return parseMemoryEntry(file, decodeImportLine(file, line, ++number), number);
    };
    for (let size = fs.readSync(descriptor, chunk); size > 0; size = fs.readSync(descriptor, chunk)) {
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0 && end < size; end = chunk.indexOf(10, from)) {
        const found = entry(chunk.subarray(from, end));
        if (found) yield found;
        from = end + 1;
      }
      pieces.push(Buffer.from(chunk.subarray(from, size)));
      length += size - from;
      if (length > LONGEST_IMPORT_LINE) throw createBadLineFault(file, number + 1, "It has no end.");
    }
    // Without a final line break the last line may be truncated; it is imported if it is valid.
    const last = length > 0 || number === 0 ? entry(Buffer.alloc(0)) : undefined;
    if (last) yield last;
  } finally {
    fs.closeSync(descriptor);
  }
}

function decodeImportLine(file: string, line: Buffer, number: number): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(line);
  } catch {
    throw createBadLineFault(file, number, "It is not UTF-8 text.");
  }
}

function assertEntryLimits(file: string, entry: MemoryEntry): void {
  if (entry.kind !== "observation") return;
  for (const { content } of [entry, ...entry.revisions]) {
    const length = Buffer.byteLength(content);
    if (length <= MAX_CONTENT_BYTES) continue;
    throw new Fault("memory.too-long", {
      what: `${sanitizeText(file, 200)} was not imported.`,
      why: `The text of ${entry.id} has ${length} bytes, and at most ${MAX_CONTENT_BYTES} fit.`,
      fix: "Shorten it where it comes from, and export it again.",
    });
  }
  const numbers = [entry.id, entry.revision, entry.duplicates, ...entry.revisions.map(({ revision }) => revision)];
  const wrong = numbers.find((each) => !Number.isSafeInteger(each) || each > LARGEST_IMPORT_NUMBER);
  if (wrong === undefined) return;
  throw new Fault("memory.bad-import", {
    what: `${sanitizeText(file, 200)} was not imported.`,
    why: `An observation has the number ${wrong}, and ${LARGEST_IMPORT_NUMBER} is the largest.`,
    fix: "Correct it where it comes from, and export it again.",
  });
}

function toBadDatabaseFault(error: unknown, file: string): Fault {
  if (error instanceof Fault) return error;
  return createBadLineFault(
    file,
    1,
    `SQLite says: ${sanitizeText(error instanceof Error ? error.message : String(error), 200)}.`,
  );
}

function cacheCleanText(clean: TextCleanFunction): TextCleanFunction {
  const known = new Map<string, Promise<string>>();
  return (text) => {
    const cleaned = known.get(text) ?? clean(text);
    if (known.size < MOST_CACHED_NAMES) known.set(text, cleaned);
    return cleaned;
  };
}

async function cleanMemoryEntry(
  entry: MemoryEntry,
  clean: TextCleanFunction,
  names: TextCleanFunction,
): Promise<MemoryEntry> {
  switch (entry.kind) {
    case "project":
      return {
        ...entry,
        name: await names(entry.name),
        aliases: await Promise.all(entry.aliases.map(names)),
        places: await Promise.all(entry.places.map(names)),
      };
    case "session":
      return {
        ...entry,
        project: await names(entry.project),
        id: await names(entry.id),
        ...(entry.directory === undefined ? {} : { directory: await names(entry.directory) }),
        ...(entry.summary === undefined ? {} : { summary: await clean(entry.summary) }),
      };
    case "relation":
      return {
        ...entry,
        type: await names(entry.type),
        ...(entry.note === undefined ? {} : { note: await clean(entry.note) }),
      };
    case "observation": {
      const texts = async <T extends { type: string; title: string; content: string }>(each: T): Promise<T> => ({
        ...each,
        type: await names(each.type),
        title: await clean(each.title),
        content: await clean(each.content),
      });
      return {
        ...(await texts(entry)),
        project: await names(entry.project),
        session: await names(entry.session),
        namespace: await names(entry.namespace),
        ...(entry.topic_key === undefined ? {} : { topic_key: await names(entry.topic_key) }),
        ...(entry.source === undefined ? {} : { source: await names(entry.source) }),
        revisions: await Promise.all(entry.revisions.map(texts)),
      };
    }
    case "gone":
      return entry;
  }
}

export async function backUpMemory(
  db: SqliteDatabase,
  to: string,
  cwd: string,
): Promise<{ file: string; bytes: number }> {
  const file = resolve(cwd, to);
  await db.open();
  fs.closeSync(createExportFile(file));
  try {
    using source = new DatabaseSync(db.file, { readOnly: true, timeout: 15_000 });
    // Holds one read transaction: otherwise every write of others would restart the backup.
    source.exec("BEGIN");
    source.prepare("PRAGMA user_version").get();
    await backup(source, file);
    // A writable connection removes its companion files when it closes.
    using copy = new DatabaseSync(file);
    const check = Object.values(copy.prepare("PRAGMA quick_check").get() ?? {})[0];
    if (check !== "ok") throw new Error(String(check));
    return { file, bytes: fs.statSync(file).size };
  } catch (error) {
    fs.rmSync(file, { force: true });
    throw toFileFault(error, dirname(file), "write");
  }
}

type QueryAll = (sql: string, ...values: (string | number | bigint)[]) => DatabaseRow[];

const EXPORT_CHUNK_ROWS = 500;

/** All entries in import order: a referenced entry comes before its references. */
function* listExportEntries(all: QueryAll): Generator<MemoryEntry> {
  for (const row of all("SELECT no, name FROM projects ORDER BY no")) {
    yield {
      kind: "project",
      name: String(row["name"]),
      aliases: listColumnTexts(
        all("SELECT name FROM project_names WHERE project = ? ORDER BY key", Number(row["no"])),
        "name",
      ),
      places: listColumnTexts(
        all("SELECT place FROM project_places WHERE project = ? ORDER BY place", Number(row["no"])),
        "place",
      ),
    };
  }
  yield* readEntryChunks(
    all,
    "SELECT s.no AS key, s.*, p.name AS project_name FROM sessions s CROSS JOIN projects p ON p.no = s.project WHERE s.no > ? ORDER BY s.no",
    (row) => ({
      kind: "session",
      project: String(row["project_name"]),
      id: String(row["id"]),
      ...pickTextColumn("directory", row["directory"]),
      started_at: String(row["started_at"]),
      active_at: String(row["active_at"]),
      ...pickTextColumn("ended_at", row["ended_at"]),
      ...pickTextColumn("summary", row["summary"]),
    }),
  );
  yield* readEntryChunks(
    all,
    `SELECT o.place AS key, o.*, p.name AS project_name, s.id AS session_id
     FROM observations o CROSS JOIN projects p ON p.no = o.project CROSS JOIN sessions s ON s.no = o.session
     WHERE o.place > ? ORDER BY o.place`,
    (row) => readObservationEntry(all, row),
  );
  yield* readEntryChunks(
    all,
    `SELECT r.id AS key, r.*, lower(hex(a.uid)) AS from_uid, lower(hex(b.uid)) AS to_uid
     FROM relations r CROSS JOIN observations a ON a.id = r.from_id CROSS JOIN observations b ON b.id = r.to_id
     WHERE r.id > ? ORDER BY r.id`,
    (row) => ({
      kind: "relation",
      id: Number(row["id"]),
      from: String(row["from_uid"]),
      to: String(row["to_uid"]),
      type: String(row["type"]),
      ...pickTextColumn("note", row["note"]),
      created_at: String(row["created_at"]),
    }),
  );
  const gone = all(
    `SELECT lower(hex(g.uid)) AS uid, g.at, nullif(lower(hex(o.uid)), '') AS heir
     FROM gone g LEFT JOIN observations o ON o.id = g.heir ORDER BY g.uid`,
  );
  for (const row of gone) {
    yield {
      kind: "gone",
      uid: String(row["uid"]),
      at: String(row["at"]),
      ...pickTextColumn("heir", row["heir"]),
    };
  }
}

function readObservationEntry(all: QueryAll, row: DatabaseRow): MemoryEntry {
  const revisions = all("SELECT * FROM revisions WHERE observation = ? ORDER BY revision", Number(row["id"]));
  return {
    kind: "observation",
    uid: Buffer.from(row["uid"] as Uint8Array).toString("hex"),
    ...toObservation(row),
    revisions: revisions.map(toRevision),
  };
}

function* readEntryChunks(
  all: QueryAll,
  sql: string,
  entry: (row: DatabaseRow) => MemoryEntry,
): Generator<MemoryEntry> {
  for (let after = 0n; ;) {
    const rows = all(`${sql} LIMIT ${EXPORT_CHUNK_ROWS}`, after);
    for (const row of rows) yield entry(row);
    if (rows.length < EXPORT_CHUNK_ROWS) return;
    after = BigInt(Number(rows.at(-1)?.["key"]));
  }
}

const listColumnTexts = (rows: readonly DatabaseRow[], name: string): string[] => rows.map((row) => String(row[name]));
