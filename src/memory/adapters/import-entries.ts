import { createHash } from "node:crypto";
import fs from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { DatabaseRow } from "#kernel/adapters/sqlite-database.ts";
import { toFileFault } from "#kernel/model/system-error.ts";
import { Fault } from "#kernel/model/fault.ts";
import { GENERAL_PROJECT } from "#kernel/model/project-identity.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { type MemoryEntry, MemoryEntryRecord, type ObservationEntry } from "../model/memory-records.ts";
import { DEFAULT_MEMORY_SESSION, deriveTextTitle, PROMPT_TYPE } from "../model/observation.ts";
import { normalizeTopicKey } from "../model/topic-key.ts";

export const EXPORT_HEADER = { tenon: "memory", format: 1 };
export const SQLITE_MAGIC = "SQLite format 3\0";
const LONGEST_IMPORT_LINE = 256 * 1024 * 1024;
const IMPORT_FIX = "Give a file that tenon memory export wrote, or the memory.db of Hoofy or engram.";

export function readFileMagic(file: string): string {
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

/** Does not block on a pipe, and accepts regular files only. */
function openImportFile(file: string): number {
  const descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  if (fs.fstatSync(descriptor).isFile()) return descriptor;
  fs.closeSync(descriptor);
  const what = `${sanitizeText(file, 200)} was not imported.`;
  throw new Fault("files.not-a-file", { what, why: "It is not a regular file.", fix: IMPORT_FIX });
}

export function* readImportLines(file: string): Generator<MemoryEntry> {
  const descriptor = openImportFile(file);
  try {
    let pieces: Buffer[] = [];
    let length = 0;
    let number = 0;
    const chunk = Buffer.alloc(1 << 16);
    const parsePieces = (end: Buffer): MemoryEntry[] => {
      const line = Buffer.concat([...pieces, end]);
      pieces = [];
      length = 0;
      return parseImportLine(file, line, ++number);
    };
    for (let size = fs.readSync(descriptor, chunk); size > 0; size = fs.readSync(descriptor, chunk)) {
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0 && end < size; end = chunk.indexOf(10, from)) {
        yield* parsePieces(chunk.subarray(from, end));
        from = end + 1;
      }
      pieces.push(Buffer.from(chunk.subarray(from, size)));
      length += size - from;
      if (length > LONGEST_IMPORT_LINE) throw createBadLineFault(file, number + 1, "It is cut off.");
    }
    // Without a final line break the last line may be truncated; it is imported if it is valid.
    if (length > 0 || number === 0) yield* parsePieces(Buffer.alloc(0));
  } finally {
    fs.closeSync(descriptor);
  }
}

function parseImportLine(file: string, line: Buffer, number: number): MemoryEntry[] {
  const reject = (why: string): Fault => createBadLineFault(file, number, why);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
  } catch (error) {
    throw reject(error instanceof SyntaxError ? "It is not JSON." : "It is not UTF-8 text.");
  }
  if (number === 1) {
    const head: { tenon?: unknown; format?: unknown } = typeof value === "object" && value !== null ? value : {};
    if (head.tenon !== EXPORT_HEADER.tenon) throw reject("It is not an export of Tenon's memory.");
    if (head.format === EXPORT_HEADER.format) return [];
    const format = sanitizeText(String(head.format), 20);
    throw reject(`It has format ${format}, and this Tenon reads ${EXPORT_HEADER.format}.`);
  }
  const { success, data, error } = MemoryEntryRecord.safeParse(value);
  if (success) return [data];
  const strange = error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" && issue.path.length === 0 ? issue.keys : [],
  );
  const isUnknown = error.issues.some(
    ({ path, code }) => path[0] === "kind" || (path.length === 0 && code !== "unrecognized_keys"),
  );
  if (isUnknown) throw reject("It is not a project, session, observation, relation or gone record.");
  const wrong = strange[0] ?? String(error.issues[0]?.path[0]);
  throw reject(`${sanitizeText(wrong, 40)} is missing, unknown or wrong.`);
}

export function createBadLineFault(file: string, number: number, why: string): Fault {
  const what = `${sanitizeText(file, 200)} was not imported.`;
  return new Fault("memory.bad-import", { what, why: `Line ${number}: ${why}`, fix: IMPORT_FIX });
}

/** The `memory.db` of Hoofy or engram. Missing tables and columns count as empty; the database may be in use. */
export function* readForeignEntries(file: string, at: string): Generator<MemoryEntry> {
  using db = openForeignDatabase(file);
  const rowsOf = (table: string): Iterable<DatabaseRow> =>
    hasDatabaseTable(db, table) ? db.prepare(`SELECT * FROM ${table} ORDER BY id`).iterate() : [];
  const projects = new Map<string, string>();
  for (const row of rowsOf("sessions")) {
    const id = readText(row["id"]);
    if (id === "") continue;
    const project = readText(row["project"]) || GENERAL_PROJECT;
    projects.set(id, project);
    const started_at = readTime(row["started_at"]) ?? at;
    const ended_at = readTime(row["ended_at"]);
    const directory = readText(row["directory"]) || undefined;
    const summary = readText(row["summary"]) || undefined;
    yield { kind: "session", project, id, directory, started_at, active_at: ended_at ?? started_at, ended_at, summary };
  }
  const uids = new Map<number, string>();
  for (const row of rowsOf("observations")) {
    const entry = toForeignObservation(row, "observation", projects, at);
    uids.set(Number(row["id"]), entry.uid);
    yield entry;
  }
  for (const row of rowsOf("user_prompts")) {
    const { id, session_id, content, project, namespace, created_at, sync_id } = row;
    const prompt = { id, session_id, content, project, namespace, created_at, sync_id, type: PROMPT_TYPE };
    yield toForeignObservation(prompt, PROMPT_TYPE, projects, at);
  }
  for (const row of rowsOf("relations")) {
    const [from, to] = [uids.get(Number(row["from_id"])), uids.get(Number(row["to_id"]))];
    if (from === undefined || to === undefined) continue;
    const type = readText(row["type"]) || "relates_to";
    const note = readText(row["note"]) || undefined;
    const created_at = readTime(row["created_at"]) ?? at;
    yield { kind: "relation", id: Number(row["id"]), from, to, type, note, created_at };
  }
}

function openForeignDatabase(file: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  let why = "It has no observations.";
  try {
    db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    if (hasDatabaseTable(db, "project_places")) why = "It is a memory of Tenon itself: export it there first.";
    else if (hasDatabaseTable(db, "observations") && hasDatabaseTable(db, "sessions")) return db;
  } catch (error) {
    why = `SQLite says: ${error instanceof Error ? error.message : String(error)}.`;
  }
  db?.close();
  throw createBadLineFault(file, 1, why);
}

const hasDatabaseTable = (db: DatabaseSync, name: string): boolean =>
  db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined;

function toForeignObservation(
  row: DatabaseRow,
  table: string,
  projects: ReadonlyMap<string, string>,
  at: string,
): ObservationEntry {
  const content = readText(row["content"]);
  const session = readText(row["session_id"]) || DEFAULT_MEMORY_SESSION;
  const created_at = readTime(row["created_at"]) ?? at;
  // A row keeps its uid across imports, even after an edit there.
  const known = readText(row["sync_id"]);
  const parts = known === "" ? [table, Number(row["id"]), created_at, session] : [table, known];
  return {
    kind: "observation",
    uid: createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 32),
    id: Math.max(1, Number(row["id"])),
    project: readText(row["project"]) || projects.get(session) || GENERAL_PROJECT,
    session,
    scope: readText(row["scope"]) === "personal" ? "personal" : "project",
    namespace: readText(row["namespace"]),
    type: readText(row["type"]) || "manual",
    topic_key: normalizeTopicKey(readText(row["topic_key"])) || undefined,
    source: readText(row["tool_name"]) || undefined,
    revision: readCount(row["revision_count"]),
    duplicates: readCount(row["duplicate_count"]),
    created_at,
    updated_at: readTime(row["updated_at"]) ?? created_at,
    deleted_at: readTime(row["deleted_at"]),
    title: readText(row["title"]).trim() || deriveTextTitle(content) || "Untitled",
    content,
    revisions: [],
  };
}

/** Foreign databases may hold split surrogate pairs and null characters; both are removed. */
function readText(value: unknown): string {
  const said = value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
  return typeof said === "string" ? said.toWellFormed().replaceAll("\0", "") : "";
}

const readCount = (value: unknown): number => Math.max(1, Math.floor(Number(value ?? 1)) || 1);

/** `2026-01-31 12:00:00` is UTC there. */
function readTime(value: unknown): string | undefined {
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)/.exec(readText(value));
  return match ? `${match[1]}T${match[2]}Z` : undefined;
}
