import fs from "node:fs";
import { dirname } from "node:path";
import { Fault } from "#domain/fault.ts";
import { isSafeSqliteVersion, MIN_SQLITE_VERSION } from "#domain/workspace/sqlite-floor.ts";

export const PATIENCE_MS = 15_000;
const BUSY = 5;
const READ_ONLY_ROLLBACK = 776;

export interface Kind {
  readonly name: string;
  /** Each migration raises the schema by one version; `user_version` counts them. */
  readonly migrations: readonly string[];
  readonly patienceMs?: number;
  readonly pragmas?: string;
  remedy(file: string): string;
}

export function refuseOldSqlite(): void {
  const version = process.versions["sqlite"] ?? "0";
  if (isSafeSqliteVersion(version)) return;
  throw new Fault("database.old-sqlite", {
    what: "The database is not opened.",
    why: `Node ${process.versions.node} brings SQLite ${version}, and those before ${MIN_SQLITE_VERSION} can corrupt it.`,
    fix: "Install Node 24, or 22.23 and newer.",
  });
}

export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === BUSY;
}

/** A journal that only a writer can roll back. It exists only before the first table. */
export function isHalfMade(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === READ_ONLY_ROLLBACK;
}

function sqliteCode(error: unknown): number | undefined {
  const code: unknown = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? code & 0xff : undefined;
}

const READ_ONLY = 8;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANNOT_OPEN = 14;
const NOT_A_DATABASE = 26;
const ROOM = 65_536;

export function asDatabaseFault(error: unknown, file: string, kind: Kind): unknown {
  const code = sqliteCode(error);
  if (code === undefined || !(error instanceof Error)) return error;
  if (code === BUSY) return busy(file, kind);
  const what = `The ${kind.name} ${file} could not be used.`;
  if (code === FULL || (isObstructed(error) && isFull(dirname(file)))) {
    const fix = "Free some space (df -h), then run the command again.";
    return new Fault("disk.full", { what, why: "The disk or the quota is full.", fix });
  }
  if (code === CORRUPT || code === NOT_A_DATABASE) return damaged(file, kind, error.message);
  if (isObstructed(error)) {
    return new Fault("database.unusable", {
      what,
      why: `SQLite says: ${error.message}.`,
      fix: `Check: ls -la ${dirname(file)}`,
    });
  }
  return error;
}

export function damaged(file: string, kind: Kind, why: string): Fault {
  return new Fault("database.corrupt", {
    what: `The ${kind.name} ${file} could not be used.`,
    why: `SQLite says: ${why}.`,
    fix: kind.remedy(file),
  });
}

export function isObstructed(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === READ_ONLY || code === IO_ERROR || code === CANNOT_OPEN;
}

/** SQLite does not always report a full disk. Less space than its companion files need counts as full. */
function isFull(folder: string): boolean {
  const { bavail, bsize } = fs.statfsSync(folder);
  return bavail * bsize < ROOM;
}

export function busy(file: string, kind: Kind): Fault {
  return new Fault("database.busy", {
    what: `The ${kind.name} ${file} stayed locked.`,
    why: `Other processes held it for ${(kind.patienceMs ?? PATIENCE_MS) / 1000} seconds.`,
    fix: "Run the command again; if it stays so, look for a stopped tenon process.",
  });
}

export function newer(file: string, kind: Kind, version: number): Fault {
  return new Fault("database.newer", {
    what: `The ${kind.name} ${file} cannot be written.`,
    why: `It has schema ${version}, and this version of Tenon knows ${kind.migrations.length}.`,
    fix: "Install a newer Tenon.",
  });
}
