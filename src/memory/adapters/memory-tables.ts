import { createHash } from "node:crypto";
import type { Observation, ObservationRevision } from "../model/memory-records.ts";
import { normalizeComparedText, OBSERVATION_SCOPES, PROMPT_TYPE } from "../model/observation.ts";
import { extractSearchTerms } from "#kernel/model/search/search-terms.ts";
import type { SqliteDatabase, DatabaseRow } from "#kernel/adapters/sqlite-database.ts";

export const SELECT_OBSERVATIONS = `
  SELECT o.*, p.name AS project_name, s.id AS session_id
  FROM observations o CROSS JOIN projects p ON p.no = o.project CROSS JOIN sessions s ON s.no = o.session`;

export function toObservation(row: DatabaseRow): Observation {
  return {
    id: Number(row["id"]),
    project: String(row["project_name"]),
    session: String(row["session_id"]),
    type: String(row["type"]),
    title: String(row["title"]),
    content: String(row["content"]),
    scope: OBSERVATION_SCOPES.find((scope) => scope === row["scope"]) ?? "project",
    namespace: String(row["namespace"]),
    topic_key: readOptionalText(row["topic_key"]),
    source: readOptionalText(row["source"]),
    revision: Number(row["revision"]),
    duplicates: Number(row["duplicates"]),
    created_at: String(row["created_at"]),
    updated_at: String(row["updated_at"]),
    deleted_at: readOptionalText(row["deleted_at"]),
  };
}

export function toRevision(row: DatabaseRow): ObservationRevision {
  return {
    revision: Number(row["revision"]),
    type: String(row["type"]),
    title: String(row["title"]),
    content: String(row["content"]),
    at: String(row["at"]),
    source: readOptionalText(row["source"]),
  };
}

export const readOptionalText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Equal for texts that differ only in spacing. */
export const hashObservationContent = (content: string): string =>
  createHash("sha256").update(normalizeComparedText(content)).digest("hex").slice(0, 16);

/** The row key: the project number in the high bits, the row number in the low bits. */
export const formatRowPlace = (project: number, row: number): bigint => (BigInt(project) << 32n) | BigInt(row);

export interface PlaceRange {
  readonly from: bigint;
  readonly to: bigint;
}

export const getProjectRange = (project: number): PlaceRange => ({
  from: formatRowPlace(project, 0),
  to: formatRowPlace(project + 1, 0) - 1n,
});

export const ALL_PLACES: PlaceRange = { from: 0n, to: 2n ** 62n };

/** Prompts have their own index, so that a question does not find itself. */
export const chooseTermIndex = (type: string | undefined): "terms" | "prompt_terms" =>
  type === PROMPT_TYPE ? "prompt_terms" : "terms";

type IndexedText = Pick<Observation, "type" | "title" | "content">;

export function addIndexTerms(db: SqliteDatabase, place: bigint, text: IndexedText): void {
  const terms = new Set(extractSearchTerms(`${text.title}\n${text.content}`));
  addVocabularyTerms(db, terms);
  db.run(`INSERT INTO ${chooseTermIndex(text.type)} (rowid, text) VALUES (?, ?)`, place, [...terms].join(" "));
}

const writtenTermsByDatabase = new WeakMap<SqliteDatabase, Set<string>>();
const MOST_WRITTEN_TERMS = 200_000;

/** The vocabulary for typo repair; listing the terms of the index is slow. */
function addVocabularyTerms(db: SqliteDatabase, terms: ReadonlySet<string>): void {
  const known = writtenTermsByDatabase.get(db) ?? new Set<string>();
  if (known.size > MOST_WRITTEN_TERMS) known.clear();
  writtenTermsByDatabase.set(db, known);
  for (const term of terms) {
    if (known.has(term)) continue;
    db.run("INSERT OR IGNORE INTO vocabulary VALUES (?)", term);
    known.add(term);
  }
}

/**
 * Call at the start of each transaction: an earlier one may have been rolled back, or have written to a file that was
 * moved.
 */
export const forgetWrittenTerms = (db: SqliteDatabase): boolean => writtenTermsByDatabase.delete(db);

export function dropIndexTerms(db: SqliteDatabase, place: bigint, type: string): void {
  db.run(`DELETE FROM ${chooseTermIndex(type)} WHERE rowid = ?`, place);
}

const TERM_INDEXES = [chooseTermIndex(undefined), chooseTermIndex(PROMPT_TYPE)];
const MOST_REWRITTEN_ROWS = 20_000;

export function dropVocabularyTerms(db: SqliteDatabase, text: string): void {
  for (const term of new Set(extractSearchTerms(text))) {
    const isUsed = TERM_INDEXES.some(
      (index) => db.all(`SELECT 1 FROM ${index} WHERE ${index} MATCH ? LIMIT 1`, `"${term}"`).length > 0,
    );
    if (!isUsed) db.run("DELETE FROM vocabulary WHERE term = ?", term);
  }
}

/** The index keeps deleted content until it is rewritten; a large one is rewritten over time. */
export function rewriteTermIndexes(db: SqliteDatabase): void {
  const rows = Number(db.all("SELECT sum(last_row) AS n FROM projects")[0]?.["n"]);
  if (rows > MOST_REWRITTEN_ROWS) return;
  for (const index of TERM_INDEXES) db.run(`INSERT INTO ${index} (${index}) VALUES ('optimize')`);
}

export function nextCounterValue(db: SqliteDatabase, name: string): number {
  const sql = "INSERT INTO counters VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value";
  return Number(db.all(sql, name)[0]?.["value"]);
}

/**
 * Each migration raises memory's schema by one version. Never edit a released one; `user_version` counts them. A row's
 * place combines its project's number and its own, so that a project is one range of places in the table and in the
 * index. The index holds each term once; weights are computed from the texts.
 */
export const MEMORY_MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE projects (
    no         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    last_row   INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL
  ) STRICT;
  CREATE TABLE project_names (
    key     TEXT PRIMARY KEY,
    name    TEXT NOT NULL,
    project INTEGER NOT NULL REFERENCES projects (no)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE project_places (
    place   TEXT PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES projects (no)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE sessions (
    no         INTEGER PRIMARY KEY,
    project    INTEGER NOT NULL REFERENCES projects (no),
    id         TEXT NOT NULL,
    directory  TEXT,
    started_at TEXT NOT NULL,
    active_at  TEXT NOT NULL,
    ended_at   TEXT,
    summary    TEXT,
    rows       INTEGER NOT NULL DEFAULT 0,
    UNIQUE (project, id)
  ) STRICT;
  CREATE INDEX sessions_by_activity ON sessions (project, active_at);
  CREATE INDEX sessions_by_time ON sessions (active_at);

  CREATE TABLE observations (
    place      INTEGER PRIMARY KEY,
    id         INTEGER NOT NULL UNIQUE,
    uid        BLOB NOT NULL UNIQUE,
    project    INTEGER NOT NULL REFERENCES projects (no),
    session    INTEGER NOT NULL REFERENCES sessions (no),
    scope      TEXT NOT NULL,
    namespace  TEXT NOT NULL,
    type       TEXT NOT NULL,
    topic_key  TEXT,
    revision   INTEGER NOT NULL,
    duplicates INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    deleted_at TEXT,
    hash       TEXT NOT NULL,
    source     TEXT,
    title      TEXT NOT NULL,
    content    TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX live_topics ON observations (project, topic_key, scope, namespace)
    WHERE topic_key IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX observations_by_session ON observations (session);
  CREATE INDEX observations_by_change ON observations (project, updated_at)
    WHERE deleted_at IS NULL AND type <> 'prompt';
  CREATE INDEX prompts_by_change ON observations (project, updated_at) WHERE deleted_at IS NULL AND type = 'prompt';
  CREATE INDEX observations_by_hash ON observations (hash);
  CREATE INDEX observations_by_source ON observations (source) WHERE source IS NOT NULL;

  CREATE TABLE revisions (
    observation INTEGER NOT NULL REFERENCES observations (id) ON DELETE CASCADE,
    revision    INTEGER NOT NULL,
    type        TEXT NOT NULL,
    title       TEXT NOT NULL,
    content     TEXT NOT NULL,
    at          TEXT NOT NULL,
    source      TEXT,
    PRIMARY KEY (observation, revision)
  ) STRICT;
  CREATE INDEX revisions_by_source ON revisions (source) WHERE source IS NOT NULL;

  CREATE TABLE relations (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    from_id    INTEGER NOT NULL REFERENCES observations (id) ON DELETE CASCADE,
    to_id      INTEGER NOT NULL REFERENCES observations (id) ON DELETE CASCADE,
    type       TEXT NOT NULL,
    note       TEXT,
    created_at TEXT NOT NULL,
    UNIQUE (from_id, to_id, type)
  ) STRICT;
  CREATE INDEX relations_by_target ON relations (to_id);

  CREATE TABLE gone (
    uid  BLOB PRIMARY KEY,
    at   TEXT NOT NULL,
    heir INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE followers (ledger TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE vocabulary (term TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE VIRTUAL TABLE terms USING fts5 (
    text, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  );
  CREATE VIRTUAL TABLE prompt_terms USING fts5 (
    text, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  );
  `,
];
