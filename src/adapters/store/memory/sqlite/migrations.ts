/**
 * Each migration raises memory's schema by one version. Never edit a released one; `user_version` counts them. A row's
 * place combines its project's number and its own, so that a project is one range of places in the table and in the
 * index. The index holds each term once; weights are computed from the texts.
 */
export const MEMORY_MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE projects (
    no         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    last_row   INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL
  ) STRICT;
  CREATE TABLE project_names (
    key     TEXT PRIMARY KEY,
    name    TEXT NOT NULL,
    project INTEGER NOT NULL REFERENCES projects (no)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE project_places (
    place   TEXT PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES projects (no)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE sessions (
    no         INTEGER PRIMARY KEY,
    project    INTEGER NOT NULL REFERENCES projects (no),
    id         TEXT NOT NULL,
    directory  TEXT,
    started_at TEXT NOT NULL,
    active_at  TEXT NOT NULL,
    ended_at   TEXT,
    summary    TEXT,
    rows       INTEGER NOT NULL DEFAULT 0,
    UNIQUE (project, id)
  ) STRICT;
  CREATE INDEX sessions_by_activity ON sessions (project, active_at);
  CREATE INDEX sessions_by_time ON sessions (active_at);

  CREATE TABLE observations (
    place      INTEGER PRIMARY KEY,
    id         INTEGER NOT NULL UNIQUE,
    uid        BLOB NOT NULL UNIQUE,
    project    INTEGER NOT NULL REFERENCES projects (no),
    session    INTEGER NOT NULL REFERENCES sessions (no),
    scope      TEXT NOT NULL,
    namespace  TEXT NOT NULL,
    type       TEXT NOT NULL,
    topic_key  TEXT,
    revision   INTEGER NOT NULL,
    duplicates INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    deleted_at TEXT,
    hash       TEXT NOT NULL,
    source     TEXT,
    title      TEXT NOT NULL,
    content    TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX live_topics ON observations (project, topic_key, scope, namespace)
    WHERE topic_key IS NOT NULL AND deleted_at IS NULL;
  CREATE INDEX observations_by_session ON observations (session);
  CREATE INDEX observations_by_change ON observations (project, updated_at)
    WHERE deleted_at IS NULL AND type <> 'prompt';
  CREATE INDEX prompts_by_change ON observations (project, updated_at) WHERE deleted_at IS NULL AND type = 'prompt';
  CREATE INDEX observations_by_hash ON observations (hash);
  CREATE INDEX observations_by_source ON observations (source) WHERE source IS NOT NULL;

  CREATE TABLE revisions (
    observation INTEGER NOT NULL REFERENCES observations (id) ON DELETE CASCADE,
    revision    INTEGER NOT NULL,
    type        TEXT NOT NULL,
    title       TEXT NOT NULL,
    content     TEXT NOT NULL,
    at          TEXT NOT NULL,
    source      TEXT,
    PRIMARY KEY (observation, revision)
  ) STRICT;
  CREATE INDEX revisions_by_source ON revisions (source) WHERE source IS NOT NULL;

  CREATE TABLE relations (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    from_id    INTEGER NOT NULL REFERENCES observations (id) ON DELETE CASCADE,
    to_id      INTEGER NOT NULL REFERENCES observations (id) ON DELETE CASCADE,
    type       TEXT NOT NULL,
    note       TEXT,
    created_at TEXT NOT NULL,
    UNIQUE (from_id, to_id, type)
  ) STRICT;
  CREATE INDEX relations_by_target ON relations (to_id);

  CREATE TABLE gone (
    uid  BLOB PRIMARY KEY,
    at   TEXT NOT NULL,
    heir INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE followers (ledger TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE vocabulary (term TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE VIRTUAL TABLE terms USING fts5 (
    text, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  );
  CREATE VIRTUAL TABLE prompt_terms USING fts5 (
    text, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  );
  `,
];
