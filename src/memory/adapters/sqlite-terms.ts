import { PROMPT_TYPE } from "../model/observation.ts";
import { mapProgram, queryRows, type SqlProgram } from "./sql-program.ts";
import * as index from "./term-index.ts";

const TERM_TABLES = ["terms", "prompt_terms"] as const;
const MOST_WRITTEN_TERMS = 200_000;
const MOST_REWRITTEN_ROWS = 20_000;

const chooseTermTable = (isPrompts: boolean): (typeof TERM_TABLES)[number] => (isPrompts ? "prompt_terms" : "terms");

/** FTS5 tables that hold terms only. A term is letters and digits, so no text reaches the syntax of a match. */
export class SqliteTerms implements index.TermIndex {
  readonly #written = new Set<string>();

  *add(place: number | bigint, type: string, text: index.IndexedText): SqlProgram<void> {
    const terms = index.listIndexTerms([text]);
    if (this.#written.size > MOST_WRITTEN_TERMS) this.#written.clear();
    for (const term of terms) {
      if (this.#written.has(term)) continue;
      yield* queryRows("INSERT OR IGNORE INTO vocabulary VALUES (?)", term);
      this.#written.add(term);
    }
    const table = chooseTermTable(type === PROMPT_TYPE);
    yield* queryRows(`INSERT INTO ${table} (rowid, text) VALUES (?, ?)`, BigInt(place), terms.join(" "));
  }

  /** Call at the start of each transaction: an earlier one may have been rolled back, or its file moved. */
  forgetWritten(): void {
    this.#written.clear();
  }

  *drop(place: number | bigint, type: string): SqlProgram<void> {
    yield* queryRows(`DELETE FROM ${chooseTermTable(type === PROMPT_TYPE)} WHERE rowid = ?`, BigInt(place));
  }

  *forget(texts: readonly index.IndexedText[]): SqlProgram<void> {
    for (const term of index.listIndexTerms(texts)) {
      let isUsed = false;
      for (const table of TERM_TABLES) {
        const sql = `SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT 1`;
        isUsed ||= (yield* queryRows(sql, `"${term}"`)).length > 0;
      }
      if (!isUsed) yield* queryRows("DELETE FROM vocabulary WHERE term = ?", term);
    }
  }

  *known(terms: readonly string[]): SqlProgram<readonly string[]> {
    const rows = yield* mapProgram(terms, (term) => queryRows("SELECT 1 FROM vocabulary WHERE term = ?", term));
    return terms.filter((_, i) => (rows[i] ?? []).length > 0);
  }

  find(area: index.TermArea, matches: readonly index.TermMatch[]): SqlProgram<readonly (readonly number[])[]> {
    return mapProgram(matches, ({ terms, most }) => findPlaces(area, terms, most));
  }

  /** The index keeps deleted content until it is rewritten; a large one is rewritten over time. */
  *rewrite(): SqlProgram<void> {
    const [sum] = yield* queryRows("SELECT sum(last_row) AS n FROM projects");
    if (Number(sum?.["n"]) > MOST_REWRITTEN_ROWS) return;
    for (const table of TERM_TABLES) yield* queryRows(`INSERT INTO ${table} (${table}) VALUES ('optimize')`);
  }
}

function* findPlaces(area: index.TermArea, terms: readonly string[], most: number): SqlProgram<readonly number[]> {
  const { from, to, isPrompts, where, values } = area;
  const table = chooseTermTable(isPrompts);
  const inner = `SELECT rowid FROM ${table} WHERE ${table} MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?`;
  const chosen =
    values.length === 0
      ? inner
      : `SELECT t.rowid FROM (${inner}) t CROSS JOIN observations o ON o.place = t.rowid WHERE ${where} LIMIT ?`;
  const limits = values.length === 0 ? [most] : [index.MOST_FILTERED_ROWS, ...values, most];
  // As one JSON value: twenty thousand row objects take longer than the rest of a search.
  const sql = `SELECT json_group_array(rowid) AS places FROM (${chosen})`;
  const match = terms.map((term) => `"${term}"`).join(" ");
  const [found] = yield* queryRows(sql, match, from, to, ...limits);
  return JSON.parse(String(found?.["places"])) as number[];
}
