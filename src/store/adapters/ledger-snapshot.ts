import type { HeldStoreLease } from "../operations/ports/store.ts";
import { Ledger } from "./sqlite-ledger.ts";
import { SqliteLeases, type SteadyClock } from "./sqlite-leases.ts";

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
    const names = all("SELECT name FROM leases").map((row) => String(row["name"]));
    const held = names.flatMap((name) => leases.find({ all }, name) ?? []);
    return { kept, leases: new Map(held.map((lease) => [lease.name, lease])) };
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
