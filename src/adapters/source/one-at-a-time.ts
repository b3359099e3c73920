import { randomInt } from "node:crypto";
import fs from "node:fs";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const LOCK_POLL_MS = 40;

/**
 * Runs `work` while no other process does. The lock is SQLite's lock on its own file: the system drops it when the
 * process dies, so it never stays locked. Undefined when the lock was not free in time.
 */
export async function withFileLock<T>(
  file: string,
  longestWaitMs: number,
  work: () => Promise<T>,
): Promise<T | undefined> {
  fs.mkdirSync(dirname(file), { recursive: true });
  const { DatabaseSync } = await import("node:sqlite");
  for (const end = performance.now() + longestWaitMs; ;) {
    const database = new DatabaseSync(file, { timeout: 0 });
    try {
      if (hasTakenFileLock(database)) return await work();
    } finally {
      database.close();
    }
    if (performance.now() > end) return undefined;
    await pause(LOCK_POLL_MS + randomInt(LOCK_POLL_MS));
  }
}

function hasTakenFileLock(database: { exec(sql: string): void }): boolean {
  try {
    database.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (error instanceof Error && /locked|busy/i.test(error.message)) return false;
    throw error;
  }
}
