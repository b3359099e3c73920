import fs from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { toFileFault, readErrorCode } from "./system-error.ts";
import {
  toDatabaseFault,
  createBusyFault,
  type DatabaseKind,
  isDatabaseBusy,
  isHalfMadeDatabase,
  isDatabaseObstructed,
  createNewerSchemaFault,
  DATABASE_PATIENCE_MS,
  assertSoundSqlite,
} from "./database-fault.ts";

export type DatabaseRow = Record<string, unknown>;

export interface DatabaseReader {
  all(sql: string, ...values: DatabaseValue[]): DatabaseRow[];
}

export class SqliteDatabase implements DatabaseReader {
  readonly file: string;
  readonly #kind: DatabaseKind;
  #db: DatabaseSync | undefined;
  #inode: number | undefined;
  readonly #statements = new Map<string, StatementSync>();

  constructor(file: string, kind: DatabaseKind) {
    this.file = file;
    this.#kind = kind;
  }

  get exists(): boolean {
    return fs.existsSync(this.file);
  }

  get isCurrent(): boolean {
    return this.#db !== undefined && fs.statSync(this.file, { throwIfNoEntry: false })?.ino === this.#inode;
  }

  /** Without a name it is in memory and belongs to this process. */
  get #isNameless(): boolean {
    return this.file === "";
  }

  /**
   * Runs `work` with the write lock. The kernel drops the lock if the process dies. `work` is synchronous and short.
   */
  async alone<T>(work: () => T): Promise<T> {
    await this.open();
    // Without an await in between: calls of one process share this connection, which holds one transaction at a time.
    return this.#patiently(() => {
      this.#run("BEGIN IMMEDIATE");
      try {
        const result = work();
        this.#commit();
        return result;
      } catch (error) {
        this.#rollback();
        throw toDatabaseFault(error, this.file, this.#kind);
      }
    });
  }

  /** Reads without the write lock. Undefined when there is no database; reading never creates one. */
  look<T>(work: DatabaseQuery<T>): T | undefined {
    if (!this.exists) return undefined;
    try {
      if (this.#db) return queryIfMigrated(this.#db, work);
      using db = openSqliteFile(this.file, true);
      return queryIfMigrated(db, work);
    } catch (error) {
      if (isHalfMadeDatabase(error)) return undefined;
      if (!isDatabaseObstructed(error) || !hasEmptyLog(this.file)) throw toDatabaseFault(error, this.file, this.#kind);
      return queryImmutableFile(this.file, this.#kind, work);
    }
  }

  /** Runs `work` on one consistent state of the open database. */
  still<T>(work: () => T): T {
    if (!this.#db) throw new Error("The database is not open.");
    return withReadTransaction(this.#db, work);
  }

  all(sql: string, ...values: DatabaseValue[]): DatabaseRow[] {
    return this.#statement(sql).all(...values);
  }

  run(sql: string, ...values: DatabaseValue[]): void {
    this.#statement(sql).run(...values);
  }

  insert(sql: string, ...values: DatabaseValue[]): number {
    return Number(this.#statement(sql).run(...values).lastInsertRowid);
  }

  each(sql: string, ...values: DatabaseValue[]): IterableIterator<DatabaseRow> {
    return this.#statement(sql).iterate(...values);
  }

  script(sql: string): void {
    this.#run(sql);
  }

  fault(error: unknown): unknown {
    return toDatabaseFault(error, this.file, this.#kind);
  }

  close(): void {
    this.#statements.clear();
    this.#db?.close();
    this.#db = undefined;
  }

  #statement(sql: string): StatementSync {
    if (!this.#db) throw new Error("The database is not open.");
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #run(sql: string): void {
    if (!this.#db) throw new Error("The database is not open.");
    this.#db.exec(sql);
  }

  /**
   * A commit that could not be synced is still in the log and would count if the log were read from disk. An empty
   * commit overwrites it.
   */
  #commit(): void {
    try {
      this.#run("COMMIT");
    } catch (error) {
      this.#rollback();
      try {
        this.#run(`BEGIN IMMEDIATE; PRAGMA user_version = ${this.#kind.migrations.length}; COMMIT`);
      } catch {
        this.#rollback();
      }
      throw error;
    }
  }

  #rollback(): void {
    if (this.#db?.isTransaction) this.#db.exec("ROLLBACK");
  }

  /** A moved file takes its lock with it, so a holder of the old file would lock a different database. */
  #leaveMoved(): void {
    if (this.#isNameless) return;
    const inode = fs.statSync(this.file, { throwIfNoEntry: false })?.ino;
    if (this.#db && inode !== this.#inode) this.close();
  }

  async open(): Promise<void> {
    this.#leaveMoved();
    if (this.#db) return;
    if (!this.#isNameless) createPrivateFile(this.file);
    const db = await this.#patiently(() => openSqliteFile(this.file, false, this.#kind.pragmas));
    try {
      await this.#patiently(() => migrateSchema(db, this.file, this.#kind));
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
    if (!this.#isNameless) this.#inode = fs.statSync(this.file, { throwIfNoEntry: false })?.ino;
  }

  /**
   * Waits with short random delays. SQLite's own busy handler sleeps longer the longer it waits, which starves unlucky
   * processes; equal short delays are fair.
   */
  async #patiently<T>(attempt: () => T): Promise<T> {
    const deadline = performance.now() + (this.#kind.patienceMs ?? DATABASE_PATIENCE_MS);
    for (;;) {
      try {
        return attempt();
      } catch (error) {
        if (!isDatabaseBusy(error)) throw toDatabaseFault(error, this.file, this.#kind);
        if (performance.now() > deadline) throw createBusyFault(this.file, this.#kind);
      }
      await sleep(1 + Math.random() * 4);
    }
  }
}

export type DatabaseValue = string | number | bigint | Uint8Array | null;
type DatabaseQuery<T> = (all: (sql: string, ...values: DatabaseValue[]) => DatabaseRow[]) => T;

function openSqliteFile(file: string, readOnly: boolean, pragmas = ""): DatabaseSync {
  // Readers meet a lock only while the last writer closes, so a blocking wait is fine.
  const db = new DatabaseSync(file, { readOnly, timeout: readOnly ? DATABASE_PATIENCE_MS : 0 });
  try {
    if (!readOnly) {
      db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; ${pragmas}`);
    }
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function hasEmptyLog(file: string): boolean {
  return ["-wal", "-journal"].every((end) => !fs.statSync(`${file}${end}`, { throwIfNoEntry: false })?.size);
}

/**
 * Even a reader creates a companion file. On a full or read-only disk it cannot, so the database is opened as
 * immutable.
 */
function queryImmutableFile<T>(file: string, kind: DatabaseKind, work: DatabaseQuery<T>): T | undefined {
  const address = pathToFileURL(file);
  address.search = "immutable=1";
  try {
    using db = new DatabaseSync(address, { readOnly: true });
    return queryIfMigrated(db, work);
  } catch (error) {
    throw toDatabaseFault(error, file, kind);
  }
}

function queryIfMigrated<T>(db: DatabaseSync, work: DatabaseQuery<T>): T | undefined {
  return withReadTransaction(db, () =>
    readSchemaVersion(db) === 0 ? undefined : work((sql, ...values) => db.prepare(sql).all(...values)),
  );
}

function withReadTransaction<T>(db: DatabaseSync, work: () => T): T {
  if (db.isTransaction) return work();
  db.exec("BEGIN");
  try {
    return work();
  } finally {
    if (db.isTransaction) db.exec("ROLLBACK");
  }
}

function migrateSchema(db: DatabaseSync, file: string, kind: DatabaseKind): void {
  const { migrations } = kind;
  const refuseNewer = (): void => {
    if (readSchemaVersion(db) > migrations.length) throw createNewerSchemaFault(file, kind, readSchemaVersion(db));
  };
  refuseNewer();
  if (readSchemaVersion(db) === migrations.length) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    refuseNewer();
    for (const migration of migrations.slice(readSchemaVersion(db))) db.exec(migration);
    db.exec(`PRAGMA user_version = ${migrations.length}`);
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

const readSchemaVersion = (db: DatabaseSync): number =>
  Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);

function createPrivateFile(file: string): void {
  assertSoundSqlite();
  try {
    makeDatabaseFolder(dirname(file));
    fs.closeSync(fs.openSync(file, "a", 0o600));
  } catch (error) {
    throw toFileFault(error, file, "write");
  }
}

/** Not recursive: the parent exists, and Node would report a read-only disk as a missing folder. */
export function makeDatabaseFolder(folder: string): void {
  try {
    fs.mkdirSync(folder, { mode: 0o755 });
  } catch (error) {
    if (readErrorCode(error) !== "EEXIST") throw error;
  }
}
