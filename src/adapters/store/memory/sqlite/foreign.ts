import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { DEFAULT_SESSION, PROMPT, titleFrom } from "#domain/memory/observation.ts";
import { NO_PROJECT } from "#domain/memory/project.ts";
import { normalTopicKey } from "#domain/memory/topic-key.ts";
import { badLine, type Entry } from "../entry.ts";
import type { Row } from "../../sqlite/database.ts";

/**
 * The `memory.db` of Hoofy or engram as entries. Both have the same tables; missing columns and tables count as empty.
 * The database is opened read-only and may be in use.
 */
export function* foreignEntries(file: string, at: string): Generator<Entry> {
  using db = openForeign(file);
  const rowsOf = (table: string): Iterable<Row> =>
    hasTable(db, table) ? (db.prepare(`SELECT * FROM ${table} ORDER BY id`).iterate() as Iterable<Row>) : [];
  const projects = new Map<string, string>();
  for (const row of rowsOf("sessions")) {
    const id = text(row["id"]);
    if (id === "") continue;
    projects.set(id, projectIn(row));
    const started = time(row["started_at"]) ?? at;
    const ended = time(row["ended_at"]);
    yield {
      kind: "session",
      project: projectIn(row),
      id,
      ...(text(row["directory"]) ? { directory: text(row["directory"]) } : {}),
      started_at: started,
      active_at: ended ?? started,
      ...(ended ? { ended_at: ended } : {}),
      ...(text(row["summary"]) ? { summary: text(row["summary"]) } : {}),
    };
  }
  const uids = new Map<number, string>();
  for (const row of rowsOf("observations")) {
    const entry = observationIn(row, projects, at);
    uids.set(Number(row["id"]), entry.uid);
    yield entry;
  }
  for (const row of rowsOf("user_prompts")) yield promptIn(row, projects, at);
  for (const row of rowsOf("relations")) {
    const [from, to] = [uids.get(Number(row["from_id"])), uids.get(Number(row["to_id"]))];
    if (from === undefined || to === undefined) continue;
    yield {
      kind: "relation",
      id: Number(row["id"]),
      from,
      to,
      type: text(row["type"]) || "relates_to",
      ...(text(row["note"]) ? { note: text(row["note"]) } : {}),
      created_at: time(row["created_at"]) ?? at,
    };
  }
}

function openForeign(file: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    if (hasTable(db, "observations") && hasTable(db, "sessions") && !hasTable(db, "project_places")) return db;
  } catch (error) {
    db?.close();
    throw badLine(file, 1, `SQLite says: ${error instanceof Error ? error.message : String(error)}.`);
  }
  const isOurs = hasTable(db, "project_places");
  db.close();
  throw badLine(file, 1, isOurs ? "It is a memory of Tenon itself: export it there first." : "It has no observations.");
}

const hasTable = (db: DatabaseSync, name: string): boolean =>
  db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined;

function observationIn(
  row: Row,
  projects: ReadonlyMap<string, string>,
  at: string,
): Extract<Entry, { kind: "observation" }> {
  const content = text(row["content"]);
  const session = text(row["session_id"]) || DEFAULT_SESSION;
  const created = time(row["created_at"]) ?? at;
  const topic = normalTopicKey(text(row["topic_key"]));
  const deleted = time(row["deleted_at"]);
  return {
    kind: "observation",
    uid: uidOf("observation", row, created, session),
    id: Math.max(1, Number(row["id"])),
    project: text(row["project"]) || projects.get(session) || NO_PROJECT,
    session,
    scope: text(row["scope"]) === "personal" ? "personal" : "project",
    namespace: text(row["namespace"]),
    type: text(row["type"]) || "manual",
    ...(topic === "" ? {} : { topic_key: topic }),
    ...(text(row["tool_name"]) ? { source: text(row["tool_name"]) } : {}),
    revision: count(row["revision_count"]),
    duplicates: count(row["duplicate_count"]),
    created_at: created,
    updated_at: time(row["updated_at"]) ?? created,
    ...(deleted ? { deleted_at: deleted } : {}),
    title: text(row["title"]).trim() || titleFrom(content) || "Untitled",
    content,
    revisions: [],
  };
}

function promptIn(row: Row, projects: ReadonlyMap<string, string>, at: string): Entry {
  const content = text(row["content"]);
  const session = text(row["session_id"]) || DEFAULT_SESSION;
  const created = time(row["created_at"]) ?? at;
  return {
    kind: "observation",
    uid: uidOf(PROMPT, row, created, session),
    id: Math.max(1, Number(row["id"])),
    project: text(row["project"]) || projects.get(session) || NO_PROJECT,
    session,
    scope: "project",
    namespace: text(row["namespace"]),
    type: PROMPT,
    revision: 1,
    duplicates: 1,
    created_at: created,
    updated_at: created,
    title: titleFrom(content) || "Untitled",
    content,
    revisions: [],
  };
}

const projectIn = (row: Row): string => text(row["project"]) || NO_PROJECT;

/** A row keeps its uid across imports, even after an edit there. */
function uidOf(table: string, row: Row, created: string, session: string): string {
  const known = text(row["sync_id"]);
  const parts = known === "" ? [table, Number(row["id"]), created, session] : [table, known];
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 32);
}

/** Foreign databases may hold split surrogate pairs and null characters; both are removed. */
function text(value: unknown): string {
  const said = value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
  return typeof said === "string" ? said.toWellFormed().replaceAll("\0", "") : "";
}

const count = (value: unknown): number => Math.max(1, Math.floor(Number(value ?? 1)) || 1);

/** `2026-01-31 12:00:00` is UTC there. */
function time(value: unknown): string | undefined {
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)/.exec(text(value));
  return match ? `${match[1]}T${match[2]}Z` : undefined;
}
