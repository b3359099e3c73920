import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { DEFAULT_MEMORY_SESSION, PROMPT_TYPE, deriveTextTitle } from "#domain/memory/observation.ts";
import { GENERAL_PROJECT } from "#domain/memory/project.ts";
import { normalizeTopicKey } from "#domain/memory/topic-key.ts";
import { createBadLineFault, type MemoryEntry } from "../entry.ts";
import type { DatabaseRow } from "../../sqlite/database.ts";

/**
 * The `memory.db` of Hoofy or engram as entries. Both have the same tables; missing columns and tables count as empty.
 * The database is opened read-only and may be in use.
 */
export function* readForeignEntries(file: string, at: string): Generator<MemoryEntry> {
  using db = openForeignDatabase(file);
  const rowsOf = (table: string): Iterable<DatabaseRow> =>
    hasDatabaseTable(db, table)
      ? (db.prepare(`SELECT * FROM ${table} ORDER BY id`).iterate() as Iterable<DatabaseRow>)
      : [];
  const projects = new Map<string, string>();
  for (const row of rowsOf("sessions")) {
    const id = readForeignText(row["id"]);
    if (id === "") continue;
    projects.set(id, readForeignProject(row));
    const started = readForeignTime(row["started_at"]) ?? at;
    const ended = readForeignTime(row["ended_at"]);
    yield {
      kind: "session",
      project: readForeignProject(row),
      id,
      ...(readForeignText(row["directory"]) ? { directory: readForeignText(row["directory"]) } : {}),
      started_at: started,
      active_at: ended ?? started,
      ...(ended ? { ended_at: ended } : {}),
      ...(readForeignText(row["summary"]) ? { summary: readForeignText(row["summary"]) } : {}),
    };
  }
  const uids = new Map<number, string>();
  for (const row of rowsOf("observations")) {
    const entry = toForeignObservation(row, projects, at);
    uids.set(Number(row["id"]), entry.uid);
    yield entry;
  }
  for (const row of rowsOf("user_prompts")) yield toForeignPrompt(row, projects, at);
  for (const row of rowsOf("relations")) {
    const [from, to] = [uids.get(Number(row["from_id"])), uids.get(Number(row["to_id"]))];
    if (from === undefined || to === undefined) continue;
    yield {
      kind: "relation",
      id: Number(row["id"]),
      from,
      to,
      type: readForeignText(row["type"]) || "relates_to",
      ...(readForeignText(row["note"]) ? { note: readForeignText(row["note"]) } : {}),
      created_at: readForeignTime(row["created_at"]) ?? at,
    };
  }
}

function openForeignDatabase(file: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    if (
      hasDatabaseTable(db, "observations") &&
      hasDatabaseTable(db, "sessions") &&
      !hasDatabaseTable(db, "project_places")
    )
      return db;
  } catch (error) {
    db?.close();
    throw createBadLineFault(file, 1, `SQLite says: ${error instanceof Error ? error.message : String(error)}.`);
  }
  const isOurs = hasDatabaseTable(db, "project_places");
  db.close();
  throw createBadLineFault(
    file,
    1,
    isOurs ? "It is a memory of Tenon itself: export it there first." : "It has no observations.",
  );
}

const hasDatabaseTable = (db: DatabaseSync, name: string): boolean =>
  db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined;

function toForeignObservation(
  row: DatabaseRow,
  projects: ReadonlyMap<string, string>,
  at: string,
): Extract<MemoryEntry, { kind: "observation" }> {
  const content = readForeignText(row["content"]);
  const session = readForeignText(row["session_id"]) || DEFAULT_MEMORY_SESSION;
  const created = readForeignTime(row["created_at"]) ?? at;
  const topic = normalizeTopicKey(readForeignText(row["topic_key"]));
  const deleted = readForeignTime(row["deleted_at"]);
  return {
    kind: "observation",
    uid: createForeignUid("observation", row, created, session),
    id: Math.max(1, Number(row["id"])),
    project: readForeignText(row["project"]) || projects.get(session) || GENERAL_PROJECT,
    session,
    scope: readForeignText(row["scope"]) === "personal" ? "personal" : "project",
    namespace: readForeignText(row["namespace"]),
    type: readForeignText(row["type"]) || "manual",
    ...(topic === "" ? {} : { topic_key: topic }),
    ...(readForeignText(row["tool_name"]) ? { source: readForeignText(row["tool_name"]) } : {}),
    revision: readForeignCount(row["revision_count"]),
    duplicates: readForeignCount(row["duplicate_count"]),
    created_at: created,
    updated_at: readForeignTime(row["updated_at"]) ?? created,
    ...(deleted ? { deleted_at: deleted } : {}),
    title: readForeignText(row["title"]).trim() || deriveTextTitle(content) || "Untitled",
    content,
    revisions: [],
  };
}

function toForeignPrompt(row: DatabaseRow, projects: ReadonlyMap<string, string>, at: string): MemoryEntry {
  const content = readForeignText(row["content"]);
  const session = readForeignText(row["session_id"]) || DEFAULT_MEMORY_SESSION;
  const created = readForeignTime(row["created_at"]) ?? at;
  return {
    kind: "observation",
    uid: createForeignUid(PROMPT_TYPE, row, created, session),
    id: Math.max(1, Number(row["id"])),
    project: readForeignText(row["project"]) || projects.get(session) || GENERAL_PROJECT,
    session,
    scope: "project",
    namespace: readForeignText(row["namespace"]),
    type: PROMPT_TYPE,
    revision: 1,
    duplicates: 1,
    created_at: created,
    updated_at: created,
    title: deriveTextTitle(content) || "Untitled",
    content,
    revisions: [],
  };
}

const readForeignProject = (row: DatabaseRow): string => readForeignText(row["project"]) || GENERAL_PROJECT;

/** A row keeps its uid across imports, even after an edit there. */
function createForeignUid(table: string, row: DatabaseRow, created: string, session: string): string {
  const known = readForeignText(row["sync_id"]);
  const parts = known === "" ? [table, Number(row["id"]), created, session] : [table, known];
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 32);
}

/** Foreign databases may hold split surrogate pairs and null characters; both are removed. */
function readForeignText(value: unknown): string {
  const said = value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
  return typeof said === "string" ? said.toWellFormed().replaceAll("\0", "") : "";
}

const readForeignCount = (value: unknown): number => Math.max(1, Math.floor(Number(value ?? 1)) || 1);

/** `2026-01-31 12:00:00` is UTC there. */
function readForeignTime(value: unknown): string | undefined {
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)/.exec(readForeignText(value));
  return match ? `${match[1]}T${match[2]}Z` : undefined;
}
