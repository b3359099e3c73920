/** Older ones can corrupt a database in WAL mode when two connections write and checkpoint at once. */
export const OLDEST_SQLITE = "3.51.3";

export function isSoundSqlite(version: string): boolean {
  return version.localeCompare(OLDEST_SQLITE, "en", { numeric: true }) >= 0;
}
