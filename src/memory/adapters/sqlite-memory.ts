import fs from "node:fs";
import { dirname, resolve } from "node:path";
import {
  PROMPT_TYPE,
  SUPERSEDES_RELATION,
  createNotStaleFault,
  createUnknownObservationFault,
} from "../model/observation.ts";
import { formatProjectName } from "#kernel/model/project-identity.ts";
import { Fault } from "#kernel/model/fault.ts";
import { quoteShellWord } from "#kernel/model/text-format.ts";
import type { MemoryStore } from "../operations/ports/memory.ts";
import { toFileFault } from "#kernel/adapters/system-error.ts";
import { SqliteDatabase, type DatabaseReader } from "#kernel/adapters/sqlite-database.ts";
import type { DatabaseKind } from "#kernel/adapters/database-fault.ts";
import {
  countStaleObservations,
  findSearchCandidates,
  isStaleObservation,
  listSessionNeighbours,
  listObservationsByChange,
  readMemoryStats,
} from "./memory-queries.ts";
import {
  findTopicRow,
  insertRelation,
  readObservation,
  readObservationRow,
  saveObservationDraft,
  updateObservation,
  destroyObservation,
  destroySourceRevisions,
  softDeleteObservation,
  removeObservation,
  restoreObservation,
  addObservationRelation,
  listRelations,
  removeObservationRelation,
} from "./observation-store.ts";
import {
  MEMORY_MIGRATIONS,
  forgetWrittenTerms,
  SELECT_OBSERVATIONS,
  toObservation,
  toRevision,
  rewriteTermIndexes,
} from "./memory-tables.ts";
import {
  findProjectNumber,
  resolveProjectName,
  startSessionRow,
  endSessionRow,
  listRecentSessions,
  readObservationSession,
} from "./memory-projects.ts";
import { backUpMemory, exportMemoryLines } from "./memory-export.ts";
import { importMemoryFile } from "./memory-import.ts";

const MEMORY_KIND: DatabaseKind = {
  name: "memory",
  migrations: MEMORY_MIGRATIONS,
  // Pipelines save here too and must not wait long.
  patienceMs: 4_000,
  // 64 MB of page cache and up to 1 GB of mapped file, because searches touch the complete file. `secure_delete`
  // overwrites deleted content.
  pragmas: "PRAGMA cache_size = -65536; PRAGMA mmap_size = 1073741824; PRAGMA secure_delete = ON",
  remedy: (file) =>
    `Stop Tenon's servers, keep a copy (cp ${quoteShellWord(file)} ${quoteShellWord(`${file}.damaged`)}), and put back a backup; without one: sqlite3 ${quoteShellWord(file)} .recover`,
};

export class SqliteMemory implements MemoryStore, Disposable {
  readonly #db: SqliteDatabase;
  readonly #cwd: string;

  constructor(file: string, cwd: string) {
    this.#db = new SqliteDatabase(file, MEMORY_KIND);
    this.#cwd = cwd;
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  save: MemoryStore["save"] = (drafts, at) =>
    this.#change((db) => drafts.map((draft) => saveObservationDraft(db, draft, at)));

  get: MemoryStore["get"] = (id) =>
    this.#look(undefined, (db) => db.all(`${SELECT_OBSERVATIONS} WHERE o.id = ?`, id).map(toObservation)[0]);

  topic: MemoryStore["topic"] = (topic) =>
    this.#look(undefined, (db) => {
      const row = findTopicRow(db, topic);
      return row && toObservation(row);
    });

  update: MemoryStore["update"] = (id, said, at) => this.#change((db) => updateObservation(db, id, said, at));
  restore: MemoryStore["restore"] = (id, at) => this.#change((db) => restoreObservation(db, id, at));

  async remove(...[id, isHard, at]: Parameters<MemoryStore["remove"]>): ReturnType<MemoryStore["remove"]> {
    const removed = await this.#change((db) => removeObservation(db, id, isHard, at));
    if (isHard) this.#emptyLog();
    return removed;
  }

  async purge(...[source, project, isHard, at]: Parameters<MemoryStore["purge"]>): ReturnType<MemoryStore["purge"]> {
    const purged = await this.#change((db) => {
      const number = project && findProjectNumber(db, project);
      if (project && number === undefined) return 0;
      const rows = db
        .all(`${SELECT_OBSERVATIONS} WHERE o.source = ?`, source)
        .filter((row) => project === undefined || row["project"] === number)
        .filter((row) => isHard || row["deleted_at"] === null);
      for (const row of rows) (isHard ? destroyObservation : softDeleteObservation)(db, row, at);
      if (isHard) destroySourceRevisions(db, source, number);
      return rows.length;
    });
    if (isHard) this.#emptyLog();
    return purged;
  }

  candidates: MemoryStore["candidates"] = (question, filter, most) =>
    this.#look({ observations: [], weights: new Map(), repaired: [] }, (db) =>
      findSearchCandidates(db, question, filter, most),
    );

  neighbours: MemoryStore["neighbours"] = (observations, reach) =>
    this.#look(
      new Map(),
      (db) => new Map(observations.map(({ id }) => [id, listSessionNeighbours(db, id, reach, reach)])),
    );

  recent: MemoryStore["recent"] = (filter, limit) =>
    this.#look([], (db) => listObservationsByChange(db, filter, limit));
  sessions: MemoryStore["sessions"] = (project, limit) =>
    this.#look([], (db) => listRecentSessions(db, project, limit));

  around: MemoryStore["around"] = async ({ id }, before, after) => {
    const around = await this.#look(undefined, (db) => ({
      ...listSessionNeighbours(db, id, before, after),
      session: readObservationSession(db, id),
    }));
    if (!around) throw createUnknownObservationFault(id);
    return around;
  };

  startSession: MemoryStore["startSession"] = (project, session, at) =>
    this.#change((db) => startSessionRow(db, project, session, at));

  endSession: MemoryStore["endSession"] = (project, id, summary, at) =>
    this.#change((db) => {
      const text = typeof summary?.content === "string" ? summary.content : undefined;
      const session = endSessionRow(db, project, id, text, at);
      const isMore = summary && saveObservationDraft(db, summary, at).action === "created";
      return isMore ? { ...session, observations: session.observations + 1 } : session;
    });

  relate: MemoryStore["relate"] = (relation, isBidirectional, at) =>
    this.#change((db) => addObservationRelation(db, relation, isBidirectional, at));

  unrelate: MemoryStore["unrelate"] = (id) => this.#change((db) => removeObservationRelation(db, id));
  relations: MemoryStore["relations"] = (ids) => this.#look([], (db) => listRelations(db, ids));

  revisions: MemoryStore["revisions"] = (id, most = Number.MAX_SAFE_INTEGER) =>
    this.#look([], (db) =>
      db
        .all("SELECT * FROM revisions WHERE observation = ? ORDER BY revision DESC LIMIT ?", id, most)
        .map(toRevision)
        .toReversed(),
    );

  stale: MemoryStore["stale"] = (filter, before, limit) =>
    this.#look({ observations: [], total: 0 }, (db) => ({
      observations: listObservationsByChange(db, filter, limit, "ASC", before),
      total: countStaleObservations(db, filter, before),
    }));

  compact: MemoryStore["compact"] = (ids, { filter, before }, summary, at) =>
    this.#change((db) => {
      const strangers = ids.filter((id) => !isStaleObservation(db, id, filter, before));
      if (strangers.length > 0) throw createNotStaleFault(strangers, before);
      const saved = summary && saveObservationDraft(db, summary, at).observation;
      for (const id of ids) {
        softDeleteObservation(db, readObservationRow(db, id), at);
        if (saved) insertRelation(db, { from: saved.id, to: id, type: SUPERSEDES_RELATION }, at);
      }
      return saved && readObservation(db, saved.id);
    });

  stats: MemoryStore["stats"] = () =>
    this.#look(readMemoryStats(undefined, this.#db.file), (db) => readMemoryStats(db, this.#db.file));

  projectName: MemoryStore["projectName"] = (project) =>
    this.#look(formatProjectName(project.name), (db) => resolveProjectName(db, project));

  followed: MemoryStore["followed"] = (ledger) => this.#look(0, (db) => readFollowedPosition(db, ledger));

  follow: MemoryStore["follow"] = (ledger, from, to, drafts, at) =>
    this.#change((db) => {
      if (readFollowedPosition(db, ledger) !== from) return false;
      for (const draft of drafts) saveObservationDraft(db, draft, at);
      db.run("INSERT INTO followers VALUES (?, ?) ON CONFLICT DO UPDATE SET seq = excluded.seq", ledger, to);
      return true;
    });

  exportTo: MemoryStore["exportTo"] = (to) => exportMemoryLines(this.#db, to, this.#cwd);

  async importFrom(...[from, clean, at]: Parameters<MemoryStore["importFrom"]>): ReturnType<MemoryStore["importFrom"]> {
    makeMemoryFolder(this.#db.file);
    return importMemoryFile(this.#db, resolve(this.#cwd, from), clean, at);
  }

  async backupTo(to: string): ReturnType<MemoryStore["backupTo"]> {
    makeMemoryFolder(this.#db.file);
    return backUpMemory(this.#db, to, this.#cwd);
  }

  async health(): ReturnType<MemoryStore["health"]> {
    const nothing = { file: this.#db.file, exists: this.#db.exists, observations: 0 };
    try {
      return { ...nothing, ...(await this.#look({}, checkMemoryHealth)) };
    } catch (error) {
      return { ...nothing, problem: error instanceof Error ? error.message : String(error) };
    }
  }

  async #look<T>(nothing: T, work: (db: DatabaseReader) => T): Promise<T> {
    if (!this.#db.exists) return nothing;
    try {
      await this.#db.open();
    } catch (error) {
      // On a full or read-only disk, reading still works.
      if (!(error instanceof Fault) || !/^(?:database\.unusable|files\.unwritable|disk\.full)$/.test(error.code))
        throw error;
      try {
        return this.#db.look((all) => work({ all })) ?? nothing;
      } catch {
        throw error;
      }
    }
    try {
      return this.#db.still(() => work(this.#db));
    } catch (error) {
      throw this.#db.fault(error);
    }
  }

  /** Destroyed text remains in the log until it is truncated; open readers delay that. */
  #emptyLog(): void {
    rewriteTermIndexes(this.#db);
    this.#db.all("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  async #change<T>(work: (db: SqliteDatabase) => T): Promise<T> {
    makeMemoryFolder(this.#db.file);
    return this.#db.alone(() => {
      forgetWrittenTerms(this.#db);
      return work(this.#db);
    });
  }
}

function checkMemoryHealth(db: DatabaseReader): { problem?: string; observations?: number } {
  const check = String(Object.values(db.all("PRAGMA quick_check")[0] ?? {})[0]);
  if (check !== "ok") return { problem: `SQLite says: ${check}.` };
  const live = "SELECT count(*) AS n FROM observations WHERE deleted_at IS NULL AND type";
  const kept = [countMemoryRows(db, `${live} <> '${PROMPT_TYPE}'`), countMemoryRows(db, `${live} = '${PROMPT_TYPE}'`)];
  const found = ["terms", "prompt_terms"].map((index) =>
    countMemoryRows(db, `SELECT count(*) AS n FROM ${index}_docsize`),
  );
  const wrong = kept.findIndex((n, i) => n !== found[i]);
  return wrong >= 0
    ? { problem: `${kept[wrong]} are kept and ${found[wrong]} can be found.` }
    : { observations: kept[0] ?? 0 };
}

const readFollowedPosition = (db: DatabaseReader, ledger: string): number =>
  Number(db.all("SELECT seq FROM followers WHERE ledger = ?", ledger)[0]?.["seq"] ?? 0);

const countMemoryRows = (db: DatabaseReader, sql: string): number => Number(db.all(sql)[0]?.["n"]);

function makeMemoryFolder(file: string): void {
  try {
    fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw toFileFault(error, dirname(file), "write");
  }
}
