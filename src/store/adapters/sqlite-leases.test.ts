import { join } from "node:path";
import { expect, test } from "vitest";
import type { StoreLease, StorePlan } from "../operations/ports/store.ts";
import { refusal } from "../../../test/kit/fault.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../test/kit/folder.ts";
import { A, documents, subjects, textsIn } from "./place.contract.ts";
import { WorkspaceStore } from "./workspace-store.ts";
import type { SteadyClock } from "./store-leases.ts";
import { Ledger, SqliteLeases } from "./sqlite-ledger.ts";

const NAME = "merge";
const TTL = 30_000;

/** A clock that a test sets. */
interface SetClock extends SteadyClock {
  boot: string;
  now: number;
}

interface Bench extends Disposable {
  readonly clock: SetClock;
  readonly folder: TemporaryFolder;
  /** The time of day, which anybody may set. */
  time: string;
  /** Leases as a process of its own has them. */
  open(): SqliteLeases;
  openStore(): WorkspaceStore;
}

function bench(): Bench {
  const folder = temporaryFolder();
  const clock: SetClock = { boot: "first boot", now: 1_000_000, nowMs: () => clock.now };
  const ledgers: Ledger[] = [];
  const ledger = (): Ledger => {
    const opened = new Ledger(join(folder.path, ".sdd", "ledger.db"));
    ledgers.push(opened);
    return opened;
  };
  const it: Bench = {
    clock,
    folder,
    time: "2026-01-31T12:00:00Z",
    open: () => new SqliteLeases(ledger(), clock),
    openStore: () =>
      new WorkspaceStore({
        root: folder.path,
        checkout: "main",
        checkoutIn: () => undefined,
        ledger: ledger(),
        clock: { now: () => it.time },
        steadyClock: clock,
        newId: () => crypto.randomUUID(),
        notice: () => undefined,
      }),
    [Symbol.dispose]() {
      for (const opened of ledgers) opened.close();
      folder[Symbol.dispose]();
    },
  };
  return it;
}

const lease = (holder: string, token: number): StoreLease => ({ name: NAME, holder, token });
const taken = (holder: string, by: string) => ({
  code: "lease.lost",
  message: `${holder} no longer holds ${NAME}. ${by} has taken it over.`,
});
const expired = (holder: string) => ({
  code: "lease.lost",
  message: `${holder} no longer holds ${NAME}. The lease has run out.`,
});

test("grants a lease to one holder, rejects others, and keeps names separate", async () => {
  using it = bench();
  const [first, second] = [it.open(), it.open()];
  expect([
    await first.acquire(NAME, "a", TTL),
    await second.acquire(NAME, "b", TTL),
    await second.acquire("gate", "b", TTL),
  ]).toEqual([lease("a", 1), undefined, { name: "gate", holder: "b", token: 1 }]);
});

test("grants a lease to one of twenty concurrent callers", async () => {
  using it = bench();
  const asked = await Promise.all(Array.from({ length: 20 }, (_, i) => it.open().acquire(NAME, `agent ${i}`, TTL)));
  expect(asked.filter((got) => got !== undefined).map((got) => got.token)).toEqual([1]);
});

test.each([
  ["while it lasts", TTL - 1, undefined],
  ["after it expired", TTL, lease("b", 2)],
  ["long after", 100 * TTL, lease("b", 2)],
])("gives a lease to a new holder only after it expired: %s", async (_, later, expected) => {
  using it = bench();
  await it.open().acquire(NAME, "a", TTL);
  it.clock.now += later;
  expect(await it.open().acquire(NAME, "b", TTL)).toEqual(expected);
});

test("renews a lease from now on, with the same token", async () => {
  using it = bench();
  const leases = it.open();
  const held = (await leases.acquire(NAME, "a", TTL)) ?? lease("nobody", 0);
  it.clock.now += TTL - 1;
  await leases.renew(held, TTL);
  it.clock.now += TTL - 1;
  expect(await leases.acquire(NAME, "b", TTL)).toBeUndefined();
  it.clock.now += 1;
  expect(await refusal(leases.renew(held, TTL))).toEqual(expired("a"));
  expect(await leases.acquire(NAME, "b", TTL)).toEqual(lease("b", 2));
});

test("grants a released lease at once, and never its token again", async () => {
  using it = bench();
  const leases = it.open();
  const tokens: (number | undefined)[] = [];
  for (const holder of ["a", "b", "a", "c"]) {
    const held = await leases.acquire(NAME, holder, TTL);
    tokens.push(held?.token);
    if (held) await leases.release(held);
  }
  expect(tokens).toEqual([1, 2, 3, 4]);
});

test("rejects a renewal or release by a holder that lost the lease", async () => {
  using it = bench();
  const leases = it.open();
  const old = (await leases.acquire(NAME, "a", TTL)) ?? lease("nobody", 0);
  it.clock.now += TTL;
  const now = (await leases.acquire(NAME, "b", TTL)) ?? lease("nobody", 0);
  expect(await refusal(leases.renew(old, TTL))).toEqual(taken("a", "b"));
  expect(await refusal(leases.release(old))).toEqual(taken("a", "b"));
  await leases.renew(now, TTL);
  expect(await leases.acquire(NAME, "c", TTL)).toBeUndefined();
});

test("gives a holder that asks again a new token, and rejects the old one", async () => {
  using it = bench();
  const leases = it.open();
  const old = (await leases.acquire(NAME, "a", TTL)) ?? lease("nobody", 0);
  const again = (await leases.acquire(NAME, "a", TTL)) ?? lease("nobody", 0);
  expect([old, again]).toEqual([lease("a", 1), lease("a", 2)]);
  expect(await refusal(leases.renew(old, TTL))).toEqual(taken("a", "a"));
  await leases.renew(again, TTL);
});

test("rejects a lease that was never granted", async () => {
  using it = bench();
  expect(await refusal(it.open().renew(lease("a", 1), TTL))).toEqual(expired("a"));
});

const write = (held: StoreLease, text: string): StorePlan<string> => ({ ...documents({ [A]: text }), lease: held });

test("rejects a write with an old token, a thousand times of a thousand", async () => {
  using it = bench();
  const store = it.openStore();
  const old = (await store.leases.acquire(NAME, "a", TTL)) ?? lease("nobody", 0);
  await store.write(() => write(old, "while it was held"));
  it.clock.now += TTL;
  const now = (await it.open().acquire(NAME, "b", TTL)) ?? lease("nobody", 0);
  const refused = new Map<string, number>();
  for (let i = 0; i < 1000; i++) {
    const { code, message } = await refusal(store.write(() => write(old, `late ${i}`)));
    refused.set(`${code}: ${message}`, (refused.get(`${code}: ${message}`) ?? 0) + 1);
  }
  expect([...refused]).toEqual([[`lease.lost: ${taken("a", "b").message}`, 1000]]);
  await store.write(() => write(now, "by the new holder"));
  expect([textsIn(it.folder.path), await subjects(store)]).toEqual([{ [A]: "by the new holder" }, [A, A]]);
});

test.each<[string, (held: StoreLease, it: Bench) => StoreLease | Promise<StoreLease>]>([
  ["that expired", (held, it) => ((it.clock.now += TTL), held)],
  ["that was released", async (held, it) => (await it.open().release(held), held)],
  ["with a token from the future", (held) => ({ ...held, token: held.token + 1 })],
  ["of another holder", (held) => ({ ...held, holder: "b" })],
  ["of another name", (held) => ({ ...held, name: "gate" })],
])("rejects a write under a lease %s", async (_, change) => {
  using it = bench();
  const store = it.openStore();
  const held = await change((await store.leases.acquire(NAME, "a", TTL)) ?? lease("nobody", 0), it);
  expect((await refusal(store.write(() => write(held, "late")))).code).toBe("lease.lost");
  expect([textsIn(it.folder.path), await store.pending(), await store.position()]).toEqual([{}, [], 0]);
});

test.each([
  ["forward by an hour", "2026-01-31T13:00:00Z"],
  ["back by an hour", "2026-01-31T11:00:00Z"],
  ["to 1970", "1970-01-01T00:00:00Z"],
  ["to 2038", "2038-01-19T03:14:08Z"],
])("does not move a lease when the clock is set %s", async (_, time) => {
  using it = bench();
  const store = it.openStore();
  const held = (await store.leases.acquire(NAME, "a", TTL)) ?? lease("nobody", 0);
  it.time = time;
  expect([await store.leases.acquire(NAME, "b", TTL), (await store.health()).leases]).toEqual([undefined, [held]]);
  await store.write(() => write(held, "still held"));
  it.clock.now += TTL;
  expect((await refusal(store.write(() => write(held, "late")))).code).toBe("lease.lost");
  expect((await store.events(0)).map((event) => event.at)).toEqual([time]);
});

test.each<[string, string, number]>([
  ["another boot with a much earlier clock", "second boot", 5_000],
  ["another boot with the same clock", "second boot", 1_000_001],
  ["another boot with a much later clock", "second boot", 900_000_000],
  ["a boot without an id, with a clock that starts again", "first boot", 5_000],
])("ends every lease at a restart of the machine: %s", async (_, boot, now) => {
  using it = bench();
  const store = it.openStore();
  const old = (await store.leases.acquire(NAME, "a", TTL)) ?? lease("nobody", 0);
  Object.assign(it.clock, { boot, now });
  expect((await store.health()).leases).toEqual([]);
  expect(await refusal(store.write(() => write(old, "late")))).toEqual(expired("a"));
  expect(await it.open().acquire(NAME, "b", TTL)).toEqual(lease("b", 2));
  expect(await refusal(store.write(() => write(old, "late")))).toEqual(taken("a", "b"));
});

test("keeps the exact end of a lease with a clock in fractions", async () => {
  using it = bench();
  const leases = it.open();
  it.clock.now = 1_000_000.75;
  const held = (await leases.acquire(NAME, "a", TTL)) ?? lease("nobody", 0);
  await leases.renew(held, TTL);
  it.clock.now = 1_000_000.75 + TTL;
  expect(await leases.acquire(NAME, "b", TTL)).toEqual(lease("b", 2));
});
