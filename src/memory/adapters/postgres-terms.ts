import { PROMPT_TYPE } from "../model/observation.ts";
import { queryRows, type SqlProgram } from "./sql-program.ts";
import * as index from "./term-index.ts";

/**
 * One `tsvector` of our own terms for each text, in a GIN index. A term is letters and digits, so no text reaches the
 * syntax of a `tsquery`. A table of single terms finds common words sooner, but takes six times the space, and writing
 * takes far longer.
 */
export class PostgresTerms implements index.TermIndex {
  *add(place: number | bigint, type: string, text: index.IndexedText): SqlProgram<void> {
    const terms = JSON.stringify(index.listIndexTerms([text]));
    const words = "array_to_tsvector(ARRAY(SELECT json_array_elements_text(?)))";
    const insert = `INSERT INTO terms (place, is_prompt, words) VALUES (?, ${isPrompt(type)}, ${words})`;
    yield* queryRows(insert, BigInt(place), terms);
    yield* queryRows(`INSERT INTO vocabulary (term) ${ELEMENTS} ON CONFLICT DO NOTHING`, terms);
  }

  *drop(place: number | bigint): SqlProgram<void> {
    yield* queryRows("DELETE FROM terms WHERE place = ?", BigInt(place));
  }

  *forget(texts: readonly index.IndexedText[]): SqlProgram<void> {
    const isUsed = "SELECT 1 FROM terms t WHERE t.words @@ CAST(quote_literal(v.term) AS tsquery)";
    const sql = `DELETE FROM vocabulary v WHERE v.term IN (${ELEMENTS}) AND NOT EXISTS (${isUsed})`;
    yield* queryRows(sql, JSON.stringify(index.listIndexTerms(texts)));
  }

  *known(terms: readonly string[]): SqlProgram<readonly string[]> {
    const rows = yield* queryRows(`SELECT term FROM vocabulary WHERE term IN (${ELEMENTS})`, JSON.stringify(terms));
    const known = new Set(rows.map(({ term }) => String(term)));
    return terms.filter((term) => known.has(term));
  }

  *find(area: index.TermArea, matches: readonly index.TermMatch[]): SqlProgram<readonly (readonly number[])[]> {
    const { from, to, isPrompts, where, values } = area;
    const inner = `SELECT t.place FROM terms t WHERE t.words @@ CAST(q.words AS tsquery) AND t.is_prompt = ${isPrompts}
      AND t.place BETWEEN ? AND ? ORDER BY t.place DESC LIMIT`;
    const filtered = `SELECT t.place FROM (${inner} ${index.MOST_FILTERED_ROWS}) t JOIN observations o ON o.place = t.place
      WHERE ${where} ORDER BY t.place DESC LIMIT q.most`;
    const sql = `SELECT array_to_json(ARRAY(${values.length === 0 ? `${inner} q.most` : filtered})) AS places
      FROM json_to_recordset(?) AS q(n integer, words text, most integer) ORDER BY q.n`;
    const asked = matches.map(({ terms, most }, n) => ({
      n,
      words: terms.map((term) => `'${term}'`).join(" & "),
      most,
    }));
    const rows = yield* queryRows(sql, from, to, ...values, JSON.stringify(asked));
    return rows.map(({ places }) => places as number[]);
  }
}

const ELEMENTS = "SELECT json_array_elements_text(?)";

const isPrompt = (type: string): boolean => type === PROMPT_TYPE;
