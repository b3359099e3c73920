import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
import type { EngineClock } from "#kernel/operations/engine.ts";
import { assertInsideWorkspace, createNotAFileFault } from "#kernel/adapters/workspace-files.ts";
import { compareTexts } from "#kernel/model/text-format.ts";
import { toFileFault } from "#kernel/model/system-error.ts";
import type {
  LedgerHealth,
  LedgerRestore,
  LedgerSpace,
  LockedStoreTree,
  PendingWrite,
  Store,
  StoredEvent,
  StorePlan,
  StoreTree,
} from "#store/operations/ports/store.ts";
import { createFileTree, isEmptyPlan, memoizeByKey, type ReadableFiles } from "#store/adapters/file-tree.ts";
import { type LeaseRow, type SteadyClock, StoreLeases } from "#store/adapters/store-leases.ts";
import { createWriteConflict, createWriteIntent, type WriteIntent } from "#store/adapters/write-intent.ts";

/** Everything that worktrees share. Values are kept as JSON, so that each reader gets its own copy. */
export class MemoryLedger {
  isThere = false;
  readonly kept = new Map<string, Map<string, string>>();
  readonly counters = new Map<string, number>();
  readonly leases = new Map<string, LeaseRow>();
  readonly events: { readonly checkout: string; readonly event: StoredEvent }[] = [];
  readonly claims = new Map<string, Promise<unknown>>();
}

interface MemoryStoreParts {
  /** The texts of one checkout by path. Tests may change it between calls, as a person edits files. */
  readonly files: Map<string, string>;
  readonly ledger: MemoryLedger;
  readonly checkout: string;
  readonly clock: EngineClock;
  readonly steadyClock: SteadyClock;
  readonly newId: () => string;
}

/** A store for tests. It keeps the contract of the store on disk, but nothing outlives the process. */
export class MemoryStore implements Store {
  readonly leases: StoreLeases;
  readonly #parts: MemoryStoreParts;

  constructor(parts: MemoryStoreParts) {
    this.#parts = parts;
    const { leases } = parts.ledger;
    this.leases = new StoreLeases(
      {
        alone: async (work) => work(),
        find: (name) => leases.get(name),
        save: (row) => void leases.set(row.name, row),
      },
      parts.steadyClock,
    );
  }

  async read<T>(look: (tree: StoreTree) => T): Promise<T> {
    return look({ ...createFileTree(new MemoryFiles(this.#parts.files)), ...this.#runtime() });
  }

  async write<T>(decide: (tree: LockedStoreTree) => StorePlan<T>): Promise<T> {
    const { ledger, files, newId, clock } = this.#parts;
    const before = new MemoryFiles(files);
    const seen = memoizeByKey((path: WorkspacePath) => before.bytes(path));
    const plan = decide({
      ...createFileTree(before, seen),
      ...this.#runtime(),
      counter: (name) => ledger.counters.get(name) ?? 0,
    });
    if (!isEmptyPlan(plan)) {
      if (plan.lease) this.leases.assertHeld(plan.lease);
      const intent = createWriteIntent(before, seen, plan, { id: newId(), at: clock.now() });
      const texts = applyIntentSteps(files, intent);
      files.clear();
      for (const [path, text] of texts) files.set(path, text);
      this.#record(intent);
    }
    for (const [name, value] of Object.entries(plan.counters ?? {})) ledger.counters.set(name, value);
    ledger.isThere = true;
    return plan.result;
  }

  exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
    const { claims } = this.#parts.ledger;
    const turn = (claims.get(name) ?? Promise.resolve()).then(work);
    const ended = turn.catch(() => undefined);
    claims.set(name, ended);
    void ended.then(() => {
      if (claims.get(name) === ended) claims.delete(name);
    });
    return turn;
  }

  async isBusy(name: string): Promise<boolean> {
    return this.#parts.ledger.claims.has(name);
  }

  async events(after: number, most?: number): Promise<readonly StoredEvent[]> {
    return this.#listEvents(after, most, this.#parts.checkout);
  }

  async eventsEverywhere(after: number, most?: number): Promise<readonly StoredEvent[]> {
    return this.#listEvents(after, most);
  }

  async position(): Promise<number> {
    return this.#parts.ledger.events.length;
  }

  async pending(): Promise<readonly PendingWrite[]> {
    return [];
  }

  async health(): Promise<LedgerHealth> {
    const { isThere, leases, events } = this.#parts.ledger;
    const held = this.leases.held(leases.values());
    return { file: "memory", exists: isThere, pending: [], leases: held, events: events.length };
  }

  async restore(): Promise<LedgerRestore> {
    return { isReplaced: false, damagedCopies: [] };
  }

  #listEvents(after: number, most?: number, checkout?: string): StoredEvent[] {
    const isAsked = (kept: { checkout: string; event: StoredEvent }): boolean =>
      kept.event.seq > after && (checkout === undefined || kept.checkout === checkout);
    return structuredClone(
      this.#parts.ledger.events
        .filter(isAsked)
        .slice(0, most)
        .map(({ event }) => event),
    );
  }

  #runtime(): Pick<StoreTree, "kept" | "lease"> {
    const { kept, leases } = this.#parts.ledger;
    return {
      kept: <T>({ name }: LedgerSpace<T>) => {
        const sorted = [...(kept.get(name) ?? [])].toSorted(([one], [other]) => compareTexts(one, other));
        return new Map(sorted.map(([key, body]) => [key, JSON.parse(body) as T]));
      },
      lease: (name) => {
        const row = leases.get(name);
        return row && this.leases.judge(row);
      },
    };
  }

  #record({ id, at, occurrences, keeps = [], grants = [], releases = [] }: WriteIntent): void {
    const { ledger, newId, checkout } = this.#parts;
    for (const { space, key, value } of keeps) {
      const values = ledger.kept.get(space) ?? new Map<string, string>();
      ledger.kept.set(space, values);
      if (value === undefined) values.delete(key);
      else values.set(key, JSON.stringify(value));
    }
    for (const grant of grants) this.leases.grant(grant);
    for (const name of releases) this.leases.giveUp(name);
    for (const [i, { kind, subject, data = {} }] of occurrences.entries()) {
      const event = {
        seq: ledger.events.length + 1,
        at,
        kind,
        subject,
        data: JSON.parse(JSON.stringify(data)) as typeof data,
      };
      ledger.events.push({ checkout, event: i === 0 ? { ...event, id, ms: 1 } : { ...event, id: newId() } });
    }
  }
}

/** The files of one moment. A folder exists while a file lies in it. */
class MemoryFiles implements ReadableFiles {
  readonly root = "memory";
  readonly #texts: ReadonlyMap<string, string>;

  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts;
  }

  bytes(path: WorkspacePath): Buffer | undefined {
    assertInsideWorkspace(path);
    const text = this.#texts.get(path);
    if (text === undefined && this.has(path)) throw createNotAFileFault(path);
    return text === undefined ? undefined : Buffer.from(text);
  }

  names(folder: WorkspacePath): string[] {
    assertInsideWorkspace(folder);
    if (this.#texts.has(folder)) throw createNotAFileFault(folder, "folder");
    const below = [...this.#texts.keys()].filter((path) => path.startsWith(`${folder}/`));
    return [...new Set(below.map((path) => path.slice(folder.length + 1).split("/")[0] ?? ""))].toSorted();
  }

  has(path: WorkspacePath): boolean {
    assertInsideWorkspace(path);
    return this.#texts.has(path) || [...this.#texts.keys()].some((other) => other.startsWith(`${path}/`));
  }

  /** Folders need not be made. */
  missingFolder(): undefined {}
}

function applyIntentSteps(before: ReadonlyMap<string, string>, { steps }: WriteIntent): Map<string, string> {
  const texts = new Map(before);
  for (const step of steps) {
    const target = step.kind === "put" ? step.path : step.to;
    const parents = target.split("/").map((_, i, parts) => parts.slice(0, i).join("/"));
    if (parents.some((parent) => texts.has(parent)))
      throw toFileFault(Object.assign(new Error("not a folder"), { code: "ENOTDIR" }), target, "write");
    if (step.kind === "put") {
      texts.set(step.path, step.text);
      continue;
    }
    const files = new MemoryFiles(texts);
    if (!files.has(step.from) || files.has(step.to)) throw createWriteConflict(step.to);
    const moved = [...texts].filter(([path]) => path === step.from || path.startsWith(`${step.from}/`));
    for (const [path, text] of moved) {
      texts.delete(path);
      texts.set(`${step.to}${path.slice(step.from.length)}`, text);
    }
  }
  return texts;
}
