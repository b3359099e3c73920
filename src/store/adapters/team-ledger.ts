import fs from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Fault } from "#kernel/model/fault.ts";
import type { PostgresDatabase, PostgresTransaction } from "#kernel/adapters/postgres-database.ts";
import type { StorePlan } from "../operations/ports/store.ts";
import type { TeamMove } from "../operations/ports/team.ts";
import { findLease, Ledger, type LedgerChange, type LedgerLock, MIRROR_SPACE } from "./sqlite-ledger.ts";
import type { LeaseRow, SteadyClock } from "./store-leases.ts";
import { assertKnownTeamSchema, createUnknownRepositoryFault } from "./team-schema.ts";
import * as statements from "./team-statements.ts";
import { createWriteConflict, type EntriesBefore, targetPath, type WriteIntent } from "./write-intent.ts";

interface TeamLedgerParts {
  readonly database: PostgresDatabase;
  /** The name of the repository in the database. Read once, for a new mirror. */
  readonly repository: () => Promise<string>;
  readonly steadyClock: SteadyClock;
  readonly notice: (text: string) => void;
}

/** Changes of one transaction of the server: those it gets, and those to make here once it has committed. */
interface TeamSession {
  readonly state: statements.MirrorState;
  readonly shared: LedgerChange[];
  readonly deferred: LedgerChange[];
}

const CHANGES_PER_MOVE = 2000;
/** After a failure, reads use the mirror for so long before they ask the server again. */
const RETRY_MS = 2000;
const UNDONE = Symbol("undone");
/** Spaces with facts about one machine. */
const LOCAL_SPACES = new Set(["log", MIRROR_SPACE]);

/**
 * The ledger of a team, in PostgreSQL. `ledger.db` mirrors it, so reads, hooks and decisions work as without a team. A
 * write locks the repository's row, brings the mirror up to date, decides on it, and commits on the server what changed.
 * Unfinished writes of files stay on this machine, because no other one has its files.
 */
export class TeamLedger extends Ledger {
  readonly #parts: TeamLedgerParts;
  #collected: LedgerChange[] | undefined;
  #refreshing: Promise<void> | undefined;
  #awayUntil = 0;
  #isAwayTold = false;

  constructor(file: string, parts: TeamLedgerParts) {
    super(file);
    this.#parts = parts;
  }

  override get isTeam(): boolean {
    return true;
  }

  override get member(): string {
    return this.#parts.database.address.user;
  }

  override together<T>(work: (alone: LedgerLock) => Promise<T>): Promise<T> {
    const { database } = this.#parts;
    const session: { current: TeamSession | undefined } = { current: undefined };
    return this.#findState().then(async (known) => {
      let state = known;
      const result = await database.transact(
        async (transaction, rows) => {
          const [[repository], ...changes] = rows as [[statements.RepositoryRow?], ...object[][]];
          const current = await this.#bringUpToDate(transaction.query, state, repository, changes);
          session.current = { state: current, shared: [], deferred: [] };
          const done = await work((step) => this.#step(session.current as TeamSession, step));
          await this.#send(transaction, session.current);
          return done;
        },
        async (query) => {
          const event = session.current?.shared.find((change) => change.table === "events");
          if (event?.table !== "events") throw new Error("There is nothing to look for.");
          const sql = `SELECT 1 FROM ${database.schema}.events WHERE repository = $1 AND id = $2`;
          return (await query(sql, state.repository, event.event[0])).length > 0;
        },
        () => {
          // Another call of this process may have brought the mirror up to date meanwhile.
          state = this.#readState() ?? state;
          return statements.createFetchScript(database.schema, state, "FOR UPDATE OF r");
        },
      );
      if (session.current) await this.#settle(session.current);
      return result;
    });
  }

  override alone<T>(work: () => T): Promise<T> {
    return this.together((alone) => alone(work));
  }

  override aloneHere<T>(work: () => T): Promise<T> {
    return super.alone(work);
  }

  protected override assertOwner(): void {}

  /** Without the server, reads show the last known state. */
  override async refresh(): Promise<void> {
    if (performance.now() < this.#awayUntil) return;
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    try {
      await this.#refreshing;
      this.#isAwayTold = false;
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== "team.unreachable") throw error;
      this.#awayUntil = performance.now() + RETRY_MS;
      const known = this.#readState()
        ? "the last state that this machine knows"
        : "nothing that this machine knows yet";
      if (!this.#isAwayTold) this.#parts.notice(`${error.what} This shows ${known}.`);
      this.#isAwayTold = true;
    }
  }

  override change(change: LedgerChange): void {
    super.change(change);
    this.#collected?.push(change);
  }

  override describeEntries({ keeps = [], counters = {}, grants = [], releases = [] }: StorePlan<unknown>) {
    const readBody = (space: string, key: string): string | null =>
      (this.all("SELECT body FROM kept WHERE space = ? AND key = ?", space, key)[0]?.["body"] as string) ?? null;
    const readCounter = (name: string): number =>
      Number(this.all("SELECT value FROM counters WHERE name = ?", name)[0]?.["value"] ?? 0);
    const names = [...grants.map(({ name }) => name), ...releases];
    return {
      kept: keeps.map(({ space, key }) => [space, key, readBody(space, key)] as const),
      counters: Object.fromEntries(Object.keys(counters).map((name) => [name, readCounter(name)])),
      tokens: Object.fromEntries(names.map((name) => [name, findLease(this, name)?.token ?? 0])),
    } satisfies EntriesBefore;
  }

  override assertUnchanged({
    before,
    steps,
    keeps = [],
    counters = {},
    grants = [],
    releases = [],
  }: WriteIntent): void {
    if (before === undefined) return;
    const now = this.describeEntries({
      keeps,
      counters,
      grants,
      releases,
      steps: [],
      occurrences: [],
      result: undefined,
    });
    if (JSON.stringify(now) !== JSON.stringify(before)) throw createWriteConflict(steps.map(targetPath).join(", "));
  }

  mirrorState(): statements.MirrorState | undefined {
    return this.#readState();
  }

  /** The database gets everything in one transaction. Then the ledger is its mirror. */
  async moveToServer(): Promise<TeamMove> {
    const { database } = this.#parts;
    if (this.#readState()) return { events: 0, entries: 0 };
    const repository = await this.#parts.repository();
    const changes = (await super.alone(() => this.#listAll())) ?? [];
    const events = changes.filter(({ table }) => table === "events");
    const lastSeq = Math.max(0, ...events.map((change) => (change.table === "events" && change.seq) || 0));
    await database.transact(async (transaction) => {
      const lock = `SELECT version, seq FROM ${database.schema}.repositories WHERE id = $1 FOR UPDATE`;
      const [row] = await transaction.query<{ version: number; seq: number }>(lock, repository);
      if (!row) throw createUnknownRepositoryFault("It does not know this repository.");
      const last = events.at(-1);
      const known = last?.table === "events" ? last.event[0] : "";
      const sql = `SELECT 1 FROM ${database.schema}.events WHERE repository = $1 AND id = $2`;
      // A process that died after the commit had moved everything.
      if (known !== "" && (await transaction.query(sql, repository, known)).length > 0) return;
      if (row.version > 0)
        throw new Fault("team.other-ledger", {
          what: "Nothing was moved.",
          why: "The database already has work of this repository, from another clone.",
          fix: "Finish the work here, move .git/tenon/ledger.db away, and join: tenon status",
        });
      for (let i = 0; i < changes.length || i === 0; i += CHANGES_PER_MOVE) {
        const state = { repository, version: i / CHANGES_PER_MOVE, seq: lastSeq };
        await this.#send(transaction, { state, shared: changes.slice(i, i + CHANGES_PER_MOVE), deferred: [] });
      }
    });
    await super.alone(() => this.#noteState({ repository, version: 0, seq: lastSeq }));
    return { events: events.length, entries: changes.length - events.length };
  }

  /** The mirror has everything, so it only has to stop being one. */
  async leaveServer(): Promise<TeamMove> {
    await this.#refresh();
    return super.alone(() => {
      super.change({ table: "kept", space: MIRROR_SPACE, key: "mirror", body: null });
      return this.#countAll();
    });
  }

  async copyTo(file: string): Promise<TeamMove> {
    const counted = await super.alone(() => this.#countAll());
    this.run("VACUUM INTO ?", file);
    fs.chmodSync(file, 0o600);
    using copy = new DatabaseSync(file);
    copy.exec(`DELETE FROM kept WHERE space = '${MIRROR_SPACE}'`);
    return counted;
  }

  #countAll(): TeamMove {
    const [row] = this.all("SELECT (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM kept) AS entries");
    return { events: Number(row?.["events"]), entries: Number(row?.["entries"]) };
  }

  #listAll(): LedgerChange[] {
    const { steadyClock } = this.#parts;
    const select = <Row>(sql: string): Row[] => this.all(sql) as unknown as Row[];
    const kept = select<statements.KeptRow>("SELECT space, key, body FROM kept").filter(
      ({ space }) => !LOCAL_SPACES.has(space),
    );
    const now = Math.floor(steadyClock.nowMs());
    const leases = select<LeaseRow>("SELECT * FROM leases").map((row) => {
      const left = row.boot === steadyClock.boot ? Math.max(0, row.expires - now) : 0;
      return { ...row, granted: now, expires: now + left };
    });
    return [
      ...kept.map((row): LedgerChange => ({ table: "kept", ...row })),
      ...select<statements.CounterRow>("SELECT name, value FROM counters").map((row): LedgerChange => ({
        table: "counters",
        ...row,
      })),
      ...leases.map((row): LedgerChange => ({ table: "leases", row })),
      ...select<statements.EventRow>("SELECT * FROM events ORDER BY seq").map(statements.toEventChange),
    ];
  }

  async #refresh(): Promise<void> {
    const { database } = this.#parts;
    const state = await this.#findState();
    // One state for all statements, so that no reader sees half a write.
    const fetch = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${statements.createFetchScript(database.schema, state, "")}; COMMIT`;
    const [, [repository], ...changes] = (await database.script(fetch)) as [
      object[],
      [statements.RepositoryRow?],
      ...object[][],
    ];
    if (repository?.version === 0 && !this.exists) return;
    const query: PostgresTransaction["query"] = (sql, ...values) => database.query(sql, ...values);
    await this.#bringUpToDate(query, state, repository, changes);
  }

  async #bringUpToDate(
    query: PostgresTransaction["query"],
    state: statements.MirrorState,
    repository: statements.RepositoryRow | undefined,
    [kept = [], counters = [], leases = [], events = []]: readonly object[][],
  ): Promise<statements.MirrorState> {
    if (!repository)
      throw createUnknownRepositoryFault("It does not know this repository, or shows it to others only.");
    assertKnownTeamSchema(repository.schema);
    if (this.#isOtherHistory(state, repository)) return this.#mirrorAgain(query, state);
    const all = events as statements.EventRow[];
    const sql = `SELECT seq, id, at, checkout, kind, subject, data, ms FROM ${this.#parts.database.schema}.events
      WHERE repository = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT ${statements.EVENTS_PER_FETCH}`;
    for (let more = all; more.length === statements.EVENTS_PER_FETCH; all.push(...more))
      more = await query<statements.EventRow>(sql, state.repository, all.at(-1)?.seq ?? 0, repository.seq);
    const next = { repository: state.repository, version: repository.version, seq: all.at(-1)?.seq ?? state.seq };
    await this.#writeMirror(() => {
      // Another process of this machine may have been faster.
      const known = this.#readOpenState();
      if (known && known.version > next.version) return;
      for (const row of kept as statements.KeptRow[]) super.change({ table: "kept", ...row });
      for (const row of counters as statements.CounterRow[]) super.change({ table: "counters", ...row });
      // All live ones come with each fetch, so any other has run out, whatever this machine's clock shows.
      this.run("UPDATE leases SET expires = 0");
      for (const row of leases as statements.ServerLease[]) this.#mirrorLease(row);
      for (const row of all) if (row.seq > (known?.seq ?? 0)) super.change(statements.toEventChange(row));
      this.#noteState(next);
    });
    return next;
  }

  /** After a restore of an older dump, the mirror has events that the database does not. */
  #isOtherHistory({ version, seq }: statements.MirrorState, { version: now, last }: statements.RepositoryRow): boolean {
    if (version > now) return true;
    const own = this.look((all) => all("SELECT id FROM events WHERE seq = ?", seq)[0]?.["id"]);
    return seq > 0 && own !== undefined && own !== last;
  }

  async #mirrorAgain(query: PostgresTransaction["query"], { repository }: statements.MirrorState) {
    const fresh = { repository, version: 0, seq: 0 };
    const [own = [], ...changes] = await Promise.all(
      statements
        .createFetchScript(this.#parts.database.schema, fresh, "")
        .split("; ")
        .map((sql) => query<object>(sql)),
    );
    await this.#writeMirror(() => {
      const local = [...LOCAL_SPACES].map((space) => `'${space}'`).join(", ");
      this.run(`DELETE FROM kept WHERE space NOT IN (${local})`);
      for (const table of ["events", "counters", "leases"]) this.run(`DELETE FROM ${table}`);
      this.#noteState(fresh);
    });
    this.#parts.notice("The team's database was restored from a dump. This clone shows its state again.");
    return this.#bringUpToDate(query, fresh, own[0] as statements.RepositoryRow | undefined, changes);
  }

  /** In time since this machine's start, as hooks and reads expect it. The server's clock alone decides how much is left. */
  #mirrorLease({ name, holder, token, left }: statements.ServerLease): void {
    const { steadyClock } = this.#parts;
    const granted = Math.floor(steadyClock.nowMs());
    const expires = granted + Math.max(0, Math.floor(Number(left)));
    super.change({ table: "leases", row: { name, holder, token, boot: steadyClock.boot, granted, expires } });
  }

  /** Runs a step on the mirror and undoes it there: the mirror only shows what the server has committed. */
  async #step<T>(session: TeamSession, work: () => T): Promise<T> {
    const collected: LedgerChange[] = [];
    let done: { readonly result: T } | undefined;
    await this.#writeMirror(() => {
      for (const change of [...session.shared, ...session.deferred]) super.change(change);
      this.#collected = collected;
      try {
        done = { result: work() };
      } finally {
        this.#collected = undefined;
      }
      throw UNDONE;
    }).catch((error: unknown) => {
      if (error !== UNDONE) throw error;
    });
    const intents = collected.filter(({ table }) => table === "intents");
    if (intents.length > 0) await super.alone(() => intents.forEach((change) => super.change(change)));
    for (const change of collected) {
      if (change.table === "intents") continue;
      const isLocal = change.table === "done" || (change.table === "kept" && LOCAL_SPACES.has(change.space));
      (isLocal ? session.deferred : session.shared).push(change);
    }
    return (done as { readonly result: T }).result;
  }

  async #send({ query }: PostgresTransaction, { state, shared }: TeamSession): Promise<void> {
    if (shared.length === 0) return;
    const { isMove, parts } = statements.collectChanges(shared, state.seq);
    const values = [state.repository, state.version, state.seq + (isMove ? 0 : parts.events.length)] as const;
    await query(statements.createSendStatement(this.#parts.database.schema), ...values, JSON.stringify(parts));
  }

  /** After the server's commit. A process that dies before leaves a mirror that is only older. */
  #settle({ state, shared, deferred }: TeamSession): Promise<void> {
    if (shared.length + deferred.length === 0) return Promise.resolve();
    return this.#writeMirror(() => {
      for (const change of deferred) super.change(change);
      if (shared.length === 0 || this.#readOpenState()?.version !== state.version) return;
      let { seq } = state;
      for (const change of shared) super.change(change.table === "events" ? { ...change, seq: ++seq } : change);
      this.#noteState({ ...state, version: state.version + 1, seq });
    });
  }

  /** Not synced: lost rows come from the server again. */
  #writeMirror<T>(work: () => T): Promise<T> {
    return super.alone(work, false);
  }

  async #findState(): Promise<statements.MirrorState> {
    const known = this.#readState();
    if (known) return known;
    const isUsed = this.look((all) => all("SELECT 1 FROM events UNION ALL SELECT 1 FROM intents LIMIT 1").length > 0);
    if (isUsed === true)
      throw new Fault("team.other-ledger", {
        what: "The team's database was not used.",
        why: "This workspace has a ledger of its own, with work that the database does not know.",
        fix: ["Move it there: tenon team init --move", "Or leave TENON_DATABASE_URL unset."],
      });
    return { repository: await this.#parts.repository(), version: 0, seq: 0 };
  }

  #readState(): statements.MirrorState | undefined {
    return this.look((all) => parseState(all(STATE, MIRROR_SPACE)[0]?.["body"]));
  }

  #readOpenState(): statements.MirrorState | undefined {
    return parseState(this.all(STATE, MIRROR_SPACE)[0]?.["body"]);
  }

  #noteState(state: statements.MirrorState): void {
    super.change({ table: "kept", space: MIRROR_SPACE, key: "mirror", body: JSON.stringify(state) });
  }
}

const STATE = "SELECT body FROM kept WHERE space = ?";

const parseState = (body: unknown): statements.MirrorState | undefined =>
  typeof body === "string" ? (JSON.parse(body) as statements.MirrorState) : undefined;
