import { createHash } from "node:crypto";
import type { Observation } from "../model/memory-records.ts";
import { normalizeComparedText, PROMPT_TYPE } from "../model/observation.ts";
import { extractSearchTerms } from "#kernel/model/search/search-terms.ts";
import { selectRows } from "#kernel/adapters/sqlite-database.ts";
import type { DatabaseReader, DatabaseValue, SqliteDatabase } from "#kernel/adapters/sqlite-database.ts";
import migrations from "./memory-migrations.json" with { type: "json" };

/**
 * Each migration raises memory's schema by one version. Never edit a released one; `user_version` counts them. A row's
 * place combines its project's number and its own, so that a project is one range of places in the table and in the
 * index. The index holds each term once; weights are computed from the texts.
 */
export const MEMORY_MIGRATIONS: readonly string[] = migrations.map((statements) => statements.join(";\n"));

export interface ObservationRow extends Observation {
  readonly place: number;
  readonly uid: Uint8Array;
  readonly project_no: number;
  readonly session_no: number;
}

export const SELECT_OBSERVATIONS = `
  SELECT o.place, o.uid, o.project AS project_no, o.session AS session_no, o.id, p.name AS project, s.id AS session,
    o.type, o.title, o.content, o.scope, o.namespace, o.topic_key, o.source, o.revision, o.duplicates, o.created_at,
    o.updated_at, o.deleted_at
  FROM observations o CROSS JOIN projects p ON p.no = o.project CROSS JOIN sessions s ON s.no = o.session`;

export const selectObservationRows = (
  db: DatabaseReader,
  condition: string,
  ...values: DatabaseValue[]
): ObservationRow[] => selectRows(db, `${SELECT_OBSERVATIONS} WHERE ${condition}`, ...values);

export function toObservation(row: ObservationRow): Observation {
  const { place: _place, uid: _uid, project_no: _project, session_no: _session, ...observation } = row;
  return observation;
}

export const selectObservations = (db: DatabaseReader, condition: string, ...values: DatabaseValue[]): Observation[] =>
  selectObservationRows(db, condition, ...values).map(toObservation);

export const SELECT_REVISIONS = "SELECT revision, type, title, content, at, source FROM revisions";

/** Equal for texts that differ only in spacing. */
export const hashObservationContent = (content: string): string =>
  createHash("sha256").update(normalizeComparedText(content)).digest("hex").slice(0, 16);

/** The row key: the project number in the high bits, the row number in the low bits. */
export const formatRowPlace = (project: number, row: number): bigint => (BigInt(project) << 32n) | BigInt(row);

/** Prompts have their own index, so that a question does not find itself. */
export const chooseTermIndex = (type: string | undefined): "terms" | "prompt_terms" =>
  type === PROMPT_TYPE ? "prompt_terms" : "terms";

const writtenTermsByDatabase = new WeakMap<SqliteDatabase, Set<string>>();
const MOST_WRITTEN_TERMS = 200_000;

/** Adds a text to the index, and its terms to the vocabulary for typo repair; listing the terms of the index is slow. */
export function addIndexTerms(
  db: SqliteDatabase,
  place: number | bigint,
  { type, title, content }: Pick<Observation, "type" | "title" | "content">,
): void {
  const terms = new Set(extractSearchTerms(`${title}\n${content}`));
  const known = writtenTermsByDatabase.get(db) ?? new Set<string>();
  if (known.size > MOST_WRITTEN_TERMS) known.clear();
  writtenTermsByDatabase.set(db, known);
  for (const term of terms) {
    if (known.has(term)) continue;
    db.run("INSERT OR IGNORE INTO vocabulary VALUES (?)", term);
    known.add(term);
  }
  db.run(`INSERT INTO ${chooseTermIndex(type)} (rowid, text) VALUES (?, ?)`, BigInt(place), [...terms].join(" "));
}

/** Call at the start of each transaction: an earlier one may have been rolled back, or its file moved. */
export const forgetWrittenTerms = (db: SqliteDatabase): boolean => writtenTermsByDatabase.delete(db);

export function dropIndexTerms(db: SqliteDatabase, place: number, type: string): void {
  db.run(`DELETE FROM ${chooseTermIndex(type)} WHERE rowid = ?`, BigInt(place));
}

const TERM_INDEXES = [chooseTermIndex(undefined), chooseTermIndex(PROMPT_TYPE)];
const MOST_REWRITTEN_ROWS = 20_000;

export function dropVocabularyTerms(
  db: SqliteDatabase,
  texts: readonly Pick<Observation, "title" | "content">[],
): void {
  const text = texts.map(({ title, content }) => `${title}\n${content}`).join("\n");
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
