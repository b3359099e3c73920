import type { DatabaseRow } from "#kernel/adapters/sqlite-database.ts";
import { Fault } from "#kernel/model/fault.ts";
import { formatProjectName } from "#kernel/model/project-identity.ts";
import type { Observation, ObservationRelation, ObservationRevision } from "../model/memory-records.ts";
import * as model from "../model/observation.ts";
import type { MemoryRecords } from "../operations/ports/memory.ts";
import * as projects from "./memory-projects.ts";
import * as queries from "./memory-queries.ts";
import * as tables from "./memory-tables.ts";
import * as store from "./observation-store.ts";
import { mapProgram, queryRows, selectRecords, type SqlProgram } from "./sql-program.ts";
import type { TermIndex } from "./term-index.ts";

/** Memory in any SQL database. A subclass runs the programs: each one sees one state, or writes completely or not. */
export abstract class SqlMemory<Index extends TermIndex> implements Omit<MemoryRecords, "stats" | "health"> {
  protected abstract readonly index: Index;
  /** Without a database the answer is `nothing`. */
  protected abstract read<T>(nothing: T, work: () => SqlProgram<T>): Promise<T>;
  protected abstract write<T>(work: () => SqlProgram<T>, isSynced?: boolean): Promise<T>;
  /** Called after texts were destroyed, to remove what is left of them. */
  protected abstract removeTraces(): void;

  save: MemoryRecords["save"] = (drafts, at) =>
    this.write(() => mapProgram(drafts, (draft) => store.saveObservationDraft(this.index, draft, at)));
  get: MemoryRecords["get"] = (id) =>
    this.read(undefined, function* () {
      return (yield* tables.selectObservations("o.id = ?", id))[0];
    });
  topic: MemoryRecords["topic"] = (topic) =>
    this.read(undefined, function* () {
      const row = yield* store.findTopicRow(topic);
      return row && tables.toObservation(row);
    });
  update: MemoryRecords["update"] = (id, said, at) =>
    this.write(() => store.updateObservation(this.index, id, said, at));
  restore: MemoryRecords["restore"] = (id, at) => this.write(() => store.restoreObservation(this.index, id, at));

  remove: MemoryRecords["remove"] = async (id, isHard, at) => {
    const removed = await this.write(() => removeObservation(this.index, id, isHard, at));
    if (isHard) this.removeTraces();
    return removed;
  };

  purge: MemoryRecords["purge"] = async (source, project, isHard, at) => {
    const count = await this.write(() => purgeSource(this.index, { source, project, isHard }, at));
    if (isHard) this.removeTraces();
    return count;
  };

  candidates: MemoryRecords["candidates"] = (question, filter, most) =>
    this.read({ observations: [], total: 0, terms: [], repaired: [] }, () =>
      queries.findSearchCandidates(this.index, question, filter, most),
    );
  neighbours: MemoryRecords["neighbours"] = (observations, reach) =>
    this.read(new Map(), () =>
      queries.listSessionNeighbours(
        observations.map(({ id }) => id),
        reach,
        reach,
      ),
    );
  recent: MemoryRecords["recent"] = (filter, limit) =>
    this.read([], () => queries.listObservationsByChange(filter, limit));

  sessions: MemoryRecords["sessions"] = (project, limit) =>
    this.read([], function* () {
      const number = project && (yield* projects.findProjectNumber(project));
      if (project && number === undefined) return [];
      const [where, values] = number === undefined ? ["", []] : ["WHERE s.project = ?", [number]];
      return yield* projects.selectSessions(`${where} ORDER BY s.active_at DESC, s.no DESC LIMIT ?`, ...values, limit);
    });

  around: MemoryRecords["around"] = async ({ id }, before, after) => {
    const around = await this.read(undefined, function* () {
      const [row] = yield* queryRows("SELECT session FROM observations WHERE id = ?", id);
      if (!row) return undefined;
      const neighbours = yield* queries.listSessionNeighbours([id], before, after);
      const session = yield* projects.readSessionRow(Number(row["session"]));
      return { ...(neighbours.get(id) ?? { before: [], after: [] }), session };
    });
    if (!around) throw model.createUnknownObservationFault(id);
    return around;
  };

  /** Starting an ended session reopens it. */
  startSession: MemoryRecords["startSession"] = (project, { id, directory = null }, at) =>
    this.write(function* () {
      const number = yield* projects.claimProjectNumber(project, at);
      const known = yield* queryRows("SELECT 1 FROM sessions WHERE project = ? AND id = ?", number, id);
      const no = yield* projects.claimSessionNumber(number, id, at);
      const reopen = "UPDATE sessions SET ended_at = NULL, directory = coalesce(?, directory) WHERE no = ?";
      yield* queryRows(reopen, directory, no);
      return { ...(yield* projects.readSessionRow(no)), isNew: known.length === 0 };
    });

  endSession: MemoryRecords["endSession"] = (project, id, summary, at) => {
    const { index } = this;
    return this.write(function* () {
      const text = typeof summary?.content === "string" ? summary.content : null;
      const number = (yield* projects.findProjectNumber(project)) ?? 0;
      const [row] = yield* queryRows("SELECT no, active_at FROM sessions WHERE project = ? AND id = ?", number, id);
      if (!row) {
        throw new Fault("memory.unknown-session", {
          what: "The session was not ended.",
          why: `No session "${id}" was started in this project.`,
          fix: { operation: "memory.session", input: { action: "start", id } },
        });
      }
      const [no, active] = [Number(row["no"]), String(row["active_at"])];
      const end = "UPDATE sessions SET ended_at = ?, active_at = ?, summary = coalesce(?, summary) WHERE no = ?";
      yield* queryRows(end, at, active < at ? at : active, text, no);
      if (summary) yield* store.saveObservationDraft(index, summary, at);
      return yield* projects.readSessionRow(no);
    });
  };

  relate: MemoryRecords["relate"] = (relation, isBidirectional, at) =>
    this.write(() => relateObservations(relation, isBidirectional, at));

  unrelate: MemoryRecords["unrelate"] = (id) =>
    this.write(function* () {
      const sql = `DELETE FROM relations WHERE id = ? RETURNING ${RELATION_COLUMNS}`;
      const [relation] = yield* selectRecords<ObservationRelation>(sql, id);
      if (relation) return relation;
      throw new Fault("memory.unknown-relation", {
        what: `Relation ${id} cannot be removed.`,
        why: "No relation has that number.",
        fix: { operation: "memory.get", input: { id: 1 } },
      });
    });

  relations: MemoryRecords["relations"] = (ids) =>
    this.read([], function* () {
      const sql = `${SELECT_RELATIONS} WHERE from_id = ? UNION ${SELECT_RELATIONS} WHERE to_id = ?`;
      const found = yield* mapProgram(ids, (id) => selectRecords<ObservationRelation>(sql, id, id));
      const relations = new Map(found.flat().map((relation) => [relation.id, relation]));
      return [...relations.values()].toSorted((a, b) => a.id - b.id);
    });

  revisions: MemoryRecords["revisions"] = (id, most = Number.MAX_SAFE_INTEGER) =>
    this.read([], function* () {
      const sql = `${tables.SELECT_REVISIONS} WHERE observation = ? ORDER BY revision DESC LIMIT ?`;
      return (yield* selectRecords<ObservationRevision>(sql, id, BigInt(most))).toReversed();
    });

  stale: MemoryRecords["stale"] = (filter, before, limit) =>
    this.read({ observations: [], total: 0 }, function* () {
      const observations = yield* queries.listObservationsByChange(filter, limit, "ASC", before);
      return { observations, total: yield* queries.countStaleObservations(filter, before) };
    });

  compact: MemoryRecords["compact"] = (...asked) => this.write(() => compactObservations(this.index, ...asked));

  projectName: MemoryRecords["projectName"] = (ref) =>
    this.read(formatProjectName(ref.name), function* () {
      const project = yield* projects.findProjectNumber(ref);
      if (project === undefined) return yield* projects.chooseFreeProjectName(ref);
      return String((yield* queryRows("SELECT name FROM projects WHERE no = ?", project))[0]?.["name"]);
    });

  followed: MemoryRecords["followed"] = (ledger) => this.read(0, () => readFollowedPosition(ledger));

  /** Not synced: a power failure also undoes the position, so the next call reads the same events again. */
  follow: MemoryRecords["follow"] = (ledger, from, to, drafts, at) => {
    const { index } = this;
    return this.write(function* () {
      if ((yield* readFollowedPosition(ledger)) !== from) return false;
      for (const draft of drafts) yield* store.saveObservationDraft(index, draft, at);
      const [known] = yield* queryRows("UPDATE followers SET seq = ? WHERE ledger = ? RETURNING seq", to, ledger);
      if (!known) yield* queryRows("INSERT INTO followers (ledger, seq) VALUES (?, ?)", ledger, to);
      return true;
    }, false);
  };
}

const RELATION_COLUMNS = "id, from_id, to_id, type, note";
const SELECT_RELATIONS = `SELECT ${RELATION_COLUMNS} FROM relations`;

function* removeObservation(index: TermIndex, id: number, isHard: boolean, at: string): SqlProgram<Observation> {
  const row = yield* store.readObservationRow(id);
  if (isHard) {
    yield* store.destroyObservation(index, row, at);
    return tables.toObservation(row);
  }
  if (row.deleted_at !== undefined) throw model.createDeletedObservationFault(row);
  yield* store.softDeleteObservation(index, row, at);
  return yield* store.readObservation(id);
}

interface SourcePurge {
  readonly source: string;
  readonly project: Parameters<MemoryRecords["purge"]>[1];
  readonly isHard: boolean;
}

function* purgeSource(index: TermIndex, { source, project, isHard }: SourcePurge, at: string): SqlProgram<number> {
  const number = project && (yield* projects.findProjectNumber(project));
  if (project && number === undefined) return 0;
  const rows = (yield* tables.selectObservationRows("o.source = ?", source))
    .filter((row) => project === undefined || row.project_no === number)
    .filter((row) => isHard || row.deleted_at === undefined);
  for (const row of rows) yield* (isHard ? store.destroyObservation : store.softDeleteObservation)(index, row, at);
  if (!isHard) return rows.length;
  const inProject = "AND observation IN (SELECT id FROM observations WHERE project = ?)";
  const [where, values] = number === undefined ? ["", []] : [inProject, [number]];
  const destroy = `DELETE FROM revisions WHERE source = ? ${where} RETURNING title, content`;
  yield* index.forget(yield* selectRecords<Observation>(destroy, source, ...values));
  return rows.length;
}

function* relateObservations(
  { from_id, to_id, type, note }: Parameters<MemoryRecords["relate"]>[0],
  isBidirectional: boolean,
  at: string,
): SqlProgram<ObservationRelation[]> {
  const reject = (why: string): Fault =>
    new Fault("memory.bad-relation", {
      what: "The relation was not added.",
      why,
      fix: { operation: "memory.relate", input: { from_id: 1, to_id: 2, relation_type: "depends_on" } },
    });
  if (from_id === to_id) throw reject(`#${from_id} cannot be related to itself.`);
  for (const id of [from_id, to_id]) {
    const observation = yield* store.readObservation(id);
    if (observation.deleted_at !== undefined) throw model.createDeletedObservationFault(observation);
  }
  const ends = [{ from: from_id, to: to_id }, ...(isBidirectional ? [{ from: to_id, to: from_id }] : [])];
  const made = yield* mapProgram(ends, (each) => store.insertRelation({ ...each, type, note }, at));
  if (made.every((count) => count === 0)) throw reject(`#${from_id} ${type} #${to_id} exists already.`);
  const sql = `${SELECT_RELATIONS} WHERE type = ? AND from_id = ? AND to_id = ?`;
  const found = yield* mapProgram(ends, ({ from, to }) => selectRecords<ObservationRelation>(sql, type, from, to));
  return found.flat().toSorted((one, other) => one.id - other.id);
}

function* compactObservations(
  index: TermIndex,
  ...[ids, { filter, before }, summary, at]: Parameters<MemoryRecords["compact"]>
): SqlProgram<Observation | undefined> {
  const isStale = yield* mapProgram(ids, (id) => queries.isStaleObservation(id, filter, before));
  const strangers = ids.filter((_, i) => !isStale[i]).map((id) => `#${id}`);
  if (strangers.length > 0) {
    throw new Fault("memory.not-stale", {
      what: "Nothing was compacted.",
      why: `${strangers.join(", ")} ${strangers.length === 1 ? "is" : "are"} not among the observations that were last changed before ${before}.`,
      fix: { operation: "memory.compact", input: { older_than_days: 90 } },
    });
  }
  const saved = summary && (yield* store.saveObservationDraft(index, summary, at)).observation;
  for (const id of ids) {
    yield* store.softDeleteObservation(index, yield* store.readObservationRow(id), at);
    if (saved) yield* store.insertRelation({ from: saved.id, to: id, type: model.SUPERSEDES_RELATION }, at);
  }
  return saved && (yield* store.readObservation(saved.id));
}

function* readFollowedPosition(ledger: string): SqlProgram<number> {
  const [row]: readonly DatabaseRow[] = yield* queryRows("SELECT seq FROM followers WHERE ledger = ?", ledger);
  return Number(row?.["seq"] ?? 0);
}
