import fs from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Fault } from "#domain/fault.ts";
import { shellWord } from "#domain/quote.ts";
import { isSoundSqlite, OLDEST_SQLITE } from "#domain/workspace/sqlite-floor.ts";
import { asFault, errorCode } from "../files/error.ts";
import { MIGRATIONS } from "./migrations.ts";

const PATIENCE_MS = 15_000;
const BUSY = 5;
const READ_ONLY_ROLLBACK = 776;

export type Row = Record<string, unknown>;

/** The SQLite database that every worktree of a repository shares, and the lock that it is. */
export class Ledger {
  readonly file: string;
  #db: DatabaseSync | undefined;
  #inode: number | undefined;
  readonly #statements = new Map<string, StatementSync>();

  constructor(file: string) {
    this.file = file;
  }

  get exists(): boolean {
    return fs.existsSync(this.file);
  }

  /**
   * Runs `work` alone in the repository. The kernel drops the lock if the process dies, so it can't be left behind.
   * `work` is synchronous and short: nobody waits inside it.
   */
  async alone<T>(work: () => T): Promise<T> {
    await this.#open();
    // In one go: the calls of a process share this connection, and it holds one transaction at a time.
    return this.#patiently(() => {
      this.#run("BEGIN IMMEDIATE");
      try {
        const result = work();
        this.#commit();
        return result;
      } catch (error) {
        this.#rollback();
        throw asLedgerFault(error, this.file);
      }
    });
  }

  /** Looks without a lock. Nothing when there is no ledger yet: looking never makes one. */
  look<T>(work: Look<T>): T | undefined {
    if (!this.exists) return undefined;
    try {
      if (this.#db) return lookIn(this.#db, work);
      using db = openDatabase(this.file, true);
      return lookIn(db, work);
    } catch (error) {
      if (isHalfMade(error)) return undefined;
      if (!isObstructed(error) || !isAtRest(this.file)) throw asLedgerFault(error, this.file);
      return lookAtRest(this.file, work);
    }
  }

  all(sql: string, ...values: Value[]): Row[] {
    return this.#statement(sql).all(...values);
  }

  run(sql: string, ...values: Value[]): void {
    this.#statement(sql).run(...values);
  }

  close(): void {
    this.#statements.clear();
    this.#db?.close();
    this.#db = undefined;
  }

  #statement(sql: string): StatementSync {
    if (!this.#db) throw new Error("The ledger is not open.");
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #run(sql: string): void {
    if (!this.#db) throw new Error("The ledger is not open.");
    this.#db.exec(sql);
  }

  /**
   * A commit that could not be synced still stands in the log, and would count if the log were next read from the disk.
   * So it is written over with one that changes nothing.
   */
  #commit(): void {
    try {
      this.#run("COMMIT");
    } catch (error) {
      this.#rollback();
      try {
        this.#run(`BEGIN IMMEDIATE; PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`);
      } catch {
        this.#rollback();
      }
      throw error;
    }
  }

  #rollback(): void {
    if (this.#db?.isTransaction) this.#db.exec("ROLLBACK");
  }

  /** A file that was moved away takes its lock with it: whoever holds it would be alone in another ledger. */
  #leaveMoved(): void {
    const inode = fs.statSync(this.file, { throwIfNoEntry: false })?.ino;
    if (this.#db && inode !== this.#inode) this.close();
  }

  async #open(): Promise<void> {
    this.#leaveMoved();
    if (this.#db) return;
    makePrivateFile(this.file);
    const db = await this.#patiently(() => openDatabase(this.file, false));
    try {
      await this.#patiently(() => migrate(db, this.file));
    } catch (error) {
      db.close();
      throw error;
    }
    // Another call of this process may have been faster.
    if (this.#db) {
      db.close();
      return;
    }
    this.#db = db;
    this.#inode = fs.statSync(this.file, { throwIfNoEntry: false })?.ino;
  }

  /**
   * Waits its turn by asking again after a short random while. SQLite's own waiting sleeps longer the longer it has
   * waited, which starves whoever is unlucky; equal short sleeps give every waiter the same chance.
   */
  async #patiently<T>(attempt: () => T): Promise<T> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return attempt();
      } catch (error) {
        if (!isBusy(error)) throw asLedgerFault(error, this.file);
        if (performance.now() > deadline) throw busy(this.file);
      }
      await sleep(1 + Math.random() * 4);
    }
  }
}

type Value = string | number | null;
type Look<T> = (all: (sql: string, ...values: Value[]) => Row[]) => T;

function openDatabase(file: string, readOnly: boolean): DatabaseSync {
  // Readers meet a lock only for the moment in which the last writer closes, so they wait for it where they are.
  const db = new DatabaseSync(file, { readOnly, timeout: readOnly ? PATIENCE_MS : 0 });
  try {
    if (!readOnly) db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Nothing is in the log, so the file alone is the whole database. */
function isAtRest(file: string): boolean {
  return ["-wal", "-journal"].every((end) => !fs.statSync(`${file}${end}`, { throwIfNoEntry: false })?.size);
}

/** Even a reader makes a companion file. Where it can't, on a disk that is full or read-only, it does without. */
function lookAtRest<T>(file: string, work: Look<T>): T | undefined {
  const address = pathToFileURL(file);
  address.search = "immutable=1";
  try {
    using db = new DatabaseSync(address, { readOnly: true });
    return lookIn(db, work);
  } catch (error) {
    throw asLedgerFault(error, file);
  }
}

/** Nothing when whoever made the file died before there was a table in it. */
function lookIn<T>(db: DatabaseSync, work: Look<T>): T | undefined {
  return versionOf(db) === 0 ? undefined : work((sql, ...values) => db.prepare(sql).all(...values));
}

/** Brings the schema forward in one step; refuses one that is newer than this program. */
function migrate(db: DatabaseSync, file: string): void {
  const refuseNewer = (): void => {
    if (versionOf(db) > MIGRATIONS.length) throw newer(file, versionOf(db));
  };
  refuseNewer();
  if (versionOf(db) === MIGRATIONS.length) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    refuseNewer();
    for (const migration of MIGRATIONS.slice(versionOf(db))) db.exec(migration);
    db.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

const versionOf = (db: DatabaseSync): number => Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);

/** The database and its companions take the mode of this file. */
function makePrivateFile(file: string): void {
  refuseOldSqlite();
  try {
    makeFolder(dirname(file));
    fs.closeSync(fs.openSync(file, "a", 0o600));
  } catch (error) {
    throw asFault(error, file, "write");
  }
}

/** Not recursive: the folder above is there, and Node would call a read-only disk a missing folder. */
function makeFolder(folder: string): void {
  try {
    fs.mkdirSync(folder, { mode: 0o755 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

function refuseOldSqlite(): void {
  const version = process.versions["sqlite"] ?? "0";
  if (isSoundSqlite(version)) return;
  throw new Fault("ledger.old-sqlite", {
    what: "The ledger is not opened.",
    why: `Node ${process.versions.node} brings SQLite ${version}, and those before ${OLDEST_SQLITE} can corrupt it.`,
    fix: "Install Node 24, or 22.23 and newer.",
  });
}

function isBusy(error: unknown): boolean {
  return sqliteCode(error) === BUSY;
}

/** A journal that only a writer can roll back: before the first table there is one, afterwards never. */
function isHalfMade(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === READ_ONLY_ROLLBACK;
}

/** The primary result code of SQLite, without the extension in the upper bits. */
function sqliteCode(error: unknown): number | undefined {
  const code: unknown = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? code & 0xff : undefined;
}

/** The result codes of SQLite that a user can do something about. */
const READ_ONLY = 8;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANNOT_OPEN = 14;
const NOT_A_DATABASE = 26;
/** Bytes. */
const ROOM = 65_536;

function asLedgerFault(error: unknown, file: string): unknown {
  const code = sqliteCode(error);
  if (code === undefined || !(error instanceof Error)) return error;
  if (code === BUSY) return busy(file);
  const what = `The ledger ${file} could not be used.`;
  if (code === FULL || (isObstructed(error) && isFull(dirname(file)))) {
    const fix = "Free some space (df -h), then run the command again.";
    return new Fault("disk.full", { what, why: "The disk or the quota is full.", fix });
  }
  if (code === CORRUPT || code === NOT_A_DATABASE) return damaged(file, error.message);
  if (isObstructed(error)) {
    return new Fault("ledger.unusable", {
      what,
      why: `SQLite says: ${error.message}.`,
      fix: `Check: ls -la ${dirname(file)}`,
    });
  }
  return error;
}

export function damaged(file: string, why: string): Fault {
  return new Fault("ledger.corrupt", {
    what: `The ledger ${file} could not be used.`,
    why: `SQLite says: ${why}.`,
    fix: `Stop Tenon's servers, move the folder aside (mv ${shellWord(dirname(file))} ${shellWord(`${dirname(file)}.damaged`)}) and run the command again: records under sdd/ are not in it.`,
  });
}

function isObstructed(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === READ_ONLY || code === IO_ERROR || code === CANNOT_OPEN;
}

/** SQLite does not always say that this is why. Less than its companion files need is as good as nothing. */
function isFull(folder: string): boolean {
  const { bavail, bsize } = fs.statfsSync(folder);
  return bavail * bsize < ROOM;
}

function busy(file: string): Fault {
  return new Fault("ledger.busy", {
    what: `The ledger ${file} stayed locked.`,
    why: `Other processes held it for ${PATIENCE_MS / 1000} seconds.`,
    fix: "Run the command again; if it stays so, look for a stopped tenon process.",
  });
}

function newer(file: string, version: number): Fault {
  return new Fault("ledger.newer", {
    what: `The ledger ${file} cannot be written.`,
    why: `It has schema ${version}, and this version of Tenon knows ${MIGRATIONS.length}.`,
    fix: "Install a newer Tenon.",
  });
}
