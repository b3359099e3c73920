import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { LockedStoreTree, StorePlan, Store } from "../operations/ports/store.ts";
import { temporaryFolder } from "../../../test/kit/folder.ts";
import { A, B, bytesIn, type DiskPlace, documents, nothing, put, subjects, textsIn } from "./place.contract.ts";
import { Ledger } from "./sqlite-ledger.ts";
import { diskStoreContract, storeContract } from "./workspace-store.contract.ts";
import { WorkspaceStore } from "./workspace-store.ts";

/** A ledger that lets something happen once a write is recorded, before it does anything else. */
class InterruptedLedger extends Ledger {
  readonly #meanwhile: () => void | Promise<void>;
  #isRecorded = false;

  constructor(file: string, meanwhile: () => void | Promise<void>) {
    super(file);
    this.#meanwhile = meanwhile;
  }

  override async alone<T>(work: () => T): Promise<T> {
    if (this.#isRecorded) {
      await this.#meanwhile();
      this.#isRecorded = false;
    }
    return super.alone(work);
  }

  override run(...said: Parameters<Ledger["run"]>): void {
    super.run(...said);
    if (said[0].startsWith("INSERT INTO intents")) this.#isRecorded = true;
  }
}

interface SqlitePlace extends DiskPlace {
  readonly ledgerFile: string;
  abandon(decide: (tree: LockedStoreTree) => StorePlan<unknown>, checkout?: string): Promise<void>;
  /** A store of another workspace that has the same ledger, as worktrees do. */
  beside(root: string): Store;
}

function makePlace(): SqlitePlace {
  const folder = temporaryFolder();
  const ledgerFile = join(folder.path, ".sdd", "ledger.db");
  const notices: string[] = [];
  const ledgers: Ledger[] = [];
  let seconds = 0;
  const openAt = (root: string, ledger: Ledger, checkout = root): Store => {
    ledgers.push(ledger);
    return new WorkspaceStore({
      root,
      checkout,
      checkoutIn: (place) => (fs.existsSync(place) ? place : undefined),
      ledger,
      clock: { now: () => new Date(Date.UTC(2026, 0, 31, 12, 0, ++seconds)).toISOString().replace(".000Z", "Z") },
      steadyClock: { boot: "test boot", nowMs: () => seconds },
      newId: () => crypto.randomUUID(),
      notice: (text) => void notices.push(text),
    });
  };
  return {
    root: folder.path,
    notices,
    ledgerFile,
    put: (path, text) => put(folder.path, path, text),
    texts: () => textsIn(folder.path),
    contents: () => bytesIn(folder.path),
    open: () => openAt(folder.path, new Ledger(ledgerFile)),
    beside: (root) => openAt(root, new Ledger(ledgerFile)),
    interrupted: (meanwhile) => openAt(folder.path, new InterruptedLedger(ledgerFile, meanwhile)),
    async abandon(decide, checkout = folder.path) {
      const killed = new Error("killed");
      const ledger = new InterruptedLedger(ledgerFile, () => Promise.reject(killed));
      await openAt(folder.path, ledger, checkout)
        .write(decide)
        .catch(() => undefined);
      ledger.close();
    },
    [Symbol.dispose]() {
      for (const ledger of ledgers) ledger.close();
      folder[Symbol.dispose]();
    },
  };
}

storeContract("files and SQLite", makePlace);
diskStoreContract("files and SQLite", makePlace);

test("shares the ledger and its numbers among worktrees, and keeps files, events and unfinished writes separate", async () => {
  using place = makePlace();
  using elsewhere = temporaryFolder();
  const [here, there] = [place.open(), place.beside(elsewhere.path)];
  await here.write(() => ({ ...documents({ [A]: "here" }), counters: { n: 1 } }));
  await there.write((tree) => ({ ...documents({ [B]: "there" }), counters: { n: tree.counter("n") + 1 } }));
  await place.abandon(() => documents({ [A]: "unfinished" }));
  const look = async (store: Store) => ({
    texts: await store.read((tree) => [tree.text(A), tree.text(B)]),
    events: await subjects(store),
    pending: (await store.pending()).length,
    position: await store.position(),
    number: await store.write((tree) => ({ ...nothing, result: tree.counter("n") })),
  });
  expect(await look(there)).toEqual({ texts: [undefined, "there"], events: [B], pending: 0, position: 2, number: 2 });
  expect(await look(here)).toEqual({ texts: ["here", undefined], events: [A], pending: 1, position: 2, number: 2 });
});

const shared = (key: string, path: string): StorePlan<undefined> => ({
  ...documents({ [path]: key }),
  keeps: [{ space: "hat", key, value: key }],
  result: undefined,
});

test("finishes the work of a different worktree there first, if all share it", async () => {
  using place = makePlace();
  using elsewhere = temporaryFolder();
  await place.abandon(() => shared("left", A));
  const seen = await place.beside(elsewhere.path).write((tree) => {
    const kept = [...tree.kept({ name: "hat" }).keys()];
    return { ...nothing, result: kept };
  });
  expect([seen, textsIn(place.root), textsIn(elsewhere.path)]).toEqual([["left"], { [A]: "left" }, {}]);
});

test("withdraws and reports leftovers of a removed worktree", async () => {
  using place = makePlace();
  await place.abandon(() => shared("left", A), "a worktree that is gone");
  const seen = await place.open().write((tree) => ({ ...nothing, result: tree.kept({ name: "hat" }).size }));
  expect([seen, place.notices.length, (await place.open().health()).pending]).toEqual([0, 1, []]);
});

test("shows unfinished writes, leases and the number of events in an inspection of the ledger", async () => {
  using place = makePlace();
  const store = place.open();
  await store.write(() => documents({ [A]: "text" }));
  const lease = await store.leases.acquire("merge", "agent 1", 60_000);
  await place.abandon(() => documents({ [B]: "unfinished" }));
  const [pending] = await store.pending();
  expect(await store.health()).toEqual({
    file: place.ledgerFile,
    exists: true,
    pending: [{ id: pending?.id, isHere: true, at: pending?.at, paths: [B] }],
    leases: [lease],
    events: 1,
  });
});
