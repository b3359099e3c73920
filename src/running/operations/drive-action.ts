import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import type { SpawnAction } from "#roadmap/model/lead/lead-state.ts";
import { composeActionBrief } from "#roadmap/operations/agent/role-brief.ts";
import { describeAction } from "#roadmap/operations/lead/action-view.ts";
import { readLead } from "#roadmap/operations/lead/lead-store.ts";
import { reportAction } from "#roadmap/operations/lead/report-action.ts";
import { commitLeadEvents } from "#roadmap/operations/lead/write-lead.ts";
import { explainGivenUp, formatWorktreeName, MAX_RUN_CONFLICTS, type RunAction } from "../model/run-action.ts";
import { judgeAgentChanges, listActionFiles } from "../model/work-guard.ts";
import { landWork } from "./land-work.ts";
import { listAgentChanges, type RunContext, type RunJob } from "./run-context.ts";
import { dropRunAction, loadRunActions, saveRunEvent } from "./run-store.ts";
import { runAgent } from "./run-agent.ts";
import { holdStoppedAction } from "./stop-action.ts";
import { AWAY_CODES, isFault } from "./team-lease.ts";
import { isOwnedByOther, isWithWorker } from "./team-run.ts";

/** How an action left the run. `blocked`: it waits for the user; the next run goes on with it. */
export type ActionResult =
  | "landed"
  | "failed"
  | "dismissed"
  | "blocked"
  /** The worker in another clone goes on with it. */
  | "returned";

const AWAY_WAIT_MS = 2000;

/** Each step reads the stored state and writes the next one, so that a killed run continues with this function. */
export async function driveAction(run: RunContext, action: SpawnAction): Promise<ActionResult> {
  const { engine } = run;
  const { id } = action;
  let entry = (await loadRunActions(engine)).get(id);
  while (entry) {
    throwIfCancelled({ cancelled: run.cancelled });
    // The Lead may have stopped it, or a killed run had already reported it.
    if (!(await readLead(engine)).out.has(id)) return finish(run, action, entry, "dismissed");
    if (await holdStoppedAction(run, id, entry)) return "blocked";
    const why = explainGivenUp(entry);
    if (why !== undefined) return giveUp(run, action, entry, why);
    const isElsewhere = isOwnedByOther(engine, entry);
    if (isElsewhere && isWithWorker(entry)) return "returned";
    switch (entry.state) {
      case "assigned":
      case "ended": {
        const next = await doAgentStep(run, await createActionJob(run, action), entry);
        if (next === "blocked") return next;
        entry = next;
        break;
      }
      case "committed":
        if (isElsewhere && entry.commit !== undefined) await engine.remote.fetchShared(entry.commit);
        entry = await saveRunEvent(engine, id, entry, { kind: "queued" });
        break;
      case "queued": {
        // The worker's files before the agent started are those of the commit.
        const queued: RunAction = isElsewhere && entry.base !== undefined ? { ...entry, start: entry.base } : entry;
        const next = await run.queue(() => landWork(run, action, queued));
        if (next === "blocked") return next;
        entry = next;
        break;
      }
      case "landed": {
        const landed = entry;
        const isReview = action.work.of === "review";
        const report = () => reportWork(run, action, landed);
        const next = await (isReview ? report() : run.queue(report));
        if (next === "landed") await run.publish();
        if (typeof next === "string") return next;
        entry = next;
      }
    }
  }
  return "dismissed";
}

/** What an agent does for the roadmap, here or in another clone. */
export interface ActionJob extends RunJob {
  /** The files that it may change. A review may change none. */
  readonly files: readonly string[];
  readonly isReview: boolean;
}

/** The steps of the clone that has the agent, until the work is committed. */
export const doAgentStep = (run: RunContext, job: ActionJob, entry: RunAction): Promise<RunAction | "blocked"> =>
  entry.state === "assigned" ? runAgent(run, job, entry) : commitWork(run, job, entry);

const createActionJob = async ({ engine }: RunContext, action: SpawnAction): Promise<ActionJob> => ({
  id: action.id,
  role: action.role,
  about: describeAction(action),
  files: listActionFiles(await readLead(engine), action),
  isReview: action.work.of === "review",
  async compose() {
    const { text } = await composeActionBrief(engine, await readLead(engine), action);
    return `${text}\n\n${await engine.assets.text("run/note")}`;
  },
});

/** The diff before the merge: only the action's files, no record. */
async function commitWork(run: RunContext, job: ActionJob, entry: RunAction): Promise<RunAction> {
  const { engine } = run;
  const { id, isReview, about, files } = job;
  const save = (commit?: string): Promise<RunAction> =>
    persistWork(run, id, () => saveRunEvent(engine, id, entry, { kind: "committed", commit }));
  // What an inspector changes in its worktree is never read.
  if (isReview) return save();
  const name = formatWorktreeName(id, engine.digest);
  const { base = "", start = "" } = entry;
  const { changed } = await listAgentChanges(run, name, entry.agent, start);
  const { own, problems, records, leftOut } = judgeAgentChanges(files, changed);
  if (problems.length > 0) {
    await engine.landings.restore(name, start, records);
    run.tell({ event: "rejected", action: id, problems });
    return saveRunEvent(engine, id, entry, { kind: "rejected", problems });
  }
  if (leftOut.length > 0) run.tell({ event: "done", action: id, about: "left out", notes: leftOut });
  if (own.length === 0) return save();
  const message = `${about.charAt(0).toUpperCase()}${about.slice(1)}\n\nTenon-Action: ${id}`;
  const commit = await engine.landings.commit({ name, base, changes: own, message });
  if (job.pushed !== undefined) await persistWork(run, id, () => engine.remote.share(commit));
  return save(commit);
}

/** Committed work waits for a database or a remote that is away. */
async function persistWork<T>(run: RunContext, id: string, save: () => Promise<T>): Promise<T> {
  for (let isTold = false; ; isTold = true) {
    try {
      return await save();
    } catch (error) {
      if (!isFault(error, ...AWAY_CODES)) throw error;
      if (!isTold) run.tell({ event: "waiting", action: id, problems: [error.what, error.why] });
      await run.engine.wait(AWAY_WAIT_MS, run.cancelled).catch(() => undefined);
      throwIfCancelled({ cancelled: run.cancelled });
    }
  }
}

async function reportWork(run: RunContext, action: SpawnAction, entry: RunAction): Promise<RunAction | ActionResult> {
  const { engine } = run;
  const { id } = action;
  const { report = "", tokens } = entry;
  // Each reviewer is a process of its own.
  const session = action.work.of === "review" ? `${engine.session}/${id}` : engine.session;
  const { outcome, open, problems, notes, form } = await reportAction.run(
    { ...engine, session },
    {
      action: id,
      report,
      ...(tokens > 0 ? { tokens } : {}),
    },
  );
  const found = problems.map(({ problem, line }) => (line === undefined ? problem : `line ${line}: ${problem}`));
  if (outcome === "applied" || outcome === "repeated") {
    run.tell({ event: "accepted", action: id, notes });
    if (action.work.of === "design" || action.work.of === "tasks") await commitDocuments(run, action);
    return finish(run, action, entry, "landed");
  }
  const all = [...found, ...(form === undefined ? [] : [`The form:\n${form}`])];
  run.tell({ event: "rejected", action: id, problems: found });
  if (!open) return finish(run, action, entry, "failed");
  return saveRunEvent(engine, id, entry, { kind: "rejected", problems: all });
}

/** Documents and records land together. If git refuses now, the next commit of records takes them along. */
async function commitDocuments(run: RunContext, action: SpawnAction): Promise<void> {
  const title = describeAction(action);
  const done = await run.engine.snapshots.commitOwnFiles(`${title.charAt(0).toUpperCase()}${title.slice(1)}`);
  if (done && "why" in done)
    run.tell({ event: "waiting", action: action.id, problems: [`Its documents are not committed yet: ${done.why}`] });
}

async function giveUp(run: RunContext, action: SpawnAction, entry: RunAction, why: string): Promise<ActionResult> {
  if (entry.conflicts >= MAX_RUN_CONFLICTS) {
    run.block(action.id, `${why} Decide yourself, then offer it again: tenon report ${action.id} --lost`);
    return "blocked";
  }
  await commitLeadEvents(run.engine, () => ({ events: [{ kind: "lost", action: action.id, why }] }));
  run.tell({ event: "failed", action: action.id, notes: [why] });
  return finish(run, action, entry, "failed");
}

/** A worktree goes only if its work landed, or if it has none. `tenon doctor` lists the others. */
async function finish(
  { engine }: RunContext,
  action: SpawnAction,
  entry: RunAction,
  result: ActionResult,
): Promise<ActionResult> {
  const name = formatWorktreeName(action.id, engine.digest);
  if (entry.tag !== undefined) await engine.agents.end(entry.tag);
  const isReview = action.work.of === "review";
  const isLanded = await isWorkLanded(engine, entry);
  if (isReview || isLanded) await engine.landings.remove(name, !isReview);
  await dropRunAction(engine, action.id, result);
  if (isLanded && isOwnedByOther(engine, entry) && entry.commit !== undefined)
    await engine.remote.forgetShared([entry.commit]);
  return result;
}

async function isWorkLanded({ landings }: RunContext["engine"], { state, landing }: RunAction): Promise<boolean> {
  if (state !== "landed") return false;
  const target = await landings.target();
  return landing === undefined || (target !== undefined && (await landings.isAncestor(landing.to, target.tip)));
}
