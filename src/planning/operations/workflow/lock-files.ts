import type * as z from "zod";
import { formatCount } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import {
  findLockConflicts,
  isLockHeld,
  listSharedPaths,
  type LockConflict,
  parseLockPath,
} from "../../model/workflow/file-locks.ts";
import { rejectLostLease } from "../../model/workflow/work-sessions.ts";
import { createNoCurrentWorkflowFault } from "../../model/workflow/workflow-lifecycle.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { PlanningEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { LockedStoreTree, StorePlan } from "#store/operations/ports/store.ts";
import { loadFoldedRuntime } from "./fold-journal.ts";
import { formatLockHolder, listLockHolders, rejectHeldPaths, recordLockRejection } from "./workflow-view.ts";
import {
  WorkflowDraft,
  findCurrentWork,
  resolveQueueItem,
  listWorkQueue,
  type WorkRuntime,
  loadWorkRuntime,
  resolveSession,
} from "./workflow-runtime.ts";
import {
  recordSessionActivity,
  rejectDuringRollback,
  rejectExpiredTimebox,
  syncWorkflowState,
  warnTimeboxEnd,
} from "./workflow-writes.ts";
import type { LockFilesInput, LockFilesOutput } from "./schema.ts";

type LockFilesRequest = z.infer<typeof LockFilesInput>;
type LockFilesResult = z.infer<typeof LockFilesOutput>;

export const lockFilesOperation = defineOperation({
  id: "workflow.lock",
  effect: "change",
  input: async () => (await import("./schema.ts")).LockFilesInput,
  output: async () => (await import("./schema.ts")).LockFilesOutput,
  async run(engine: PlanningEngine, input) {
    if (input.action === "list") {
      const runtime = await loadFoldedRuntime(engine);
      return { action: input.action, changed: [], locks: listHeldLocks(runtime, input.id), notes: [] };
    }
    await syncWorkflowState(engine);
    const { changed, notes } = await updateFileLocks(engine, input, input.paths ?? []);
    return { action: input.action, changed, locks: listHeldLocks(await engine.store.read(loadWorkRuntime)), notes };
  },
  page: ({ action, changed, locks, notes }) => ({
    title:
      action === "list"
        ? `${formatCount(locks.length, "lock")} held.`
        : `${action === "claim" ? "Claimed" : "Released"}: ${changed.length > 0 ? changed.join(", ") : "nothing"}.`,
    table: {
      columns: ["workflow", "path", "how", "since"],
      rows: locks.map(({ workflow, path, how, since }) => [workflow, path, how, since]),
    },
    points: notes,
  }),
});

async function updateFileLocks(
  engine: PlanningEngine,
  input: LockFilesRequest,
  said: readonly string[],
): Promise<Pick<LockFilesResult, "changed" | "notes">> {
  if (said.length === 0) {
    throw new Fault("input.missing", {
      what: input.action === "claim" ? "Nothing was claimed." : "Nothing was released.",
      why: "No path was named.",
      fix: { operation: "workflow.lock", input: { action: input.action, paths: ["src/login.ts"] } },
    });
  }
  const paths = [...new Set(said.map(parseLockPath))];
  const session = resolveSession(engine, input.session);
  const { held, ...done } = await commitStoreWrite(engine, (tree): StorePlan<LockUpdate> => {
    const draft = new WorkflowDraft(loadWorkRuntime(tree), engine.clock.now());
    const id = resolveLockOwner(draft, tree, input, session);
    if (input.action === "release") return draft.plan(releasePaths(draft, id, paths));
    return draft.plan(claimPaths(draft, id, paths, input.force ?? false));
  });
  // The ledger records the rejection, so the fault comes after the write.
  if (held) rejectHeldPaths(held.conflicts, held.runtime, held.what, held.id);
  return done;
}

interface LockUpdate extends Pick<LockFilesResult, "changed" | "notes"> {
  readonly held?: {
    readonly id: string;
    readonly what: string;
    readonly conflicts: readonly LockConflict[];
    readonly runtime: WorkRuntime;
  };
}

/** The work that the locks belong to: a workflow, or a change, which has no record here. */
function resolveLockOwner(
  draft: WorkflowDraft,
  tree: LockedStoreTree,
  { id: said }: LockFilesRequest,
  session: string,
): string {
  const { runtime } = draft;
  const id = said ?? findCurrentWork(runtime, session);
  if (id === undefined) throw createNoCurrentWorkflowFault(listWorkQueue(runtime), "workflow.lock");
  rejectDuringRollback(tree, id);
  resolveQueueItem(runtime, id);
  rejectLostLease(id, session, runtime.sessions, runtime.lease(id));
  recordSessionActivity(draft, session);
  return id;
}

function claimPaths(draft: WorkflowDraft, id: string, paths: readonly string[], isForced: boolean): LockUpdate {
  const { runtime } = draft;
  const what = `${paths.length === 1 ? paths[0] : formatCount(paths.length, "path")} cannot be locked for ${id}.`;
  const record = draft.workflow(id);
  if (record) rejectExpiredTimebox(record, what, draft.at);
  const conflicts = findLockConflicts(paths, id, runtime.locks, true);
  if (conflicts.length > 0 && !isForced) {
    recordLockRejection(draft, id, conflicts);
    return { changed: [], notes: [], held: { id, what, conflicts, runtime } };
  }
  const mine = new Set(listHeldLocks(runtime, id).map(({ path }) => path));
  const fresh = paths.filter((path) => !mine.has(path));
  const isShared = (path: string): boolean => conflicts.some((conflict) => conflict.path === path);
  for (const path of fresh)
    draft.putLock({ workflow: id, path, at: draft.at, how: "claim", ...(isShared(path) ? { is_shared: true } : {}) });
  if (fresh.length > 0)
    draft.say("lock.claimed", id, { paths: fresh, ...(conflicts.length > 0 ? { forced: true } : {}) });
  return { changed: fresh, notes: warnTimeboxEnd(draft, id) };
}

function releasePaths(draft: WorkflowDraft, id: string, paths: readonly string[]): LockUpdate {
  const { locks } = draft.runtime;
  const mine = locks.filter((each) => each.workflow === id && isLockHeld(each) && paths.includes(each.path));
  for (const each of mine) draft.putLock({ ...each, released_at: draft.at });
  const changed = mine.map(({ path }) => path);
  draft.say("lock.released", id, { paths: changed });
  const foreign = findLockConflicts(paths, id, locks, true);
  return { changed, notes: foreign.map(({ path, lock }) => `${path} is held by ${lock.workflow}.`) };
}

function listHeldLocks(runtime: WorkRuntime, id?: string): LockFilesResult["locks"] {
  return runtime.locks
    .filter((each) => isLockHeld(each) && (id === undefined || each.workflow === id))
    .map(({ workflow, path, how, at }) => ({ workflow, path, how, since: at }));
}

export const findConflictsOperation = defineOperation({
  id: "workflow.conflicts",
  effect: "read",
  input: async () => (await import("./schema.ts")).FindConflictsInput,
  output: async () => (await import("./schema.ts")).FindConflictsOutput,
  async run(engine: PlanningEngine, { a, b }) {
    const runtime = await loadFoldedRuntime(engine);
    for (const id of [a, b]) resolveQueueItem(runtime, id);
    const conflicting_files = a === b ? [] : listSharedPaths(a, b, runtime.locks);
    const locks = runtime.locks.filter(({ workflow }) => workflow === a || workflow === b);
    return {
      conflict: conflicting_files.length > 0,
      conflicting_files,
      current_workflow: a,
      target_workflow: b,
      holders: listLockHolders(findLockConflicts(conflicting_files, "", locks), runtime),
    };
  },
  page: ({ conflict, conflicting_files, current_workflow, target_workflow, holders }) => ({
    title: conflict
      ? `${current_workflow} and ${target_workflow} meet on ${conflicting_files.join(", ")}.`
      : `${current_workflow} and ${target_workflow} share no file.`,
    points: holders.map(formatLockHolder),
  }),
  isRefusal: ({ conflict }) => conflict,
});
