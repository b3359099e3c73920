import {
  DUPLICATE_MINUTES,
  type Observation,
  RELATES_TO_RELATION,
  SUPERSEDES_RELATION,
  createDeletedObservationFault,
  createTakenTopicFault,
  createUnknownObservationFault,
} from "../model/observation.ts";
import type { ObservationChange, ObservationDraft, SavedObservation, MemoryTopic } from "../operations/ports/memory.ts";
import type { SqliteDatabase, DatabaseReader, DatabaseRow } from "#kernel/adapters/sqlite-database.ts";
import { claimProjectNumber, claimSessionNumber, findProjectNumber } from "./memory-projects.ts";
import {
  addIndexTerms,
  dropIndexTerms,
  hashObservationContent,
  createObservationUid,
  nextCounterValue,
  SELECT_OBSERVATIONS,
  toObservation,
  formatRowPlace,
  dropVocabularyTerms,
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
  const project = claimProjectNumber(db, draft.project, at);
  const session = claimSessionNumber(db, project, draft.session, at);
  const present =
    draft.topic_key === undefined ? undefined : findTopicRow(db, { ...draft, topic_key: draft.topic_key });
  const content =
    typeof draft.content === "string"
      ? draft.content
      : draft.content(present === undefined ? undefined : String(present["content"]));
  const text = { ...draft, content };
  const kept = present
    ? reviseObservation(db, present, { ...text, source: draft.source ?? null }, at)
    : (countRepetition(db, project, text, at) ?? insertObservation(db, { project, session }, text, at));
  return { action: kept.action, observation: readObservation(db, kept.id), ...relateDraft(db, kept.id, draft, at) };
}

type SaveOutcome = { readonly id: number; readonly action: SavedObservation["action"] };
type ResolvedDraft = Omit<ObservationDraft, "content"> & { readonly content: string };

interface ObservationText {
  readonly type: string;
  readonly title: string;
  readonly content: string;
  readonly source?: string | null;
}

function reviseObservation(db: SqliteDatabase, row: DatabaseRow, text: ObservationText, at: string): SaveOutcome {
  const id = Number(row["id"]);
  const isSame = row["title"] === text.title && row["content"] === text.content && row["type"] === text.type;
  // A repetition that names a source takes that source over, so the text is not trusted more than its last origin.
  if (isSame)
    db.run(
      "UPDATE observations SET duplicates = duplicates + 1, source = coalesce(?, source) WHERE id = ?",
      text.source ?? null,
      id,
    );
  else replaceObservationText(db, row, text, at);
  return { id, action: isSame ? "unchanged" : "updated" };
}

export function replaceObservationText(db: SqliteDatabase, row: DatabaseRow, text: ObservationText, at: string): void {
  const id = Number(row["id"]);
  db.run(
    `INSERT INTO revisions SELECT id, revision, type, title, content, updated_at, source FROM observations WHERE id = ?`,
    id,
  );
  db.run(
    `UPDATE observations SET type = ?, title = ?, content = ?, hash = ?, source = ?, revision = revision + 1,
     updated_at = max(updated_at, ?) WHERE id = ?`,
    text.type,
    text.title,
    text.content,
    hashObservationContent(text.content),
    text.source === undefined ? ((row["source"] as string | null) ?? null) : text.source,
    at,
    id,
  );
  if (row["deleted_at"] !== null) return;
  const place = BigInt(Number(row["place"]));
  dropIndexTerms(db, place, String(row["type"]));
  addIndexTerms(db, place, text);
}

function countRepetition(
  db: SqliteDatabase,
  project: number,
  draft: ResolvedDraft,
  at: string,
): SaveOutcome | undefined {
  if (draft.topic_key !== undefined) return undefined;
  const since = draft.isOnce
    ? ""
    : new Date(Date.parse(at) - DUPLICATE_MINUTES * MINUTE_MS).toISOString().replace(/\.\d+Z$/, "Z");
  const [row] = db.all(
    `UPDATE observations SET duplicates = duplicates + 1 WHERE id = (
       SELECT id FROM observations WHERE hash = ? AND project = ? AND scope = ? AND namespace = ? AND type = ?
       AND title = ? AND created_at >= ? AND deleted_at IS NULL ORDER BY id DESC LIMIT 1
     ) RETURNING id`,
    hashObservationContent(draft.content),
    project,
    draft.scope,
    draft.namespace,
    draft.type,
    draft.title,
    since,
  );
  return row && { id: Number(row["id"]), action: "duplicate" };
}

function insertObservation(
  db: SqliteDatabase,
  to: { project: number; session: number },
  draft: ResolvedDraft,
  at: string,
): SaveOutcome {
  const id = nextCounterValue(db, "observation");
  addObservationRow(db, {
    ...to,
    id,
    uid: createObservationUid(),
    scope: draft.scope,
    namespace: draft.namespace,
    type: draft.type,
    topic_key: draft.topic_key ?? null,
    revision: 1,
    duplicates: 1,
    created_at: at,
    updated_at: at,
    deleted_at: null,
    source: draft.source ?? null,
    title: draft.title,
    content: draft.content,
  });
  return { id, action: "created" };
}

export interface NewObservationRow {
  readonly id: number;
  readonly uid: Uint8Array;
  readonly project: number;
  readonly session: number;
  readonly scope: string;
  readonly namespace: string;
  readonly type: string;
  readonly topic_key: string | null;
  readonly revision: number;
  readonly duplicates: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly deleted_at: string | null;
  readonly source: string | null;
  readonly title: string;
  readonly content: string;
}

export function addObservationRow(db: SqliteDatabase, row: NewObservationRow): void {
  const place = allocateRowPlace(db, row.project);
  adjustSessionCount(db, row.session, 1);
  db.run(
    `INSERT INTO observations (place, id, uid, project, session, scope, namespace, type, topic_key, revision, duplicates,
     created_at, updated_at, deleted_at, hash, source, title, content) VALUES (?${", ?".repeat(17)})`,
    place,
    row.id,
    row.uid,
    row.project,
    row.session,
    row.scope,
    row.namespace,
    row.type,
    row.topic_key,
    row.revision,
    row.duplicates,
    row.created_at,
    row.updated_at,
    row.deleted_at,
    hashObservationContent(row.content),
    row.source,
    row.title,
    row.content,
  );
  if (row.deleted_at === null) addIndexTerms(db, place, row);
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
  return db.all(
    `INSERT INTO relations (id, from_id, to_id, type, note, created_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING RETURNING id`,
    id ?? null,
    from,
    to,
    type,
    note ?? null,
    at,
  ).length;
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
  const topic_key = change.topic_key === undefined ? (row["topic_key"] as string | null) : change.topic_key || null;
  assertTopicFree(db, { id, project, scope, topic_key, namespace: String(row["namespace"]) });
  db.run(
    "UPDATE observations SET scope = ?, topic_key = ?, updated_at = max(updated_at, ?) WHERE id = ?",
    scope,
    topic_key,
    at,
    id,
  );
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

function assertTopicFree(db: DatabaseReader, topic: TopicClaim): void {
  const holder = findOtherTopicHolder(db, topic);
  if (holder !== undefined) throw createTakenTopicFault(topic.topic_key ?? "", holder);
}

interface TopicClaim {
  readonly id: number;
  readonly project: number;
  readonly scope: string;
  readonly namespace: string;
  readonly topic_key: string | null;
}

export function findOtherTopicHolder(
  db: DatabaseReader,
  { id, project, scope, namespace, topic_key }: TopicClaim,
): number | undefined {
  if (topic_key === null) return undefined;
  const [holder] = db.all(
    `SELECT id FROM observations WHERE project = ? AND topic_key = ? AND scope = ? AND namespace = ?
     AND deleted_at IS NULL AND id <> ?`,
    project,
    topic_key,
    scope,
    namespace,
    id,
  );
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
  const rows = db.all(
    `DELETE FROM revisions WHERE source = ?
     AND (? IS NULL OR observation IN (SELECT id FROM observations WHERE project = ?)) RETURNING title, content`,
    source,
    project ?? null,
    project ?? null,
  );
  for (const row of rows) dropVocabularyTerms(db, `${String(row["title"])}\n${String(row["content"])}`);
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
  assertTopicFree(db, {
    id,
    project: Number(row["project"]),
    scope: observation.scope,
    namespace: observation.namespace,
    topic_key: observation.topic_key ?? null,
  });
  db.run("UPDATE observations SET deleted_at = NULL, updated_at = max(updated_at, ?) WHERE id = ?", at, id);
  addIndexTerms(db, BigInt(Number(row["place"])), observation);
  return readObservation(db, id);
}
