import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../model/fault.ts";
import { toFileFault } from "../model/system-error.ts";
import { makeDatabaseFolder } from "./sqlite-database.ts";
import { isDatabaseBusy, toDatabaseFault } from "./database-fault.ts";

const FILE_CLAIM_PATIENCE_MS = 5000;
const FILE_CLAIM_POLL_MS = 20;

/** Uses SQLite's lock on an empty database: the kernel drops it when the process dies, so it is never left behind. */
export async function withFileClaim<T>(file: string, what: string, work: () => Promise<T>): Promise<T> {
  using _ = await waitForClaim(file, what);
  return await work();
}

async function waitForClaim(file: string, what: string): Promise<Disposable> {
  const deadline = performance.now() + FILE_CLAIM_PATIENCE_MS;
  for (;;) {
    const held = tryFileClaim(file);
    if (held) return held;
    if (performance.now() > deadline) {
      throw new Fault("store.claimed", {
        what: "Nothing was changed.",
        why: `Another process has used ${what} for a while and still runs.`,
        fix: "Wait until it ends, or end it. The next command finishes its work.",
      });
    }
    await sleep(FILE_CLAIM_POLL_MS);
  }
}

export function tryFileClaim(file: string): Disposable | undefined {
  let db: DatabaseSync | undefined;
  try {
    makeDatabaseFolder(dirname(file));
    db = new DatabaseSync(file);
    db.exec("BEGIN EXCLUSIVE");
    return db;
  } catch (error) {
    db?.close();
    if (isDatabaseBusy(error)) return undefined;
    const fault = toDatabaseFault(error, file, { name: "claim", migrations: [], remedy: () => `rm ${file}` });
    throw fault instanceof Fault && fault.code === "disk.full" ? fault : toFileFault(error, file, "write");
  }
}
