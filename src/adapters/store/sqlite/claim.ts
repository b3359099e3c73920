import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "#domain/fault.ts";
import { asFault } from "../files/error.ts";
import { makeFolder } from "./database.ts";
import { isBusy } from "./database-fault.ts";

const PATIENCE_MS = 5000;
const STEP_MS = 20;

/**
 * Holds a lock file while `work` runs. It is SQLite's lock on an empty database: the kernel drops it when the process
 * dies, so it is never left behind and no process has to guess whether its holder is alive.
 */
export async function claimed<T>(file: string, what: string, work: () => Promise<T>): Promise<T> {
  using _ = await claim(file, what);
  return await work();
}

async function claim(file: string, what: string): Promise<Disposable> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const held = tryClaim(file);
    if (held) return held;
    if (performance.now() > deadline) throw stillHeld(what);
    await sleep(STEP_MS);
  }
}

export function tryClaim(file: string): Disposable | undefined {
  let db: DatabaseSync | undefined;
  try {
    makeFolder(dirname(file));
    db = new DatabaseSync(file);
    db.exec("BEGIN EXCLUSIVE");
    return db;
  } catch (error) {
    db?.close();
    if (isBusy(error)) return undefined;
    throw asFault(error, file, "write");
  }
}

function stillHeld(what: string): Fault {
  return new Fault("store.claimed", {
    what: "Nothing was changed.",
    why: `Another process has been at ${what} for a while, and it lives.`,
    fix: "Wait until it has ended, or end it: what it leaves is finished by the next command.",
  });
}
