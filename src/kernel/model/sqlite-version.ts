/** Older versions can corrupt a database in WAL mode when two connections write and checkpoint concurrently. */
export const MIN_SQLITE_VERSION = "3.51.3";

/** Compares numbers, because the first use of a collator takes a quarter of Node's start time. */
export function isSafeSqliteVersion(version: string): boolean {
  const floor = MIN_SQLITE_VERSION.split(".").map(Number);
  const parts = version.split(".").map(Number);
  const different = floor.findIndex((number, i) => number !== (parts[i] ?? 0));
  return different < 0 || (parts[different] ?? 0) > (floor[different] ?? 0);
}
