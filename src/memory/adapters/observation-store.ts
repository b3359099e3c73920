import type { DatabaseReader, DatabaseValue, SqliteDatabase } from "#kernel/adapters/sqlite-database.ts";
import { selectRows } from "#kernel/adapters/sqlite-database.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { Observation, ObservationRevision } from "../model/memory-records.ts";
import * as model from "../model/observation.ts";
import type { MemoryTopic, ObservationChange, ObservationDraft, SavedObservation } from "../operations/ports/memory.ts";
import { claimProjectNumber, claimSessionNumber, findProjectNumber } from "./memory-projects.ts";
import * as tables from "./memory-tables.ts";
import type { ObservationRow } from "./memory-tables.ts";

/** The same text within this time is a duplicate. */
const DUPLICATE_MS = 15 * 60_000;

export function readObservationRow(db: DatabaseReader, id: number): ObservationRow {
  const [row] = tables.selectObservationRows(db, "o.id = ?", id);
  if (!row) throw model.createUnknownObservationFault(id);
  return row;
}

export const readObservation = (db: DatabaseReader, id: number): Observation =>
  tables.toObservation(readObservationRow(db, id));

export function findTopicRow(db: DatabaseReader, topic: MemoryTopic): ObservationRow | undefined {
  const number = findProjectNumber(db, topic.project);
  if (number === undefined) return undefined;
  const where = "o.project = ? AND o.topic_key = ? AND o.scope = ? AND o.namespace = ? AND o.deleted_at IS NULL";
  return tables.selectObservationRows(db, where, number, topic.topic_key, topic.scope, topic.namespace)[0];
}

/** Updates the topic, else counts a duplicate, else adds a new observation. */
export function saveObservationDraft(db: SqliteDatabase, draft: ObservationDraft, at: string): SavedObservation {
  const { topic_key } = draft;
  const project_no = claimProjectNumber(db, draft.project, at);
  const session_no = claimSessionNumber(db, project_no, draft.session, at);
  const present = topic_key === undefined ? undefined : findTopicRow(db, { ...draft, topic_key });
  const content = typeof draft.content === "string" ? draft.content : draft.content(present?.content);
  const text = { ...draft, content };
  const repeated = present ? undefined : countRepetition(db, project_no, text, at);
  const id = present?.id ?? repeated ?? reserveObservationId(db);
  let action: SavedObservation["action"] = repeated === undefined ? "created" : "duplicate";
  if (present) action = reviseObservation(db, present, { ...text, source: draft.source ?? null }, at);
  else if (repeated === undefined) {
    const uid = crypto.getRandomValues(new Uint8Array(16));
    const fresh = { id, uid, project_no, session_no, revision: 1, duplicates: 1, created_at: at, updated_at: at };
    addObservationRow(db, { ...text, ...fresh });
  }
  return { action, observation: readObservation(db, id), ...relateDraft(db, id, draft, at) };
}

type ObservationText = Pick<Observation, "type" | "title" | "content"> & { readonly source?: string | null };

function reviseObservation(db: SqliteDatabase, row: ObservationRow, text: ObservationText, at: string) {
  if (row.title !== text.title || row.content !== text.content || row.type !== text.type) {
    replaceObservationText(db, row, text, at);
    return "updated";
  }
  // A repetition that names a source takes that source over, so the text is not trusted more than its last origin.
  const repeat = "UPDATE observations SET duplicates = duplicates + 1, source = coalesce(?, source) WHERE id = ?";
  db.run(repeat, text.source ?? null, row.id);
  return "unchanged";
}

export function replaceObservationText(
  db: SqliteDatabase,
  row: ObservationRow,
  text: ObservationText,
  at: string,
): void {
  const { type, title, content, source = row.source ?? null } = text;
  const columns = "id, revision, type, title, content, updated_at, source";
  db.run(`INSERT INTO revisions SELECT ${columns} FROM observations WHERE id = ?`, row.id);
  const replace = `UPDATE observations SET type = ?, title = ?, content = ?, hash = ?, source = ?,
     revision = revision + 1, updated_at = max(updated_at, ?) WHERE id = ?`;
  db.run(replace, type, title, content, tables.hashObservationContent(content), source, at, row.id);
  if (row.deleted_at !== undefined) return;
  tables.dropIndexTerms(db, row.place, row.type);
  tables.addIndexTerms(db, row.place, text);
}

function countRepetition(
  db: SqliteDatabase,
  project: number,
  draft: ObservationDraft & { readonly content: string },
  at: string,
): number | undefined {
  const { topic_key, isOnce, content, scope, namespace, type, title } = draft;
  if (topic_key !== undefined) return undefined;
  const past = new Date(Date.parse(at) - DUPLICATE_MS).toISOString().replace(/\.\d+Z$/, "Z");
  const sql = `UPDATE observations SET duplicates = duplicates + 1 WHERE id = (
    SELECT id FROM observations WHERE hash = ? AND project = ? AND scope = ? AND namespace = ? AND type = ?
    AND title = ? AND created_at >= ? AND deleted_at IS NULL ORDER BY id DESC LIMIT 1
  ) RETURNING id`;
  const hash = tables.hashObservationContent(content);
  const [row] = db.all(sql, hash, project, scope, namespace, type, title, isOnce ? "" : past);
  return row && Number(row["id"]);
}

/** The wanted id if it is free, else the next one. */
export function reserveObservationId(db: SqliteDatabase, wanted?: number): number {
  const isFree = wanted !== undefined && db.all("SELECT 1 FROM observations WHERE id = ?", wanted).length === 0;
  const raise = isFree ? "max(value, excluded.value)" : "value + 1";
  const sql = `INSERT INTO counters VALUES ('observation', ?) ON CONFLICT (name) DO UPDATE SET value = ${raise} RETURNING value`;
  const [row] = db.all(sql, isFree ? wanted : 1);
  return isFree ? wanted : Number(row?.["value"]);
}

const OBSERVATION_COLUMNS = [
  ...(["place", "id", "uid", "project", "session", "scope", "namespace", "type", "topic_key", "revision"] as const),
  ...(["duplicates", "created_at", "updated_at", "deleted_at", "hash", "source", "title", "content"] as const),
];

export function addObservationRow(
  db: SqliteDatabase,
  row: Omit<ObservationRow, "place" | "project" | "session">,
): void {
  const { project_no: project, session_no: session } = row;
  const place = allocateRowPlace(db, project);
  adjustSessionCount(db, session, 1);
  const full = { ...row, project, session, place, hash: tables.hashObservationContent(row.content) };
  db.run(
    `INSERT INTO observations (${OBSERVATION_COLUMNS.join(", ")}) VALUES (?${", ?".repeat(17)})`,
    ...OBSERVATION_COLUMNS.map((column): DatabaseValue => full[column] ?? null),
  );
  if (row.deleted_at === undefined) tables.addIndexTerms(db, place, row);
}

function allocateRowPlace(db: SqliteDatabase, project: number): bigint {
  const [row] = db.all("UPDATE projects SET last_row = last_row + 1 WHERE no = ? RETURNING last_row", project);
  return tables.formatRowPlace(project, Number(row?.["last_row"]));
}

/** Sessions store their row count, because counting gets slower with size. */
function adjustSessionCount(db: SqliteDatabase, session: number, more: 1 | -1): void {
  db.run("UPDATE sessions SET rows = rows + ? WHERE no = ?", more, session);
}

/** A relation that cannot be made is a warning; the text is saved anyway. */
function relateDraft(db: SqliteDatabase, id: number, draft: ObservationDraft, at: string) {
  const warnings: string[] = [];
  let related = 0;
  const old = draft.supersedes && findTopicRow(db, draft.supersedes);
  if (old && old.id !== id) insertRelation(db, { from: id, to: old.id, type: model.SUPERSEDES_RELATION }, at);
  for (const to of draft.relate_to ?? []) {
    const [row] = db.all("SELECT deleted_at FROM observations WHERE id = ?", to);
    if (to === id) warnings.push(`#${to} is the observation itself`);
    else if (!row) warnings.push(`#${to} does not exist`);
    else if (row["deleted_at"] !== null) warnings.push(`#${to} is deleted`);
    else related += insertRelation(db, { from: id, to, type: "relates_to" }, at);
  }
  return { related, warnings };
}

export function insertRelation(
  db: SqliteDatabase,
  { id, from, to, type, note }: { id?: number; from: number; to: number; type: string; note?: string | undefined },
  at: string,
): number {
  const sql = `INSERT INTO relations (id, from_id, to_id, type, note, created_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING RETURNING id`;
  return db.all(sql, id ?? null, from, to, type, note ?? null, at).length;
}

/** Changes the text, and the project, scope or topic. In a new project it joins the session of the same name. */
export function updateObservation(db: SqliteDatabase, id: number, change: ObservationChange, at: string): Observation {
  const row = readObservationRow(db, id);
  if (row.deleted_at !== undefined) throw model.createDeletedObservationFault(row);
  const { title = row.title, content = row.content, type = row.type, scope = row.scope } = change;
  if (change.title !== undefined || change.content !== undefined || change.type !== undefined)
    reviseObservation(db, row, { title, content, type }, at);
  const project_no = change.project === undefined ? row.project_no : claimProjectNumber(db, change.project, at);
  const topic_key = change.topic_key === undefined ? row.topic_key : change.topic_key || undefined;
  assertTopicFree(db, { ...row, project_no, scope, topic_key });
  const move = "UPDATE observations SET scope = ?, topic_key = ?, updated_at = max(updated_at, ?) WHERE id = ?";
  db.run(move, scope, topic_key ?? null, at, id);
  if (project_no !== row.project_no) {
    const session = claimSessionNumber(db, project_no, row.session, at);
    const place = allocateRowPlace(db, project_no);
    tables.dropIndexTerms(db, row.place, type);
    adjustSessionCount(db, row.session_no, -1);
    adjustSessionCount(db, session, 1);
    db.run("UPDATE observations SET place = ?, project = ?, session = ? WHERE id = ?", place, project_no, session, id);
    tables.addIndexTerms(db, place, readObservation(db, id));
  }
  return readObservation(db, id);
}

function assertTopicFree(db: DatabaseReader, row: ObservationRow): void {
  const holder = findTopicHolder(db, row);
  if (holder === undefined) return;
  throw new Fault("memory.topic-taken", {
    what: `The topic key ${row.topic_key} cannot be given to a second observation.`,
    why: `Observation #${holder} has it.`,
    fix: { operation: "memory.get", input: { id: holder } },
  });
}

/** The other live observation with the topic of this row. */
export function findTopicHolder(db: DatabaseReader, row: ObservationRow): number | undefined {
  if (row.topic_key === undefined) return undefined;
  const where = "project = ? AND topic_key = ? AND scope = ? AND namespace = ? AND deleted_at IS NULL AND id <> ?";
  const sql = `SELECT id FROM observations WHERE ${where}`;
  const [holder] = db.all(sql, row.project_no, row.topic_key, row.scope, row.namespace, row.id);
  return holder && Number(holder["id"]);
}

export function softDeleteObservation(db: SqliteDatabase, row: ObservationRow, at: string): void {
  if (row.deleted_at !== undefined) return;
  db.run("UPDATE observations SET deleted_at = ? WHERE id = ?", at, row.id);
  tables.dropIndexTerms(db, row.place, row.type);
}

/** An import does not bring it back, and its words remain in no page of the file. */
export function destroyObservation(db: SqliteDatabase, row: ObservationRow, at: string): void {
  const revisions = selectRows<ObservationRevision>(db, `${tables.SELECT_REVISIONS} WHERE observation = ?`, row.id);
  if (row.deleted_at === undefined) tables.dropIndexTerms(db, row.place, row.type);
  adjustSessionCount(db, row.session_no, -1);
  db.run("INSERT OR IGNORE INTO gone VALUES (?, ?, NULL)", row.uid, at);
  // Observations merged into it are gone too.
  db.run("UPDATE gone SET heir = NULL WHERE heir = ?", row.id);
  db.run("DELETE FROM observations WHERE id = ?", row.id);
  tables.dropVocabularyTerms(db, [row, ...revisions]);
}

/** A restore counts as a change, so an older deletion from an import has no effect. */
export function restoreObservation(db: SqliteDatabase, id: number, at: string): Observation {
  const row = readObservationRow(db, id);
  if (row.deleted_at !== undefined) {
    assertTopicFree(db, row);
    db.run("UPDATE observations SET deleted_at = NULL, updated_at = max(updated_at, ?) WHERE id = ?", at, id);
    tables.addIndexTerms(db, row.place, row);
  }
  return readObservation(db, id);
}
