import { Fault } from "#domain/fault.ts";
import type { Path } from "#domain/workspace/path.ts";
import type { Clock } from "#operations/engine.ts";
import type {
  LedgerHealth,
  LockedTree,
  PendingWrite,
  Plan,
  RecordedEvent,
  RecordShape,
  Revised,
  Store,
  Tree,
} from "#operations/store.ts";
import { Files } from "./files/files.ts";
import { openRecord } from "./files/seal.ts";
import { apply, hasBegun, intend, type Intent, sweep } from "./intent.ts";
import type { Ledger, Row } from "./sqlite/ledger.ts";
import { SqliteLeases, type SteadyClock } from "./sqlite/leases.ts";

export interface StoreParts {
  readonly root: string;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly steadyClock: SteadyClock;
  readonly newId: () => string;
  /** Told when a write that somebody left unfinished had to be withdrawn. */
  readonly notice: (text: string) => void;
}

const TRIES = 3;

/** Files for what is shared, one ledger for what is under way; a write touches both or neither. */
export class WorkspaceStore implements Store {
  readonly leases: SqliteLeases;
  readonly #parts: StoreParts;

  constructor(parts: StoreParts) {
    this.#parts = parts;
    this.leases = new SqliteLeases(parts.ledger, parts.steadyClock);
  }

  async read<T>(look: (tree: Tree) => T): Promise<T> {
    return look(treeOf(new Files(this.#parts.root)));
  }

  async write<T>(decide: (tree: LockedTree) => Plan<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#tryWrite(decide);
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== "store.conflict" || tries === TRIES) throw error;
      }
    }
  }

  async events(after: number): Promise<readonly RecordedEvent[]> {
    const rows = this.#parts.ledger.look((all) =>
      all("SELECT * FROM events WHERE root = ? AND seq > ? ORDER BY seq", this.#parts.root, after),
    );
    return (rows ?? []).map((row) => ({
      seq: Number(row["seq"]),
      id: String(row["id"]),
      at: String(row["at"]),
      kind: String(row["kind"]),
      subject: String(row["subject"]),
      data: JSON.parse(String(row["data"])) as Record<string, unknown>,
    }));
  }

  async position(): Promise<number> {
    return this.#parts.ledger.look((all) => Number(all("SELECT max(seq) AS seq FROM events")[0]?.["seq"] ?? 0)) ?? 0;
  }

  async pending(): Promise<readonly PendingWrite[]> {
    const { ledger, root } = this.#parts;
    return ledger.look((all) => all("SELECT * FROM intents WHERE root = ? ORDER BY at", root).map(pendingOf)) ?? [];
  }

  async health(): Promise<LedgerHealth> {
    const { ledger } = this.#parts;
    const nothing = { file: ledger.file, exists: ledger.exists, pending: [], leases: [], events: 0 };
    try {
      return (
        ledger.look((all) => {
          const check = String(Object.values(all("PRAGMA quick_check")[0] ?? {})[0]);
          return {
            ...nothing,
            ...(check === "ok" ? {} : { problem: check }),
            pending: all("SELECT * FROM intents ORDER BY at").map(pendingOf),
            leases: this.leases.held(all("SELECT * FROM leases")),
            events: Number(all("SELECT count(*) AS n FROM events")[0]?.["n"]),
          };
        }) ?? nothing
      );
    } catch (error) {
      return { ...nothing, problem: error instanceof Error ? error.message : String(error) };
    }
  }

  async #tryWrite<T>(decide: (tree: LockedTree) => Plan<T>): Promise<T> {
    const { root, ledger, clock, newId } = this.#parts;
    const files = new Files(root);
    const { plan, intent } = await ledger.alone(() => {
      this.#finishLeftovers(files);
      const decided = decide({ ...treeOf(files), counter: (name) => this.#counter(name) });
      if (decided.steps.length === 0 && decided.occurrences.length === 0) return { plan: decided };
      if (decided.lease) this.leases.assertHeld(decided.lease);
      const intended = intend(files, decided, newId(), clock.now());
      ledger.run(
        "INSERT INTO intents (id, root, at, body) VALUES (?, ?, ?, ?)",
        intended.id,
        root,
        intended.at,
        JSON.stringify(intended),
      );
      for (const [name, value] of Object.entries(decided.counters ?? {})) this.#setCounter(name, value);
      return { plan: decided, intent: intended };
    });
    if (intent) await this.#carryOut(intent);
    return plan.result;
  }

  /** Somebody who came between may have finished it already: then there is nothing left to do. */
  async #carryOut(intent: Intent): Promise<void> {
    try {
      await this.#parts.ledger.alone(() => {
        if (this.#isPending(intent)) this.#finish(new Files(this.#parts.root), intent);
      });
    } catch (error) {
      throw await this.#withdraw(intent, error);
    }
  }

  /** After a failure: nothing happened, or, where that can't be had any more, the next command finishes it. */
  async #withdraw(intent: Intent, error: unknown): Promise<unknown> {
    try {
      await this.#parts.ledger.alone(() => {
        const files = new Files(this.#parts.root);
        if (hasBegun(files, intent) && !(error instanceof Fault && error.code === "store.conflict")) throw error;
        this.#remove(intent, files);
      });
      return error;
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

  #finishLeftovers(files: Files): void {
    const rows = this.#parts.ledger.all("SELECT body FROM intents WHERE root = ? ORDER BY at, rowid", this.#parts.root);
    for (const row of rows) {
      const intent = JSON.parse(String(row["body"])) as Intent;
      try {
        this.#finish(files, intent);
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== "store.conflict") throw error;
        this.#remove(intent, files);
        this.#parts.notice(`A write of ${intent.at} that was never finished is withdrawn. ${error.message}`);
      }
    }
  }

  #finish(files: Files, intent: Intent): void {
    apply(files, intent);
    const { root, ledger, newId } = this.#parts;
    for (const { kind, subject, data } of intent.occurrences) {
      ledger.run(
        "INSERT INTO events (id, at, root, kind, subject, data) VALUES (?, ?, ?, ?, ?, ?)",
        newId(),
        intent.at,
        root,
        kind,
        subject,
        JSON.stringify(data ?? {}),
      );
    }
    ledger.run("DELETE FROM intents WHERE id = ?", intent.id);
  }

  #remove(intent: Intent, files: Files): void {
    sweep(files, intent);
    this.#parts.ledger.run("DELETE FROM intents WHERE id = ?", intent.id);
  }

  #isPending(intent: Intent): boolean {
    return this.#parts.ledger.all("SELECT 1 FROM intents WHERE id = ?", intent.id).length > 0;
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

/** A look at the files. Each is read once, so that a look that asks twice is told the same. */
function treeOf(files: Files): Tree {
  const text = once((path: Path) => files.text(path));
  const records = new Map<Path, Revised | undefined>();
  const open = <T extends Revised>(path: Path, shape: RecordShape<T>, isSealed: boolean): T | undefined => {
    const found = text(path);
    return found === undefined ? undefined : openRecord(path, found, shape, isSealed);
  };
  return {
    text,
    names: once((folder: Path) => files.names(folder)),
    has: (path) => files.has(path),
    record: <T extends Revised>(path: Path, shape: RecordShape<T>) => {
      if (!records.has(path)) records.set(path, open(path, shape, true));
      return records.get(path) as T | undefined;
    },
    unsealed: (path, shape) => open(path, shape, false),
  };
}

function once<Key, Value>(read: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    if (!known.has(key)) known.set(key, read(key));
    return known.get(key) as Value;
  };
}

function pendingOf(row: Row): PendingWrite {
  const intent = JSON.parse(String(row["body"])) as Intent;
  const paths = intent.steps.map((step) => (step.kind === "move" ? step.to : step.path));
  return { id: intent.id, root: String(row["root"]), at: intent.at, paths };
}
