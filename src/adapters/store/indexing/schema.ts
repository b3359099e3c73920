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
