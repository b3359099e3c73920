import {
  selectCoveringRows,
  MAX_WEIGHED_ROWS,
  type TermPosting,
  computeTermWeight,
  listTypoVariants,
} from "#kernel/model/search/search-ranking.ts";
import type { SearchQuestion } from "#kernel/model/search/search-question.ts";
import { isStopWord, normalizeSearchTerm } from "#kernel/model/search/search-terms.ts";
import { createComponentEntry, createFileEntry, createTextEntry } from "../../operations/index/index-entries.ts";
import type {
  CodeDependency,
  CodeIndexEntry,
  IndexCandidates,
  IndexedComponentRow,
  IndexedFileRow,
  IndexedText,
} from "../../operations/ports/code-index.ts";
import type { DatabaseReader } from "#kernel/adapters/sqlite-database.ts";
import {
  COMPONENT_COLUMNS,
  ENTRY_KINDS,
  NAME_TERM_PREFIX,
  SELECT_COMPONENTS,
  SELECT_FILES,
  SELECT_TEXTS,
  selectRows,
} from "./index-schema.ts";

const MIN_CORRECTED_TERM = 4;

export function selectQueryCandidates(db: DatabaseReader, question: SearchQuestion, most: number): IndexCandidates {
  const [counted] = db.all(
    `SELECT (SELECT count(*) FROM components) + (SELECT count(*) FROM files WHERE language <> '')
       + (SELECT count(*) FROM texts) AS n`,
  );
  const total = Number(counted?.["n"]);
  const weights = new Map<string, number>();
  const postings: TermPosting[] = [];
  const repaired: { from: string; to: string }[] = [];
  const look = (term: string, share: number): boolean => {
    if (weights.has(term)) return true;
    const rows = selectRowsWithTerm(db, term);
    if (rows.length === 0) return false;
    weights.set(term, share * computeTermWeight(rows.length, total));
    postings.push({ term, rows, holders: rows.length, share });
    const named = selectRowsWithTerm(db, `${NAME_TERM_PREFIX}${term}`);
    if (named.length > 0) postings.push({ term, rows: named, holders: named.length, share });
    return true;
  };
  for (const term of question.terms) {
    if (look(term, 1)) continue;
    const instead = correctTermSpelling(db, question.spelled.get(term) ?? term);
    if (instead === undefined) continue;
    look(instead.term, 1);
    repaired.push({ from: question.spelled.get(term) ?? term, to: instead.word });
  }
  for (const [hint, share] of question.hints) look(hint, share);
  return {
    entries: selectCoveringRows(postings, total, most).flatMap((id) => loadIndexEntry(db, id)),
    weights,
    repaired,
  };
}

/**
 * Returns all ids as one JSON value, because 20,000 row objects take longer than the rest of the query. Terms contain
 * only letters and digits.
 */
function selectRowsWithTerm(db: DatabaseReader, term: string): number[] {
  const [row] = db.all(
    "SELECT json_group_array(rowid) AS ids FROM (SELECT rowid FROM words WHERE words MATCH ? LIMIT ?)",
    `"${term}"`,
    MAX_WEIGHED_ROWS,
  );
  return JSON.parse(String(row?.["ids"])) as number[];
}

function correctTermSpelling(
  db: DatabaseReader,
  spelled: string,
): { readonly term: string; readonly word: string } | undefined {
  const near = new Map(
    listTypoVariants(spelled)
      .map((word): [string, string] => [normalizeSearchTerm(word), word])
      .toReversed(),
  );
  return [...near]
    .filter(([term]) => term.length >= MIN_CORRECTED_TERM && !isStopWord(term))
    .flatMap(([term, word]) => {
      const [row] = db.all("SELECT doc FROM vocabulary WHERE term = ?", term);
      return row ? [{ term, word, holders: Number(row["doc"]) }] : [];
    })
    .toSorted((one, other) => other.holders - one.holders)[0];
}

function loadIndexEntry(db: DatabaseReader, id: number): CodeIndexEntry[] {
  const kind = ENTRY_KINDS[id % ENTRY_KINDS.length];
  const own = Math.floor(id / ENTRY_KINDS.length);
  if (kind === "component")
    return selectRows<IndexedComponentRow>(db, `${SELECT_COMPONENTS} WHERE c.id = ?`, own).map((row) =>
      createComponentEntry(id, row),
    );
  if (kind === "file")
    return selectRows<IndexedFileRow>(db, `${SELECT_FILES} WHERE id = ?`, own).map((row) => createFileEntry(id, row));
  return selectRows<IndexedText>(db, `${SELECT_TEXTS} WHERE id = ?`, own).map((row) => createTextEntry(id, row));
}

/** Names that contain the word or share its first two letters. The model picks among them. */
export const SELECT_SIMILAR_NAMES = `SELECT DISTINCT name FROM components
  WHERE instr(lower(name), lower(?1)) > 0 OR substr(name, 1, 2) = substr(?1, 1, 2)
  ORDER BY instr(lower(name), lower(?1)) = 0, length(name), name LIMIT ?2`;

/** Skips methods and names that several components share: a call by name may mean a different one. */
export const SELECT_MOST_CALLED = `
  WITH called AS (SELECT name, count(*) AS calls FROM calls WHERE is_test = 0 GROUP BY name),
  alone AS (SELECT name, min(id) AS id FROM components WHERE is_test = 0
    GROUP BY name HAVING count(*) = 1 AND min(kind) <> 'method')
  SELECT ${COMPONENT_COLUMNS}, called.calls AS calls FROM called
  JOIN alone ON alone.name = called.name JOIN components c ON c.id = alone.id JOIN files f ON f.id = c.file
  ORDER BY called.calls DESC, f.path, c.line LIMIT ?`;

export const SELECT_FILE_SIZES = `SELECT f.path AS path, count(*) AS components,
    (SELECT count(*) FROM targets t JOIN files i ON i.id = t.file WHERE t.target = f.path AND i.is_test = 0) AS importers
  FROM files f JOIN components c ON c.file = f.id
  WHERE f.is_test = 0 AND c.is_test = 0 AND c.is_exported = 1 GROUP BY f.id ORDER BY f.path`;

type DependencyEnd = CodeDependency["from"];

const SELECT_IMPORTED_FILES = `SELECT DISTINCT t.target AS path FROM targets t JOIN files f ON f.id = t.file
  WHERE f.path = ? ORDER BY 1`;
const SELECT_IMPORTING_FILES = `SELECT DISTINCT f.path AS path FROM targets t JOIN files f ON f.id = t.file
  WHERE t.target = ? ORDER BY 1`;
/**
 * A call refers to a component of that name in the same file, in an imported file, or in a file visible without an
 * import.
 */
const buildVisibilityCondition = (from: string, to: string): string => `(${to}.id = ${from}.id
  OR (${to}.beside = ${from}.beside
    AND (${from}.language <> 'go' OR ${from}.path LIKE '%\\_test.go' ESCAPE '\\' OR ${to}.path NOT LIKE '%\\_test.go' ESCAPE '\\'))
  OR EXISTS (SELECT 1 FROM targets i WHERE i.file = ${from}.id AND i.target = ${to}.path))`;
const SELECT_CALLED_COMPONENTS = `SELECT DISTINCT tf.path AS path, t.ref AS ref
  FROM files f JOIN components c ON c.file = f.id JOIN calls k ON k.component = c.id
  JOIN components t ON t.name = k.name AND t.id <> c.id JOIN files tf ON tf.id = t.file
  WHERE f.path = ? AND c.ref = ? AND ${buildVisibilityCondition("f", "tf")} ORDER BY 1, 2`;
const SELECT_CALLING_COMPONENTS = `SELECT DISTINCT cf.path AS path, c.ref AS ref
  FROM files f JOIN components t ON t.file = f.id JOIN calls k ON k.name = t.name
  JOIN components c ON c.id = k.component AND c.id <> t.id JOIN files cf ON cf.id = c.file
  WHERE f.path = ? AND t.ref = ? AND ${buildVisibilityCondition("cf", "f")} ORDER BY 1, 2`;

export function selectDependencies(db: DatabaseReader, of: DependencyEnd): CodeDependency[] {
  if (of.ref === undefined)
    return selectRows<DependencyEnd>(db, SELECT_IMPORTED_FILES, of.path).map((to) => ({ by: "import", from: of, to }));
  const called = selectRows<DependencyEnd>(db, SELECT_CALLED_COMPONENTS, of.path, of.ref);
  return called.map((to) => ({ by: "call", from: of, to }));
}

export function selectDependents(db: DatabaseReader, of: DependencyEnd): CodeDependency[] {
  if (of.ref === undefined)
    return selectRows<DependencyEnd>(db, SELECT_IMPORTING_FILES, of.path).map((from) => ({
      by: "import",
      from,
      to: of,
    }));
  const calling = selectRows<DependencyEnd>(db, SELECT_CALLING_COMPONENTS, of.path, of.ref);
  return calling.map((from) => ({ by: "call", from, to: of }));
}
