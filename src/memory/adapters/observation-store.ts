import type { DatabaseValue } from "#kernel/adapters/sqlite-database.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { Observation, ObservationRevision } from "../model/memory-records.ts";
import * as model from "../model/observation.ts";
import type { MemoryTopic, ObservationChange, ObservationDraft, SavedObservation } from "../operations/ports/memory.ts";
import { claimProjectNumber, claimSessionNumber, findProjectNumber } from "./memory-projects.ts";
import * as tables from "./memory-tables.ts";
import type { ObservationRow } from "./memory-tables.ts";
import { queryRows, selectRecords, type SqlProgram } from "./sql-program.ts";
import type { TermIndex } from "./term-index.ts";

/** The same text within this time is a duplicate. */
const DUPLICATE_MS = 15 * 60_000;

export function* readObservationRow(id: number): SqlProgram<ObservationRow> {
  const [row] = yield* tables.selectObservationRows("o.id = ?", id);
  if (!row) throw model.createUnknownObservationFault(id);
  return row;
}

export function* readObservation(id: number): SqlProgram<Observation> {
  return tables.toObservation(yield* readObservationRow(id));
}

export function* findTopicRow(topic: MemoryTopic): SqlProgram<ObservationRow | undefined> {
  const number = yield* findProjectNumber(topic.project);
  if (number === undefined) return undefined;
  const where = "o.project = ? AND o.topic_key = ? AND o.scope = ? AND o.namespace = ? AND o.deleted_at IS NULL";
  const { topic_key, scope, namespace } = topic;
  return (yield* tables.selectObservationRows(where, number, topic_key, scope, namespace))[0];
}

/** Updates the topic, else counts a duplicate, else adds a new observation. */
export function* saveObservationDraft(
  index: TermIndex,
  draft: ObservationDraft,
  at: string,
): SqlProgram<SavedObservation> {
  const { topic_key } = draft;
  const project_no = yield* claimProjectNumber(draft.project, at);
  const session_no = yield* claimSessionNumber(project_no, draft.session, at);
  const present = topic_key === undefined ? undefined : yield* findTopicRow({ ...draft, topic_key });
  const content = typeof draft.content === "string" ? draft.content : draft.content(present?.content);
  const text = { ...draft, content };
  const repeated = present ? undefined : yield* countRepetition(project_no, text, at);
  const id = present?.id ?? repeated ?? (yield* reserveObservationId());
  let action: SavedObservation["action"] = repeated === undefined ? "created" : "duplicate";
  if (present) action = yield* reviseObservation(index, present, { ...text, source: draft.source ?? null }, at);
  else if (repeated === undefined) {
    const uid = crypto.getRandomValues(new Uint8Array(16));
    const fresh = { id, uid, project_no, session_no, revision: 1, duplicates: 1, created_at: at, updated_at: at };
    yield* addObservationRow(index, { ...text, ...fresh });
  }
  return { action, observation: yield* readObservation(id), ...(yield* relateDraft(id, draft, at)) };
}

type ObservationText = Pick<Observation, "type" | "title" | "content"> & { readonly source?: string | null };

function* reviseObservation(
  index: TermIndex,
  row: ObservationRow,
  text: ObservationText,
  at: string,
): SqlProgram<"updated" | "unchanged"> {
  if (row.title !== text.title || row.content !== text.content || row.type !== text.type) {
    yield* replaceObservationText(index, row, text, at);
    return "updated";
  }
  // A repetition that names a source takes that source over, so the text is not trusted more than its last origin.
  const repeat = "UPDATE observations SET duplicates = duplicates + 1, source = coalesce(?, source) WHERE id = ?";
  yield* queryRows(repeat, text.source ?? null, row.id);
  return "unchanged";
}

export function* replaceObservationText(
  index: TermIndex,
  row: ObservationRow,
  text: ObservationText,
  at: string,
): SqlProgram<void> {
  const { type, title, content, source = row.source ?? null } = text;
  const columns = "observation, revision, type, title, content, at, source";
  const values = "id, revision, type, title, content, updated_at, source";
  yield* queryRows(`INSERT INTO revisions (${columns}) SELECT ${values} FROM observations WHERE id = ?`, row.id);
  const replace = `UPDATE observations SET type = ?, title = ?, content = ?, hash = ?, source = ?,
     revision = revision + 1, updated_at = ? WHERE id = ?`;
  const hash = tables.hashObservationContent(content);
  yield* queryRows(replace, type, title, content, hash, source, chooseLater(row.updated_at, at), row.id);
  if (row.deleted_at !== undefined) return;
  yield* index.drop(row.place, row.type);
  yield* index.add(row.place, type, text);
}

const chooseLater = (one: string, other: string): string => (one < other ? other : one);

function* countRepetition(
  project: number,
  draft: ObservationDraft & { readonly content: string },
  at: string,
): SqlProgram<number | undefined> {
  const { topic_key, isOnce, content, scope, namespace, type, title } = draft;
  if (topic_key !== undefined) return undefined;
  const past = new Date(Date.parse(at) - DUPLICATE_MS).toISOString().replace(/\.\d+Z$/, "Z");
  const sql = `UPDATE observations SET duplicates = duplicates + 1 WHERE id = (
    SELECT id FROM observations WHERE hash = ? AND project = ? AND scope = ? AND namespace = ? AND type = ?
    AND title = ? AND created_at >= ? AND deleted_at IS NULL ORDER BY id DESC LIMIT 1
  ) RETURNING id`;
  const hash = tables.hashObservationContent(content);
  const [row] = yield* queryRows(sql, hash, project, scope, namespace, type, title, isOnce ? "" : past);
  return row && Number(row["id"]);
}

/** The wanted id if it is free, else the next one. */
export function* reserveObservationId(wanted?: number): SqlProgram<number> {
  const holders = wanted === undefined ? [] : yield* queryRows("SELECT 1 FROM observations WHERE id = ?", wanted);
  const [last] = yield* queryRows("SELECT value FROM counters WHERE name = 'observation'");
  const next = Number(last?.["value"] ?? 0) + 1;
  const id = wanted === undefined || holders.length > 0 || model.isTeamNumber(wanted) ? next : wanted;
  if (!last) yield* queryRows("INSERT INTO counters (name, value) VALUES ('observation', ?)", id);
  else if (id >= next) yield* queryRows("UPDATE counters SET value = ? WHERE name = 'observation'", id);
  return id;
}

const OBSERVATION_COLUMNS = [
  ...(["place", "id", "uid", "project", "session", "scope", "namespace", "type", "topic_key", "revision"] as const),
  ...(["duplicates", "created_at", "updated_at", "deleted_at", "hash", "source", "title", "content"] as const),
];

export function* addObservationRow(
  index: TermIndex,
  row: Omit<ObservationRow, "place" | "project" | "session">,
): SqlProgram<void> {
  const { project_no: project, session_no: session } = row;
  const place = yield* allocateRowPlace(project);
  yield* adjustSessionCount(session, 1);
  const full = { ...row, project, session, place, hash: tables.hashObservationContent(row.content) };
  yield* queryRows(
    `INSERT INTO observations (${OBSERVATION_COLUMNS.join(", ")}) VALUES (?${", ?".repeat(17)})`,
    ...OBSERVATION_COLUMNS.map((column): DatabaseValue => full[column] ?? null),
  );
  if (row.deleted_at === undefined) yield* index.add(place, row.type, row);
}

function* allocateRowPlace(project: number): SqlProgram<bigint> {
  const [row] = yield* queryRows(
    "UPDATE projects SET last_row = last_row + 1 WHERE no = ? RETURNING last_row",
    project,
  );
  return tables.formatRowPlace(project, Number(row?.["last_row"]));
}

/** Sessions store their row count, because counting gets slower with size. */
const adjustSessionCount = (session: number, more: 1 | -1): SqlProgram<unknown> =>
  queryRows("UPDATE sessions SET rows = rows + ? WHERE no = ?", more, session);

/** A relation that cannot be made is a warning; the text is saved anyway. */
function* relateDraft(
  id: number,
  draft: ObservationDraft,
  at: string,
): SqlProgram<Pick<SavedObservation, "related" | "warnings">> {
  const warnings: string[] = [];
  let related = 0;
  const old = draft.supersedes && (yield* findTopicRow(draft.supersedes));
  if (old && old.id !== id) yield* insertRelation({ from: id, to: old.id, type: model.SUPERSEDES_RELATION }, at);
  for (const to of draft.relate_to ?? []) {
    const [row] = yield* queryRows("SELECT deleted_at FROM observations WHERE id = ?", to);
    if (to === id) warnings.push(`#${to} is the observation itself`);
    else if (!row) warnings.push(`#${to} does not exist`);
    else if (row["deleted_at"] !== null) warnings.push(`#${to} is deleted`);
    else related += yield* insertRelation({ from: id, to, type: "relates_to" }, at);
  }
  return { related, warnings };
}

/** The number of relations made: one, or none if it exists. */
export function* insertRelation(
  { id, from, to, type, note }: { id?: number; from: number; to: number; type: string; note?: string | undefined },
  at: string,
): SqlProgram<number> {
  const [column, values] = id === undefined ? ["", []] : ["id, ", [id]];
  const sql = `INSERT INTO relations (${column}from_id, to_id, type, note, created_at)
     VALUES (${"?, ".repeat(values.length)}?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id`;
  return (yield* queryRows(sql, ...values, from, to, type, note ?? null, at)).length;
}

/** Changes the text, and the project, scope or topic. In a new project it joins the session of the same name. */
export function* updateObservation(
  index: TermIndex,
  id: number,
  change: ObservationChange,
  at: string,
): SqlProgram<Observation> {
  const row = yield* readObservationRow(id);
  if (row.deleted_at !== undefined) throw model.createDeletedObservationFault(row);
  const { title = row.title, content = row.content, type = row.type, scope = row.scope } = change;
  if (change.title !== undefined || change.content !== undefined || change.type !== undefined)
    yield* reviseObservation(index, row, { title, content, type }, at);
  const project_no = change.project === undefined ? row.project_no : yield* claimProjectNumber(change.project, at);
  const topic_key = change.topic_key === undefined ? row.topic_key : change.topic_key || undefined;
  yield* assertTopicFree({ ...row, project_no, scope, topic_key });
  const move = "UPDATE observations SET scope = ?, topic_key = ?, updated_at = ? WHERE id = ?";
  yield* queryRows(move, scope, topic_key ?? null, chooseLater(row.updated_at, at), id);
  if (project_no !== row.project_no) {
    const session = yield* claimSessionNumber(project_no, row.session, at);
    const place = yield* allocateRowPlace(project_no);
    yield* index.drop(row.place, type);
    yield* adjustSessionCount(row.session_no, -1);
    yield* adjustSessionCount(session, 1);
    const to = "UPDATE observations SET place = ?, project = ?, session = ? WHERE id = ?";
    yield* queryRows(to, place, project_no, session, id);
    yield* index.add(place, type, yield* readObservation(id));
  }
  return yield* readObservation(id);
}

function* assertTopicFree(row: ObservationRow): SqlProgram<void> {
  const holder = yield* findTopicHolder(row);
  if (holder === undefined) return;
  throw new Fault("memory.topic-taken", {
    what: `The topic key ${row.topic_key} cannot be given to a second observation.`,
    why: `Observation #${holder} has it.`,
    fix: { operation: "memory.get", input: { id: holder } },
  });
}

/** The other live observation with the topic of this row. */
export function* findTopicHolder(row: ObservationRow): SqlProgram<number | undefined> {
  if (row.topic_key === undefined) return undefined;
  const where = "project = ? AND topic_key = ? AND scope = ? AND namespace = ? AND deleted_at IS NULL AND id <> ?";
  const sql = `SELECT id FROM observations WHERE ${where}`;
  const [holder] = yield* queryRows(sql, row.project_no, row.topic_key, row.scope, row.namespace, row.id);
  return holder && Number(holder["id"]);
}

export function* softDeleteObservation(index: TermIndex, row: ObservationRow, at: string): SqlProgram<void> {
  if (row.deleted_at !== undefined) return;
  yield* queryRows("UPDATE observations SET deleted_at = ? WHERE id = ?", at, row.id);
  yield* index.drop(row.place, row.type);
}

/** An import does not bring it back, and its words remain in no page of the file. */
export function* destroyObservation(index: TermIndex, row: ObservationRow, at: string): SqlProgram<void> {
  const history = `${tables.SELECT_REVISIONS} WHERE observation = ?`;
  const revisions = yield* selectRecords<ObservationRevision>(history, row.id);
  if (row.deleted_at === undefined) yield* index.drop(row.place, row.type);
  yield* adjustSessionCount(row.session_no, -1);
  yield* queryRows("INSERT INTO gone (uid, at) VALUES (?, ?) ON CONFLICT DO NOTHING", row.uid, at);
  // Observations merged into it are gone too.
  yield* queryRows("UPDATE gone SET heir = NULL WHERE heir = ?", row.id);
  yield* queryRows("DELETE FROM observations WHERE id = ?", row.id);
  yield* index.forget([row, ...revisions]);
}

/** A restore counts as a change, so an older deletion from an import has no effect. */
export function* restoreObservation(index: TermIndex, id: number, at: string): SqlProgram<Observation> {
  const row = yield* readObservationRow(id);
  if (row.deleted_at !== undefined) {
    yield* assertTopicFree(row);
    const back = "UPDATE observations SET deleted_at = NULL, updated_at = ? WHERE id = ?";
    yield* queryRows(back, chooseLater(row.updated_at, at), id);
    yield* index.add(row.place, row.type, row);
  }
  return yield* readObservation(id);
}
