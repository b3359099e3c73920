import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "#kernel/model/fault.ts";
import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
import type { EngineClock } from "#kernel/operations/engine.ts";
import type * as store from "../operations/ports/store.ts";
import { WorkspaceFiles } from "#kernel/adapters/workspace-files.ts";
import { createFileTree, isEmptyPlan, memoizeByKey } from "./file-tree.ts";
import {
  applyIntent,
  createWriteConflict,
  createWriteIntent,
  isStepApplied,
  removeIntentTemporaries,
  targetPath,
  type WriteIntent,
} from "./write-intent.ts";
import { excludeTemporaryFiles } from "#kernel/adapters/git-checkout.ts";
import { tryFileClaim, withFileClaim } from "#kernel/adapters/file-claim.ts";
import type { DatabaseReader, DatabaseRow } from "#kernel/adapters/sqlite-database.ts";
import { createDamagedFault } from "#kernel/adapters/database-fault.ts";
import * as sqliteLedger from "./sqlite-ledger.ts";
import type { LeaseRow, SteadyClock } from "./store-leases.ts";
import { WriteQueue } from "./write-queue.ts";

export interface StoreParts {
  readonly root: string;
  readonly checkout: string;
  readonly checkoutIn: (root: string) => string | undefined;
  readonly ledger: sqliteLedger.Ledger;
  readonly clock: EngineClock;
  readonly steadyClock: SteadyClock;
  readonly newId: () => string;
  /** Called when an unfinished write of another process had to be withdrawn. */
  readonly notice: (text: string) => void;
}

const WRITE_TRIES = 3;
const ABANDONED_WRITE_MS = 2000;

/** Files for shared content, one ledger for work in progress. A write changes both or neither. */
export class WorkspaceStore implements store.Store {
  readonly leases: sqliteLedger.SqliteLeases;
  readonly isTeam: boolean;
  readonly member: string | undefined;
  readonly #parts: StoreParts;
  readonly #turns: WriteQueue;

  constructor(parts: StoreParts) {
    this.#parts = parts;
    this.isTeam = parts.ledger.isTeam;
    this.member = parts.ledger.member;
    this.#turns = new WriteQueue(join(dirname(parts.ledger.file), "turns"));
    this.leases = new sqliteLedger.SqliteLeases(parts.ledger, parts.steadyClock);
  }

  async read<T>(look: (tree: store.StoreTree) => T): Promise<T> {
    await this.#parts.ledger.refresh();
    return look({ ...createFileTree(new WorkspaceFiles(this.#parts.root)), ...this.#runtime() });
  }

  async write<T>(decide: (tree: store.LockedStoreTree) => store.StorePlan<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#turns.take(() => this.#tryWrite(decide));
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== "store.conflict" || tries === WRITE_TRIES) throw error;
      }
    }
  }

  exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
    return withFileClaim(this.#locateClaim(name), `a ${name}`, work);
  }

  async isBusy(name: string): Promise<boolean> {
    using free = tryFileClaim(this.#locateClaim(name));
    return free === undefined;
  }

  #locateClaim(name: string): string {
    return join(dirname(this.#parts.ledger.file), `${name}.claim`);
  }

  async events(after: number, most = Number.MAX_SAFE_INTEGER): Promise<readonly store.StoredEvent[]> {
    const { ledger, checkout } = this.#parts;
    await ledger.refresh();
    return ledger.look((all) => sqliteLedger.listRecordedEvents({ all }, after, most, checkout)) ?? [];
  }

  async eventsEverywhere(after: number, most = Number.MAX_SAFE_INTEGER): Promise<readonly store.StoredEvent[]> {
    await this.#parts.ledger.refresh();
    return this.#parts.ledger.look((all) => sqliteLedger.listRecordedEvents({ all }, after, most)) ?? [];
  }

  async position(): Promise<number> {
    await this.#parts.ledger.refresh();
    return this.#parts.ledger.look((all) => Number(all("SELECT max(seq) AS seq FROM events")[0]?.["seq"] ?? 0)) ?? 0;
  }

  async pending(): Promise<readonly store.PendingWrite[]> {
    const { ledger, checkout } = this.#parts;
    const rows = ledger.look((all) => all("SELECT * FROM intents WHERE checkout = ? ORDER BY at", checkout)) ?? [];
    return rows.map((row) => describePendingWrite(row, checkout));
  }

  async health(): Promise<store.LedgerHealth> {
    const { file, exists } = this.#parts.ledger;
    const nothing = { file, exists, pending: [], leases: [], events: 0 };
    const found = await this.#examine();
    if (!(found instanceof Fault)) return { ...nothing, ...found };
    const fix = found.fixes.map((each) => (typeof each === "string" ? each : "tenon doctor --restore")).join(" ");
    return { ...nothing, problem: { found: found.message, fix } };
  }

  async restore(): Promise<store.LedgerRestore> {
    const { restoreLedgerFile } = await import("./ledger-copies.ts");
    const { ledger, clock } = this.#parts;
    const replace = async () => {
      const found = await this.#examine();
      if (found instanceof Fault && found.code !== "database.corrupt") throw found;
      return restoreLedgerFile(ledger, found !== undefined && !(found instanceof Fault), clock.now());
    };
    return this.exclusively("restore", () => this.#turns.take(replace));
  }

  /** Undefined if there is no ledger yet. */
  async #examine(): Promise<Pick<store.LedgerHealth, "pending" | "leases" | "events"> | Fault | undefined> {
    const { ledger, checkout } = this.#parts;
    const { findLedgerDamage } = await import("./ledger-copies.ts");
    try {
      await ledger.refresh();
      await this.#letFinish();
      return ledger.look((all) => {
        const damage = findLedgerDamage({ all });
        if (damage !== undefined) throw createDamagedFault(ledger.file, sqliteLedger.LEDGER_KIND, damage);
        const pending = all("SELECT * FROM intents ORDER BY at").map((row) => describePendingWrite(row, checkout));
        const leases = this.leases.held(sqliteLedger.listLeases({ all }));
        return { pending, leases, events: Number(all("SELECT count(*) AS n FROM events")[0]?.["n"]) };
      });
    } catch (error) {
      return error instanceof Fault ? error : createDamagedFault(ledger.file, sqliteLedger.LEDGER_KIND, String(error));
    }
  }

  async #letFinish(): Promise<void> {
    const begun = new Set((await this.pending()).map(({ id }) => id));
    const deadline = performance.now() + ABANDONED_WRITE_MS;
    const isUnderWay = async (): Promise<boolean> => (await this.pending()).some(({ id }) => begun.has(id));
    while (performance.now() < deadline && (await isUnderWay())) await sleep(20);
  }

  async #tryWrite<T>(decide: (tree: store.LockedStoreTree) => store.StorePlan<T>): Promise<T> {
    const { root, ledger } = this.#parts;
    const since = performance.now();
    let recorded: { readonly intent: WriteIntent; readonly result: T } | undefined;
    try {
      // Finishes writes of others in a separate transaction, so that a later fault does not roll them back.
      if (ledger.look((all) => this.#leftovers({ all }))?.length)
        await ledger.alone(() => this.#finishLeftovers(new WorkspaceFiles(root)));
      return await ledger.together(async (alone) => {
        const { result, intent } = await alone(() => this.#decide(decide, since));
        if (!intent) return result;
        recorded = { intent, result };
        await this.#carryOut(alone, intent, since);
        return result;
      });
    } catch (error) {
      if (!recorded) throw error;
      const failure = await this.#withdraw(recorded.intent, error);
      if (failure !== undefined) throw failure;
      return recorded.result;
    }
  }

  /** Needs the ledger lock. An intent must still be carried out. */
  #decide<T>(decide: (tree: store.LockedStoreTree) => store.StorePlan<T>, since: number) {
    const { root, checkout, ledger, clock, newId } = this.#parts;
    const files = new WorkspaceFiles(root);
    this.#finishLeftovers(files);
    const seen = memoizeByKey((path: WorkspacePath) => files.bytes(path));
    const decided = decide({
      ...createFileTree(files, seen),
      ...this.#runtime(ledger),
      counter: (name) => readCounter(ledger, name),
    });
    const { result, counters = {} } = decided;
    const before = ledger.describeEntries(decided);
    if (isEmptyPlan(decided)) {
      this.#count(counters);
      return { result };
    }
    if (decided.lease) this.leases.assertHeld(decided.lease);
    const known = { id: newId(), at: clock.now(), ...(before === undefined ? {} : { before }) };
    const intent = createWriteIntent(files, seen, decided, known);
    const { id, at, keeps = [], grants = [], releases = [] } = intent;
    if (intent.steps.length === 0) {
      this.#record(intent, checkout, performance.now() - since);
      return { result };
    }
    // No process may decide anything before a write to state that all worktrees share is finished.
    const isShared = keeps.length + grants.length + releases.length + Object.keys(counters).length > 0;
    ledger.change({ table: "intents", id, values: [checkout, at, JSON.stringify(intent), isShared ? 1 : 0] });
    return { result, intent };
  }

  /** Another process may already have finished the write, or withdrawn it because of a conflict. */
  #carryOut(alone: sqliteLedger.LedgerLock, intent: WriteIntent, since: number): Promise<void> {
    const { ledger, root, checkout } = this.#parts;
    excludeTemporaryFiles(ledger.file);
    return alone(() => {
      const isPending = ledger.all("SELECT 1 FROM intents WHERE id = ?", intent.id).length > 0;
      if (isPending) this.#finish(new WorkspaceFiles(root), intent, checkout, since);
      else if (!this.#isFinished(intent)) throw createWriteConflict(intent.steps.map(targetPath).join(", "));
    });
  }

  /** After a failure nothing happened, or another process finished the write. If unclear, the next command does. */
  async #withdraw(intent: WriteIntent, error: unknown): Promise<unknown> {
    const isConflict = error instanceof Fault && error.code === "store.conflict";
    try {
      return await this.#parts.ledger.alone(() => {
        if (this.#isFinished(intent)) return undefined;
        const files = new WorkspaceFiles(this.#parts.root);
        if (!isConflict && intent.steps.some((step) => isStepApplied(files, step))) throw error;
        this.#remove(intent, files);
        return error;
      });
    } catch {
      return new Fault("store.pending", {
        what: "The write is recorded but not finished.",
        why: error instanceof Error ? error.message : String(error),
        fix: [
          "Fix the cause. The next command finishes the write; do not repeat it.",
          { operation: "workspace.status" },
        ],
      });
    }
  }

  #leftovers(db: DatabaseReader): DatabaseRow[] {
    const { checkout } = this.#parts;
    const sql = "SELECT checkout, body FROM intents WHERE checkout = ?";
    return db.all(sqliteLedger.hasFirstSchema(db) ? sql : `${sql} OR keeps = 1 ORDER BY at, rowid`, checkout);
  }

  #finishLeftovers(here: WorkspaceFiles): void {
    const { ledger, checkout: own, checkoutIn } = this.#parts;
    for (const row of this.#leftovers(ledger)) {
      const intent = JSON.parse(String(row["body"])) as WriteIntent;
      const checkout = String(row["checkout"]);
      const isThere = intent.root !== undefined && checkoutIn(intent.root) === checkout;
      const other = isThere ? new WorkspaceFiles(intent.root) : undefined;
      const files = checkout === own ? here : other;
      try {
        // The server of a team committed it, and this machine could not note that.
        if (this.#isFinished(intent)) {
          this.#remove(intent, files);
          continue;
        }
        ledger.assertUnchanged(intent);
        if (files === undefined)
          throw createWriteConflict(`The unfinished write in ${intent.root}, which no longer exists,`);
        this.#finish(files, intent, checkout);
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== "store.conflict") throw error;
        this.#remove(intent, files);
        this.#parts.notice(`A write of ${intent.at} that was never finished is withdrawn. ${error.message}`);
      }
    }
  }

  #finish(files: WorkspaceFiles, intent: WriteIntent, checkout: string, since?: number): void {
    applyIntent(files, intent);
    this.#record(intent, checkout, since === undefined ? undefined : performance.now() - since);
    this.#parts.ledger.change({ table: "done", id: intent.id });
  }

  #record(intent: WriteIntent, checkout: string, ms: number | undefined): void {
    const { ledger, newId } = this.#parts;
    sqliteLedger.writeSpaceValues(ledger, intent.keeps ?? []);
    for (const grant of intent.grants ?? []) this.leases.grant(grant);
    for (const name of intent.releases ?? []) this.leases.giveUp(name);
    for (const [name, value] of Object.entries(intent.counters ?? {}))
      ledger.change({ table: "counters", name, value });
    for (const [i, { kind, subject, data = {} }] of intent.occurrences.entries()) {
      const took = i === 0 && ms !== undefined ? Math.ceil(ms) : null;
      const id = i === 0 ? intent.id : newId();
      const event = [id, intent.at, checkout, kind, subject, JSON.stringify(data), took] as const;
      ledger.change({ table: "events", event });
    }
  }

  #count(counters: Readonly<Record<string, number>>): void {
    for (const [name, value] of Object.entries(counters)) this.#parts.ledger.change({ table: "counters", name, value });
  }

  #runtime(alone?: sqliteLedger.Ledger): Pick<store.StoreTree, "kept" | "lease"> {
    const judge = (row: LeaseRow | undefined) => row && this.leases.judge(row);
    if (alone) {
      return {
        kept: <T>({ name }: store.LedgerSpace<T>) =>
          sqliteLedger.readLoadedSpace(alone.loadSpace(name)) as ReadonlyMap<string, T>,
        lease: (name) => judge(sqliteLedger.findLease(alone, name)),
      };
    }
    const { ledger } = this.#parts;
    const look = memoizeByKey(() =>
      ledger.look((all, isOpen) => sqliteLedger.readLedgerValues(ledger, { all }, isOpen)),
    );
    return {
      kept: <T>({ name }: store.LedgerSpace<T>) => {
        try {
          return (look("all")?.kept(name) ?? new Map()) as ReadonlyMap<string, T>;
        } catch (error) {
          throw ledger.fault(error);
        }
      },
      lease: (name) => judge(look("all")?.leases.find((row) => row.name === name)),
    };
  }

  #remove(intent: WriteIntent, files: WorkspaceFiles | undefined): void {
    if (files) removeIntentTemporaries(files, intent);
    this.#parts.ledger.change({ table: "done", id: intent.id });
  }

  /** The first event of a write has the id of the write. */
  #isFinished(intent: WriteIntent): boolean {
    return this.#parts.ledger.all("SELECT 1 FROM events WHERE id = ?", intent.id).length > 0;
  }
}

const readCounter = (db: DatabaseReader, name: string): number =>
  Number(db.all("SELECT value FROM counters WHERE name = ?", name)[0]?.["value"] ?? 0);

function describePendingWrite(row: DatabaseRow, checkout: string): store.PendingWrite {
  const intent = JSON.parse(String(row["body"])) as WriteIntent;
  return { id: intent.id, isHere: row["checkout"] === checkout, at: intent.at, paths: intent.steps.map(targetPath) };
}
