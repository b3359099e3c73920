import fs from "node:fs";
import { dirname, resolve } from "node:path";
import type { DatabaseKind } from "#kernel/adapters/database-fault.ts";
import { SqliteDatabase } from "#kernel/adapters/sqlite-database.ts";
import { Fault } from "#kernel/model/fault.ts";
import { toFileFault } from "#kernel/model/system-error.ts";
import { quoteShellWord } from "#kernel/model/text-format.ts";
import * as model from "../model/observation.ts";
import type { MemoryStore } from "../operations/ports/memory.ts";
import { backUpMemory, exportMemoryLines } from "./memory-export.ts";
import { importMemoryFile } from "./memory-import.ts";
import migrations from "./memory-migrations.json" with { type: "json" };
import { countRows, NO_STATISTICS, readMemoryStatistics } from "./memory-queries.ts";
import { mapProgram, queryRows, runSqlProgram, type SqlProgram } from "./sql-program.ts";
import { SqlMemory } from "./sql-memory.ts";
import { SqliteTerms } from "./sqlite-terms.ts";

/** Each migration raises memory's schema by one version. Never edit a released one; `user_version` counts them. */
export const MEMORY_MIGRATIONS: readonly string[] = migrations.map((statements) => statements.join(";\n"));

const MEMORY_KIND: DatabaseKind = {
  name: "memory",
  migrations: MEMORY_MIGRATIONS,
  // Pipelines save here too and must not wait long.
  patienceMs: 4_000,
  // 64 MB of page cache and up to 1 GB of mapped file, because searches touch the complete file. `secure_delete`
  // overwrites deleted content.
  pragmas: "PRAGMA cache_size = -65536; PRAGMA mmap_size = 1073741824; PRAGMA secure_delete = ON",
  remedy: (file) =>
    `Stop Tenon's servers, make a copy (cp ${quoteShellWord(file)} ${quoteShellWord(`${file}.damaged`)}), and restore a backup; without one: sqlite3 ${quoteShellWord(file)} .recover`,
};

export class SqliteMemory extends SqlMemory<SqliteTerms> implements MemoryStore, Disposable {
  protected readonly index = new SqliteTerms();
  readonly #db: SqliteDatabase;
  readonly #cwd: string;

  constructor(file: string, cwd: string) {
    super();
    this.#db = new SqliteDatabase(file, MEMORY_KIND);
    this.#cwd = cwd;
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  stats: MemoryStore["stats"] = async () => {
    const counts = await this.read(NO_STATISTICS, readMemoryStatistics);
    const { file } = this.#db;
    const sizes = ["", "-wal"].map((end) => fs.statSync(`${file}${end}`, { throwIfNoEntry: false })?.size ?? 0);
    return { ...counts, file, bytes: sizes.reduce((sum, size) => sum + size, 0) };
  };

  exportTo: MemoryStore["exportTo"] = (to) => exportMemoryLines(this.#db, resolve(this.#cwd, to));

  async importFrom(...[from, clean, at]: Parameters<MemoryStore["importFrom"]>): ReturnType<MemoryStore["importFrom"]> {
    makeMemoryFolder(this.#db.file);
    return importMemoryFile(this.#db, this.index, resolve(this.#cwd, from), clean, at);
  }

  async backupTo(to: string): ReturnType<MemoryStore["backupTo"]> {
    makeMemoryFolder(this.#db.file);
    return backUpMemory(this.#db, resolve(this.#cwd, to));
  }

  async health(): ReturnType<MemoryStore["health"]> {
    const nothing = { file: this.#db.file, exists: this.#db.exists, observations: 0 };
    try {
      return { ...nothing, ...(await this.read({}, checkMemoryHealth)) };
    } catch (error) {
      return { ...nothing, problem: error instanceof Error ? error.message : String(error) };
    }
  }

  protected async read<T>(nothing: T, work: () => SqlProgram<T>): Promise<T> {
    if (!this.#db.exists) return nothing;
    try {
      await this.#db.open();
    } catch (error) {
      // On a full or read-only disk, reading still works.
      if (!(error instanceof Fault) || !/^(?:database\.unusable|files\.unwritable|disk\.full)$/.test(error.code))
        throw error;
      try {
        return this.#db.look((all) => runSqlProgram({ all }, work())) ?? nothing;
      } catch {
        throw error;
      }
    }
    try {
      return this.#db.still(() => runSqlProgram(this.#db, work()));
    } catch (error) {
      throw this.#db.fault(error);
    }
  }

  protected async write<T>(work: () => SqlProgram<T>, isSynced = true): Promise<T> {
    makeMemoryFolder(this.#db.file);
    return this.#db.alone(() => {
      this.index.forgetWritten();
      return runSqlProgram(this.#db, work());
    }, isSynced);
  }

  /** Destroyed text remains in the log until it is truncated; open readers delay that. */
  protected removeTraces(): void {
    runSqlProgram(this.#db, this.index.rewrite());
    this.#db.all("PRAGMA wal_checkpoint(TRUNCATE)");
  }
}

function* checkMemoryHealth(): SqlProgram<{ problem?: string; observations?: number }> {
  const [checked] = yield* queryRows("PRAGMA quick_check");
  const check = String(Object.values(checked ?? {})[0]);
  if (check !== "ok") return { problem: `SQLite says: ${check}.` };
  const kept = yield* mapProgram(["<>", "="], (sign) =>
    countRows(`observations WHERE deleted_at IS NULL AND type ${sign} '${model.PROMPT_TYPE}'`),
  );
  const found = yield* mapProgram(["terms", "prompt_terms"], (table) => countRows(`${table}_docsize`));
  const wrong = kept.findIndex((n, i) => n !== found[i]);
  return wrong >= 0
    ? { problem: `${kept[wrong]} are stored, but ${found[wrong]} are indexed.` }
    : { observations: kept[0] ?? 0 };
}

function makeMemoryFolder(file: string): void {
  try {
    fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw toFileFault(error, dirname(file), "write");
  }
}
