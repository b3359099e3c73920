import type * as z from "zod";
import { formatCount } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { LockConflict } from "../../model/workflow/file-locks.ts";
import { findLockConflicts, isLockHeld, listSharedPaths, parseLockPath } from "../../model/workflow/file-locks.ts";
import { describeUnusualPriority } from "../../model/workflow/work-queue.ts";
import { rejectLostLease } from "../../model/workflow/work-sessions.ts";
import { abandonWorkflowRecord, createNoCurrentWorkflowFault } from "../../model/workflow/workflow-lifecycle.ts";
import { abandonChangeOperation } from "../change/revise-change.ts";
import type { PlanningEngine } from "../engine.ts";
import { loadFoldedRuntime } from "./fold-journal.ts";
import { LOCK_SPACE, PRIORITY_SPACE } from "./ledger-spaces.ts";
import type { LockFilesOutput } from "./schema.ts";
import {
  commitDraft,
  findCurrentWork,
  listLockedPaths,
  listWorkQueue,
  loadWorkRuntime,
  resolveQueueItem,
  type WorkflowDraft,
  type WorkRuntime,
} from "./workflow-runtime.ts";
import { detectWorkflowWork, lockSessionWork, pruneExpiredSnapshots } from "./workflow-snapshots.ts";
import {
  createQueueItemView,
  formatLockHolder,
  formatPathList,
  listLockHolders,
  recordLockRejection,
  rejectHeldPaths,
} from "./workflow-view.ts";
import { rejectDuringRollback } from "./finish-rollback.ts";
import {
  finishWork,
  recordSessionActivity,
  rejectExpiredTimebox,
  syncWorkflowState,
  warnTimeboxEnd,
  writeWorkflow,
} from "./workflow-writes.ts";

type LockFilesResult = z.infer<typeof LockFilesOutput>;

export const lockFilesOperation = defineOperation({
  id: "workflow.lock",
  effect: "change",
  input: async () => (await import("./schema.ts")).LockFilesInput,
  output: async () => (await import("./schema.ts")).LockFilesOutput,
  async run(engine: PlanningEngine, { action, id: said, paths: given = [], force = false, session: name }) {
    if (action === "list") {
      const locks = listHeldLocks(await loadFoldedRuntime(engine), said);
      return { action, changed: [], locks, notes: [] };
    }
    const { session } = await syncWorkflowState(engine, name);
    if (given.length === 0) {
      throw new Fault("input.missing", {
        what: action === "claim" ? "Nothing was claimed." : "Nothing was released.",
        why: "No path was given.",
        fix: { operation: "workflow.lock", input: { action, paths: ["src/login.ts"] } },
      });
    }
    const paths = [...new Set(given.map(parseLockPath))];
    const { held, changed, notes } = await commitDraft(engine, (draft, tree): LockUpdate => {
      const { runtime } = draft;
      // A workflow, or a change, which has no record here.
      const id = said ?? findCurrentWork(runtime, session);
      if (id === undefined) throw createNoCurrentWorkflowFault(listWorkQueue(runtime), "workflow.lock");
      rejectDuringRollback(tree, id);
      resolveQueueItem(runtime, id);
      rejectLostLease(id, session, runtime);
      recordSessionActivity(draft, session);
      return action === "release" ? releasePaths(draft, id, paths) : claimPaths(draft, id, paths, force);
    });
    // The ledger records the rejection, so the fault comes after the write.
    if (held) rejectHeldPaths(held.conflicts, held.runtime, held.what, held.id);
    return { action, changed, locks: listHeldLocks(await engine.store.read(loadWorkRuntime)), notes };
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

interface LockUpdate extends Pick<LockFilesResult, "changed" | "notes"> {
  readonly held?: { id: string; what: string; conflicts: readonly LockConflict[]; runtime: WorkRuntime };
}

function claimPaths(draft: WorkflowDraft, id: string, paths: readonly string[], isForced: boolean): LockUpdate {
  const { runtime } = draft;
  const what = `${paths.length === 1 ? paths[0] : formatCount(paths.length, "path")} cannot be locked for ${id}.`;
  const record = draft.workflow(id);
  if (record) rejectExpiredTimebox(record, what, draft);
  const conflicts = findLockConflicts(paths, id, runtime.locks, true);
  if (conflicts.length > 0 && !isForced) {
    recordLockRejection(draft, id, conflicts);
    return { changed: [], notes: [], held: { id, what, conflicts, runtime } };
  }
  const mine = new Set(listLockedPaths(runtime, id));
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

const listHeldLocks = ({ locks }: WorkRuntime, id?: string): LockFilesResult["locks"] =>
  locks
    .filter((each) => isLockHeld(each) && (id === undefined || each.workflow === id))
    .map(({ workflow, path, how, at }) => ({ workflow, path, how, since: at }));

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
      ? `${current_workflow} and ${target_workflow} both hold ${conflicting_files.join(", ")}.`
      : `${current_workflow} and ${target_workflow} share no file.`,
    points: holders.map(formatLockHolder),
  }),
  isRefusal: ({ conflict }) => conflict,
});

export const prioritizeWorkOperation = defineOperation({
  id: "workflow.prioritize",
  effect: "change",
  input: async () => (await import("./schema.ts")).PrioritizeWorkInput,
  output: async () => (await import("./schema.ts")).PrioritizeWorkOutput,
  async run(engine: PlanningEngine, { id, priority }) {
    const { session } = await syncWorkflowState(engine);
    const item = await commitDraft(engine, (draft) => {
      const found = resolveQueueItem(draft.runtime, id);
      const record = draft.workflow(id);
      if (record) draft.putWorkflow({ ...record, priority, updated_at: draft.at });
      else draft.put(PRIORITY_SPACE, id, priority);
      draft.say("workflow.prioritized", id, { from: found.priority, to: priority });
      return found;
    });
    const runtime = await engine.store.read(loadWorkRuntime);
    const current = findCurrentWork(runtime, session);
    const unusual = describeUnusualPriority(item.kind, priority);
    return {
      id,
      from: item.priority,
      to: priority,
      queue: listWorkQueue(runtime).map((each) =>
        createQueueItemView(each, runtime, { session, current }, engine.clock.now()),
      ),
      notes: unusual ? [unusual] : [],
    };
  },
  page: ({ id, from, to, queue, notes }) => ({
    title: `${id} has priority ${to}; it had ${from}.`,
    table: {
      columns: ["prio", "id", "kind", "stage"],
      rows: queue.map((item) => [String(item.priority), item.id, item.kind, item.stage]),
    },
    points: notes,
  }),
});

export const abandonWorkflowOperation = defineOperation({
  id: "workflow.abandon",
  effect: "change",
  input: async () => (await import("./schema.ts")).AbandonWorkflowInput,
  output: async () => (await import("./schema.ts")).AbandonWorkflowOutput,
  async run(engine: PlanningEngine, { id, reason: said, session: name }) {
    const { session, runtime } = await syncWorkflowState(engine, name);
    const { kind, stage } = resolveQueueItem(runtime, id);
    const reason = said.trim();
    if (kind === "change") {
      // A change ends by its own operation. Then its locks and sessions are released here.
      await abandonChangeOperation.run(engine, { change_id: id, reason: said });
      const paths = await commitDraft(engine, (draft, tree) => {
        const held = [...tree.kept(LOCK_SPACE).values()].filter((lock) => lock.workflow === id && isLockHeld(lock));
        finishWork(draft, id);
        draft.say("lock.released", id, { paths: held.map(({ path }) => path) });
        return held.map(({ path }) => path);
      });
      return { id, kind, stage, reason, released: paths };
    }
    // A later restore needs to know the files that a shell edited.
    const work = await detectWorkflowWork(engine, runtime, id);
    if (work && work.paths.length > 0)
      await writeWorkflow(engine, { id, session }, (draft) => lockSessionWork(draft, work));
    const released = await writeWorkflow(engine, { id, session }, (draft, record) => {
      const [abandoned] = abandonWorkflowRecord(record, reason, draft.at, draft.steady);
      draft.putWorkflow(abandoned);
      draft.say("workflow.abandoned", id, { reason });
      finishWork(draft, id);
      return listLockedPaths(draft.runtime, id);
    });
    await pruneExpiredSnapshots(engine);
    return { id, kind, stage, reason, released };
  },
  page: ({ id, stage, released }) => ({
    title: `${id} is abandoned at stage ${stage}. Its files stay as they are.`,
    points: released.length > 0 ? [`Released: ${formatPathList(released)}`] : [],
    next: [{ operation: "workflow.status" }],
  }),
});
