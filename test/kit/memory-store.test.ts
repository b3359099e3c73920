import { expect, test } from "vitest";
import { MemoryLedger, MemoryStore } from "./memory-store.ts";
import { A, B, documents, nothing, type Place, subjects } from "#store/adapters/place.contract.ts";
import { storeContract } from "#store/adapters/workspace-store.contract.ts";

function openMemory(ledger = new MemoryLedger(), checkout = "main") {
  const files = new Map<string, string>();
  let seconds = 0;
  const open = () =>
    new MemoryStore({
      files,
      ledger,
      checkout,
      clock: { now: () => new Date(Date.UTC(2026, 0, 31, 12, 0, ++seconds)).toISOString().replace(".000Z", "Z") },
      steadyClock: { boot: "test boot", nowMs: () => seconds },
      newId: () => crypto.randomUUID(),
    });
  return { files, open };
}

function makePlace(): Place {
  const ledger = new MemoryLedger();
  const { files, open } = openMemory(ledger);
  const sorted = () => [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    open,
    put: (path, text) => void files.set(path, text),
    texts: () => Object.fromEntries(sorted()),
    contents: () => ({
      ...Object.fromEntries(sorted()),
      ...(ledger.isThere
        ? { ledger: JSON.stringify([[...ledger.kept], [...ledger.counters], [...ledger.leases], ledger.events]) }
        : {}),
    }),
    [Symbol.dispose]: () => undefined,
  };
}

storeContract("memory", makePlace);

test("shares a ledger between stores like worktrees, each with its own files and events", async () => {
  const ledger = new MemoryLedger();
  const [here, there] = [openMemory(ledger, "here").open(), openMemory(ledger, "there").open()];
  await here.write(() => ({ ...documents({ [A]: "here" }), counters: { n: 1 } }));
  await there.write((tree) => ({ ...documents({ [B]: "there" }), counters: { n: tree.counter("n") + 1 } }));
  const look = async (store: MemoryStore) => ({
    texts: await store.read((tree) => [tree.text(A), tree.text(B)]),
    events: await subjects(store),
    position: await store.position(),
    number: await store.write((tree) => ({ ...nothing, result: tree.counter("n") })),
  });
  expect(await look(there)).toEqual({ texts: [undefined, "there"], events: [B], position: 2, number: 2 });
  expect(await look(here)).toEqual({ texts: ["here", undefined], events: [A], position: 2, number: 2 });
});
