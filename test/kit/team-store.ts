import fs from "node:fs";
import { join } from "node:path";
import { PostgresDatabase } from "#kernel/adapters/postgres-database.ts";
import { parseDatabaseAddress } from "#kernel/model/database-address.ts";
import { TeamLedger } from "#store/adapters/team-ledger.ts";
import { WorkspaceStore } from "#store/adapters/workspace-store.ts";

interface TeamClone {
  readonly root: string;
  readonly url: string;
  readonly repository: string;
  readonly notice?: (text: string) => void;
}

/** The store of one process in one clone, with real clocks. The repository must be in the database. */
export function openTeamStore({ root, url, repository, notice = () => undefined }: TeamClone) {
  const database = new PostgresDatabase(parseDatabaseAddress(url));
  const steadyClock = { boot: "test boot", nowMs: () => Number(process.hrtime.bigint() / 1_000_000n) };
  const ledgerFile = join(root, ".sdd", "ledger.db");
  const ledger = new TeamLedger(ledgerFile, { database, repository: async () => repository, steadyClock, notice });
  const store = new WorkspaceStore({
    root,
    checkout: root,
    checkoutIn: (place) => (fs.existsSync(place) ? place : undefined),
    ledger,
    clock: { now: () => new Date().toISOString().replace(/\.\d+Z$/, "Z") },
    steadyClock,
    newId: () => crypto.randomUUID(),
    notice,
  });
  const close = async (): Promise<void> => {
    ledger.close();
    await database.close();
  };
  return { store, close };
}
