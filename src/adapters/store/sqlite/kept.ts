import type { Keeping } from "#operations/store.ts";
import type { Reader } from "./database.ts";
import type { Ledger } from "./ledger.ts";

/** What a space holds, by name. */
export function keptIn(db: Reader, space: string): Map<string, unknown> {
  const rows = db.all("SELECT key, body FROM kept WHERE space = ? ORDER BY key", space);
  return new Map(rows.map((row) => [String(row["key"]), JSON.parse(String(row["body"]))]));
}

/** Call while alone. */
export function keep(ledger: Ledger, keeps: readonly Keeping[]): void {
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
