import type { HeldStoreLease } from "../operations/ports/store.ts";
import { Ledger, listLeases } from "./sqlite-ledger.ts";
import { SqliteLeases } from "./sqlite-leases.ts";
import type { SteadyClock } from "./store-leases.ts";

export interface LedgerSnapshot {
  readonly kept: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
  readonly leases: ReadonlyMap<string, HeldStoreLease>;
}

export function readLedgerSnapshot(file: string, clock: SteadyClock): LedgerSnapshot | undefined {
  const ledger = new Ledger(file);
  const leases = new SqliteLeases(ledger, clock);
  return ledger.look((all) => {
    // A ledger with the first schema has no values.
    if (Number(all("PRAGMA user_version")[0]?.["user_version"]) < 2) return undefined;
    const rows = all("SELECT space, key, body FROM kept WHERE space <> 'snapshot'");
    if (rows.length === 0) return undefined;
    const kept = new Map<string, Map<string, unknown>>();
    for (const row of rows) {
      const space = kept.get(String(row["space"])) ?? new Map<string, unknown>();
      kept.set(String(row["space"]), space.set(String(row["key"]), tryParseValue(String(row["body"]))));
    }
    return { kept, leases: new Map(listLeases({ all }).map((row) => [row.name, leases.judge(row)])) };
  });
}

/** An unreadable value must not hide the others. */
function tryParseValue(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
