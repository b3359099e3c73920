/** What the tables below are; an index with another layout is made again. Raise it with every change here or in what is read. */
export const LAYOUT = "2";

export const TABLES = `
  CREATE TABLE notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE files (
    id       INTEGER PRIMARY KEY,
    path     TEXT NOT NULL UNIQUE,
    hash     TEXT NOT NULL,
    stamp    TEXT NOT NULL,
    language TEXT NOT NULL,
    is_test  INTEGER NOT NULL,
    is_whole INTEGER NOT NULL,
    lines    INTEGER NOT NULL,
    doc      TEXT NOT NULL,
    problem  TEXT
  ) STRICT;
  CREATE TABLE components (
    id          INTEGER PRIMARY KEY,
    file        INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
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
  CREATE INDEX components_by_file ON components (file);
  CREATE INDEX components_by_name ON components (name);
  CREATE TABLE calls (
    component INTEGER NOT NULL REFERENCES components (id) ON DELETE CASCADE,
    name      TEXT NOT NULL
  ) STRICT;
  CREATE INDEX calls_by_component ON calls (component);
  CREATE INDEX calls_by_name ON calls (name);
  CREATE TABLE imports (
    file      INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    specifier TEXT NOT NULL,
    target    TEXT NOT NULL
  ) STRICT;
  CREATE INDEX imports_by_file ON imports (file);
  CREATE INDEX imports_by_target ON imports (target);
  CREATE TABLE tags (
    file      INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    ref       TEXT,
    spec      TEXT NOT NULL,
    criterion TEXT,
    line      INTEGER NOT NULL,
    said_by   TEXT NOT NULL,
    is_test   INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX tags_by_file ON tags (file);
  CREATE INDEX tags_by_spec ON tags (spec);
  CREATE TABLE tests (
    file      INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    name      TEXT NOT NULL,
    line      INTEGER NOT NULL,
    last_line INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX tests_by_file ON tests (file);
  CREATE TABLE texts (
    id    INTEGER PRIMARY KEY,
    kind  TEXT NOT NULL,
    key   TEXT NOT NULL UNIQUE,
    path  TEXT NOT NULL,
    line  INTEGER NOT NULL,
    title TEXT NOT NULL,
    text  TEXT NOT NULL,
    hash  TEXT NOT NULL
  ) STRICT;
  CREATE TABLE summaries (
    key    TEXT PRIMARY KEY,
    text   TEXT NOT NULL,
    hash   TEXT NOT NULL,
    source TEXT NOT NULL,
    at     TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE VIRTUAL TABLE words USING fts5 (
    text, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  );
  CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);
  INSERT INTO notes VALUES ('layout', '${LAYOUT}');
`;
