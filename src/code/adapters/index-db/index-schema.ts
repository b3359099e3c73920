import type { DatabaseReader, DatabaseRow, DatabaseValue, SqliteDatabase } from "#kernel/adapters/sqlite-database.ts";

/**
 * Layout version of the tables below. Raise it with every change here or in the parsed content: an index with another
 * layout is rebuilt.
 */
export const INDEX_LAYOUT = "5";

/** Prefix of the terms in a name, so that an entry with that name is found among all entries that mention the word. */
export const NAME_TERM_PREFIX = "·";

/** Files with the same `beside` see each other without an import. A rebuilt index takes over the summaries. */
export const CREATE_INDEX_TABLES = `
  CREATE TABLE notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, stamp TEXT NOT NULL,
    language TEXT NOT NULL, beside TEXT, is_test INTEGER NOT NULL, is_whole INTEGER NOT NULL,
    lines INTEGER NOT NULL, doc TEXT NOT NULL, problem TEXT
  ) STRICT;
  CREATE TABLE components (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, ref TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
    within TEXT NOT NULL, signature TEXT NOT NULL, doc TEXT NOT NULL, line INTEGER NOT NULL,
    last_line INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL, is_exported INTEGER NOT NULL,
    is_test INTEGER NOT NULL, hash TEXT NOT NULL
  ) STRICT;
  CREATE TABLE calls (component INTEGER NOT NULL, name TEXT NOT NULL, is_test INTEGER NOT NULL) STRICT;
  CREATE TABLE imports (file INTEGER NOT NULL, specifier TEXT NOT NULL, names TEXT NOT NULL) STRICT;
  CREATE TABLE targets (file INTEGER NOT NULL, specifier TEXT NOT NULL, target TEXT NOT NULL) STRICT;
  CREATE TABLE tags (
    file INTEGER NOT NULL, ref TEXT, spec TEXT NOT NULL, criterion TEXT, line INTEGER NOT NULL,
    said_by TEXT NOT NULL, is_test INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE tests (
    file INTEGER NOT NULL, name TEXT NOT NULL, line INTEGER NOT NULL, last_line INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE text_files (path TEXT PRIMARY KEY, hash TEXT NOT NULL, stamp TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE texts (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, path TEXT NOT NULL, line INTEGER NOT NULL,
    title TEXT NOT NULL, text TEXT NOT NULL, hash TEXT NOT NULL
  ) STRICT;
  CREATE INDEX texts_by_path ON texts (path);
  CREATE VIRTUAL TABLE words USING fts5 (
    text, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  );
  CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);
  CREATE TABLE summaries (
    key TEXT PRIMARY KEY, text TEXT NOT NULL, hash TEXT NOT NULL, source TEXT NOT NULL, at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
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

/** Each names its columns as the fields of the row type that the port declares. */
export const SELECT_FILES = `SELECT path, hash, stamp, language, is_test AS isTest, is_whole AS isWhole, lines, doc,
  problem FROM files f`;
export const COMPONENT_COLUMNS = `f.path, c.ref, c.kind, c.name, c.within, c.signature, c.doc, c.line,
  c.last_line AS lastLine, c.start, c.end, c.is_exported AS isExported, c.is_test AS isTest, c.hash`;
export const SELECT_COMPONENTS = `SELECT ${COMPONENT_COLUMNS} FROM components c JOIN files f ON f.id = c.file`;
export const SELECT_TAGS = `SELECT f.path, t.spec, t.criterion, t.line, t.said_by AS "by", t.is_test AS isTest, t.ref
  FROM tags t JOIN files f ON f.id = t.file`;
export const SELECT_TESTS = `SELECT f.path, t.name, t.line, t.last_line AS lastLine
  FROM tests t JOIN files f ON f.id = t.file`;
export const SELECT_TEXTS = "SELECT kind, key, path, line, title, text, hash FROM texts";

/** The tables are strict, so that a column has its declared type. Flags become booleans, and NULL is left out. */
const parseRow = <Row>(row: DatabaseRow): Row =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) =>
      value === null ? [] : [[name, /^is[A-Z]/.test(name) ? value === 1 : value]],
    ),
  ) as Row;

export const selectRows = <Row>(db: DatabaseReader, sql: string, ...values: DatabaseValue[]): Row[] =>
  db.all(sql, ...values).map((row) => parseRow<Row>(row));

/** Returns the id of the new row. */
export function insertRow(
  db: SqliteDatabase,
  table: string,
  row: Readonly<Record<string, string | number | boolean | undefined>>,
): number {
  const columns = Object.keys(row);
  const values = Object.values(row).map((value) => (typeof value === "boolean" ? Number(value) : (value ?? null)));
  return db.insert(`INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => "?").join()})`, ...values);
}

/** Three tables share the row ids of the search table. */
export const ENTRY_KINDS = ["component", "file", "text"] as const;
export const encodeEntryId = (kind: (typeof ENTRY_KINDS)[number], id: number): number =>
  id * ENTRY_KINDS.length + ENTRY_KINDS.indexOf(kind);
