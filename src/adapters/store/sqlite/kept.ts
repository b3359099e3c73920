import type { LedgerEntry } from "#operations/ports/store.ts";
import type { DatabaseReader, DatabaseRow } from "./database.ts";
import type { Ledger } from "./ledger.ts";

export function listSpaceValues(db: DatabaseReader, space: string): Map<string, unknown> {
  const rows = db.all("SELECT key, body FROM kept WHERE space = ? ORDER BY key", space);
  return new Map(rows.map((row) => [String(row["key"]), JSON.parse(String(row["body"]))]));
}

export interface LedgerValues {
  kept(space: string): Map<string, unknown>;
  readonly leases: ReadonlyMap<string, DatabaseRow>;
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
    leases: new Map(db.all("SELECT * FROM leases").map((row) => [String(row["name"]), row])),
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
