import { Fault } from "#kernel/model/fault.ts";
import type { SnapshotStore } from "#git/operations/ports/git-files.ts";
import type { LockedStoreTree } from "#store/operations/ports/store.ts";
import { isActiveWorkflow } from "../../model/workflow/workflow-lifecycle.ts";
import type { PlanningEngine } from "../engine.ts";
import { type PendingRollback, ROLLBACK_SPACE } from "./ledger-spaces.ts";
import { commitDraft, type WorkflowDraft } from "./workflow-runtime.ts";

/** Finishes rollbacks whose process was killed. Those that failed wait for the user. */
export async function finishKilledRollbacks(engine: PlanningEngine): Promise<void> {
  const listPending = async () =>
    (await engine.store.read((tree) => [...tree.kept(ROLLBACK_SPACE).values()])).filter(({ failed }) => !failed);
  if ((await listPending()).length === 0) return;
  // Concurrent rollbacks would undo each other.
  await engine.store.exclusively("rollback", async () => {
    for (const pending of await listPending()) {
      const outcome = finishRollback(engine, pending).catch((error: unknown) => {
        // A rollback that cannot be finished blocks only its own workflow.
        if (!(error instanceof Fault)) throw error;
        return `${error.message} ${error.fixes.filter((fix) => typeof fix === "string").join(" ")}`;
      });
      engine.notice(await outcome);
    }
  });
}

/** The files belong to the checkout where the rollback began, which may differ from this one. */
async function finishRollback(engine: PlanningEngine, pending: PendingRollback): Promise<string> {
  const what = `An unfinished rollback of ${pending.workflow}`;
  const snapshots = engine.snapshotsOf(pending);
  const hasCommits = snapshots && (await snapshots.has(pending.from)) && (await snapshots.has(pending.to));
  if (!hasCommits) {
    await commitDraft(engine, (draft) => {
      draft.put(ROLLBACK_SPACE, pending.workflow, undefined);
      draft.say("workflow.rollback-withdrawn", pending.workflow, { n: pending.n });
    });
    const why = snapshots
      ? "git no longer has its snapshots. Check git status."
      : `${pending.root}, where it started, no longer exists.`;
    return `${what} is cancelled: ${why}`;
  }
  await rejectGitObstacle(snapshots, `${what} is still not finished.`);
  const { foreign } = await restoreRollbackFiles(engine, snapshots, pending);
  const kept = foreign.length === 0 ? "" : ` Not removed, because they changed since: ${foreign.join(", ")}.`;
  return `${what} is finished now.${kept}`;
}

/** A later command must not carry it out unasked. If undoing fails too, it waits for the user. */
export async function withdrawRollback(engine: PlanningEngine, pending: PendingRollback, error: Fault): Promise<Fault> {
  const { workflow: id, from, to, paths, n, safety } = pending;
  const what = `${id} was not rolled back.`;
  try {
    const { foreign } = await engine.snapshots.restore({ from: to, to: from, paths });
    await commitDraft(engine, (draft) => {
      draft.put(ROLLBACK_SPACE, id, undefined);
      for (const each of draft.runtime.snapshots)
        if (each.workflow === id && each.n === safety) draft.dropSnapshot(each);
      draft.say("workflow.rollback-withdrawn", id, { n });
    });
    const left = foreign.length === 0 ? "All files are as before." : `Check these files: ${foreign.join(", ")}.`;
    return new Fault(error.code, { what, why: `${error.message} ${left}`, fix: error.fixes });
  } catch {
    const times = await engine.snapshots.changedAt(paths);
    const stopping = commitDraft(engine, (draft) => {
      draft.put(ROLLBACK_SPACE, id, { ...pending, failed: error.message });
      setOwnChangeTimes(draft, id, times);
      draft.say("workflow.rollback-stopped", id, { n });
    });
    await stopping.catch((why: unknown) => {
      throw new Fault("store.pending", {
        what: `The rollback of ${id} is recorded but not finished.`,
        why: why instanceof Error ? why.message : String(why),
        fix: ["Fix the cause. The next workflow command finishes the rollback:", { operation: "workflow.status" }],
      });
    });
    return createHalfRollbackFault({ ...pending, failed: error.message }, `${id} is rolled back only in part.`);
  }
}

const createHalfRollbackFault = ({ workflow: id, n, safety, failed = "" }: PendingRollback, what: string): Fault =>
  new Fault("rollback.unfinished", {
    what,
    why: `The rollback to snapshot ${n} stopped half-way: ${failed}`,
    fix: [
      "Remove the cause. Then finish the rollback:",
      { operation: "workflow.rollback", input: { id, snapshot: n } },
      "Or undo it:",
      { operation: "workflow.rollback", input: { id, snapshot: safety } },
    ],
  });

/** Writes during a rollback would be lost when it is undone. */
export function rejectDuringRollback(tree: LockedStoreTree, id: string): void {
  const pending = tree.kept(ROLLBACK_SPACE).get(id);
  if (!pending) return;
  if (pending.failed) throw createHalfRollbackFault(pending, `Nothing was written for ${id}.`);
  throw new Fault("store.claimed", {
    what: `Nothing was written for ${id}.`,
    why: "Its rollback is not finished: see the message above.",
    fix: [{ operation: "workflow.status", input: { id } }, "Remove the obstacle, and run the command again."],
  });
}

/** While a git operation is in progress, no other process may change files or the index. */
export async function rejectGitObstacle(snapshots: SnapshotStore, what: string): Promise<void> {
  const obstacle = await snapshots.obstacle();
  if (obstacle === undefined) return;
  throw new Fault("rollback.obstacle", {
    what,
    why: `In this repository ${obstacle}.`,
    fix: ["See how to finish or abort it: git status", "Then run the command again."],
  });
}

/** Safe to repeat after a crash: finished paths are left alone. */
export async function restoreRollbackFiles(engine: PlanningEngine, snapshots: SnapshotStore, pending: PendingRollback) {
  const { from, to, paths } = pending;
  const restored = await snapshots.restore({ from, to, paths });
  const changed = await snapshots.changedAt(restored.restored);
  const undoes = [...changed, ...restored.deleted.map((path) => [path, 0] as const)];
  await commitDraft(engine, (draft, tree) => {
    if (tree.kept(ROLLBACK_SPACE).has(pending.workflow)) completeRollback(draft, pending, undoes);
  });
  return restored;
}

/** The restored version is the workflow's own last change. */
function setOwnChangeTimes(draft: WorkflowDraft, id: string, times: ReadonlyMap<string, number>): void {
  for (const lock of draft.runtime.locks) {
    const time = lock.workflow === id && lock.changed_ms ? times.get(lock.path) : undefined;
    if (time) draft.putLock({ ...lock, changed_ms: time });
  }
}

function completeRollback(
  draft: WorkflowDraft,
  pending: PendingRollback,
  undoes: readonly (readonly [string, number])[],
): void {
  const { n, safety } = pending;
  setOwnChangeTimes(draft, pending.workflow, new Map(undoes));
  const all = draft.runtime.snapshots.filter(({ workflow }) => workflow === pending.workflow);
  const target = all.find((each) => each.n === n);
  if (target) {
    const now = draft.workflow(pending.workflow);
    // A workflow that has ended gets its files back and stays as it is.
    const isEnded = now !== undefined && !isActiveWorkflow(now);
    if (!isEnded)
      draft.putWorkflow({
        ...target.state,
        // Worktree, priority, time spent and retries are not part of the rolled-back state.
        priority: now?.priority ?? target.state.priority,
        retry_history: now?.retry_history ?? [],
        ...(now?.timebox ? { timebox: now.timebox } : {}),
        ...(now?.worktree ? { worktree: now.worktree } : {}),
        updated_at: draft.at,
      });
    for (const each of all) {
      // Snapshots after the target are archived. Snapshots that the target once archived come back.
      const { dropped_by, ...snapshot } = each;
      if (each.n === safety) draft.putSnapshot({ ...each, undoes });
      else if (dropped_by === pending.n) draft.putSnapshot(snapshot);
      else if (each.why !== "safety" && each.n > pending.n && dropped_by === undefined)
        draft.putSnapshot({ ...each, dropped_by: pending.safety });
    }
  }
  draft.put(ROLLBACK_SPACE, pending.workflow, undefined);
  draft.say("workflow.rolled-back", pending.workflow, { stage: target?.stage, n, safety, paths: pending.paths.length });
}
