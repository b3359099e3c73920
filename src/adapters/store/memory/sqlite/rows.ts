import { createHash } from "node:crypto";
import { type Observation, PROMPT, sameness, type Scope } from "#domain/memory/observation.ts";
import { termsOf } from "#domain/memory/words.ts";
import type { Revision } from "#operations/ports/memory.ts";
import type { Database, Row } from "../../sqlite/database.ts";

/** What is read of an observation, with the names of its project and session. */
export const OBSERVATION = `
  SELECT o.*, p.name AS project_name, s.id AS session_id
  FROM observations o CROSS JOIN projects p ON p.no = o.project CROSS JOIN sessions s ON s.no = o.session`;

export function observationOf(row: Row): Observation {
  return {
    id: Number(row["id"]),
    project: String(row["project_name"]),
    session: String(row["session_id"]),
    type: String(row["type"]),
    title: String(row["title"]),
    content: String(row["content"]),
    scope: row["scope"] as Scope,
    namespace: String(row["namespace"]),
    ...given("topic_key", row["topic_key"]),
    ...given("source", row["source"]),
    revision: Number(row["revision"]),
    duplicates: Number(row["duplicates"]),
    created_at: String(row["created_at"]),
    updated_at: String(row["updated_at"]),
    ...given("deleted_at", row["deleted_at"]),
  };
}

export function revisionOf(row: Row): Revision {
  return {
    revision: Number(row["revision"]),
    type: String(row["type"]),
    title: String(row["title"]),
    content: String(row["content"]),
    at: String(row["at"]),
    ...given("source", row["source"]),
  };
}

/** A field that may be empty, only if it is not. */
export function given<Name extends string>(name: Name, value: unknown): { [name in Name]?: string } {
  return typeof value === "string" ? ({ [name]: value } as { [name in Name]?: string }) : {};
}

/** Finds the same text again, however it was spaced. */
export const hashOf = (content: string): string =>
  createHash("sha256").update(sameness(content)).digest("hex").slice(0, 16);

/** The rows of a project: its number above the row's own. */
export const placeOf = (project: number, row: number): bigint => (BigInt(project) << 32n) | BigInt(row);

export interface Range {
  readonly from: bigint;
  readonly to: bigint;
}

export const rangeOf = (project: number): Range => ({ from: placeOf(project, 0), to: placeOf(project + 1, 0) - 1n });

export const EVERYWHERE: Range = { from: 0n, to: 2n ** 62n };

/** Prompts have an index of their own, so that a question does not find itself. */
export const indexFor = (type: string | undefined): "terms" | "prompt_terms" =>
  type === PROMPT ? "prompt_terms" : "terms";

export function addTerms(db: Database, place: bigint, text: { type: string; title: string; content: string }): void {
  const terms = new Set(termsOf(`${text.title}\n${text.content}`));
  addVocabulary(db, terms);
  db.run(`INSERT INTO ${indexFor(text.type)} (rowid, text) VALUES (?, ?)`, place, [...terms].join(" "));
}

/** Terms that this transaction put in the vocabulary, so that most need not be put there again. */
const written = new WeakMap<Database, Set<string>>();
const MOST_WRITTEN = 200_000;

/** Whoever mistypes a word is led to one of these: the index itself is slow to say which words it has. */
function addVocabulary(db: Database, terms: ReadonlySet<string>): void {
  const known = written.get(db) ?? new Set<string>();
  if (known.size > MOST_WRITTEN) known.clear();
  written.set(db, known);
  for (const term of terms) {
    if (known.has(term)) continue;
    db.run("INSERT OR IGNORE INTO vocabulary VALUES (?)", term);
    known.add(term);
  }
}

/** At the start of each transaction: an earlier one may have been taken back, or have gone to a file that was moved. */
export const forgetVocabulary = (db: Database): boolean => written.delete(db);

export function dropTerms(db: Database, place: bigint, type: string): void {
  db.run(`DELETE FROM ${indexFor(type)} WHERE rowid = ?`, place);
}

const INDEXES = [indexFor(undefined), indexFor(PROMPT)];
/** Rows up to which an index is rewritten at once, so that it forgets what was deleted. */
const QUICKLY_REWRITTEN = 20_000;

/** Takes the words of a destroyed text out of the vocabulary and the index, but for those that others use. */
export function dropWords(db: Database, text: string): void {
  for (const term of new Set(termsOf(text))) {
    const isUsed = INDEXES.some(
      (index) => db.all(`SELECT 1 FROM ${index} WHERE ${index} MATCH ? LIMIT 1`, `"${term}"`).length > 0,
    );
    if (!isUsed) db.run("DELETE FROM vocabulary WHERE term = ?", term);
  }
}

/** The index keeps what was deleted until it is rewritten; a large one is so in passing. */
export function rewriteIndexes(db: Database): void {
  const rows = Number(db.all("SELECT sum(last_row) AS n FROM projects")[0]?.["n"]);
  if (rows > QUICKLY_REWRITTEN) return;
  for (const index of INDEXES) db.run(`INSERT INTO ${index} (${index}) VALUES ('optimize')`);
}

/** Adds one to a number that is never given out twice. */
export function nextNumber(db: Database, name: string): number {
  const [row] = db.all(
    "INSERT INTO counters VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value",
    name,
  );
  return Number(row?.["value"]);
}

export const newUid = (): Uint8Array => crypto.getRandomValues(new Uint8Array(16));
