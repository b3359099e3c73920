import { DUPLICATE_MINUTES, type Observation, RELATES_TO, SUPERSEDES } from "#domain/memory/observation.ts";
import { deletedObservation, takenTopic, unknownObservation } from "#domain/memory/refusals.ts";
import type { ObservationChange, ObservationDraft, SavedObservation, MemoryTopic } from "#operations/ports/memory.ts";
import type { Database, Reader, Row } from "../../sqlite/database.ts";
import { claimProject, claimSession, findProject } from "./projects.ts";
import { addTerms, dropTerms, hashOf, newUid, nextNumber, OBSERVATION, observationOf, placeOf } from "./rows.ts";

const MINUTE_MS = 60_000;

export function rowOf(db: Database, id: number): Row {
  const [row] = db.all(`${OBSERVATION} WHERE o.id = ?`, id);
  if (!row) throw unknownObservation(id);
  return row;
}

export const read = (db: Database, id: number): Observation => observationOf(rowOf(db, id));

export function findTopic(db: Reader, { project, topic_key, scope, namespace }: MemoryTopic): Row | undefined {
  const number = findProject(db, project);
  if (number === undefined) return undefined;
  const where = "o.project = ? AND o.topic_key = ? AND o.scope = ? AND o.namespace = ? AND o.deleted_at IS NULL";
  return db.all(`${OBSERVATION} WHERE ${where}`, number, topic_key, scope, namespace)[0];
}

/** Updates the topic, else counts a duplicate, else adds a new observation. */
export function saveDraft(db: Database, draft: ObservationDraft, at: string): SavedObservation {
  const project = claimProject(db, draft.project, at);
  const session = claimSession(db, project, draft.session, at);
  const present = draft.topic_key === undefined ? undefined : findTopic(db, { ...draft, topic_key: draft.topic_key });
  const content =
    typeof draft.content === "string"
      ? draft.content
      : draft.content(present === undefined ? undefined : String(present["content"]));
  const text = { ...draft, content };
  const kept = present
    ? revise(db, present, { ...text, source: draft.source ?? null }, at)
    : (repetition(db, project, text, at) ?? insert(db, { project, session }, text, at));
  return { action: kept.action, observation: read(db, kept.id), ...relateAll(db, kept.id, draft, at) };
}

type Kept = { readonly id: number; readonly action: SavedObservation["action"] };
type Text = Omit<ObservationDraft, "content"> & { readonly content: string };

interface NewText {
  readonly type: string;
  readonly title: string;
  readonly content: string;
  readonly source?: string | null;
}

function revise(db: Database, row: Row, text: NewText, at: string): Kept {
  const id = Number(row["id"]);
  const isSame = row["title"] === text.title && row["content"] === text.content && row["type"] === text.type;
  // A repetition that names a source takes that source over, so the text is not trusted more than its last origin.
  if (isSame)
    db.run(
      "UPDATE observations SET duplicates = duplicates + 1, source = coalesce(?, source) WHERE id = ?",
      text.source ?? null,
      id,
    );
  else replaceText(db, row, text, at);
  return { id, action: isSame ? "unchanged" : "updated" };
}

export function replaceText(db: Database, row: Row, text: NewText, at: string): void {
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
    hashOf(text.content),
    text.source === undefined ? ((row["source"] as string | null) ?? null) : text.source,
    at,
    id,
  );
  if (row["deleted_at"] !== null) return;
  const place = BigInt(Number(row["place"]));
  dropTerms(db, place, String(row["type"]));
  addTerms(db, place, text);
}

function repetition(db: Database, project: number, draft: Text, at: string): Kept | undefined {
  if (draft.topic_key !== undefined) return undefined;
  const since = draft.isOnce
    ? ""
    : new Date(Date.parse(at) - DUPLICATE_MINUTES * MINUTE_MS).toISOString().replace(/\.\d+Z$/, "Z");
  const [row] = db.all(
    `UPDATE observations SET duplicates = duplicates + 1 WHERE id = (
       SELECT id FROM observations WHERE hash = ? AND project = ? AND scope = ? AND namespace = ? AND type = ?
       AND title = ? AND created_at >= ? AND deleted_at IS NULL ORDER BY id DESC LIMIT 1
     ) RETURNING id`,
    hashOf(draft.content),
    project,
    draft.scope,
    draft.namespace,
    draft.type,
    draft.title,
    since,
  );
  return row && { id: Number(row["id"]), action: "duplicate" };
}

function insert(db: Database, to: { project: number; session: number }, draft: Text, at: string): Kept {
  const id = nextNumber(db, "observation");
  addRow(db, {
    ...to,
    id,
    uid: newUid(),
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

export interface NewRow {
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

export function addRow(db: Database, row: NewRow): void {
  const place = newPlace(db, row.project);
  countRow(db, row.session, 1);
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
    hashOf(row.content),
    row.source,
    row.title,
    row.content,
  );
  if (row.deleted_at === null) addTerms(db, place, row);
}

function newPlace(db: Database, project: number): bigint {
  const [row] = db.all("UPDATE projects SET last_row = last_row + 1 WHERE no = ? RETURNING last_row", project);
  return placeOf(project, Number(row?.["last_row"]));
}

/** Sessions store their row count, because counting gets slower with size. */
export function countRow(db: Database, session: number, more: 1 | -1): void {
  db.run("UPDATE sessions SET rows = rows + ? WHERE no = ?", more, session);
}

/** A relation that cannot be made is a warning; the text is saved anyway. */
function relateAll(
  db: Database,
  id: number,
  draft: ObservationDraft,
  at: string,
): Pick<SavedObservation, "related" | "warnings"> {
  const warnings: string[] = [];
  let related = 0;
  const old = draft.supersedes && findTopic(db, draft.supersedes);
  if (old && Number(old["id"]) !== id) link(db, { from: id, to: Number(old["id"]), type: SUPERSEDES }, at);
  for (const to of draft.relate_to ?? []) {
    const [row] = db.all("SELECT deleted_at FROM observations WHERE id = ?", to);
    if (to === id) warnings.push(`#${to} is the observation itself`);
    else if (!row) warnings.push(`#${to} does not exist`);
    else if (row["deleted_at"] !== null) warnings.push(`#${to} is deleted`);
    else related += link(db, { from: id, to, type: RELATES_TO }, at);
  }
  return { related, warnings };
}

export function link(
  db: Database,
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

export function updateObservation(db: Database, id: number, change: ObservationChange, at: string): Observation {
  const row = rowOf(db, id);
  const before = observationOf(row);
  if (before.deleted_at !== undefined) throw deletedObservation(before);
  const { title = before.title, content = before.content, type = before.type } = change;
  if (change.title !== undefined || change.content !== undefined || change.type !== undefined) {
    revise(db, row, { title, content, type }, at);
  }
  move(db, row, change, at);
  return read(db, id);
}

/** Changes project, scope or topic. In a new project it joins the session of the same name. */
function move(db: Database, row: Row, change: ObservationChange, at: string): void {
  const id = Number(row["id"]);
  const project = change.project === undefined ? Number(row["project"]) : claimProject(db, change.project, at);
  const scope = change.scope ?? String(row["scope"]);
  const topic_key = change.topic_key === undefined ? (row["topic_key"] as string | null) : change.topic_key || null;
  refuseTaken(db, { id, project, scope, topic_key, namespace: String(row["namespace"]) });
  db.run(
    "UPDATE observations SET scope = ?, topic_key = ?, updated_at = max(updated_at, ?) WHERE id = ?",
    scope,
    topic_key,
    at,
    id,
  );
  if (project === Number(row["project"])) return;
  const session = claimSession(db, project, String(row["session_id"]), at);
  const place = newPlace(db, project);
  const type = change.type ?? String(row["type"]);
  dropTerms(db, BigInt(Number(row["place"])), type);
  countRow(db, Number(row["session"]), -1);
  countRow(db, session, 1);
  db.run("UPDATE observations SET place = ?, project = ?, session = ? WHERE id = ?", place, project, session, id);
  addTerms(db, place, read(db, id));
}

export function refuseTaken(db: Reader, topic: Claimed): void {
  const holder = otherHolder(db, topic);
  if (holder !== undefined) throw takenTopic(topic.topic_key ?? "", holder);
}

interface Claimed {
  readonly id: number;
  readonly project: number;
  readonly scope: string;
  readonly namespace: string;
  readonly topic_key: string | null;
}

export function otherHolder(db: Reader, { id, project, scope, namespace, topic_key }: Claimed): number | undefined {
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
