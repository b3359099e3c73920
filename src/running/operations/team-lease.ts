import { Fault } from "#kernel/model/fault.ts";
import type { Store, StoreLease } from "#store/operations/ports/store.ts";
import type { RunningEngine } from "./engine.ts";

/** Held by the clone that decides, merges and pushes. */
export const RUN_LEASE = "run";
export const getWorkerLease = (checkout: string): string => `worker/${checkout}`;

const LEASE_MS = 30_000;
const RENEW_MS = 10_000;

export const isFault = (error: unknown, ...codes: readonly string[]): error is Fault =>
  error instanceof Fault && codes.includes(error.code);

/** The database or the remote did not answer. They come back. */
export const AWAY_CODES = ["team.unreachable", "team.remote"];

/**
 * Runs work while this clone holds a lease of the team. Each write carries the lease, so a process that lost it writes
 * nothing more. Undefined if another clone has it.
 */
export async function withTeamLease<T>(
  engine: RunningEngine,
  name: string,
  work: (engine: RunningEngine) => Promise<T>,
): Promise<{ readonly result: T } | undefined> {
  const { store, checkout, progress } = engine;
  const { leases } = store;
  let lease = await leases.acquire(name, checkout, LEASE_MS);
  if (!lease) return undefined;
  const [over, lost] = [new AbortController(), new AbortController()];
  /** After the database was away. It is the same right if no other clone had it meanwhile. */
  const regain = async (old: StoreLease): Promise<void> => {
    const next = await leases.acquire(name, checkout, LEASE_MS);
    if (next?.token === old.token + 1) lease = next;
    else lost.abort();
  };
  const write: Store["write"] = async (decide) => {
    for (let isRepeated = false; ; isRepeated = true) {
      const current = lease as StoreLease;
      try {
        return await store.write((tree) => ({ lease: current, ...decide(tree) }));
      } catch (error) {
        if (isRepeated || !isFault(error, "lease.lost") || lost.signal.aborted) throw error;
        await regain(current);
      }
    }
  };
  const renew = async (): Promise<void> => {
    const current = lease as StoreLease;
    try {
      await leases.renew(current, LEASE_MS);
    } catch (error) {
      // Without the database, the work goes on until another clone may do it.
      if (isFault(error, "lease.lost")) await regain(current).catch(() => undefined);
    }
  };
  const renewing = (async () => {
    while (!over.signal.aborted && !lost.signal.aborted) {
      await engine.wait(RENEW_MS, AbortSignal.any([over.signal, lost.signal])).catch(() => undefined);
      if (!over.signal.aborted) await renew();
    }
  })();
  const notice = progress.notice === undefined ? {} : { notice: progress.notice.bind(progress) };
  const held = {
    ...engine,
    store: replaceWrite(store, write),
    progress: {
      tell: progress.tell.bind(progress),
      cancelled: AbortSignal.any([progress.cancelled, lost.signal]),
      ...notice,
    },
  };
  try {
    return { result: await work(held) };
  } finally {
    over.abort();
    await renewing;
    await leases.release(lease).catch(() => undefined);
  }
}

const replaceWrite = (store: Store, write: Store["write"]): Store =>
  new Proxy(store, {
    get(target, name) {
      if (name === "write") return write;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
