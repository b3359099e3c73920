import fs from "node:fs";
import { dirname } from "node:path";
import { PROMPT, SUPERSEDES } from "#domain/memory/observation.ts";
import { projectName } from "#domain/memory/project.ts";
import { notStale, unknownObservation } from "#domain/memory/refusals.ts";
import { Fault } from "#domain/fault.ts";
import { quoteShellWord } from "#domain/quote.ts";
import type { MemoryStore } from "#operations/ports/memory.ts";
import { asFault } from "../../files/error.ts";
import { Database, type Reader } from "../../sqlite/database.ts";
import type { Kind } from "../../sqlite/database-fault.ts";
import { countStale, findCandidates, isStale, neighboursOf, recentIn, staleIn } from "./find.ts";
import { findTopic, link, read, rowOf, saveDraft, updateObservation } from "./keep.ts";
import { addRelation, relationsOf, removeRelation } from "./links.ts";
import { MIGRATIONS } from "./migrations.ts";
import { findProject, nameFor } from "./projects.ts";
import { destroy, destroyRevisions, putAway, removeObservation, restoreObservation } from "./remove.ts";
import { forgetVocabulary, OBSERVATION, observationOf, revisionOf, rewriteIndexes } from "./rows.ts";
import { beginSession, closeSession, recentSessions, sessionOfObservation } from "./sessions.ts";
import { statsOf } from "./stats.ts";
import { backUp, exportMemory, importMemory } from "./transfer.ts";

const KIND: Kind = {
  name: "memory",
  migrations: MIGRATIONS,
  // Pipelines save here too and must not wait long.
  patienceMs: 4_000,
  // 64 MB of page cache and up to 1 GB of mapped file, because searches touch the complete file. `secure_delete`
  // overwrites deleted content.
  pragmas: "PRAGMA cache_size = -65536; PRAGMA mmap_size = 1073741824; PRAGMA secure_delete = ON",
  remedy: (file) =>
    `Stop Tenon's servers, keep a copy (cp ${quoteShellWord(file)} ${quoteShellWord(`${file}.damaged`)}), and put back a backup; without one: sqlite3 ${quoteShellWord(file)} .recover`,
};

export class SqliteMemory implements MemoryStore, Disposable {
  readonly #db: Database;
  readonly #cwd: string;

  constructor(file: string, cwd: string) {
    this.#db = new Database(file, KIND);
    this.#cwd = cwd;
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  save: MemoryStore["save"] = (drafts, at) => this.#change((db) => drafts.map((draft) => saveDraft(db, draft, at)));

  get: MemoryStore["get"] = (id) =>
    this.#look(undefined, (db) => db.all(`${OBSERVATION} WHERE o.id = ?`, id).map(observationOf)[0]);

  topic: MemoryStore["topic"] = (topic) =>
    this.#look(undefined, (db) => {
      const row = findTopic(db, topic);
      return row && observationOf(row);
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
      const number = project && findProject(db, project);
      if (project && number === undefined) return 0;
      const rows = db
        .all(`${OBSERVATION} WHERE o.source = ?`, source)
        .filter((row) => project === undefined || row["project"] === number)
        .filter((row) => isHard || row["deleted_at"] === null);
      for (const row of rows) (isHard ? destroy : putAway)(db, row, at);
      if (isHard) destroyRevisions(db, source, number);
      return rows.length;
    });
    if (isHard) this.#emptyLog();
    return purged;
  }

  candidates: MemoryStore["candidates"] = (question, filter, most) =>
    this.#look({ observations: [], weights: new Map(), repaired: [] }, (db) =>
      findCandidates(db, question, filter, most),
    );

  neighbours: MemoryStore["neighbours"] = (observations, reach) =>
    this.#look(new Map(), (db) => new Map(observations.map(({ id }) => [id, neighboursOf(db, id, reach, reach)])));

  recent: MemoryStore["recent"] = (filter, limit) => this.#look([], (db) => recentIn(db, filter, limit));
  sessions: MemoryStore["sessions"] = (project, limit) => this.#look([], (db) => recentSessions(db, project, limit));

  around: MemoryStore["around"] = async ({ id }, before, after) => {
    const around = await this.#look(undefined, (db) => ({
      ...neighboursOf(db, id, before, after),
      session: sessionOfObservation(db, id),
    }));
    if (!around) throw unknownObservation(id);
    return around;
  };

  startSession: MemoryStore["startSession"] = (project, session, at) =>
    this.#change((db) => beginSession(db, project, session, at));

  endSession: MemoryStore["endSession"] = (project, id, summary, at) =>
    this.#change((db) => {
      const text = typeof summary?.content === "string" ? summary.content : undefined;
      const session = closeSession(db, project, id, text, at);
      const isMore = summary && saveDraft(db, summary, at).action === "created";
      return isMore ? { ...session, observations: session.observations + 1 } : session;
    });

  relate: MemoryStore["relate"] = (relation, isBidirectional, at) =>
    this.#change((db) => addRelation(db, relation, isBidirectional, at));

  unrelate: MemoryStore["unrelate"] = (id) => this.#change((db) => removeRelation(db, id));
  relations: MemoryStore["relations"] = (ids) => this.#look([], (db) => relationsOf(db, ids));

  revisions: MemoryStore["revisions"] = (id, most = Number.MAX_SAFE_INTEGER) =>
    this.#look([], (db) =>
      db
        .all("SELECT * FROM revisions WHERE observation = ? ORDER BY revision DESC LIMIT ?", id, most)
        .map(revisionOf)
        .toReversed(),
    );

  stale: MemoryStore["stale"] = (filter, before, limit) =>
    this.#look({ observations: [], total: 0 }, (db) => ({
      observations: staleIn(db, filter, before, limit),
      total: countStale(db, filter, before),
    }));

  compact: MemoryStore["compact"] = (ids, { filter, before }, summary, at) =>
    this.#change((db) => {
      const strangers = ids.filter((id) => !isStale(db, id, filter, before));
      if (strangers.length > 0) throw notStale(strangers, before);
      const saved = summary && saveDraft(db, summary, at).observation;
      for (const id of ids) {
        putAway(db, rowOf(db, id), at);
        if (saved) link(db, { from: saved.id, to: id, type: SUPERSEDES }, at);
      }
      return saved && read(db, saved.id);
    });

  stats: MemoryStore["stats"] = () => this.#look(statsOf(undefined, this.#db.file), (db) => statsOf(db, this.#db.file));

  projectName: MemoryStore["projectName"] = (project) =>
    this.#look(projectName(project.name), (db) => nameFor(db, project));

  followed: MemoryStore["followed"] = (ledger) => this.#look(0, (db) => placeIn(db, ledger));

  follow: MemoryStore["follow"] = (ledger, from, to, drafts, at) =>
    this.#change((db) => {
      if (placeIn(db, ledger) !== from) return false;
      for (const draft of drafts) saveDraft(db, draft, at);
      db.run("INSERT INTO followers VALUES (?, ?) ON CONFLICT DO UPDATE SET seq = excluded.seq", ledger, to);
      return true;
    });

  exportTo: MemoryStore["exportTo"] = (to) => exportMemory(this.#db, to, this.#cwd);

  async importFrom(...[from, clean, at]: Parameters<MemoryStore["importFrom"]>): ReturnType<MemoryStore["importFrom"]> {
    makeFolder(this.#db.file);
    return importMemory(this.#db, from, this.#cwd, clean, at);
  }

  async backupTo(to: string): ReturnType<MemoryStore["backupTo"]> {
    makeFolder(this.#db.file);
    return backUp(this.#db, to, this.#cwd);
  }

  async health(): ReturnType<MemoryStore["health"]> {
    const nothing = { file: this.#db.file, exists: this.#db.exists, observations: 0 };
    try {
      return { ...nothing, ...(await this.#look({}, healthOf)) };
    } catch (error) {
      return { ...nothing, problem: error instanceof Error ? error.message : String(error) };
    }
  }

  async #look<T>(nothing: T, work: (db: Reader) => T): Promise<T> {
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
    rewriteIndexes(this.#db);
    this.#db.all("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  async #change<T>(work: (db: Database) => T): Promise<T> {
    makeFolder(this.#db.file);
    return this.#db.alone(() => {
      forgetVocabulary(this.#db);
      return work(this.#db);
    });
  }
}

function healthOf(db: Reader): { problem?: string; observations?: number } {
  const check = String(Object.values(db.all("PRAGMA quick_check")[0] ?? {})[0]);
  if (check !== "ok") return { problem: `SQLite says: ${check}.` };
  const live = "SELECT count(*) AS n FROM observations WHERE deleted_at IS NULL AND type";
  const kept = [count(db, `${live} <> '${PROMPT}'`), count(db, `${live} = '${PROMPT}'`)];
  const found = ["terms", "prompt_terms"].map((index) => count(db, `SELECT count(*) AS n FROM ${index}_docsize`));
  const wrong = kept.findIndex((n, i) => n !== found[i]);
  return wrong >= 0
    ? { problem: `${kept[wrong]} are kept and ${found[wrong]} can be found.` }
    : { observations: kept[0] ?? 0 };
}

const placeIn = (db: Reader, ledger: string): number =>
  Number(db.all("SELECT seq FROM followers WHERE ledger = ?", ledger)[0]?.["seq"] ?? 0);

const count = (db: Reader, sql: string): number => Number(db.all(sql)[0]?.["n"]);

function makeFolder(file: string): void {
  try {
    fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw asFault(error, dirname(file), "write");
  }
}
