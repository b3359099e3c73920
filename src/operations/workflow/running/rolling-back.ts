import type { WorkflowSnapshot } from "#domain/workflow/record.ts";
import { Fault } from "#domain/fault.ts";
import { commitStoreWrite, type Engine } from "../../engine.ts";
import type { LockedStoreTree, StorePlan } from "../../ports/store.ts";
import type { RestoreResult, SnapshotStore } from "../../ports/snapshots.ts";
import { type PendingRollback, ROLLBACK_SPACE } from "../spaces.ts";
import { WorkflowDraft } from "./draft.ts";
import { loadWorkRuntime } from "./runtime.ts";

/** Concurrent rollbacks would undo each other. */
export const runExclusiveRollback = <T>(engine: Engine, work: () => Promise<T>): Promise<T> =>
  engine.store.exclusively("rollback", work);

export async function finishPendingRollbacks(engine: Engine): Promise<void> {
  if ((await listPendingRollbacks(engine)).length === 0) return;
  await runExclusiveRollback(engine, async () => {
    for (const each of await listPendingRollbacks(engine)) engine.notice(await finishOrReportRollback(engine, each));
  });
}

/** A rollback that cannot be finished blocks only its own workflow. */
async function finishOrReportRollback(engine: Engine, pending: PendingRollback): Promise<string> {
  try {
    return await finishRollback(engine, pending);
  } catch (error) {
    if (error instanceof Fault)
      return `${error.message} ${error.fixes.filter((fix) => typeof fix === "string").join(" ")}`;
    throw error;
  }
}

const listPendingRollbacks = (engine: Engine): Promise<PendingRollback[]> =>
  engine.store.read((tree) => [...tree.kept(ROLLBACK_SPACE).values()]);

/** The files belong to the checkout where the rollback began, which may differ from this one. */
async function finishRollback(engine: Engine, pending: PendingRollback): Promise<string> {
  const what = `A rollback of ${pending.workflow} that was never finished`;
  const snapshots = engine.snapshotsOf(pending);
  if (!snapshots) {
    await commitStoreWrite(engine, (tree) => withdrawRollback(tree, pending, engine.clock.now()));
    return `${what} is withdrawn: ${pending.root}, where it began, is gone.`;
  }
  if (!(await snapshots.has(pending.from)) || !(await snapshots.has(pending.to))) {
    await commitStoreWrite(engine, (tree) => withdrawRollback(tree, pending, engine.clock.now()));
    return `${what} is withdrawn: git no longer has its snapshots. Look at git status.`;
  }
  await rejectGitObstacle(snapshots, `${what} is still not finished.`);
  const { foreign } = await restoreRollbackFiles(engine, snapshots, pending);
  const kept = foreign.length === 0 ? "" : ` Left alone, for somebody changed them since: ${foreign.join(", ")}.`;
  return `${what} is finished now.${kept}`;
}

/** Writes during a rollback would be lost when it is undone. */
export function rejectDuringRollback(tree: LockedStoreTree, id: string): void {
  if (!tree.kept(ROLLBACK_SPACE).has(id)) return;
  throw new Fault("store.claimed", {
    what: `Nothing was written for ${id}.`,
    why: "It is being rolled back, or its rollback could not be finished: see what was said above.",
    fix: [{ operation: "workflow.status", input: { id } }, "Remove what is in the way, and run the command again."],
  });
}

/** While a git operation is in progress, no other process may change files or the index. */
export async function rejectGitObstacle(snapshots: SnapshotStore, what: string): Promise<void> {
  const obstacle = await snapshots.obstacle();
  if (obstacle === undefined) return;
  throw new Fault("rollback.obstacle", {
    what,
    why: `In this repository ${obstacle}.`,
    fix: "Finish or abort it (git status says how), or remove the lock, then ask again.",
  });
}

/** Safe to repeat after a crash: finished paths are left alone. */
export async function restoreRollbackFiles(
  engine: Engine,
  snapshots: SnapshotStore,
  pending: PendingRollback,
): Promise<RestoreResult> {
  const { from, to, paths } = pending;
  const restored = await snapshots.restore({ from, to, paths });
  await commitStoreWrite(engine, (tree) => completeRollback(tree, pending, engine.clock.now()));
  return restored;
}

function withdrawRollback(tree: LockedStoreTree, { workflow, n }: PendingRollback, at: string): StorePlan<undefined> {
  const draft = new WorkflowDraft(loadWorkRuntime(tree), at);
  draft.putRollback(workflow, undefined);
  draft.say("workflow.rollback-withdrawn", workflow, { n });
  return draft.plan(undefined);
}

function completeRollback(tree: LockedStoreTree, pending: PendingRollback, at: string): StorePlan<undefined> {
  const draft = new WorkflowDraft(loadWorkRuntime(tree), at);
  if (!tree.kept(ROLLBACK_SPACE).has(pending.workflow)) return draft.plan(undefined);
  const all = draft.runtime.snapshots.filter(({ workflow }) => workflow === pending.workflow);
  const target = all.find(({ n }) => n === pending.n);
  if (target) {
    const now = draft.workflow(pending.workflow);
    draft.putWorkflow({
      ...target.state,
      // Worktree, priority, time spent and retries are not part of the rolled-back state.
      priority: now?.priority ?? target.state.priority,
      retry_history: now?.retry_history ?? [],
      ...(now?.timebox ? { timebox: now.timebox } : {}),
      ...(now?.worktree ? { worktree: now.worktree } : {}),
      updated_at: at,
    });
    for (const each of all) {
      // Snapshots after the target are archived. Snapshots that the target once archived come back.
      if (each.dropped_by === pending.n) draft.putSnapshot(unarchiveSnapshot(each));
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

function unarchiveSnapshot(snapshot: WorkflowSnapshot): WorkflowSnapshot {
  const { dropped_by: _, ...rest } = snapshot;
  return rest;
}
