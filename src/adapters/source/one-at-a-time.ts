import { randomInt } from "node:crypto";
import fs from "node:fs";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** Between two looks whether it is our turn. */
const PAUSE_MS = 40;

/**
 * Does something while nobody else in any process does the same. The lock is SQLite's on a file of its own: the system
 * drops it when its holder dies, so nothing can be left locked. Gives nothing if the turn did not come in time.
 */
export async function oneAtATime<T>(
  file: string,
  longestWaitMs: number,
  work: () => Promise<T>,
): Promise<T | undefined> {
  fs.mkdirSync(dirname(file), { recursive: true });
  const { DatabaseSync } = await import("node:sqlite");
  for (const end = performance.now() + longestWaitMs; ;) {
    const database = new DatabaseSync(file, { timeout: 0 });
    try {
      if (hasBegun(database)) return await work();
    } finally {
      database.close();
    }
    if (performance.now() > end) return undefined;
    await pause(PAUSE_MS + randomInt(PAUSE_MS));
  }
}

/** Nothing is ever written, so nothing has to be undone. */
function hasBegun(database: { exec(sql: string): void }): boolean {
  try {
    database.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (error instanceof Error && /locked|busy/i.test(error.message)) return false;
    throw error;
  }
}
