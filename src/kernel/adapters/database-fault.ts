import fs from "node:fs";
import { dirname } from "node:path";
import { Fault } from "../model/fault.ts";
import { isSafeSqliteVersion, MIN_SQLITE_VERSION } from "../model/sqlite-version.ts";

export const DATABASE_PATIENCE_MS = 15_000;
const SQLITE_BUSY = 5;
const SQLITE_READONLY_ROLLBACK = 776;

export interface DatabaseKind {
  readonly name: string;
  /** Each migration raises the schema by one version; `user_version` counts them. */
  readonly migrations: readonly string[];
  readonly patienceMs?: number;
  readonly pragmas?: string;
  remedy(file: string): string;
}

export function assertSoundSqlite(): void {
  const version = process.versions["sqlite"] ?? "0";
  if (isSafeSqliteVersion(version)) return;
  throw new Fault("database.old-sqlite", {
    what: "The database is not opened.",
    why: `Node ${process.versions.node} brings SQLite ${version}, and those before ${MIN_SQLITE_VERSION} can corrupt it.`,
    fix: "Install Node 24, or 22.23 and newer.",
  });
}

export function isDatabaseBusy(error: unknown): boolean {
  return readSqliteCode(error) === SQLITE_BUSY;
}

/** A journal that only a writer can roll back. It exists only before the first table. */
export function isHalfMadeDatabase(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_READONLY_ROLLBACK;
}

function readSqliteCode(error: unknown): number | undefined {
  const code: unknown = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? code & 0xff : undefined;
}

const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;
const LEAST_FREE_BYTES = 65_536;

export function toDatabaseFault(error: unknown, file: string, kind: DatabaseKind): unknown {
  const code = readSqliteCode(error);
  if (code === undefined || !(error instanceof Error)) return error;
  if (code === SQLITE_BUSY) return createBusyFault(file, kind);
  const what = `The ${kind.name} ${file} could not be used.`;
  if (code === SQLITE_FULL || (isDatabaseObstructed(error) && isDiskFull(dirname(file)))) {
    const fix = "Free some space (df -h), then run the command again.";
    return new Fault("disk.full", { what, why: "The disk or the quota is full.", fix });
  }
  if (code === SQLITE_CORRUPT || code === SQLITE_NOTADB) return createDamagedFault(file, kind, error.message);
  if (isDatabaseObstructed(error)) {
    return new Fault("database.unusable", {
      what,
      why: `SQLite says: ${error.message}.`,
      fix: `Check: ls -la ${dirname(file)}`,
    });
  }
  return error;
}

export function createDamagedFault(file: string, kind: DatabaseKind, why: string): Fault {
  return new Fault("database.corrupt", {
    what: `The ${kind.name} ${file} could not be used.`,
    why: `SQLite says: ${why}.`,
    fix: kind.remedy(file),
  });
}

export function isDatabaseObstructed(error: unknown): boolean {
  const code = readSqliteCode(error);
  return code === SQLITE_READONLY || code === SQLITE_IOERR || code === SQLITE_CANTOPEN;
}

/** SQLite does not always report a full disk. Less space than its companion files need counts as full. */
function isDiskFull(folder: string): boolean {
  const { bavail, bsize } = fs.statfsSync(folder);
  return bavail * bsize < LEAST_FREE_BYTES;
}

export function createBusyFault(file: string, kind: DatabaseKind): Fault {
  return new Fault("database.busy", {
    what: `The ${kind.name} ${file} stayed locked.`,
    why: `Other processes held it for ${(kind.patienceMs ?? DATABASE_PATIENCE_MS) / 1000} seconds.`,
    fix: "Run the command again; if it stays so, look for a stopped tenon process.",
  });
}

export function createNewerSchemaFault(file: string, kind: DatabaseKind, version: number): Fault {
  return new Fault("database.newer", {
    what: `The ${kind.name} ${file} cannot be written.`,
    why: `It has schema ${version}, and this version of Tenon knows ${kind.migrations.length}.`,
    fix: "Install a newer Tenon.",
  });
}
