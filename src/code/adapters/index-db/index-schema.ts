import type {
  IndexedComponentRow,
  IndexedFileRow,
  IndexedText,
  IndexStamp,
  IndexedSummary,
  IndexedTagRow,
  IndexedTestRow,
} from "../../operations/ports/code-index.ts";
import type { DatabaseRow } from "#kernel/adapters/sqlite-database.ts";

/**
 * Layout version of the tables below. Raise it with every change here or in the parsed content: an index with another
 * layout is rebuilt.
 */
export const INDEX_LAYOUT = "5";

/** Summaries cannot be recomputed, so a rebuilt index takes them over. */
const CREATE_SUMMARIES = `
  CREATE TABLE summaries (
    key    TEXT PRIMARY KEY,
    text   TEXT NOT NULL,
    hash   TEXT NOT NULL,
    source TEXT NOT NULL,
    at     TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
/** Prefix of the terms in a name, so that an entry with that name is found among all entries that mention the word. */
export const NAME_TERM_PREFIX = "·";

export const CREATE_INDEX_TABLES = `
  CREATE TABLE notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE files (
    id       INTEGER PRIMARY KEY,
    path     TEXT NOT NULL UNIQUE,
    hash     TEXT NOT NULL,
    stamp    TEXT NOT NULL,
    language TEXT NOT NULL,
    -- Files with the same see each other without an import.
    beside   TEXT,
    is_test  INTEGER NOT NULL,
    is_whole INTEGER NOT NULL,
    lines    INTEGER NOT NULL,
    doc      TEXT NOT NULL,
    problem  TEXT
  ) STRICT;
  CREATE TABLE components (
    id          INTEGER PRIMARY KEY,
    file        INTEGER NOT NULL,
    ref         TEXT NOT NULL,
    kind        TEXT NOT NULL,
    name        TEXT NOT NULL,
    within      TEXT NOT NULL,
    signature   TEXT NOT NULL,
    doc         TEXT NOT NULL,
    line        INTEGER NOT NULL,
    last_line   INTEGER NOT NULL,
    start       INTEGER NOT NULL,
    end         INTEGER NOT NULL,
    is_exported INTEGER NOT NULL,
    is_test     INTEGER NOT NULL,
    hash        TEXT NOT NULL
  ) STRICT;
  CREATE TABLE calls (component INTEGER NOT NULL, name TEXT NOT NULL, is_test INTEGER NOT NULL) STRICT;
  CREATE TABLE imports (file INTEGER NOT NULL, specifier TEXT NOT NULL, names TEXT NOT NULL) STRICT;
  CREATE TABLE targets (file INTEGER NOT NULL, specifier TEXT NOT NULL, target TEXT NOT NULL) STRICT;
  CREATE TABLE tags (
    file      INTEGER NOT NULL,
    ref       TEXT,
    spec      TEXT NOT NULL,
    criterion TEXT,
    line      INTEGER NOT NULL,
    said_by   TEXT NOT NULL,
    is_test   INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE tests (
    file      INTEGER NOT NULL,
    name      TEXT NOT NULL,
    line      INTEGER NOT NULL,
    last_line INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE text_files (path TEXT PRIMARY KEY, hash TEXT NOT NULL, stamp TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE texts (
    id    INTEGER PRIMARY KEY,
    kind  TEXT NOT NULL,
    key   TEXT NOT NULL,
    path  TEXT NOT NULL,
    line  INTEGER NOT NULL,
    title TEXT NOT NULL,
    text  TEXT NOT NULL,
    hash  TEXT NOT NULL
  ) STRICT;
  CREATE INDEX texts_by_path ON texts (path);
  CREATE VIRTUAL TABLE words USING fts5 (
    text, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  );
  CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);
  ${CREATE_SUMMARIES}
  INSERT INTO notes VALUES ('layout', '${INDEX_LAYOUT}');
`;

/**
 * Created after the first fill, which is faster without indexes. The indexes by name cover every column that bulk
 * queries read, because rows are wide and many.
 */
export const CREATE_SQL_INDEXES = `
  CREATE INDEX IF NOT EXISTS components_by_file ON components (file);
  CREATE INDEX IF NOT EXISTS components_by_name ON components (name, is_test, kind);
  CREATE INDEX IF NOT EXISTS calls_by_component ON calls (component);
  CREATE INDEX IF NOT EXISTS calls_by_name ON calls (name, is_test, component);
  CREATE INDEX IF NOT EXISTS imports_by_file ON imports (file);
  CREATE INDEX IF NOT EXISTS targets_by_file ON targets (file);
  CREATE INDEX IF NOT EXISTS targets_by_target ON targets (target);
  CREATE INDEX IF NOT EXISTS tags_by_file ON tags (file);
  CREATE INDEX IF NOT EXISTS tags_by_spec ON tags (spec);
  CREATE INDEX IF NOT EXISTS tests_by_file ON tests (file);
`;

const readIndexText = (value: unknown): string => (typeof value === "string" ? value : "");

export const parseStampRows = (rows: readonly DatabaseRow[]): ReadonlyMap<string, IndexStamp> =>
  new Map(
    rows.map((row) => [
      readIndexText(row["path"]),
      { hash: readIndexText(row["hash"]), stamp: readIndexText(row["stamp"]) },
    ]),
  );

export const SELECT_FILES = "SELECT * FROM files";
export const parseFileRow = (row: DatabaseRow): IndexedFileRow => ({
  path: readIndexText(row["path"]),
  hash: readIndexText(row["hash"]),
  stamp: readIndexText(row["stamp"]),
  language: readIndexText(row["language"]),
  isTest: row["is_test"] === 1,
  isWhole: row["is_whole"] === 1,
  lines: Number(row["lines"]),
  doc: readIndexText(row["doc"]),
  ...(row["problem"] === null ? {} : { problem: readIndexText(row["problem"]) }),
});

export const SELECT_COMPONENTS = "SELECT c.*, f.path AS path FROM components c JOIN files f ON f.id = c.file";
export const parseComponentRow = (row: DatabaseRow): IndexedComponentRow => ({
  path: readIndexText(row["path"]),
  ref: readIndexText(row["ref"]),
  kind: readIndexText(row["kind"]) as IndexedComponentRow["kind"],
  name: readIndexText(row["name"]),
  within: readIndexText(row["within"]),
  signature: readIndexText(row["signature"]),
  doc: readIndexText(row["doc"]),
  line: Number(row["line"]),
  lastLine: Number(row["last_line"]),
  start: Number(row["start"]),
  end: Number(row["end"]),
  isExported: row["is_exported"] === 1,
  isTest: row["is_test"] === 1,
  hash: readIndexText(row["hash"]),
});

export const SELECT_TAGS = "SELECT t.*, f.path AS path FROM tags t JOIN files f ON f.id = t.file";
export const parseTagRow = (row: DatabaseRow): IndexedTagRow => ({
  path: readIndexText(row["path"]),
  spec: readIndexText(row["spec"]),
  ...(row["criterion"] === null ? {} : { criterion: readIndexText(row["criterion"]) }),
  line: Number(row["line"]),
  by: row["said_by"] === "marker" ? "marker" : "tag",
  isTest: row["is_test"] === 1,
  ...(row["ref"] === null ? {} : { ref: readIndexText(row["ref"]) }),
});

export const SELECT_TESTS = "SELECT t.*, f.path AS path FROM tests t JOIN files f ON f.id = t.file";
export const parseTestRow = (row: DatabaseRow): IndexedTestRow => ({
  path: readIndexText(row["path"]),
  name: readIndexText(row["name"]),
  line: Number(row["line"]),
  lastLine: Number(row["last_line"]),
});

export const parseTextRow = (row: DatabaseRow): IndexedText => ({
  kind: readIndexText(row["kind"]) as IndexedText["kind"],
  key: readIndexText(row["key"]),
  path: readIndexText(row["path"]),
  line: Number(row["line"]),
  title: readIndexText(row["title"]),
  text: readIndexText(row["text"]),
  hash: readIndexText(row["hash"]),
});

export const parseSummaryRow = (row: DatabaseRow): IndexedSummary => ({
  key: readIndexText(row["key"]),
  text: readIndexText(row["text"]),
  hash: readIndexText(row["hash"]),
  source: readIndexText(row["source"]) as IndexedSummary["source"],
  at: readIndexText(row["at"]),
});

/** Three tables share the row ids of the search table. */
export const ENTRY_KINDS = ["component", "file", "text"] as const;
export const encodeEntryId = (kind: (typeof ENTRY_KINDS)[number], id: number): number =>
  id * ENTRY_KINDS.length + ENTRY_KINDS.indexOf(kind);
