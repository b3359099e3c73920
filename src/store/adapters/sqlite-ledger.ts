import { dirname } from "node:path";
import { quoteShellWord } from "#kernel/model/text-format.ts";
import { SqliteDatabase, type DatabaseReader, type DatabaseRow } from "#kernel/adapters/sqlite-database.ts";
import type { DatabaseKind } from "#kernel/adapters/database-fault.ts";
import type { LedgerEntry, StoredEvent } from "../operations/ports/store.ts";
import type { LeaseRow } from "./store-leases.ts";

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

export const LEDGER_KIND: DatabaseKind = {
  name: "ledger",
  migrations: LEDGER_MIGRATIONS,
  remedy(file) {
    const folder = dirname(file);
    return `Stop Tenon's servers, move the folder aside (mv ${quoteShellWord(folder)} ${quoteShellWord(`${folder}.damaged`)}) and run the command again: records under sdd/ are not in it.`;
  },
};

/** The database that all worktrees of a repository share. */
export class Ledger extends SqliteDatabase {
  constructor(file: string) {
    super(file, LEDGER_KIND);
  }
}

export function listSpaceValues(db: DatabaseReader, space: string): Map<string, unknown> {
  const rows = db.all("SELECT key, body FROM kept WHERE space = ? ORDER BY key", space);
  return new Map(rows.map((row) => [String(row["key"]), JSON.parse(String(row["body"]))]));
}

export interface LedgerValues {
  kept(space: string): Map<string, unknown>;
  readonly leases: readonly LeaseRow[];
}

export function readLedgerValues(db: DatabaseReader): LedgerValues | undefined {
  if (Number(db.all("PRAGMA user_version")[0]?.["user_version"]) < 2) return undefined;
  const rows = db.all("SELECT space, key, body FROM kept ORDER BY space, key");
  return {
    kept: (space) =>
      new Map(
        rows
          .filter((row) => row["space"] === space)
          .map((row) => [String(row["key"]), JSON.parse(String(row["body"]))]),
      ),
    leases: listLeases(db),
  };
}

/** Needs the ledger lock. */
export function writeSpaceValues(ledger: Ledger, keeps: readonly LedgerEntry[]): void {
  for (const { space, key, value } of keeps) {
    if (value === undefined) ledger.run("DELETE FROM kept WHERE space = ? AND key = ?", space, key);
    else
      ledger.run(
        "INSERT INTO kept (space, key, body) VALUES (?, ?, ?) ON CONFLICT (space, key) DO UPDATE SET body = excluded.body",
        space,
        key,
        JSON.stringify(value),
      );
  }
}

export function listRecordedEvents(db: DatabaseReader, after: number, most: number, checkout?: string): StoredEvent[] {
  const rows =
    checkout === undefined
      ? db.all("SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?", after, most)
      : db.all("SELECT * FROM events WHERE checkout = ? AND seq > ? ORDER BY seq LIMIT ?", checkout, after, most);
  return rows.map(toRecordedEvent);
}

export function readWorkflowKinds(db: DatabaseReader, ids: Iterable<string>): Map<string, string> {
  const rows = db.all(
    "SELECT subject, data ->> 'kind' AS kind FROM events WHERE kind = 'workflow.started' AND subject IN (SELECT value FROM json_each(?))",
    JSON.stringify([...ids]),
  );
  return new Map(rows.map((row) => [String(row["subject"]), String(row["kind"])]));
}

function toRecordedEvent(row: DatabaseRow): StoredEvent {
  return {
    seq: Number(row["seq"]),
    id: String(row["id"]),
    at: String(row["at"]),
    kind: String(row["kind"]),
    subject: String(row["subject"]),
    data: JSON.parse(String(row["data"])) as Record<string, unknown>,
    ...(row["ms"] == null ? {} : { ms: Number(row["ms"]) }),
  };
}

export function findLease(db: DatabaseReader, name: string): LeaseRow | undefined {
  return db.all("SELECT * FROM leases WHERE name = ?", name).map(toLeaseRow)[0];
}

export const listLeases = (db: DatabaseReader): LeaseRow[] => db.all("SELECT * FROM leases").map(toLeaseRow);

const toLeaseRow = (row: DatabaseRow): LeaseRow => ({
  name: String(row["name"]),
  holder: String(row["holder"]),
  token: Number(row["token"]),
  boot: String(row["boot"]),
  granted: Number(row["granted"]),
  expires: Number(row["expires"]),
});
