/** Each migration raises the ledger's schema by one version. Never edit a released one; `user_version` counts them. */
export const LEDGER_MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE intents (
    id       TEXT PRIMARY KEY,
    checkout TEXT NOT NULL,
    at       TEXT NOT NULL,
    body     TEXT NOT NULL
  ) STRICT;
  CREATE INDEX intents_by_checkout ON intents (checkout, at);

  CREATE TABLE events (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    id       TEXT NOT NULL UNIQUE,
    at       TEXT NOT NULL,
    checkout TEXT NOT NULL,
    kind     TEXT NOT NULL,
    subject  TEXT NOT NULL,
    data     TEXT NOT NULL
  ) STRICT;

  CREATE TABLE leases (
    name    TEXT PRIMARY KEY,
    holder  TEXT NOT NULL,
    token   INTEGER NOT NULL,
    boot    TEXT NOT NULL,
    granted INTEGER NOT NULL,
    expires INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE counters (
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE kept (
    space TEXT NOT NULL,
    key   TEXT NOT NULL,
    body  TEXT NOT NULL,
    PRIMARY KEY (space, key)
  ) STRICT, WITHOUT ROWID;

  ALTER TABLE events ADD COLUMN ms INTEGER;
  ALTER TABLE intents ADD COLUMN keeps INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX workflow_starts ON events (subject) WHERE kind = 'workflow.started';
  `,
];
