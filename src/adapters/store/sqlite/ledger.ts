import fs from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "#domain/fault.ts";
import { asFault } from "../files/error.ts";
import { MIGRATIONS } from "./migrations.ts";

/** Older ones can corrupt a database in WAL mode when two connections write and checkpoint at once. */
const OLDEST_SQLITE = "3.51.3";
const PATIENCE_MS = 15_000;
const BUSY = 5;
const READ_ONLY_ROLLBACK = 776;

export type Row = Record<string, unknown>;

/** The SQLite database that every worktree of a repository shares, and the lock that it is. */
export class Ledger {
  readonly file: string;
  #db: DatabaseSync | undefined;
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
        this.#run("COMMIT");
        return result;
      } catch (error) {
        this.#rollback();
        throw asLedgerFault(error, this.file);
      }
    });
  }

  /** Looks without a lock. Nothing when there is no ledger yet: looking never makes one. */
  look<T>(work: (all: (sql: string, ...values: Value[]) => Row[]) => T): T | undefined {
    if (!this.exists) return undefined;
    let db = this.#db;
    try {
      const open = (db ??= openDatabase(this.file, true));
      // Whoever made the file may have died before there was a table in it.
      if (versionOf(open) === 0) return undefined;
      return work((sql, ...values) => open.prepare(sql).all(...values));
    } catch (error) {
      if (isHalfMade(error)) return undefined;
      throw asLedgerFault(error, this.file);
    } finally {
      if (db !== this.#db) db?.close();
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
    this.#db?.exec(sql);
  }

  #rollback(): void {
    if (this.#db?.isTransaction) this.#db.exec("ROLLBACK");
  }

  async #open(): Promise<void> {
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
    if (this.#db) db.close();
    else this.#db = db;
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

function openDatabase(file: string, readOnly: boolean): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly, timeout: 0 });
  try {
    if (!readOnly) db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
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
    fs.mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
    fs.closeSync(fs.openSync(file, "a", 0o600));
  } catch (error) {
    throw asFault(error, file, "write");
  }
}

function refuseOldSqlite(): void {
  const version = process.versions["sqlite"] ?? "0";
  if (compareVersions(version, OLDEST_SQLITE) >= 0) return;
  throw new Fault("ledger.old-sqlite", {
    what: "The ledger is not opened.",
    why: `Node ${process.versions.node} brings SQLite ${version}, and those before ${OLDEST_SQLITE} can corrupt it.`,
    fix: "Install Node 24, or 22.23 and newer.",
  });
}

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
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

function asLedgerFault(error: unknown, file: string): unknown {
  const code = sqliteCode(error);
  if (code === undefined || !(error instanceof Error)) return error;
  if (code === BUSY) return busy(file);
  const what = `The ledger ${file} could not be used.`;
  if (code === FULL) {
    const fix = "Free some space (df -h), then run the command again.";
    return new Fault("disk.full", { what, why: "The disk or the quota is full.", fix });
  }
  if (code === CORRUPT || code === NOT_A_DATABASE) {
    return new Fault("ledger.corrupt", {
      what,
      why: `SQLite says: ${error.message}.`,
      fix: [`Move it aside (mv ${file} ${file}.damaged) and run the command again: records under sdd/ are not in it.`],
    });
  }
  if (code === READ_ONLY || code === IO_ERROR || code === CANNOT_OPEN) {
    return new Fault("ledger.unusable", {
      what,
      why: `SQLite says: ${error.message}.`,
      fix: `Check: ls -la ${dirname(file)}`,
    });
  }
  return error;
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
