import type { Snapshot } from "#domain/workflow/record.ts";
import { Fault } from "#domain/fault.ts";
import { commit, type Engine } from "../../engine.ts";
import type { LockedTree, Plan } from "../../ports/store.ts";
import type { Restored, Snapshots } from "../../ports/snapshots.ts";
import { type PendingRollback, ROLLBACKS } from "../spaces.ts";
import { Draft } from "./draft.ts";
import { runtimeIn } from "./runtime.ts";

/** Two that restore files at once would undo each other's work. */
export const alone = <T>(engine: Engine, work: () => Promise<T>): Promise<T> =>
  engine.store.exclusively("rollback", work);

/** Somebody may have died in the middle of a rollback: it is brought to its end before anything else is done. */
export async function finishRollbacks(engine: Engine): Promise<void> {
  if ((await pendingIn(engine)).length === 0) return;
  await alone(engine, async () => {
    for (const each of await pendingIn(engine)) engine.notice(await finishOrTell(engine, each));
  });
}

/** One that cannot be finished stops its own workflow, which says so, and nobody else's. */
async function finishOrTell(engine: Engine, pending: PendingRollback): Promise<string> {
  try {
    return await finish(engine, pending);
  } catch (error) {
    if (error instanceof Fault)
      return `${error.message} ${error.fixes.filter((fix) => typeof fix === "string").join(" ")}`;
    throw error;
  }
}

const pendingIn = (engine: Engine): Promise<PendingRollback[]> =>
  engine.store.read((tree) => [...tree.kept(ROLLBACKS).values()]);

/** Its files are in the checkout in which it began, wherever the next command is given. */
async function finish(engine: Engine, pending: PendingRollback): Promise<string> {
  const what = `A rollback of ${pending.workflow} that was never finished`;
  const snapshots = engine.snapshotsOf(pending);
  if (!snapshots) {
    await commit(engine, (tree) => withdraw(tree, pending, engine.clock.now()));
    return `${what} is withdrawn: ${pending.root}, where it began, is gone.`;
  }
  if (!(await snapshots.has(pending.from)) || !(await snapshots.has(pending.to))) {
    await commit(engine, (tree) => withdraw(tree, pending, engine.clock.now()));
    return `${what} is withdrawn: git no longer has its snapshots. Look at git status.`;
  }
  await refuseObstacle(snapshots, `${what} is still not finished.`);
  const { foreign } = await carryOut(engine, snapshots, pending);
  const kept = foreign.length === 0 ? "" : ` Left alone, for somebody changed them since: ${foreign.join(", ")}.`;
  return `${what} is finished now.${kept}`;
}

/** What is written for a workflow while its files go back would be lost with the way forth again. */
export function refuseRolling(tree: LockedTree, id: string): void {
  if (!tree.kept(ROLLBACKS).has(id)) return;
  throw new Fault("store.claimed", {
    what: `Nothing was written for ${id}.`,
    why: "It is being rolled back, or its rollback could not be finished: see what was said above.",
    fix: [{ operation: "workflow.status", input: { id } }, "Remove what is in the way, and run the command again."],
  });
}

/** While git is in the middle of something, nobody else changes files or the index. */
export async function refuseObstacle(snapshots: Snapshots, what: string): Promise<void> {
  const obstacle = await snapshots.obstacle();
  if (obstacle === undefined) return;
  throw new Fault("rollback.obstacle", {
    what,
    why: `In this repository ${obstacle}.`,
    fix: "Finish or abort it (git status says how), or remove the lock, then ask again.",
  });
}

/** May be called again after a crash: what is done is left alone. */
export async function carryOut(engine: Engine, snapshots: Snapshots, pending: PendingRollback): Promise<Restored> {
  const { from, to, paths } = pending;
  const restored = await snapshots.restore({ from, to, paths });
  await commit(engine, (tree) => settle(tree, pending, engine.clock.now()));
  return restored;
}

function withdraw(tree: LockedTree, { workflow, n }: PendingRollback, at: string): Plan<undefined> {
  const draft = new Draft(runtimeIn(tree), at);
  draft.putRollback(workflow, undefined);
  draft.say("workflow.rollback-withdrawn", workflow, { n });
  return draft.plan(undefined);
}

function settle(tree: LockedTree, pending: PendingRollback, at: string): Plan<undefined> {
  const draft = new Draft(runtimeIn(tree), at);
  if (!tree.kept(ROLLBACKS).has(pending.workflow)) return draft.plan(undefined);
  const all = draft.runtime.snapshots.filter(({ workflow }) => workflow === pending.workflow);
  const target = all.find(({ n }) => n === pending.n);
  if (target) {
    const now = draft.workflow(pending.workflow);
    draft.putWorkflow({
      ...target.state,
      // What is not the flow's stays as it is: where it is worked on, time that was spent, tries that were made.
      priority: now?.priority ?? target.state.priority,
      retry_history: now?.retry_history ?? [],
      ...(now?.timebox ? { timebox: now.timebox } : {}),
      ...(now?.worktree ? { worktree: now.worktree } : {}),
      updated_at: at,
    });
    for (const each of all) {
      // What lies after the target is set aside; what this one's target once set aside comes back.
      if (each.dropped_by === pending.n) draft.putSnapshot(withoutDrop(each));
      else if (each.why !== "safety" && each.n > pending.n && each.dropped_by === undefined)
        draft.putSnapshot({ ...each, dropped_by: pending.safety });
    }
  }
  draft.putRollback(pending.workflow, undefined);
  draft.say("workflow.rolled-back", pending.workflow, {
    stage: target?.stage,
    n: pending.n,
    safety: pending.safety,
    paths: pending.paths.length,
  });
  return draft.plan(undefined);
}

function withoutDrop(snapshot: Snapshot): Snapshot {
  const { dropped_by: _, ...rest } = snapshot;
  return rest;
}
