import { Fault } from "#kernel/model/fault.ts";
import type { RunningEngine } from "./engine.ts";

const RUN_LEASE = "run";
const RUN_LEASE_MS = 30_000;
const RENEW_MS = 10_000;

/** One clone of a team leads. When its lease runs out, another one may, and this one stops. */
export async function holdTeamRun<T>(engine: RunningEngine, work: (engine: RunningEngine) => Promise<T>): Promise<T> {
  const { leases } = engine.store;
  const lease = await leases.acquire(RUN_LEASE, engine.checkout, RUN_LEASE_MS);
  if (!lease)
    throw new Fault("run.active", {
      what: "No second run was started.",
      why: "Another clone of the team leads a run of this repository.",
      fix: { operation: "team.status" },
    });
  const [over, lost] = [new AbortController(), new AbortController()];
  const renewing = (async () => {
    while (!over.signal.aborted) {
      await engine.wait(RENEW_MS, over.signal).catch(() => undefined);
      if (over.signal.aborted) return;
      await leases.renew(lease, RUN_LEASE_MS).catch((error: unknown) => {
        // Without the database, the work goes on until another clone may lead.
        if (error instanceof Fault && error.code === "lease.lost") lost.abort();
      });
      if (lost.signal.aborted) return;
    }
  })();
  const { progress } = engine;
  const cancelled = AbortSignal.any([progress.cancelled, lost.signal]);
  const tell = progress.tell.bind(progress);
  const notice = progress.notice === undefined ? {} : { notice: progress.notice.bind(progress) };
  try {
    return await work({ ...engine, progress: { tell, cancelled, ...notice } });
  } finally {
    over.abort();
    await renewing;
    await leases.release(lease).catch(() => undefined);
  }
}
