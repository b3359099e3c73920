import { Fault } from "#kernel/model/fault.ts";
import { countSecondsBetween } from "#kernel/model/utc-time.ts";
import type { RunningEngine } from "./engine.ts";
import { EMPTY_RUN_OUTPUT, getEventsPath, type RunNotice, type StartRunOutput } from "./run-context.ts";
import { loadRunRecord } from "./run-store.ts";

const PROBE_MS = 1000;

/** Shows the events of a run that another process leads, those before included, until it ends. */
export async function attachRun(engine: RunningEngine): Promise<StartRunOutput> {
  const record = await loadRunRecord(engine);
  if (!record || !(await engine.store.isBusy("run")))
    throw new Fault("run.not-ready", {
      what: "There is no run to attach to.",
      why: "No process leads a run of this repository.",
      fix: { operation: "run.start" },
    });
  const over = new AbortController();
  const until = AbortSignal.any([engine.progress.cancelled, over.signal]);
  let output: StartRunOutput | undefined;
  const attached: RunNotice = { event: "attached", run: record.id };
  engine.progress.notice?.(attached);
  const hear = (line: string): void => {
    const notice = JSON.parse(line) as RunNotice & { readonly at?: string };
    if (notice.event === "over") {
      output = notice.output;
      over.abort();
    } else if (notice.event !== "run") {
      const { at, ...known } = notice;
      const age_s = at === undefined ? 0 : Math.max(0, countSecondsBetween(at, engine.clock.now()));
      const heard: RunNotice = "role" in known ? { ...known, age_s } : known;
      engine.progress.notice?.(heard);
    }
  };
  const following = engine.agents.follow(getEventsPath(engine.root, record.id), hear, until);
  while (!until.aborted && (await engine.store.isBusy("run")))
    await engine.wait(PROBE_MS, until).catch(() => undefined);
  over.abort();
  await following;
  if (output) return output;
  const ended = engine.progress.cancelled.aborted
    ? "Detached. The run goes on. To see it again: tenon run --attach"
    : "The process that led the run is gone. To continue: tenon run";
  return { ...EMPTY_RUN_OUTPUT, run: record.id, branch: record.branch, ended };
}
