import { Fault } from "#kernel/model/fault.ts";
import {
  type WorkflowRecord,
  extendTimebox,
  isTimeboxExceeded,
  pauseTimebox,
  type WorkSession,
  isTimeboxWarningDue,
  parseWorkDuration,
  resumeTimebox,
  computeTimeSpent,
} from "../../model/workflow/workflow-record.ts";
import { DEFAULT_SESSION_ID, findTakeoverLease, rejectLostLease } from "../../model/workflow/work-sessions.ts";
import { isActiveWorkflow } from "../../model/workflow/workflow-lifecycle.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { PlanningEngine } from "../engine.ts";
import type { LockedStoreTree, StorePlan } from "#store/operations/ports/store.ts";
import { foldJournalIntoLedger } from "./fold-journal.ts";
import {
  loadWorkRuntime,
  resolveWorkflow,
  UNKNOWN_END_TIME,
  WorkflowDraft,
  type WorkRuntime,
} from "./workflow-runtime.ts";
import { formatDuration } from "#kernel/model/utc-time.ts";
import type { RestoreResult, SnapshotStore } from "#git/operations/ports/git-files.ts";
import { type PendingRollback, ROLLBACK_SPACE } from "./ledger-spaces.ts";

export async function syncWorkflowState(engine: PlanningEngine): Promise<void> {
  await finishPendingRollbacks(engine);
  await foldJournalIntoLedger(engine);
}

interface WorkflowWriter {
  readonly id: string;
  readonly session: string;
}

/**
 * The only way to write for a workflow. Checks again under the store lock that it is active, not being rolled back and
 * not taken over.
 */
export function writeWorkflow<T>(
  engine: PlanningEngine,
  { id, session }: WorkflowWriter,
  decide: (draft: WorkflowDraft, record: WorkflowRecord, tree: LockedStoreTree) => T,
): Promise<T> {
  return commitStoreWrite(engine, (tree) => {
    const draft = new WorkflowDraft(loadWorkRuntime(tree), engine.clock.now());
    rejectDuringRollback(tree, id);
    const record = requireWritableWorkflow(draft.runtime, id, session);
    recordSessionActivity(draft, session);
    return draft.plan(decide(draft, draft.workflow(id) ?? record, tree));
  });
}

export function requireWritableWorkflow(runtime: WorkRuntime, id: string, session: string): WorkflowRecord {
  const record = resolveWorkflow(runtime, { id, session }, "workflow.status");
  if (!isActiveWorkflow(record)) {
    throw new Fault("flow.not-active", {
      what: `Nothing was written for ${id}.`,
      why: `It is ${record.status}.`,
      fix: { operation: "workflow.status", input: { all: true } },
    });
  }
  rejectLostLease(id, session, runtime.sessions, runtime.lease(id));
  return record;
}

export function warnTimeboxEnd(draft: WorkflowDraft, id: string): string[] {
  const record = draft.workflow(id);
  if (!record?.timebox || record.status !== "active") return [];
  const isRunning = record.timebox.running_since !== undefined;
  const timebox = isRunning ? resumeTimebox(record.timebox, draft.at) : record.timebox;
  const isDue = isTimeboxWarningDue(timebox, draft.at);
  draft.putWorkflow({ ...record, timebox: isDue ? { ...timebox, warned: true } : timebox });
  if (!isDue) return [];
  const spent = formatDuration(computeTimeSpent(timebox, draft.at));
  draft.say("timebox.warned", id, { spent_s: computeTimeSpent(timebox, draft.at), limit_s: timebox.limit_s });
  return [
    `${spent} of ${formatDuration(timebox.limit_s)} are used: come to an end of stage ${record.current_stage}, or extend.`,
  ];
}

export function rejectExpiredTimebox(
  { id, current_stage, timebox, status }: WorkflowRecord,
  what: string,
  at: string,
): void {
  if (!timebox || status !== "active" || current_stage !== "explore" || !isTimeboxExceeded(timebox, at)) return;
  throw new Fault("timebox.over", {
    what,
    why: `The ${formatDuration(timebox.limit_s)} for ${id} are used up.`,
    fix: [
      { operation: "workflow.advance", input: { id } },
      { operation: "workflow.advance", input: { id, extend: "30m", reason: "…" } },
    ],
  });
}

export async function extendWorkflowTimebox(
  engine: PlanningEngine,
  { id, session }: { readonly id?: string | undefined; readonly session: string },
  by: string,
  reason: string | undefined,
): Promise<WorkflowRecord> {
  const by_s = parseWorkDuration(by);
  if (reason === undefined) {
    throw new Fault("input.missing", {
      what: "The time was not extended.",
      why: "The reason is missing: it is kept with the research.",
      fix: { operation: "workflow.advance", input: { ...(id ? { id } : {}), extend: by, reason: "…" } },
    });
  }
  const runtime = await engine.store.read(loadWorkRuntime);
  const chosen = resolveWorkflow(runtime, { id, session }, "workflow.advance");
  if (!chosen.timebox || chosen.status !== "active") throw createNoTimeboxFault(chosen);
  return writeWorkflow(engine, { id: chosen.id, session }, (draft, record) => {
    if (!record.timebox) throw createNoTimeboxFault(record);
    const timebox = extendTimebox(record.timebox, by_s, reason.trim(), draft.at);
    const longer = { ...record, timebox, updated_at: draft.at };
    draft.putWorkflow(longer);
    draft.say("timebox.extended", record.id, { by_s, reason });
    return longer;
  });
}

function createNoTimeboxFault({ id, kind, status }: WorkflowRecord): Fault {
  return new Fault("timebox.none", {
    what: `${id} was not given more time.`,
    why: kind === "research" ? `It is ${status}.` : `It is a ${kind}, which has no timebox.`,
    fix: { operation: "workflow.status" },
  });
}

/** Concurrent rollbacks would undo each other. */
export const runExclusiveRollback = <T>(engine: PlanningEngine, work: () => Promise<T>): Promise<T> =>
  engine.store.exclusively("rollback", work);

async function finishPendingRollbacks(engine: PlanningEngine): Promise<void> {
  if ((await listPendingRollbacks(engine)).length === 0) return;
  await runExclusiveRollback(engine, async () => {
    for (const each of await listPendingRollbacks(engine)) engine.notice(await finishOrReportRollback(engine, each));
  });
}

/** A rollback that cannot be finished blocks only its own workflow. */
async function finishOrReportRollback(engine: PlanningEngine, pending: PendingRollback): Promise<string> {
  try {
    return await finishRollback(engine, pending);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return `${error.message} ${error.fixes.filter((fix) => typeof fix === "string").join(" ")}`;
  }
}

const listPendingRollbacks = (engine: PlanningEngine): Promise<PendingRollback[]> =>
  engine.store.read((tree) => [...tree.kept(ROLLBACK_SPACE).values()]);

/** The files belong to the checkout where the rollback began, which may differ from this one. */
async function finishRollback(engine: PlanningEngine, pending: PendingRollback): Promise<string> {
  const what = `A rollback of ${pending.workflow} that was never finished`;
  const snapshots = engine.snapshotsOf(pending);
  const hasCommits = snapshots && (await snapshots.has(pending.from)) && (await snapshots.has(pending.to));
  if (!hasCommits) {
    await commitStoreWrite(engine, (tree) => withdrawRollback(tree, pending, engine.clock.now()));
    const why = snapshots
      ? "git no longer has its snapshots. Look at git status."
      : `${pending.root}, where it began, is gone.`;
    return `${what} is withdrawn: ${why}`;
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
  engine: PlanningEngine,
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
  draft.put(ROLLBACK_SPACE, workflow, undefined);
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
      const { dropped_by, ...snapshot } = each;
      if (dropped_by === pending.n) draft.putSnapshot(snapshot);
      else if (each.why !== "safety" && each.n > pending.n && dropped_by === undefined)
        draft.putSnapshot({ ...each, dropped_by: pending.safety });
    }
  }
  draft.put(ROLLBACK_SPACE, pending.workflow, undefined);
  draft.say("workflow.rolled-back", pending.workflow, {
    stage: target?.stage,
    n: pending.n,
    safety: pending.safety,
    paths: pending.paths.length,
  });
  return draft.plan(undefined);
}

interface SessionWorker {
  readonly session: string;
  readonly checkout: string;
  readonly tree?: string | undefined;
}

/** Makes the work current for a session and leaves its previous work. No file is changed. */
export function focusSessionWork(draft: WorkflowDraft, id: string, { session, checkout, tree }: SessionWorker): void {
  const { at, runtime } = draft;
  const known = draft.session(session);
  if (known?.current !== undefined && known.current !== id) leaveSessionWork(draft, known, at);
  const lease = runtime.lease(id);
  const isOurs = lease?.holder === session && lease.isLive;
  const { ended_at: _, token: __, tree: ___, ...kept } = known ?? { id: session, started_at: at };
  draft.putSession({
    ...kept,
    current: id,
    checkout,
    seen_at: at,
    ...(session === DEFAULT_SESSION_ID ? {} : { token: (lease?.token ?? 0) + (isOurs ? 0 : 1) }),
    ...(tree ? { tree } : {}),
  });
  if (session !== DEFAULT_SESSION_ID) {
    draft.grant(id, session);
    setProjectWork(draft, id, checkout);
  }
  clearOtherSessionTrees(draft, id, session, checkout);
  const record = draft.workflow(id);
  if (record?.timebox) draft.putWorkflow({ ...record, timebox: resumeTimebox(record.timebox, at) });
}

/** If the project has no current work, work begun by a named session becomes current for it. */
function setProjectWork(draft: WorkflowDraft, id: string, checkout: string): void {
  const { at } = draft;
  const blank: WorkSession = { id: DEFAULT_SESSION_ID, checkout, started_at: at, seen_at: at };
  const { tree: _, ...known } = draft.session(DEFAULT_SESSION_ID) ?? blank;
  const isIdle = known.current === undefined || !isWorkActive(draft, known.current);
  if (isIdle) draft.putSession({ ...known, checkout, current: id, seen_at: at });
}

/** Once two sessions work in one folder, differences no longer show which of them made a change. */
function clearOtherSessionTrees(draft: WorkflowDraft, id: string, session: string, checkout: string): void {
  for (const { id: other } of draft.runtime.sessions.values()) {
    const known = draft.session(other);
    if (other === session || known?.tree === undefined) continue;
    if (known.checkout !== checkout || known.current === id) continue;
    const { tree: _, ...kept } = known;
    draft.putSession(kept);
  }
}

export function recordSessionActivity(draft: WorkflowDraft, session: string): void {
  const known = draft.session(session);
  if (session === DEFAULT_SESSION_ID || known?.current === undefined) return;
  const { current } = known;
  const lease = draft.runtime.lease(current);
  if (findTakeoverLease(current, session, draft.runtime.sessions, lease) || !isWorkActive(draft, current)) return;
  const isOurs = lease?.holder === session && lease.isLive;
  draft.putSession({ ...known, seen_at: draft.at, token: (lease?.token ?? 0) + (isOurs ? 0 : 1) });
  draft.grant(current, session);
}

function leaveSessionWork(draft: WorkflowDraft, { id: session, current }: WorkSession, at: string): void {
  if (current === undefined) return;
  if (draft.runtime.lease(current)?.holder === session) draft.release(current);
  const record = draft.workflow(current);
  if (record?.timebox) draft.putWorkflow({ ...record, timebox: pauseTimebox(record.timebox, at), updated_at: at });
}

const isWorkActive = (draft: WorkflowDraft, id: string): boolean =>
  draft.workflow(id)?.status === "active" || draft.runtime.changes.some((change) => change.id === id);

/**
 * Releases the locks and drops the snapshots of finished work. Released locks are kept while older workflows run, so
 * that their rollbacks do not undo protected files.
 */
export function finishWork(draft: WorkflowDraft, id: string): void {
  const { locks, workflows } = draft.runtime;
  const others = [...workflows.values()].filter((each) => isActiveWorkflow(each) && each.id !== id);
  const oldest = others.map(({ started_at }) => started_at).toSorted()[0];
  for (const lock of locks) {
    // The change may still be active in another checkout.
    if (lock.released_at === UNKNOWN_END_TIME && lock.workflow !== id) continue;
    const released =
      lock.workflow === id && (lock.released_at ?? UNKNOWN_END_TIME) === UNKNOWN_END_TIME ? draft.at : lock.released_at;
    if (released === undefined) continue;
    if (oldest === undefined || released < oldest) draft.dropLock(lock);
    else draft.putLock({ ...lock, released_at: released });
  }
  for (const known of draft.runtime.sessions.values()) {
    const { current, token: _, tree: __, ...rested } = draft.session(known.id) ?? known;
    if (current === id) draft.putSession(rested);
  }
  draft.release(id);
  for (const each of draft.runtime.snapshots) if (each.workflow === id) draft.dropSnapshot(each);
}
