import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import type { DatabaseRow } from "#kernel/adapters/sqlite-database.ts";
import { GENERAL_PROJECT } from "#kernel/model/project-identity.ts";
import type { MemoryEntry, ObservationEntry } from "../model/memory-records.ts";
import { DEFAULT_MEMORY_SESSION, deriveTextTitle, PROMPT_TYPE } from "../model/observation.ts";
import { normalizeTopicKey } from "../model/topic-key.ts";
import { createBadLineFault } from "./memory-lines.ts";

/**
 * The `memory.db` of Hoofy or engram as entries. Both have the same tables; missing columns and tables count as empty.
 * The database is opened read-only and may be in use.
 */
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
    yield {
      kind: "relation",
      id: Number(row["id"]),
      from,
      to,
      type,
      note,
      created_at: readTime(row["created_at"]) ?? at,
    };
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
  return {
    kind: "observation",
    uid: createForeignUid(table, row, created_at, session),
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

/** A row keeps its uid across imports, even after an edit there. */
function createForeignUid(table: string, row: DatabaseRow, created: string, session: string): string {
  const known = readText(row["sync_id"]);
  const parts = known === "" ? [table, Number(row["id"]), created, session] : [table, known];
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 32);
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
