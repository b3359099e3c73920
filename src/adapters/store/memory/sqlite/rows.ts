import { createHash } from "node:crypto";
import {
  type Observation,
  PROMPT_TYPE,
  normalizeComparedText,
  type ObservationScope,
} from "#domain/memory/observation.ts";
import { extractSearchTerms } from "#domain/memory/words.ts";
import type { ObservationRevision } from "#operations/ports/memory.ts";
import type { SqliteDatabase, DatabaseRow } from "../../sqlite/database.ts";

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
    scope: row["scope"] as ObservationScope,
    namespace: String(row["namespace"]),
    ...pickTextColumn("topic_key", row["topic_key"]),
    ...pickTextColumn("source", row["source"]),
    revision: Number(row["revision"]),
    duplicates: Number(row["duplicates"]),
    created_at: String(row["created_at"]),
    updated_at: String(row["updated_at"]),
    ...pickTextColumn("deleted_at", row["deleted_at"]),
  };
}

export function toRevision(row: DatabaseRow): ObservationRevision {
  return {
    revision: Number(row["revision"]),
    type: String(row["type"]),
    title: String(row["title"]),
    content: String(row["content"]),
    at: String(row["at"]),
    ...pickTextColumn("source", row["source"]),
  };
}

export function pickTextColumn<Name extends string>(name: Name, value: unknown): { [name in Name]?: string } {
  return typeof value === "string" ? ({ [name]: value } as { [name in Name]?: string }) : {};
}

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

export function addIndexTerms(
  db: SqliteDatabase,
  place: bigint,
  text: { type: string; title: string; content: string },
): void {
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
  const [row] = db.all(
    "INSERT INTO counters VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value",
    name,
  );
  return Number(row?.["value"]);
}

export const createObservationUid = (): Uint8Array => crypto.getRandomValues(new Uint8Array(16));
