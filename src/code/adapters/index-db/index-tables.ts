import { type CodeComponent, findSpanForLine, createComponentRefs } from "../../model/index/code-outline.ts";
import { isTestLine } from "../../model/scan/test-files.ts";
import { extractIndexTerms } from "../../model/query/code-search-terms.ts";
import * as ranking from "#kernel/model/search/search-ranking.ts";
import type { SearchQuestion } from "#kernel/model/search/search-question.ts";
import { normalizeSearchTerm } from "#kernel/model/search/search-terms.ts";
import { isStopWord } from "#kernel/model/search/stop-words.ts";
import { maskQuickly } from "#kernel/model/secret-detection.ts";
import { createComponentEntry, createFileEntry, createTextEntry } from "../../operations/index/index-entries.ts";
import type * as port from "../../operations/ports/code-index.ts";
import { type DatabaseReader, selectRows, type SqliteDatabase } from "#kernel/adapters/sqlite-database.ts";
import schema from "./index-schema.json" with { type: "json" };

/** Raise it with every change of the tables or the parsed content: an index with another layout is rebuilt. */
export const INDEX_LAYOUT = "7";

/** Prefix of the terms in a name, so that an entry with that name is found among all entries that mention the word. */
const NAME_TERM_PREFIX = "·";

/** Files with the same `beside` see each other without an import. A rebuilt index takes over the summaries. */
export const CREATE_INDEX_TABLES = [...schema.tables, `INSERT INTO notes VALUES ('layout', '${INDEX_LAYOUT}')`].join(
  ";\n",
);

/** Created after the first fill, which is faster without. The indexes by name cover what bulk queries read. */
export const CREATE_SQL_INDEXES = schema.indexes.join(";\n");

/** Each names its columns as the fields of the row type that the port declares. */
export const SELECT_FILES = `SELECT path, hash, stamp, language, is_test AS isTest, is_whole AS isWhole, lines, doc,
  problem FROM files f`;
const COMPONENT_COLUMNS = `f.path, c.ref, c.kind, c.name, c.within, c.signature, c.doc, c.line,
  c.last_line AS lastLine, c.start, c.end, c.is_exported AS isExported, c.is_test AS isTest, c.hash`;
export const SELECT_COMPONENTS = `SELECT ${COMPONENT_COLUMNS} FROM components c JOIN files f ON f.id = c.file`;
export const SELECT_TAGS = `SELECT f.path, t.spec, t.criterion, t.line, t.said_by AS "by", t.is_test AS isTest, t.ref
  FROM tags t JOIN files f ON f.id = t.file`;
export const SELECT_TESTS = `SELECT f.path, t.name, t.line, t.last_line AS lastLine
  FROM tests t JOIN files f ON f.id = t.file`;
export const SELECT_TEXTS = "SELECT kind, key, path, line, title, text, hash FROM texts";

function insertRow(
  db: SqliteDatabase,
  table: string,
  row: Readonly<Record<string, string | number | boolean | undefined>>,
): number {
  const columns = Object.keys(row);
  const values = Object.values(row).map((value) => (typeof value === "boolean" ? Number(value) : (value ?? null)));
  return db.insert(`INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => "?").join()})`, ...values);
}

/** Three tables share the row ids of the search table. */
const ENTRY_KINDS = ["component", "file", "text"] as const;
const encodeEntryId = (kind: (typeof ENTRY_KINDS)[number], id: number): number =>
  id * ENTRY_KINDS.length + ENTRY_KINDS.indexOf(kind);

export function insertIndexedFile(db: SqliteDatabase, file: port.IndexedFile): void {
  deleteIndexedFile(db, file.path);
  const { path, hash, stamp, isTest, outline, problem } = file;
  const { language = "", isWhole = true, lines = 0 } = outline ?? {};
  const doc = maskQuickly(outline?.doc ?? "");
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const beside = FOLDER_SCOPED_LANGUAGES.has(language) ? `${language} ${folder}` : undefined;
  const flags = { is_test: isTest, is_whole: isWhole };
  const id = insertRow(db, "files", { path, hash, stamp, language, beside, ...flags, lines, doc, problem });
  if (!outline) return;
  insertSearchTerms(db, createFileEntry(encodeEntryId("file", id), { path, hash, doc }));
  const refs = createComponentRefs(outline.components);
  const placed = outline.components.map((each, i) => ({
    ...each,
    ref: refs[i] ?? each.name,
    signature: maskQuickly(each.signature),
    doc: maskQuickly(each.doc),
  }));
  for (const each of placed) insertComponentRow(db, id, { ...each, path, isTest: isTestCodeLine(file, each.line) });
  for (const { specifier, names } of outline.imports)
    db.run("INSERT INTO imports VALUES (?, ?, ?)", id, specifier, JSON.stringify(names));
  insertImportTargets(db, id, file.targets);
  for (const { by, ...tag } of outline.tags) {
    const ref = findSpanForLine(placed, tag.line)?.ref;
    insertRow(db, "tags", { file: id, ref, ...tag, said_by: by, is_test: isTestCodeLine(file, tag.line) });
  }
  for (const { name, line, lastLine } of outline.tests)
    db.run("INSERT INTO tests VALUES (?, ?, ?, ?)", id, name, line, lastLine);
}

const isTestCodeLine = ({ isTest, outline }: port.IndexedFile, line: number): boolean =>
  isTest || isTestLine(outline?.testParts ?? [], line);

const FOLDER_SCOPED_LANGUAGES = new Set(["go", "java", "csharp", "php"]);

function insertComponentRow(
  db: SqliteDatabase,
  file: number,
  component: port.IndexedComponentRow & Pick<CodeComponent, "calls">,
): void {
  const { path: _, calls, lastLine, isExported, isTest, ...row } = component;
  const flags = { is_exported: isExported, is_test: isTest };
  const id = insertRow(db, "components", { file, ...row, last_line: lastLine, ...flags });
  insertSearchTerms(db, createComponentEntry(encodeEntryId("component", id), component));
  // Keeps only the last name: `this.store.read` calls some `read`.
  for (const name of new Set(calls.flatMap((callee) => /[\w$]+(?=[^\w$]*$)/.exec(callee)?.[0] ?? [])))
    db.run("INSERT INTO calls VALUES (?, ?, ?)", id, name, Number(isTest));
}

function insertImportTargets(db: SqliteDatabase, file: number, targets: port.IndexedFile["targets"]): void {
  for (const [specifier, paths] of targets)
    for (const path of paths) db.run("INSERT INTO targets VALUES (?, ?, ?)", file, specifier, path);
}

const selectFileId = (db: SqliteDatabase, path: string): number =>
  Number(db.all("SELECT id FROM files WHERE path = ?", path)[0]?.["id"] ?? 0);

export function replaceImportTargets(db: SqliteDatabase, path: string, targets: port.IndexedFile["targets"]): void {
  const id = selectFileId(db, path);
  if (id === 0) return;
  db.run("DELETE FROM targets WHERE file = ?", id);
  insertImportTargets(db, id, targets);
}

export function deleteIndexedFile(db: SqliteDatabase, path: string): void {
  const id = selectFileId(db, path);
  if (id === 0) return;
  for (const row of db.all("SELECT id FROM components WHERE file = ?", id)) {
    const component = Number(row["id"]);
    deleteSearchTerms(db, encodeEntryId("component", component));
    db.run("DELETE FROM calls WHERE component = ?", component);
  }
  deleteSearchTerms(db, encodeEntryId("file", id));
  for (const table of ["components", "imports", "targets", "tags", "tests"])
    db.run(`DELETE FROM ${table} WHERE file = ?`, id);
  db.run("DELETE FROM files WHERE id = ?", id);
}

export function insertTextFile(db: SqliteDatabase, { path, hash, stamp, texts }: port.IndexedTextFile): void {
  deleteTextFile(db, path);
  db.run("INSERT INTO text_files VALUES (?, ?, ?)", path, hash, stamp);
  for (const each of texts) {
    const text = { ...each, title: maskQuickly(each.title), text: maskQuickly(each.text) };
    const id = insertRow(db, "texts", { ...text });
    insertSearchTerms(db, createTextEntry(encodeEntryId("text", id), text));
  }
}

export function deleteTextFile(db: SqliteDatabase, path: string): void {
  for (const row of db.all("SELECT id FROM texts WHERE path = ?", path))
    deleteSearchTerms(db, encodeEntryId("text", Number(row["id"])));
  db.run("DELETE FROM texts WHERE path = ?", path);
  db.run("DELETE FROM text_files WHERE path = ?", path);
}

function insertSearchTerms(db: SqliteDatabase, { id, title, text }: port.CodeIndexEntry): void {
  const named = [...extractIndexTerms(title)].map((term) => `${NAME_TERM_PREFIX}${term}`);
  const terms = [...extractIndexTerms(`${title}\n${text}`), ...named].join(" ");
  db.run("INSERT INTO words (rowid, text) VALUES (?, ?)", id, terms);
}

const deleteSearchTerms = (db: SqliteDatabase, id: number): void => db.run("DELETE FROM words WHERE rowid = ?", id);

const MIN_CORRECTED_TERM = 4;

export function selectQueryCandidates(
  db: DatabaseReader,
  question: SearchQuestion,
  most: number,
): port.IndexCandidates {
  const [counted] = db.all(
    `SELECT (SELECT count(*) FROM components) + (SELECT count(*) FROM files WHERE language <> '')
       + (SELECT count(*) FROM texts) AS n`,
  );
  const total = Number(counted?.["n"]);
  const weights = new Map<string, number>();
  const postings: ranking.TermPosting[] = [];
  const repaired: { from: string; to: string }[] = [];
  const look = (term: string, share: number): boolean => {
    if (weights.has(term)) return true;
    const rows = selectRowsWithTerm(db, term);
    if (rows.length === 0) return false;
    weights.set(term, share * ranking.computeTermWeight(rows.length, total));
    postings.push({ term, rows, holders: rows.length, share });
    const named = selectRowsWithTerm(db, `${NAME_TERM_PREFIX}${term}`);
    if (named.length > 0) postings.push({ term, rows: named, holders: named.length, share });
    return true;
  };
  for (const term of question.terms) {
    if (look(term, 1)) continue;
    const instead = correctTermSpelling(db, question.spelled.get(term) ?? term);
    if (instead === undefined) continue;
    // In a sentence, a word with one other letter is another English word: `decide` is not `decode`.
    const word = question.spelled.get(term) ?? term;
    if (question.terms.length > 1 && isOtherLetter(word, instead.word)) continue;
    look(instead.term, 1);
    repaired.push({ from: question.spelled.get(term) ?? term, to: instead.word });
  }
  for (const [hint, share] of question.hints) look(hint, share);
  const entries = ranking.selectCoveringRows(postings, total, most).flatMap((id) => loadIndexEntry(db, id));
  return { entries: addCallerCounts(db, entries), weights, repaired };
}

const SELECT_CALLER_COUNTS = `WITH wanted AS (SELECT DISTINCT value AS name FROM json_each(?))
  SELECT w.name AS name, (SELECT count(*) FROM calls k WHERE k.name = w.name AND k.is_test = 0) * 1.0
    / max(1, (SELECT count(*) FROM components c WHERE c.name = w.name AND c.is_test = 0)) AS callers FROM wanted w`;

function addCallerCounts(db: DatabaseReader, entries: readonly port.CodeIndexEntry[]): port.CodeIndexEntry[] {
  const names = JSON.stringify(entries.flatMap(({ component }) => component?.name ?? []));
  const rows = selectRows<{ name: string; callers: number }>(db, SELECT_CALLER_COUNTS, names);
  const counts = new Map(rows.map(({ name, callers }) => [name, callers]));
  return entries.map((entry) =>
    entry.component ? { ...entry, callers: counts.get(entry.component.name) ?? 0 } : entry,
  );
}

const isOtherLetter = (one: string, other: string): boolean =>
  one.length === other.length && sortLetters(one) !== sortLetters(other);

const sortLetters = (word: string): string => Array.from(word).toSorted().join("");

/** All ids as one JSON value, because 20,000 row objects take longer than the rest of the query. */
function selectRowsWithTerm(db: DatabaseReader, term: string): number[] {
  const [row] = db.all(
    "SELECT json_group_array(rowid) AS ids FROM (SELECT rowid FROM words WHERE words MATCH ? LIMIT ?)",
    `"${term}"`,
    ranking.MAX_WEIGHED_ROWS,
  );
  return JSON.parse(String(row?.["ids"])) as number[];
}

function correctTermSpelling(db: DatabaseReader, spelled: string) {
  const near = new Map(
    ranking
      .listTypoVariants(spelled)
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

function loadIndexEntry(db: DatabaseReader, id: number): port.CodeIndexEntry[] {
  const kind = ENTRY_KINDS[id % ENTRY_KINDS.length];
  const own = Math.floor(id / ENTRY_KINDS.length);
  if (kind === "component")
    return selectRows<port.IndexedComponentRow>(db, `${SELECT_COMPONENTS} WHERE c.id = ?`, own).map((row) =>
      createComponentEntry(id, row),
    );
  if (kind === "file")
    return selectRows<port.IndexedFileRow>(db, `${SELECT_FILES} WHERE id = ?`, own).map((row) =>
      createFileEntry(id, row),
    );
  return selectRows<port.IndexedText>(db, `${SELECT_TEXTS} WHERE id = ?`, own).map((row) => createTextEntry(id, row));
}

/** Names that contain the word or share its first two letters. The model picks among them. */
export const SELECT_SIMILAR_NAMES = `SELECT DISTINCT name FROM components
  WHERE instr(lower(name), lower(?1)) > 0 OR substr(name, 1, 2) = substr(?1, 1, 2)
  ORDER BY instr(lower(name), lower(?1)) = 0, length(name), name LIMIT ?2`;

export const SELECT_TEST_CALLERS = `${SELECT_COMPONENTS} JOIN calls k ON k.component = c.id
  WHERE k.name = ? AND k.is_test = 1 ORDER BY f.path, c.line LIMIT ?`;

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

/** In the same file, in an imported file, or in a file visible without an import. */
const buildVisibilityCondition = (from: string, to: string): string => `(${to}.id = ${from}.id
  OR (${to}.beside = ${from}.beside
    AND (${from}.language <> 'go' OR ${from}.path LIKE '%\\_test.go' ESCAPE '\\' OR ${to}.path NOT LIKE '%\\_test.go' ESCAPE '\\'))
  OR EXISTS (SELECT 1 FROM targets i WHERE i.file = ${from}.id AND i.target = ${to}.path))`;

const SELECT_DEPENDENCIES = {
  uses: {
    import: "SELECT DISTINCT t.target AS path FROM targets t JOIN files f ON f.id = t.file WHERE f.path = ? ORDER BY 1",
    call: `SELECT DISTINCT tf.path AS path, t.ref AS ref
      FROM files f JOIN components c ON c.file = f.id JOIN calls k ON k.component = c.id
      JOIN components t ON t.name = k.name AND t.id <> c.id JOIN files tf ON tf.id = t.file
      WHERE f.path = ? AND c.ref = ? AND ${buildVisibilityCondition("f", "tf")} ORDER BY 1, 2`,
  },
  usedBy: {
    import: "SELECT DISTINCT f.path AS path FROM targets t JOIN files f ON f.id = t.file WHERE t.target = ? ORDER BY 1",
    call: `SELECT DISTINCT cf.path AS path, c.ref AS ref
      FROM files f JOIN components t ON t.file = f.id JOIN calls k ON k.name = t.name
      JOIN components c ON c.id = k.component AND c.id <> t.id JOIN files cf ON cf.id = c.file
      WHERE f.path = ? AND t.ref = ? AND ${buildVisibilityCondition("cf", "f")} ORDER BY 1, 2`,
  },
};

export function selectDependencies(
  db: DatabaseReader,
  direction: keyof typeof SELECT_DEPENDENCIES,
  of: port.CodeDependency["from"],
): port.CodeDependency[] {
  const by = of.ref === undefined ? "import" : "call";
  const ends = [of.path, ...(of.ref === undefined ? [] : [of.ref])];
  const found = selectRows<port.CodeDependency["from"]>(db, SELECT_DEPENDENCIES[direction][by], ...ends);
  return found.map((end) => (direction === "uses" ? { by, from: of, to: end } : { by, from: end, to: of }));
}
