import fs from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { readErrorCode, withFileFault } from "../model/system-error.ts";
import * as databaseFault from "./database-fault.ts";

export type DatabaseRow = Record<string, unknown>;

export interface DatabaseReader {
  all(sql: string, ...values: DatabaseValue[]): DatabaseRow[];
}

/** A row of a strict table, where a column has its declared type. Flags become booleans, and NULL is left out. */
export function parseRow<Row>(row: DatabaseRow): Row {
  const parsed: DatabaseRow = {};
  for (const [name, value] of Object.entries(row))
    if (value !== null) parsed[name] = /^is[A-Z]/.test(name) ? value === 1 : value;
  return parsed as Row;
}

export const selectRows = <Row>(db: DatabaseReader, sql: string, ...values: DatabaseValue[]): Row[] =>
  db.all(sql, ...values).map((row) => parseRow<Row>(row));

/** A status must answer within five seconds, also where locks fail. */
const READ_PATIENCE_MS = 4000;
const REPEATED_READ_PATIENCE_MS = 100;

export class SqliteDatabase implements DatabaseReader {
  readonly file: string;
  readonly #kind: databaseFault.DatabaseKind;
  #db: DatabaseSync | undefined;
  #inode: number | undefined;
  #readPatienceMs = READ_PATIENCE_MS;
  readonly #statements = new Map<string, StatementSync>();

  constructor(file: string, kind: databaseFault.DatabaseKind) {
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

  /** Holds the write lock, which the kernel drops if the process dies. A write that can be repeated needs no sync. */
  async alone<T>(work: () => T, isSynced = true): Promise<T> {
    await this.open();
    // Without an await in between: calls of one process share this connection, which holds one transaction at a time.
    return this.#patiently(() => {
      if (!isSynced) this.script("PRAGMA synchronous = NORMAL");
      try {
        return this.#transact(work);
      } finally {
        if (!isSynced) this.script("PRAGMA synchronous = FULL");
      }
    });
  }

  #transact<T>(work: () => T): T {
    this.script("BEGIN IMMEDIATE");
    try {
      // A newer Tenon may have migrated the file since this process opened it.
      assertKnownSchema(
        readSchemaVersion((sql) => this.#statement(sql)),
        this.file,
        this.#kind,
      );
      const result = work();
      this.#commit();
      return result;
    } catch (error) {
      this.#rollback();
      throw this.fault(error);
    }
  }

  /** Reads without the write lock. Undefined when there is no database; reading never creates one. */
  look<T>(work: DatabaseQuery<T>): T | undefined {
    if (!this.exists) return undefined;
    try {
      // A ledger that another process restored is a different file.
      const open = this.#db;
      if (open && (this.#isNameless || this.isCurrent))
        return queryIfMigrated(
          open,
          (sql) => this.#statement(sql),
          (all) => work(all, true),
        );
      using db = openSqliteFile(this.file, this.#readPatienceMs);
      const found = queryIfMigrated(
        db,
        (sql) => db.prepare(sql),
        (all) => work(all, false),
      );
      this.#readPatienceMs = READ_PATIENCE_MS;
      return found;
    } catch (error) {
      if (databaseFault.isHalfMadeDatabase(error)) return undefined;
      if (databaseFault.isDatabaseBusy(error)) throw this.#toReaderFault();
      const isLogEmpty = ["-wal", "-journal"].every(
        (end) => !fs.statSync(`${this.file}${end}`, { throwIfNoEntry: false })?.size,
      );
      if (!databaseFault.isDatabaseObstructed(error) || !isLogEmpty) throw this.fault(error);
      return this.#lookImmutable(work);
    }
  }

  /** A command reads several times. Where locks fail, only its first read waits long. */
  #toReaderFault(): unknown {
    const patienceMs = this.#readPatienceMs;
    this.#readPatienceMs = REPEATED_READ_PATIENCE_MS;
    return databaseFault.createBusyFault(this.file, { ...this.#kind, patienceMs });
  }

  /** Even a reader creates a companion file, which a full or read-only disk prevents: then it opens as immutable. */
  #lookImmutable<T>(work: DatabaseQuery<T>): T | undefined {
    const address = pathToFileURL(this.file);
    address.search = "immutable=1";
    try {
      using db = new DatabaseSync(address, { readOnly: true });
      return queryIfMigrated(
        db,
        (sql) => db.prepare(sql),
        (all) => work(all, false),
      );
    } catch (error) {
      throw this.fault(error);
    }
  }

  /** Runs `work` on one consistent state of the open database. */
  still<T>(work: () => T): T {
    return withReadTransaction(this.#opened(), work);
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

  fault(error: unknown): unknown {
    return databaseFault.toDatabaseFault(error, this.file, this.#kind);
  }

  close(): void {
    this.#statements.clear();
    this.#db?.close();
    this.#db = undefined;
  }

  #statement(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#opened().prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  script(sql: string): void {
    this.#opened().exec(sql);
  }

  #opened(): DatabaseSync {
    if (!this.#db) throw new Error("The database is not open.");
    return this.#db;
  }

  /** A commit that could not be synced is still in the log and would count. An empty commit overwrites it. */
  #commit(): void {
    try {
      this.script("COMMIT");
    } catch (error) {
      this.#rollback();
      try {
        this.script(`BEGIN IMMEDIATE; PRAGMA user_version = ${this.#kind.migrations.length}; COMMIT`);
      } catch {
        this.#rollback();
      }
      throw error;
    }
  }

  #rollback(): void {
    if (this.#db?.isTransaction) this.#db.exec("ROLLBACK");
  }

  async open(): Promise<void> {
    // A moved file takes its lock with it, so a holder of the old file would lock a different database.
    if (!this.#isNameless && this.#db && !this.isCurrent) this.close();
    if (this.#db) return;
    if (!this.#isNameless) {
      databaseFault.assertSoundSqlite();
      withFileFault(this.file, "write", () => {
        makeDatabaseFolder(dirname(this.file));
        fs.closeSync(fs.openSync(this.file, "a", 0o600));
      });
    }
    const db = await this.#patiently(() => openSqliteFile(this.file, undefined, this.#kind.pragmas));
    try {
      await this.#patiently(() => {
        migrateSchema(db, this.file, this.#kind);
        rejectForeignObjects(db);
      });
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

  /** Waits with short random delays: SQLite's own busy handler sleeps ever longer, which starves some processes. */
  async #patiently<T>(attempt: () => T): Promise<T> {
    const deadline = performance.now() + (this.#kind.patienceMs ?? databaseFault.DATABASE_PATIENCE_MS);
    for (;;) {
      try {
        return attempt();
      } catch (error) {
        if (!databaseFault.isDatabaseBusy(error)) throw this.fault(error);
        if (performance.now() > deadline) throw databaseFault.createBusyFault(this.file, this.#kind);
      }
      await sleep(1 + Math.random() * 4);
    }
  }
}

export type DatabaseValue = string | number | bigint | Uint8Array | null;
type DatabaseQuery<T> = (all: DatabaseReader["all"], isOpenConnection: boolean) => T;

/** Without `readPatienceMs`, the connection may write. */
function openSqliteFile(file: string, readPatienceMs: number | undefined, pragmas = ""): DatabaseSync {
  const readOnly = readPatienceMs !== undefined;
  // Readers meet a lock only while the last writer closes, so a blocking wait is fine.
  const db = new DatabaseSync(file, { readOnly, timeout: readPatienceMs ?? 0 });
  const settings = `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; ${pragmas}`;
  try {
    if (!readOnly) db.exec(settings);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function queryIfMigrated<T>(
  db: DatabaseSync,
  prepare: (sql: string) => StatementSync,
  work: (all: DatabaseReader["all"]) => T,
): T | undefined {
  return withReadTransaction(db, () =>
    readSchemaVersion(prepare) === 0 ? undefined : work((sql, ...values) => prepare(sql).all(...values)),
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

function migrateSchema(db: DatabaseSync, file: string, kind: databaseFault.DatabaseKind): void {
  const { migrations } = kind;
  const readVersion = (): number => {
    const version = readSchemaVersion((sql) => db.prepare(sql));
    assertKnownSchema(version, file, kind);
    return version;
  };
  if (readVersion() === migrations.length) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    for (const migration of migrations.slice(readVersion())) db.exec(migration);
    db.exec(`PRAGMA user_version = ${migrations.length}`);
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/** Tenon never creates triggers or views. A foreign one could falsify or delete data. */
export const FOREIGN_OBJECTS = "SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view') LIMIT 1";

export const describeForeignObject = (row: DatabaseRow | undefined): string | undefined =>
  row && `the ${String(row["type"])} ${String(row["name"])} is not Tenon's`;

function rejectForeignObjects(db: DatabaseSync): void {
  const foreign = describeForeignObject(db.prepare(FOREIGN_OBJECTS).get());
  if (foreign !== undefined) throw databaseFault.createUnreadableValueError(foreign);
}

function assertKnownSchema(version: number, file: string, kind: databaseFault.DatabaseKind): void {
  if (version > kind.migrations.length) throw databaseFault.createNewerSchemaFault(file, kind, version);
}

const readSchemaVersion = (prepare: (sql: string) => StatementSync): number =>
  Number(prepare("PRAGMA user_version").get()?.["user_version"]);

/** Not recursive: the parent exists, and Node would report a read-only disk as a missing folder. */
export function makeDatabaseFolder(folder: string): void {
  try {
    fs.mkdirSync(folder, { mode: 0o755 });
  } catch (error) {
    if (readErrorCode(error) !== "EEXIST") throw error;
  }
}
