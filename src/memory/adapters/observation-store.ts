import type { DatabaseReader, DatabaseRow, DatabaseValue, SqliteDatabase } from "#kernel/adapters/sqlite-database.ts";
import type { Observation, ObservationRelation } from "../model/memory-records.ts";
import {
  createBadRelationFault,
  createDeletedObservationFault,
  createTakenTopicFault,
  createUnknownObservationFault,
  createUnknownRelationFault,
  DUPLICATE_MINUTES,
  RELATES_TO_RELATION,
  SUPERSEDES_RELATION,
} from "../model/observation.ts";
import type { MemoryTopic, ObservationChange, ObservationDraft, SavedObservation } from "../operations/ports/memory.ts";
import { claimProjectNumber, claimSessionNumber, findProjectNumber } from "./memory-projects.ts";
import {
  addIndexTerms,
  dropIndexTerms,
  dropVocabularyTerms,
  formatRowPlace,
  hashObservationContent,
  nextCounterValue,
  readOptionalText,
  SELECT_OBSERVATIONS,
  toObservation,
} from "./memory-tables.ts";

const MINUTE_MS = 60_000;

export function readObservationRow(db: SqliteDatabase, id: number): DatabaseRow {
  const [row] = db.all(`${SELECT_OBSERVATIONS} WHERE o.id = ?`, id);
  if (!row) throw createUnknownObservationFault(id);
  return row;
}

export const readObservation = (db: SqliteDatabase, id: number): Observation =>
  toObservation(readObservationRow(db, id));

export function findTopicRow(
  db: DatabaseReader,
  { project, topic_key, scope, namespace }: MemoryTopic,
): DatabaseRow | undefined {
  const number = findProjectNumber(db, project);
  if (number === undefined) return undefined;
  const where = "o.project = ? AND o.topic_key = ? AND o.scope = ? AND o.namespace = ? AND o.deleted_at IS NULL";
  return db.all(`${SELECT_OBSERVATIONS} WHERE ${where}`, number, topic_key, scope, namespace)[0];
}

/** Updates the topic, else counts a duplicate, else adds a new observation. */
export function saveObservationDraft(db: SqliteDatabase, draft: ObservationDraft, at: string): SavedObservation {
  const { topic_key } = draft;
  const project = claimProjectNumber(db, draft.project, at);
  const session = claimSessionNumber(db, project, draft.session, at);
  const present = topic_key === undefined ? undefined : findTopicRow(db, { ...draft, topic_key });
  const content =
    typeof draft.content === "string" ? draft.content : draft.content(readOptionalText(present?.["content"]));
  const text = { ...draft, content };
  const kept = present
    ? reviseObservation(db, present, { ...text, source: draft.source ?? null }, at)
    : (countRepetition(db, project, text, at) ?? insertObservation(db, { ...text, project, session }, at));
  return { action: kept.action, observation: readObservation(db, kept.id), ...relateDraft(db, kept.id, draft, at) };
}

type SaveOutcome = { readonly id: number; readonly action: SavedObservation["action"] };
type ResolvedDraft = Omit<ObservationDraft, "content"> & { readonly content: string };
type ObservationText = Pick<Observation, "type" | "title" | "content"> & { readonly source?: string | null };

function reviseObservation(db: SqliteDatabase, row: DatabaseRow, text: ObservationText, at: string): SaveOutcome {
  const id = Number(row["id"]);
  const isSame = row["title"] === text.title && row["content"] === text.content && row["type"] === text.type;
  // A repetition that names a source takes that source over, so the text is not trusted more than its last origin.
  const repeat = "UPDATE observations SET duplicates = duplicates + 1, source = coalesce(?, source) WHERE id = ?";
  if (isSame) db.run(repeat, text.source ?? null, id);
  else replaceObservationText(db, row, text, at);
  return { id, action: isSame ? "unchanged" : "updated" };
}

export function replaceObservationText(db: SqliteDatabase, row: DatabaseRow, text: ObservationText, at: string): void {
  const id = Number(row["id"]);
  const { type, title, content, source = readOptionalText(row["source"]) ?? null } = text;
  const columns = "id, revision, type, title, content, updated_at, source";
  db.run(`INSERT INTO revisions SELECT ${columns} FROM observations WHERE id = ?`, id);
  const replace = `UPDATE observations SET type = ?, title = ?, content = ?, hash = ?, source = ?,
     revision = revision + 1, updated_at = max(updated_at, ?) WHERE id = ?`;
  db.run(replace, type, title, content, hashObservationContent(content), source, at, id);
  if (row["deleted_at"] !== null) return;
  const place = BigInt(Number(row["place"]));
  dropIndexTerms(db, place, String(row["type"]));
  addIndexTerms(db, place, text);
}

const COUNT_REPETITION = `
  UPDATE observations SET duplicates = duplicates + 1 WHERE id = (
    SELECT id FROM observations WHERE hash = ? AND project = ? AND scope = ? AND namespace = ? AND type = ?
    AND title = ? AND created_at >= ? AND deleted_at IS NULL ORDER BY id DESC LIMIT 1
  ) RETURNING id`;

function countRepetition(
  db: SqliteDatabase,
  project: number,
  { topic_key, isOnce, content, scope, namespace, type, title }: ResolvedDraft,
  at: string,
): SaveOutcome | undefined {
  if (topic_key !== undefined) return undefined;
  const past = new Date(Date.parse(at) - DUPLICATE_MINUTES * MINUTE_MS).toISOString().replace(/\.\d+Z$/, "Z");
  const hash = hashObservationContent(content);
  const [row] = db.all(COUNT_REPETITION, hash, project, scope, namespace, type, title, isOnce ? "" : past);
  return row && { id: Number(row["id"]), action: "duplicate" };
}

type NewObservation = Omit<Observation, "project" | "session"> & {
  readonly uid: Uint8Array;
  readonly project: number;
  readonly session: number;
};
type DraftedText = Pick<NewObservation, "project" | "session" | "scope" | "namespace" | "type" | "title" | "content">;

function insertObservation(
  db: SqliteDatabase,
  draft: DraftedText & Pick<ResolvedDraft, "topic_key" | "source">,
  at: string,
): SaveOutcome {
  const id = nextCounterValue(db, "observation");
  const uid = crypto.getRandomValues(new Uint8Array(16));
  addObservationRow(db, { ...draft, id, uid, revision: 1, duplicates: 1, created_at: at, updated_at: at });
  return { id, action: "created" };
}

const OBSERVATION_COLUMNS = [
  ...(["place", "id", "uid", "project", "session", "scope", "namespace", "type", "topic_key", "revision"] as const),
  ...(["duplicates", "created_at", "updated_at", "deleted_at", "hash", "source", "title", "content"] as const),
];

export function addObservationRow(db: SqliteDatabase, row: NewObservation): void {
  const place = allocateRowPlace(db, row.project);
  adjustSessionCount(db, row.session, 1);
  const full = { ...row, place, hash: hashObservationContent(row.content) };
  db.run(
    `INSERT INTO observations (${OBSERVATION_COLUMNS.join(", ")}) VALUES (?${", ?".repeat(17)})`,
    ...OBSERVATION_COLUMNS.map((column): DatabaseValue => full[column] ?? null),
  );
  if (row.deleted_at === undefined) addIndexTerms(db, place, row);
}

function allocateRowPlace(db: SqliteDatabase, project: number): bigint {
  const [row] = db.all("UPDATE projects SET last_row = last_row + 1 WHERE no = ? RETURNING last_row", project);
  return formatRowPlace(project, Number(row?.["last_row"]));
}

/** Sessions store their row count, because counting gets slower with size. */
function adjustSessionCount(db: SqliteDatabase, session: number, more: 1 | -1): void {
  db.run("UPDATE sessions SET rows = rows + ? WHERE no = ?", more, session);
}

/** A relation that cannot be made is a warning; the text is saved anyway. */
function relateDraft(
  db: SqliteDatabase,
  id: number,
  draft: ObservationDraft,
  at: string,
): Pick<SavedObservation, "related" | "warnings"> {
  const warnings: string[] = [];
  let related = 0;
  const old = draft.supersedes && findTopicRow(db, draft.supersedes);
  if (old && Number(old["id"]) !== id)
    insertRelation(db, { from: id, to: Number(old["id"]), type: SUPERSEDES_RELATION }, at);
  for (const to of draft.relate_to ?? []) {
    const [row] = db.all("SELECT deleted_at FROM observations WHERE id = ?", to);
    if (to === id) warnings.push(`#${to} is the observation itself`);
    else if (!row) warnings.push(`#${to} does not exist`);
    else if (row["deleted_at"] !== null) warnings.push(`#${to} is deleted`);
    else related += insertRelation(db, { from: id, to, type: RELATES_TO_RELATION }, at);
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

function toRelation(row: DatabaseRow): ObservationRelation {
  return {
    id: Number(row["id"]),
    from_id: Number(row["from_id"]),
    to_id: Number(row["to_id"]),
    type: String(row["type"]),
    note: readOptionalText(row["note"]),
  };
}

export function addObservationRelation(
  db: SqliteDatabase,
  { from_id, to_id, type, note }: Omit<ObservationRelation, "id">,
  isBidirectional: boolean,
  at: string,
): ObservationRelation[] {
  if (from_id === to_id) throw createBadRelationFault(`#${from_id} cannot be related to itself.`);
  for (const id of [from_id, to_id]) {
    const observation = readObservation(db, id);
    if (observation.deleted_at !== undefined) throw createDeletedObservationFault(observation);
  }
  const made = insertRelation(db, { from: from_id, to: to_id, type, note }, at);
  const back = isBidirectional ? insertRelation(db, { from: to_id, to: from_id, type, note }, at) : 0;
  if (made + back === 0) throw createBadRelationFault(`#${from_id} ${type} #${to_id} is known already.`);
  const either = "(from_id = ? AND to_id = ?) OR (? AND from_id = ? AND to_id = ?)";
  const sql = `SELECT * FROM relations WHERE type = ? AND (${either}) ORDER BY id`;
  return db.all(sql, type, from_id, to_id, isBidirectional ? 1 : 0, to_id, from_id).map(toRelation);
}

export function removeObservationRelation(db: SqliteDatabase, id: number): ObservationRelation {
  const [row] = db.all("DELETE FROM relations WHERE id = ? RETURNING *", id);
  if (!row) throw createUnknownRelationFault(id);
  return toRelation(row);
}

export function listRelations(db: DatabaseReader, ids: readonly number[]): ObservationRelation[] {
  const sql = "SELECT * FROM relations WHERE from_id = ? UNION SELECT * FROM relations WHERE to_id = ?";
  const found = ids.flatMap((id) => db.all(sql, id, id).map(toRelation));
  return [...new Map(found.map((relation) => [relation.id, relation])).values()].toSorted((a, b) => a.id - b.id);
}

export function updateObservation(db: SqliteDatabase, id: number, change: ObservationChange, at: string): Observation {
  const row = readObservationRow(db, id);
  const before = toObservation(row);
  if (before.deleted_at !== undefined) throw createDeletedObservationFault(before);
  const { title = before.title, content = before.content, type = before.type } = change;
  if (change.title !== undefined || change.content !== undefined || change.type !== undefined) {
    reviseObservation(db, row, { title, content, type }, at);
  }
  moveObservation(db, row, change, at);
  return readObservation(db, id);
}

/** Changes project, scope or topic. In a new project it joins the session of the same name. */
function moveObservation(db: SqliteDatabase, row: DatabaseRow, change: ObservationChange, at: string): void {
  const id = Number(row["id"]);
  const project = change.project === undefined ? Number(row["project"]) : claimProjectNumber(db, change.project, at);
  const scope = change.scope ?? String(row["scope"]);
  const topic_key =
    change.topic_key === undefined ? (readOptionalText(row["topic_key"]) ?? null) : change.topic_key || null;
  assertTopicFree(db, { ...row, project, scope, topic_key });
  const move = "UPDATE observations SET scope = ?, topic_key = ?, updated_at = max(updated_at, ?) WHERE id = ?";
  db.run(move, scope, topic_key, at, id);
  if (project === Number(row["project"])) return;
  const session = claimSessionNumber(db, project, String(row["session_id"]), at);
  const place = allocateRowPlace(db, project);
  const type = change.type ?? String(row["type"]);
  dropIndexTerms(db, BigInt(Number(row["place"])), type);
  adjustSessionCount(db, Number(row["session"]), -1);
  adjustSessionCount(db, session, 1);
  db.run("UPDATE observations SET place = ?, project = ?, session = ? WHERE id = ?", place, project, session, id);
  addIndexTerms(db, place, readObservation(db, id));
}

function assertTopicFree(db: DatabaseReader, row: DatabaseRow): void {
  const holder = findTopicHolder(db, row);
  if (holder !== undefined) throw createTakenTopicFault(String(row["topic_key"]), holder);
}

/** The other live observation with the topic of this row. */
export function findTopicHolder(db: DatabaseReader, row: DatabaseRow): number | undefined {
  const topic_key = readOptionalText(row["topic_key"]);
  if (topic_key === undefined) return undefined;
  const [project, scope, namespace] = [Number(row["project"]), String(row["scope"]), String(row["namespace"])];
  const where = "project = ? AND topic_key = ? AND scope = ? AND namespace = ? AND deleted_at IS NULL AND id <> ?";
  const sql = `SELECT id FROM observations WHERE ${where}`;
  const [holder] = db.all(sql, project, topic_key, scope, namespace, Number(row["id"]));
  return holder && Number(holder["id"]);
}

export function softDeleteObservation(db: SqliteDatabase, row: DatabaseRow, at: string): void {
  if (row["deleted_at"] !== null) return;
  db.run("UPDATE observations SET deleted_at = ? WHERE id = ?", at, Number(row["id"]));
  dropIndexTerms(db, BigInt(Number(row["place"])), String(row["type"]));
}

/**
 * Deletes an observation with its revisions and relations. An import does not bring it back, and its words remain in no
 * page of the file.
 */
export function destroyObservation(db: SqliteDatabase, row: DatabaseRow, at: string): void {
  const texts = db.all("SELECT title, content FROM revisions WHERE observation = ?", Number(row["id"]));
  const words = [row, ...texts].map((text) => `${String(text["title"])}\n${String(text["content"])}`).join("\n");
  if (row["deleted_at"] === null) dropIndexTerms(db, BigInt(Number(row["place"])), String(row["type"]));
  adjustSessionCount(db, Number(row["session"]), -1);
  db.run("INSERT OR IGNORE INTO gone VALUES (?, ?, NULL)", row["uid"] as Uint8Array, at);
  // Observations merged into it are gone too.
  db.run("UPDATE gone SET heir = NULL WHERE heir = ?", Number(row["id"]));
  db.run("DELETE FROM observations WHERE id = ?", Number(row["id"]));
  dropVocabularyTerms(db, words);
}

export function destroySourceRevisions(db: SqliteDatabase, source: string, project: number | undefined): void {
  const sql = `DELETE FROM revisions WHERE source = ?
     AND (? IS NULL OR observation IN (SELECT id FROM observations WHERE project = ?)) RETURNING title, content`;
  for (const row of db.all(sql, source, project ?? null, project ?? null))
    dropVocabularyTerms(db, `${String(row["title"])}\n${String(row["content"])}`);
}

export function removeObservation(db: SqliteDatabase, id: number, isHard: boolean, at: string): Observation {
  const row = readObservationRow(db, id);
  const observation = toObservation(row);
  if (isHard) {
    destroyObservation(db, row, at);
    return observation;
  }
  if (observation.deleted_at !== undefined) throw createDeletedObservationFault(observation);
  softDeleteObservation(db, row, at);
  return readObservation(db, id);
}

/** A restore counts as a change, so an older deletion from an import has no effect. */
export function restoreObservation(db: SqliteDatabase, id: number, at: string): Observation {
  const row = readObservationRow(db, id);
  const observation = toObservation(row);
  if (observation.deleted_at === undefined) return observation;
  assertTopicFree(db, row);
  db.run("UPDATE observations SET deleted_at = NULL, updated_at = max(updated_at, ?) WHERE id = ?", at, id);
  addIndexTerms(db, BigInt(Number(row["place"])), observation);
  return readObservation(db, id);
}
