import { quoteShellWord } from "#kernel/model/text-format.ts";
import { createReadableSlug } from "#kernel/model/slug.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import { pickFreeAgent } from "../model/agent-slots.ts";
import {
  createRunAction,
  explainGivenUp,
  formatWorktreeName,
  type RunAction,
  SINGLE_WORK_PREFIX,
} from "../model/run-action.ts";
import { judgeAgentChanges } from "../model/work-guard.ts";
import type { RunningEngine } from "./engine.ts";
import { landCode } from "./land-work.ts";
import { runAgent } from "./run-agent.ts";
import { holdStoppedAction } from "./stop-action.ts";
import {
  listAgentChanges,
  type PreparedRun,
  type RunContext,
  type RunJob,
  type StartRunOutput,
} from "./run-context.ts";
import { RunHost } from "./run-host.ts";
import { dropRunAction, loadRunActions, saveNewRunAction, saveRunEvent } from "./run-store.ts";
import { composeWorkBrief, endWorkStages, ownsDocument, type SingleWork } from "./single-work.ts";

const RUN_SESSION = "tenon-run";

/** One agent does one piece of work in a worktree, Tenon checks it there, and its commit lands. */
export async function runSingleWork(
  engine: RunningEngine,
  prepared: PreparedRun,
  work: SingleWork,
): Promise<StartRunOutput> {
  const id = `${SINGLE_WORK_PREFIX}${work.id ?? createReadableSlug(work.about, "work")}`;
  const host = new RunHost(engine, prepared, `tenon run ${quoteShellWord(work.id ?? work.about)}`);
  const { cap_tokens } = prepared.input;
  if (cap_tokens !== undefined && cap_tokens > 0) host.cap = { tokens: cap_tokens, spent: 0 };
  await host.begin();
  const known = (await loadRunActions(engine)).get(id);
  if (!known) {
    const chosen = pickFreeAgent("builder", prepared.settings, prepared.limits, new Map());
    const { name: agent, model } = { model: undefined, name: "", ...chosen };
    const fresh = { run: host.id, agent, at: engine.clock.now(), ...(model === undefined ? {} : { model }) };
    await saveNewRunAction(engine, id, createRunAction(fresh));
  }
  const failed: string[] = [];
  host.start(id, undefined, async () => {
    const result = await driveSingleWork(host.context, id, work);
    if (result === "landed") host.landed++;
    if (result === "failed") failed.push(id);
  });
  await host.settle();
  const isLanded = host.landed > 0;
  return host.createOutput({
    work: work.id ?? work.about,
    failed,
    complete: isLanded,
    ended: isLanded ? "The work is done, and landed." : "The work is not done.",
  });
}

async function driveSingleWork(
  run: RunContext,
  id: string,
  work: SingleWork,
): Promise<"landed" | "failed" | "blocked"> {
  const { engine } = run;
  const name = formatWorktreeName(id, engine.digest);
  const job = createWorkJob(run, id, work);
  let entry = (await loadRunActions(engine)).get(id);
  while (entry) {
    throwIfCancelled({ cancelled: run.cancelled });
    if (await holdStoppedAction(run, id, entry)) return "blocked";
    const why = explainGivenUp(entry);
    if (why !== undefined) {
      run.tell({
        event: "failed",
        action: id,
        notes: [why, `Its worktree stays until you run this again: .sdd/worktrees/${name}`],
      });
      await dropRunAction(engine, id, "failed");
      return "failed";
    }
    const next: RunAction | "blocked" = await doNextStep(run, { id, name, job, work }, entry);
    if (next === "blocked") return next;
    if (next.state === "landed") {
      await engine.landings.remove(name);
      await dropRunAction(engine, id, "landed");
      return "landed";
    }
    entry = next;
  }
  return "failed";
}

interface WorkStep {
  readonly id: string;
  readonly name: string;
  readonly job: RunJob;
  readonly work: SingleWork;
}

async function doNextStep(run: RunContext, step: WorkStep, entry: RunAction): Promise<RunAction | "blocked"> {
  switch (entry.state) {
    case "assigned":
      return runAgent(run, step.job, entry);
    case "ended":
      return endWork(run, step, entry);
    case "committed":
      return saveRunEvent(run.engine, step.id, entry, { kind: "queued" });
    case "queued": {
      const { commit = "", base = "" } = entry;
      const files = (await run.engine.snapshots.between(base, commit)).map(({ path }) => path);
      return landCode(run, { id: step.id, files }, { ...entry, commit });
    }
    case "landed":
      return entry;
  }
}

const createWorkJob = ({ engine }: RunContext, id: string, work: SingleWork): RunJob => ({
  id,
  role: "builder",
  about: work.about,
  compose: async (folder) => composeWorkBrief(await openWorkEngine(engine, folder), work),
  takeGiven: async (start) => (await engine.landings.changes(formatWorktreeName(id, engine.digest), start)).tree,
});

const openWorkEngine = async (engine: RunningEngine, folder: string): Promise<RunningEngine> => ({
  ...(await engine.openFolder(folder)),
  session: RUN_SESSION,
});

/** The gates of the work run in its worktree. Only what passed them is committed. */
async function endWork(
  run: RunContext,
  { id, name, work }: WorkStep,
  entry: RunAction,
): Promise<RunAction | "blocked"> {
  const { engine } = run;
  const { base = "", start = "", given = start } = entry;
  const folder = await engine.landings.folder(name);
  if (folder === undefined)
    return saveRunEvent(engine, id, entry, { kind: "rejected", problems: ["The worktree is gone."] });
  const reject = (problems: readonly string[], left = given, isProgress = false): Promise<RunAction> => {
    run.tell({ event: "rejected", action: id, problems });
    return saveRunEvent(engine, id, entry, { kind: "rejected", problems, given: left, isProgress });
  };
  const listChanges = (tree: string) => listAgentChanges(run, name, entry.agent, tree);
  const paths = (await listChanges(given)).changed;
  const isAllowed = (path: string): boolean => !/^\.{0,2}\/?\.?sdd\//i.test(path) && !path.startsWith("../");
  const allowed = paths.map(({ path }) => path).filter((path) => isAllowed(path) || ownsDocument(work, path));
  // Once Tenon has begun to end stages, the worktree also has changes of Tenon.
  const { problems, records } = judgeAgentChanges(allowed, entry.isAllowed ? [] : paths);
  await engine.landings.restore(name, given, records);
  if (problems.length > 0) return reject(problems);
  const now = entry.isAllowed ? entry : await saveRunEvent(engine, id, entry, { kind: "allowed" });
  const all = (await listChanges(start)).changed.map(({ path }) => path);
  const verdict = await endWorkStages(engine, await openWorkEngine(engine, folder), work, all);
  if (verdict.question !== undefined) {
    run.block(id, `${verdict.problems.join(" ")} Answer, then run it again: tenon approve ${verdict.question}`.trim());
    return "blocked";
  }
  const { changed, tree } = await listChanges(start);
  if (!verdict.isDone) return reject(verdict.problems, tree, verdict.isProgress);
  const commit = await engine.landings.commit({
    name,
    base,
    changes: changed,
    message: `${work.about}\n\nTenon-Action: ${id}`,
  });
  return saveRunEvent(engine, id, now, { kind: "committed", commit });
}
