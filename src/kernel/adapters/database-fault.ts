import fs from "node:fs";
import { dirname } from "node:path";
import { Fault, type SuggestedFix } from "../model/fault.ts";
import { isSafeSqliteVersion, MIN_SQLITE_VERSION } from "../model/sqlite-version.ts";

export const DATABASE_PATIENCE_MS = 15_000;
const SQLITE_CODES = { busy: 5, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notDatabase: 26 };
const SQLITE_READONLY_ROLLBACK = 776;
const LEAST_FREE_BYTES = 65_536;
/** The write-ahead log and its index. */
const COMPANION_FILES = 2;

export interface DatabaseKind {
  readonly name: string;
  /** Each migration raises the schema by one version; `user_version` counts them. */
  readonly migrations: readonly string[];
  readonly patienceMs?: number;
  readonly pragmas?: string;
  remedy(file: string): SuggestedFix;
}

export function assertSoundSqlite(): void {
  const version = process.versions["sqlite"] ?? "0";
  if (isSafeSqliteVersion(version)) return;
  throw new Fault("database.old-sqlite", {
    what: "The database is not opened.",
    why: `Node ${process.versions.node} brings SQLite ${version}, and versions before ${MIN_SQLITE_VERSION} can corrupt it.`,
    fix: "Install Node 24, or 22.23 and newer.",
  });
}

export const isDatabaseBusy = (error: unknown): boolean => readSqliteCode(error) === SQLITE_CODES.busy;

/** A journal that only a writer can roll back. It exists only before the first table. */
export const isHalfMadeDatabase = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && error.errcode === SQLITE_READONLY_ROLLBACK;

/** For a value that SQLite returns and this program cannot read. */
export const createUnreadableValueError = (what: string): Error =>
  Object.assign(new Error(what), { errcode: SQLITE_CODES.corrupt });

function readSqliteCode(error: unknown): number | undefined {
  const code: unknown = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? code & 0xff : undefined;
}

export function toDatabaseFault(error: unknown, file: string, kind: DatabaseKind): unknown {
  const code = readSqliteCode(error);
  if (code === undefined || !(error instanceof Error)) return error;
  if (code === SQLITE_CODES.busy) return createBusyFault(file, kind);
  const what = `The ${kind.name} ${file} could not be used.`;
  const isObstructed = isDatabaseObstructed(error);
  if (code === SQLITE_CODES.full || (isObstructed && isDiskFull(dirname(file)))) {
    const fix = "Free some space (df -h) or files (df -i), then run the command again.";
    return new Fault("disk.full", { what, why: "The disk or the quota is full.", fix });
  }
  if (code === SQLITE_CODES.corrupt || code === SQLITE_CODES.notDatabase)
    return createDamagedFault(file, kind, error.message);
  const why = `SQLite says: ${error.message}.`;
  return isObstructed ? new Fault("database.unusable", { what, why, fix: `Check: ls -la ${dirname(file)}` }) : error;
}

export function createDamagedFault(file: string, kind: DatabaseKind, why: string): Fault {
  const what = `The ${kind.name} ${file} could not be used.`;
  return new Fault("database.corrupt", { what, why: `It is damaged: ${why}.`, fix: kind.remedy(file) });
}

export function isDatabaseObstructed(error: unknown): boolean {
  const code = readSqliteCode(error);
  return code === SQLITE_CODES.readOnly || code === SQLITE_CODES.ioError || code === SQLITE_CODES.cannotOpen;
}

/** SQLite does not always report a full disk. Less space or files than its companion files need counts as full. */
function isDiskFull(folder: string): boolean {
  const { bavail, bsize, files, ffree } = fs.statfsSync(folder);
  return bavail * bsize < LEAST_FREE_BYTES || (files > 0 && ffree < COMPANION_FILES);
}

export function createBusyFault(file: string, kind: DatabaseKind): Fault {
  return new Fault("database.busy", {
    what: `The ${kind.name} ${file} stayed locked.`,
    why: `Other processes held it for ${(kind.patienceMs ?? DATABASE_PATIENCE_MS) / 1000} seconds.`,
    fix: "Run the command again. If it still fails, end the Tenon process that hangs.",
  });
}

export function createNewerSchemaFault(file: string, kind: DatabaseKind, version: number): Fault {
  return new Fault("database.newer", {
    what: `The ${kind.name} ${file} cannot be written.`,
    why: `It has schema ${version}, and this version of Tenon knows ${kind.migrations.length}.`,
    fix: "Install a newer Tenon.",
  });
}
