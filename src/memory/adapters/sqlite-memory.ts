import fs from "node:fs";
import { dirname, resolve } from "node:path";
import * as model from "../model/observation.ts";
import type { Observation, ObservationRelation, ObservationRevision } from "../model/memory-records.ts";
import { formatProjectName } from "#kernel/model/project-identity.ts";
import { Fault } from "#kernel/model/fault.ts";
import { quoteShellWord } from "#kernel/model/text-format.ts";
import type { MemoryStore } from "../operations/ports/memory.ts";
import { toFileFault } from "#kernel/model/system-error.ts";
import { type DatabaseReader, selectRows, SqliteDatabase } from "#kernel/adapters/sqlite-database.ts";
import type { DatabaseKind } from "#kernel/adapters/database-fault.ts";
import * as queries from "./memory-queries.ts";
import * as store from "./observation-store.ts";
import * as tables from "./memory-tables.ts";
import * as projects from "./memory-projects.ts";
import { backUpMemory, exportMemoryLines } from "./memory-export.ts";
import { importMemoryFile } from "./memory-import.ts";

const MEMORY_KIND: DatabaseKind = {
  name: "memory",
  migrations: tables.MEMORY_MIGRATIONS,
  // Pipelines save here too and must not wait long.
  patienceMs: 4_000,
  // 64 MB of page cache and up to 1 GB of mapped file, because searches touch the complete file. `secure_delete`
  // overwrites deleted content.
  pragmas: "PRAGMA cache_size = -65536; PRAGMA mmap_size = 1073741824; PRAGMA secure_delete = ON",
  remedy: (file) =>
    `Stop Tenon's servers, make a copy (cp ${quoteShellWord(file)} ${quoteShellWord(`${file}.damaged`)}), and restore a backup; without one: sqlite3 ${quoteShellWord(file)} .recover`,
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
    this.#change((db) => drafts.map((draft) => store.saveObservationDraft(db, draft, at)));
  get: MemoryStore["get"] = (id) => this.#look(undefined, (db) => tables.selectObservations(db, "o.id = ?", id)[0]);
  topic: MemoryStore["topic"] = (topic) =>
    this.#look(undefined, (db) => {
      const row = store.findTopicRow(db, topic);
      return row && tables.toObservation(row);
    });
  update: MemoryStore["update"] = (id, said, at) => this.#change((db) => store.updateObservation(db, id, said, at));
  restore: MemoryStore["restore"] = (id, at) => this.#change((db) => store.restoreObservation(db, id, at));

  remove: MemoryStore["remove"] = (id, isHard, at) =>
    this.#removeText(isHard, (db) => {
      const row = store.readObservationRow(db, id);
      if (isHard) store.destroyObservation(db, row, at);
      if (isHard) return tables.toObservation(row);
      if (row.deleted_at !== undefined) throw model.createDeletedObservationFault(row);
      store.softDeleteObservation(db, row, at);
      return store.readObservation(db, id);
    });

  purge: MemoryStore["purge"] = (source, project, isHard, at) =>
    this.#removeText(isHard, (db) => {
      const number = project && projects.findProjectNumber(db, project);
      if (project && number === undefined) return 0;
      const rows = tables
        .selectObservationRows(db, "o.source = ?", source)
        .filter((row) => project === undefined || row.project_no === number)
        .filter((row) => isHard || row.deleted_at === undefined);
      for (const row of rows) (isHard ? store.destroyObservation : store.softDeleteObservation)(db, row, at);
      if (!isHard) return rows.length;
      const destroyRevisions = `DELETE FROM revisions WHERE source = ?
         AND (? IS NULL OR observation IN (SELECT id FROM observations WHERE project = ?)) RETURNING title, content`;
      const texts = selectRows<Observation>(db, destroyRevisions, source, number ?? null, number ?? null);
      tables.dropVocabularyTerms(db, texts);
      return rows.length;
    });

  candidates: MemoryStore["candidates"] = (question, filter, most) =>
    this.#look({ observations: [], weights: new Map(), repaired: [] }, (db) =>
      queries.findSearchCandidates(db, question, filter, most),
    );
  neighbours: MemoryStore["neighbours"] = (observations, reach) =>
    this.#look(
      new Map(),
      (db) => new Map(observations.map(({ id }) => [id, queries.listSessionNeighbours(db, id, reach, reach)])),
    );
  recent: MemoryStore["recent"] = (filter, limit) =>
    this.#look([], (db) => queries.listObservationsByChange(db, filter, limit));

  sessions: MemoryStore["sessions"] = (project, limit) =>
    this.#look([], (db) => {
      const number = project && projects.findProjectNumber(db, project);
      if (project && number === undefined) return [];
      const [where, values] = number === undefined ? ["", []] : ["WHERE s.project = ?", [number]];
      return projects.selectSessions(db, `${where} ORDER BY s.active_at DESC, s.no DESC LIMIT ?`, ...values, limit);
    });

  around: MemoryStore["around"] = async ({ id }, before, after) => {
    const around = await this.#look(undefined, (db) => {
      const [row] = db.all("SELECT session FROM observations WHERE id = ?", id);
      const session = projects.readSessionRow(db, Number(row?.["session"]));
      return { ...queries.listSessionNeighbours(db, id, before, after), session };
    });
    if (!around) throw model.createUnknownObservationFault(id);
    return around;
  };

  /** Starting an ended session reopens it. */
  startSession: MemoryStore["startSession"] = (project, { id, directory = null }, at) =>
    this.#change((db) => {
      const number = projects.claimProjectNumber(db, project, at);
      const isNew = db.all("SELECT 1 FROM sessions WHERE project = ? AND id = ?", number, id).length === 0;
      const no = projects.claimSessionNumber(db, number, id, at);
      db.run("UPDATE sessions SET ended_at = NULL, directory = coalesce(?, directory) WHERE no = ?", directory, no);
      return { ...projects.readSessionRow(db, no), isNew };
    });

  endSession: MemoryStore["endSession"] = (project, id, summary, at) =>
    this.#change((db) => {
      const text = typeof summary?.content === "string" ? summary.content : null;
      const number = projects.findProjectNumber(db, project) ?? null;
      const [row] = db.all("SELECT no FROM sessions WHERE project = ? AND id = ?", number, id);
      if (!row) {
        throw new Fault("memory.unknown-session", {
          what: "The session was not ended.",
          why: `No session "${id}" was started in this project.`,
          fix: { operation: "memory.session", input: { action: "start", id } },
        });
      }
      const no = Number(row["no"]);
      const changes = "ended_at = ?, active_at = max(active_at, ?), summary = coalesce(?, summary)";
      db.run(`UPDATE sessions SET ${changes} WHERE no = ?`, at, at, text, no);
      if (summary) store.saveObservationDraft(db, summary, at);
      return projects.readSessionRow(db, no);
    });

  relate: MemoryStore["relate"] = ({ from_id, to_id, type, note }, isBidirectional, at) =>
    this.#change((db) => {
      const reject = (why: string): Fault =>
        new Fault("memory.bad-relation", {
          what: "The relation was not added.",
          why,
          fix: { operation: "memory.relate", input: { from_id: 1, to_id: 2, relation_type: "depends_on" } },
        });
      if (from_id === to_id) throw reject(`#${from_id} cannot be related to itself.`);
      for (const id of [from_id, to_id]) {
        const observation = store.readObservation(db, id);
        if (observation.deleted_at !== undefined) throw model.createDeletedObservationFault(observation);
      }
      const made = store.insertRelation(db, { from: from_id, to: to_id, type, note }, at);
      const back = isBidirectional ? store.insertRelation(db, { from: to_id, to: from_id, type, note }, at) : 0;
      if (made + back === 0) throw reject(`#${from_id} ${type} #${to_id} exists already.`);
      const either = "(from_id = ? AND to_id = ?) OR (? AND from_id = ? AND to_id = ?)";
      const sql = `${SELECT_RELATIONS} WHERE type = ? AND (${either}) ORDER BY id`;
      return selectRows(db, sql, type, from_id, to_id, isBidirectional ? 1 : 0, to_id, from_id);
    });

  unrelate: MemoryStore["unrelate"] = (id) =>
    this.#change((db) => {
      const sql = `DELETE FROM relations WHERE id = ? RETURNING ${RELATION_COLUMNS}`;
      const [relation] = selectRows<ObservationRelation>(db, sql, id);
      if (relation) return relation;
      throw new Fault("memory.unknown-relation", {
        what: `Relation ${id} cannot be removed.`,
        why: "No relation has that number.",
        fix: { operation: "memory.get", input: { id: 1 } },
      });
    });

  relations: MemoryStore["relations"] = (ids) =>
    this.#look([], (db) => {
      const sql = `${SELECT_RELATIONS} WHERE from_id = ? UNION ${SELECT_RELATIONS} WHERE to_id = ?`;
      const found = ids.flatMap((id) => selectRows<ObservationRelation>(db, sql, id, id));
      return [...new Map(found.map((relation) => [relation.id, relation])).values()].toSorted((a, b) => a.id - b.id);
    });

  revisions: MemoryStore["revisions"] = (id, most = Number.MAX_SAFE_INTEGER) =>
    this.#look([], (db) => {
      const sql = `${tables.SELECT_REVISIONS} WHERE observation = ? ORDER BY revision DESC LIMIT ?`;
      return selectRows<ObservationRevision>(db, sql, id, most).toReversed();
    });

  stale: MemoryStore["stale"] = (filter, before, limit) =>
    this.#look({ observations: [], total: 0 }, (db) => ({
      observations: queries.listObservationsByChange(db, filter, limit, "ASC", before),
      total: queries.countStaleObservations(db, filter, before),
    }));

  compact: MemoryStore["compact"] = (ids, { filter, before }, summary, at) =>
    this.#change((db) => {
      const strangers = ids.filter((id) => !queries.isStaleObservation(db, id, filter, before)).map((id) => `#${id}`);
      if (strangers.length > 0) {
        throw new Fault("memory.not-stale", {
          what: "Nothing was compacted.",
          why: `${strangers.join(", ")} ${strangers.length === 1 ? "is" : "are"} not among the observations that were last changed before ${before}.`,
          fix: { operation: "memory.compact", input: { older_than_days: 90 } },
        });
      }
      const saved = summary && store.saveObservationDraft(db, summary, at).observation;
      for (const id of ids) {
        store.softDeleteObservation(db, store.readObservationRow(db, id), at);
        if (saved) store.insertRelation(db, { from: saved.id, to: id, type: model.SUPERSEDES_RELATION }, at);
      }
      return saved && store.readObservation(db, saved.id);
    });

  stats: MemoryStore["stats"] = () =>
    this.#look(queries.readMemoryStats(undefined, this.#db.file), (db) => queries.readMemoryStats(db, this.#db.file));

  projectName: MemoryStore["projectName"] = (ref) =>
    this.#look(formatProjectName(ref.name), (db) => {
      const project = projects.findProjectNumber(db, ref);
      if (project === undefined) return projects.chooseFreeProjectName(db, ref);
      return String(db.all("SELECT name FROM projects WHERE no = ?", project)[0]?.["name"]);
    });

  followed: MemoryStore["followed"] = (ledger) => this.#look(0, (db) => readFollowedPosition(db, ledger));

  /** Not synced: a power failure also undoes the position, so the next call reads the same events again. */
  follow: MemoryStore["follow"] = (ledger, from, to, drafts, at) =>
    this.#change((db) => {
      if (readFollowedPosition(db, ledger) !== from) return false;
      for (const draft of drafts) store.saveObservationDraft(db, draft, at);
      db.run("INSERT INTO followers VALUES (?, ?) ON CONFLICT DO UPDATE SET seq = excluded.seq", ledger, to);
      return true;
    }, false);

  exportTo: MemoryStore["exportTo"] = (to) => exportMemoryLines(this.#db, resolve(this.#cwd, to));

  async importFrom(...[from, clean, at]: Parameters<MemoryStore["importFrom"]>): ReturnType<MemoryStore["importFrom"]> {
    makeMemoryFolder(this.#db.file);
    return importMemoryFile(this.#db, resolve(this.#cwd, from), clean, at);
  }

  async backupTo(to: string): ReturnType<MemoryStore["backupTo"]> {
    makeMemoryFolder(this.#db.file);
    return backUpMemory(this.#db, resolve(this.#cwd, to));
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
  async #removeText<T>(isHard: boolean, work: (db: SqliteDatabase) => T): Promise<T> {
    const result = await this.#change(work);
    if (isHard) {
      tables.rewriteTermIndexes(this.#db);
      this.#db.all("PRAGMA wal_checkpoint(TRUNCATE)");
    }
    return result;
  }

  async #change<T>(work: (db: SqliteDatabase) => T, isSynced = true): Promise<T> {
    makeMemoryFolder(this.#db.file);
    return this.#db.alone(() => {
      tables.forgetWrittenTerms(this.#db);
      return work(this.#db);
    }, isSynced);
  }
}

const RELATION_COLUMNS = "id, from_id, to_id, type, note";
const SELECT_RELATIONS = `SELECT ${RELATION_COLUMNS} FROM relations`;

function checkMemoryHealth(db: DatabaseReader): { problem?: string; observations?: number } {
  const check = String(Object.values(db.all("PRAGMA quick_check")[0] ?? {})[0]);
  if (check !== "ok") return { problem: `SQLite says: ${check}.` };
  const count = (from: string): number => Number(db.all(`SELECT count(*) AS n FROM ${from}`)[0]?.["n"]);
  const kept = ["<>", "="].map((sign) =>
    count(`observations WHERE deleted_at IS NULL AND type ${sign} '${model.PROMPT_TYPE}'`),
  );
  const found = ["terms", "prompt_terms"].map((index) => count(`${index}_docsize`));
  const wrong = kept.findIndex((n, i) => n !== found[i]);
  return wrong >= 0
    ? { problem: `${kept[wrong]} are stored, but ${found[wrong]} are indexed.` }
    : { observations: kept[0] ?? 0 };
}

const readFollowedPosition = (db: DatabaseReader, ledger: string): number =>
  Number(db.all("SELECT seq FROM followers WHERE ledger = ?", ledger)[0]?.["seq"] ?? 0);

function makeMemoryFolder(file: string): void {
  try {
    fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw toFileFault(error, dirname(file), "write");
  }
}
