import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "#kernel/model/fault.ts";
import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
import type { EngineClock } from "#kernel/operations/engine.ts";
import type {
  LedgerHealth,
  LockedStoreTree,
  PendingWrite,
  StorePlan,
  StoredEvent,
  LedgerSpace,
  Store,
  StoreTree,
} from "../operations/ports/store.ts";
import { WorkspaceFiles } from "#kernel/adapters/workspace-files.ts";
import { createFileTree, isEmptyPlan, memoizeByKey } from "./file-tree.ts";
import {
  applyIntent,
  createWriteConflict,
  hasAppliedStep,
  createWriteIntent,
  type WriteIntent,
  isSharedIntent,
  removeIntentTemporaries,
  targetPath,
} from "./write-intent.ts";
import { withFileClaim } from "#kernel/adapters/file-claim.ts";
import type { DatabaseReader, DatabaseRow } from "#kernel/adapters/sqlite-database.ts";
import { createDamagedFault } from "#kernel/adapters/database-fault.ts";
import {
  findLease,
  listLeases,
  readLedgerValues,
  writeSpaceValues,
  listSpaceValues,
  listRecordedEvents,
  LEDGER_KIND,
  type Ledger,
} from "./sqlite-ledger.ts";
import { SqliteLeases } from "./sqlite-leases.ts";
import type { LeaseRow, SteadyClock } from "./store-leases.ts";
import { WriteQueue } from "./write-queue.ts";

export interface StoreParts {
  readonly root: string;
  readonly checkout: string;
  readonly checkoutIn: (root: string) => string | undefined;
  readonly ledger: Ledger;
  readonly clock: EngineClock;
  readonly steadyClock: SteadyClock;
  readonly newId: () => string;
  /** Called when an unfinished write of another process had to be withdrawn. */
  readonly notice: (text: string) => void;
}

const WRITE_TRIES = 3;
const ABANDONED_WRITE_MS = 2000;

/** Files for shared content, one ledger for work in progress. A write changes both or neither. */
export class WorkspaceStore implements Store {
  readonly leases: SqliteLeases;
  readonly #parts: StoreParts;
  readonly #turns: WriteQueue;

  constructor(parts: StoreParts) {
    this.#parts = parts;
    this.#turns = new WriteQueue(join(dirname(parts.ledger.file), "turns"));
    this.leases = new SqliteLeases(parts.ledger, parts.steadyClock);
  }

  async read<T>(look: (tree: StoreTree) => T): Promise<T> {
    return look({ ...createFileTree(new WorkspaceFiles(this.#parts.root)), ...this.#runtime() });
  }

  async write<T>(decide: (tree: LockedStoreTree) => StorePlan<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#turns.take(() => this.#tryWrite(decide));
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== "store.conflict" || tries === WRITE_TRIES) throw error;
      }
    }
  }

  exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
    return withFileClaim(join(dirname(this.#parts.ledger.file), `${name}.claim`), `a ${name}`, work);
  }

  async events(after: number, most = Number.MAX_SAFE_INTEGER): Promise<readonly StoredEvent[]> {
    const { ledger, checkout } = this.#parts;
    return ledger.look((all) => listRecordedEvents({ all }, after, most, checkout)) ?? [];
  }

  async eventsEverywhere(after: number, most = Number.MAX_SAFE_INTEGER): Promise<readonly StoredEvent[]> {
    return this.#parts.ledger.look((all) => listRecordedEvents({ all }, after, most)) ?? [];
  }

  async position(): Promise<number> {
    return this.#parts.ledger.look((all) => Number(all("SELECT max(seq) AS seq FROM events")[0]?.["seq"] ?? 0)) ?? 0;
  }

  async pending(): Promise<readonly PendingWrite[]> {
    const { ledger, checkout } = this.#parts;
    return (
      ledger.look((all) => {
        const rows = all("SELECT * FROM intents WHERE checkout = ? ORDER BY at", checkout);
        return rows.map((row) => describePendingWrite(row, checkout));
      }) ?? []
    );
  }

  async health(): Promise<LedgerHealth> {
    const { ledger } = this.#parts;
    const nothing = { file: ledger.file, exists: ledger.exists, pending: [], leases: [], events: 0 };
    try {
      await this.#letFinish();
      return (
        ledger.look((all) => {
          const check = String(Object.values(all("PRAGMA quick_check")[0] ?? {})[0]);
          if (check !== "ok") throw createDamagedFault(ledger.file, LEDGER_KIND, check);
          return {
            ...nothing,
            pending: all("SELECT * FROM intents ORDER BY at").map((row) =>
              describePendingWrite(row, this.#parts.checkout),
            ),
            leases: this.leases.held(listLeases({ all })),
            events: Number(all("SELECT count(*) AS n FROM events")[0]?.["n"]),
          };
        }) ?? nothing
      );
    } catch (error) {
      const fault = error instanceof Fault ? error : createDamagedFault(ledger.file, LEDGER_KIND, String(error));
      const fix = fault.fixes.filter((advice) => typeof advice === "string").join(" ");
      return { ...nothing, problem: { found: fault.message, fix } };
    }
  }

  async #letFinish(): Promise<void> {
    const begun = new Set((await this.pending()).map(({ id }) => id));
    const deadline = performance.now() + ABANDONED_WRITE_MS;
    const isUnderWay = async (): Promise<boolean> => (await this.pending()).some(({ id }) => begun.has(id));
    while (performance.now() < deadline && (await isUnderWay())) await sleep(20);
  }

  async #tryWrite<T>(decide: (tree: LockedStoreTree) => StorePlan<T>): Promise<T> {
    const { root, checkout, ledger, clock, newId } = this.#parts;
    const since = performance.now();
    await this.#inherit();
    const { plan, intent } = await ledger.alone(() => {
      const files = new WorkspaceFiles(root);
      this.#finishLeftovers(files);
      const seen = memoizeByKey((path: WorkspacePath) => files.bytes(path));
      const decided = decide({
        ...createFileTree(files, seen),
        ...this.#runtime(ledger),
        counter: (name) => this.#counter(name),
      });
      for (const [name, value] of Object.entries(decided.counters ?? {})) this.#setCounter(name, value);
      if (isEmptyPlan(decided)) return { plan: decided };
      if (decided.lease) this.leases.assertHeld(decided.lease);
      const intended = createWriteIntent(files, seen, decided, { id: newId(), at: clock.now() });
      if (intended.steps.length === 0) this.#record(intended, checkout, performance.now() - since);
      else
        ledger.run(
          "INSERT INTO intents (id, checkout, at, body, keeps) VALUES (?, ?, ?, ?, ?)",
          intended.id,
          checkout,
          intended.at,
          JSON.stringify(intended),
          isSharedIntent(intended) ? 1 : 0,
        );
      return { plan: decided, intent: intended.steps.length === 0 ? undefined : intended };
    });
    if (intent) await this.#carryOut(intent, since);
    return plan.result;
  }

  /** Finishes writes of others in a separate transaction, so that a later fault does not roll them back. */
  async #inherit(): Promise<void> {
    const { ledger, root } = this.#parts;
    const isNone = (ledger.look((all) => this.#leftovers({ all })) ?? []).length === 0;
    if (!isNone) await ledger.alone(() => this.#finishLeftovers(new WorkspaceFiles(root)));
  }

  /** Another process may already have finished the write, or withdrawn it because of a conflict. */
  async #carryOut(intent: WriteIntent, since: number): Promise<void> {
    const { ledger, root, checkout } = this.#parts;
    try {
      await ledger.alone(() => {
        if (this.#isPending(intent)) this.#finish(new WorkspaceFiles(root), intent, checkout, since);
        else if (!this.#isFinished(intent)) throw createWriteConflict(intent.steps.map(targetPath).join(", "));
      });
    } catch (error) {
      const failure = await this.#withdraw(intent, error);
      if (failure !== undefined) throw failure;
    }
  }

  /**
   * After a failure, either nothing happened, or another process finished the write and there is no error. If neither
   * is certain, the next command finishes it.
   */
  async #withdraw(intent: WriteIntent, error: unknown): Promise<unknown> {
    const isConflict = error instanceof Fault && error.code === "store.conflict";
    try {
      return await this.#parts.ledger.alone(() => {
        if (this.#isFinished(intent)) return undefined;
        const files = new WorkspaceFiles(this.#parts.root);
        if (hasAppliedStep(files, intent) && !isConflict) throw error;
        this.#remove(intent, files);
        return error;
      });
    } catch {
      return new Fault("store.pending", {
        what: "The write is recorded but not finished.",
        why: error instanceof Error ? error.message : String(error),
        fix: [
          "Mend the cause; the next command finishes the write, so do not repeat it.",
          { operation: "workspace.status" },
        ],
      });
    }
  }

  #leftovers(db: DatabaseReader): DatabaseRow[] {
    const { checkout } = this.#parts;
    const isOld = Number(db.all("PRAGMA user_version")[0]?.["user_version"]) < 2;
    const sql = "SELECT checkout, body FROM intents WHERE checkout = ?";
    return db.all(isOld ? sql : `${sql} OR keeps = 1 ORDER BY at, rowid`, checkout);
  }

  #finishLeftovers(here: WorkspaceFiles): void {
    for (const row of this.#leftovers(this.#parts.ledger)) {
      const intent = JSON.parse(String(row["body"])) as WriteIntent;
      const checkout = String(row["checkout"]);
      const files = checkout === this.#parts.checkout ? here : this.#filesOf(intent, checkout);
      try {
        if (files === undefined) throw createWriteConflict(`What was to be in ${intent.root}, which is gone,`);
        this.#finish(files, intent, checkout);
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== "store.conflict") throw error;
        this.#remove(intent, files);
        this.#parts.notice(`A write of ${intent.at} that was never finished is withdrawn. ${error.message}`);
      }
    }
  }

  #filesOf({ root }: WriteIntent, checkout: string): WorkspaceFiles | undefined {
    return root !== undefined && this.#parts.checkoutIn(root) === checkout ? new WorkspaceFiles(root) : undefined;
  }

  #finish(files: WorkspaceFiles, intent: WriteIntent, checkout: string, since?: number): void {
    applyIntent(files, intent);
    this.#record(intent, checkout, since === undefined ? undefined : performance.now() - since);
    this.#parts.ledger.run("DELETE FROM intents WHERE id = ?", intent.id);
  }

  #record(intent: WriteIntent, checkout: string, ms: number | undefined): void {
    const { ledger, newId } = this.#parts;
    writeSpaceValues(ledger, intent.keeps ?? []);
    for (const grant of intent.grants ?? []) this.leases.grant(grant);
    for (const name of intent.releases ?? []) this.leases.giveUp(name);
    for (const [i, { kind, subject, data }] of intent.occurrences.entries()) {
      ledger.run(
        "INSERT INTO events (id, at, checkout, kind, subject, data, ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
        i === 0 ? intent.id : newId(),
        intent.at,
        checkout,
        kind,
        subject,
        JSON.stringify(data ?? {}),
        i === 0 && ms !== undefined ? Math.ceil(ms) : null,
      );
    }
  }

  #runtime(alone?: DatabaseReader): Pick<StoreTree, "kept" | "lease"> {
    const judge = (row: LeaseRow | undefined) => row && this.leases.judge(row);
    if (alone) {
      return {
        kept: <T>({ name }: LedgerSpace<T>) => listSpaceValues(alone, name) as Map<string, T>,
        lease: (name) => judge(findLease(alone, name)),
      };
    }
    const look = memoizeByKey(() => this.#parts.ledger.look((all) => readLedgerValues({ all })));
    return {
      kept: <T>({ name }: LedgerSpace<T>) => (look("all")?.kept(name) ?? new Map()) as Map<string, T>,
      lease: (name) => judge(look("all")?.leases.find((row) => row.name === name)),
    };
  }

  #remove(intent: WriteIntent, files: WorkspaceFiles | undefined): void {
    if (files) removeIntentTemporaries(files, intent);
    this.#parts.ledger.run("DELETE FROM intents WHERE id = ?", intent.id);
  }

  #isPending(intent: WriteIntent): boolean {
    return this.#parts.ledger.all("SELECT 1 FROM intents WHERE id = ?", intent.id).length > 0;
  }

  /** The first event of a write has the id of the write. */
  #isFinished(intent: WriteIntent): boolean {
    return this.#parts.ledger.all("SELECT 1 FROM events WHERE id = ?", intent.id).length > 0;
  }

  #counter(name: string): number {
    return Number(this.#parts.ledger.all("SELECT value FROM counters WHERE name = ?", name)[0]?.["value"] ?? 0);
  }

  #setCounter(name: string, value: number): void {
    this.#parts.ledger.run(
      "INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      name,
      value,
    );
  }
}

function describePendingWrite(row: DatabaseRow, checkout: string): PendingWrite {
  const intent = JSON.parse(String(row["body"])) as WriteIntent;
  return { id: intent.id, isHere: row["checkout"] === checkout, at: intent.at, paths: intent.steps.map(targetPath) };
}
