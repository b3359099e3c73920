import { Fault } from "#kernel/model/fault.ts";
import {
  type WorkflowRecord,
  extendTimebox,
  formatWorkDuration,
  isTimeboxExceeded,
  pauseTimebox,
  type WorkSession,
  isTimeboxWarningDue,
  parseWorkDuration,
  resumeTimebox,
  computeTimeSpent,
} from "../../model/workflow/workflow-record.ts";
import {
  DEFAULT_SESSION_ID,
  findTakeoverLease,
  judgeLeaseProcess,
  rejectLostLease,
} from "../../model/workflow/work-sessions.ts";
import { isActiveWorkflow } from "../../model/workflow/workflow-lifecycle.ts";
import type { PlanningEngine } from "../engine.ts";
import type { LockedStoreTree } from "#store/operations/ports/store.ts";
import { foldJournalIntoLedger } from "./fold-journal.ts";
import type { WorkflowDraft, WorkRuntime } from "./workflow-runtime.ts";
import {
  commitDraft,
  loadWorkRuntime,
  resolveCallSession,
  resolveWorkflow,
  UNKNOWN_END_TIME,
} from "./workflow-runtime.ts";
import { subtractDays } from "#kernel/model/utc-time.ts";
import { finishKilledRollbacks, rejectDuringRollback } from "./finish-rollback.ts";
import { WORK_SPACE } from "./ledger-spaces.ts";

/** Every call about workflows begins here: it finishes pending rollbacks and folds the journal. */
export async function syncWorkflowState(engine: PlanningEngine, said?: string) {
  await finishKilledRollbacks(engine);
  await foldJournalIntoLedger(engine);
  await syncSessionProcesses(engine);
  const runtime = await engine.store.read(loadWorkRuntime);
  return { session: resolveCallSession(engine, said, runtime.sessions), runtime };
}

/**
 * A session whose process is gone, as after `kill -9`, holds its workflow no longer: another can resume it at once. One
 * that is only idle keeps it.
 */
async function syncSessionProcesses(engine: PlanningEngine): Promise<void> {
  const isNewlyGone = ({ mark, ended_at, gone_at }: WorkSession): boolean =>
    Boolean(mark) && ended_at === undefined && gone_at === undefined && engine.caller.isGone(mark ?? "");
  const listGone = ({ sessions }: WorkRuntime) => [...sessions.values()].filter(isNewlyGone);
  const listIdle = ({ sessions, lease }: WorkRuntime) =>
    [...sessions.values()].flatMap(({ id, current = "" }) => {
      const held = lease(current);
      const isIdle = held?.holder === id && !held.isLive && judgeLeaseProcess(held, sessions, engine.caller)?.isLive;
      return isIdle ? [{ id, current }] : [];
    });
  const before = await engine.store.read(loadWorkRuntime);
  if (listGone(before).length + listIdle(before).length === 0) return;
  await commitDraft(engine, (draft) => {
    for (const { id, current } of listIdle(draft.runtime)) {
      draft.grant(current, id);
      draft.say("session.idle", id, { workflow: current });
    }
    for (const session of listGone(draft.runtime)) {
      const { id, current, seen_at } = session;
      draft.putSession({ ...session, gone_at: draft.at });
      draft.say("session.lost", id, current === undefined ? {} : { workflow: current });
      if (current === undefined || draft.runtime.lease(current)?.holder !== id) continue;
      draft.release(current);
      const record = draft.workflow(current);
      if (record?.timebox) draft.putWorkflow({ ...record, timebox: pauseTimebox(record.timebox, seen_at) });
    }
  });
}

/** The only way to write for a workflow. Checks again under the store lock that this session may write. */
export const writeWorkflow = <T>(
  engine: PlanningEngine,
  { id, session }: { readonly id: string; readonly session: string },
  decide: (draft: WorkflowDraft, record: WorkflowRecord, tree: LockedStoreTree) => T,
): Promise<T> =>
  commitDraft(engine, (draft, tree) => {
    rejectDuringRollback(tree, id);
    const record = requireWritableWorkflow(draft.runtime, id, session);
    recordSessionActivity(draft, session);
    return decide(draft, draft.workflow(id) ?? record, tree);
  });

export function requireWritableWorkflow(runtime: WorkRuntime, id: string, session: string): WorkflowRecord {
  const record = resolveWorkflow(runtime, { id, session }, "workflow.status");
  if (!isActiveWorkflow(record)) {
    throw new Fault("flow.not-active", {
      what: `Nothing was written for ${id}.`,
      why: `It is ${record.status}.`,
      fix: { operation: "workflow.status", input: { all: true } },
    });
  }
  rejectLostLease(id, session, runtime);
  return record;
}

export function warnTimeboxEnd(draft: WorkflowDraft, id: string): string[] {
  const record = draft.workflow(id);
  if (!record?.timebox || record.status !== "active") return [];
  const isRunning = record.timebox.running_since !== undefined;
  const timebox = isRunning ? resumeTimebox(record.timebox, draft.at, draft.steady) : record.timebox;
  const isDue = isTimeboxWarningDue(timebox, draft.at, draft.steady);
  draft.putWorkflow({ ...record, timebox: isDue ? { ...timebox, warned: true } : timebox });
  if (!isDue) return [];
  const { limit_s } = timebox;
  const spent_s = computeTimeSpent(timebox, draft.at, draft.steady);
  draft.say("timebox.warned", id, { spent_s, limit_s });
  const used = `${formatWorkDuration(spent_s)} of ${formatWorkDuration(limit_s)} are used`;
  return [`${used}: finish stage ${record.current_stage}, or extend.`];
}

export function rejectExpiredTimebox(
  { id, current_stage, timebox, status }: WorkflowRecord,
  what: string,
  { at, steady }: Pick<WorkflowDraft, "at" | "steady">,
) {
  if (!timebox || status !== "active" || current_stage !== "explore" || !isTimeboxExceeded(timebox, at, steady)) return;
  throw new Fault("timebox.over", {
    what,
    why: `The ${formatWorkDuration(timebox.limit_s)} for ${id} are used up.`,
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
      why: "The reason is missing: the research records it.",
      fix: { operation: "workflow.advance", input: { ...(id ? { id } : {}), extend: by, reason: "…" } },
    });
  }
  const runtime = await engine.store.read(loadWorkRuntime);
  const chosen = resolveWorkflow(runtime, { id, session }, "workflow.advance");
  const { kind, status, timebox: before } = chosen;
  if (!before || status !== "active") {
    throw new Fault("timebox.none", {
      what: `${chosen.id} got no more time.`,
      why: kind === "research" ? `It is ${status}.` : `It is a ${kind}, which has no timebox.`,
      fix: { operation: "workflow.status" },
    });
  }
  return writeWorkflow(engine, { id: chosen.id, session }, (draft, record) => {
    const timebox = extendTimebox(record.timebox ?? before, by_s, reason.trim(), draft.at);
    const longer = { ...record, timebox, updated_at: draft.at };
    draft.putWorkflow(longer);
    draft.say("timebox.extended", record.id, { by_s, reason });
    return longer;
  });
}

/** Makes the work current for a session and leaves its previous work. No file is changed. */
export function focusSessionWork(
  draft: WorkflowDraft,
  id: string,
  { session, checkout, tree }: { session: string; checkout: string; tree?: string | undefined },
): void {
  const { at, steady, runtime } = draft;
  const isNamed = session !== DEFAULT_SESSION_ID;
  const known = draft.session(session);
  const left = known?.current === id ? undefined : known?.current;
  if (left !== undefined) {
    if (runtime.lease(left)?.holder === session) draft.release(left);
    const record = draft.workflow(left);
    if (record?.timebox)
      draft.putWorkflow({ ...record, timebox: pauseTimebox(record.timebox, at, steady), updated_at: at });
  }
  const { ended_at: _, token: __, tree: ___, ...kept } = known ?? { id: session, started_at: at };
  const token = isNamed ? { token: predictLeaseToken(draft, id, session) } : {};
  const focused = { ...kept, current: id, checkout, seen_at: at, ...token, ...(tree ? { tree } : {}) };
  draft.putSession(isNamed ? draft.identify(focused) : focused);
  if (isNamed) {
    draft.grant(id, session);
    // If the project has no current work, work begun by a named session becomes current for it.
    const blank: WorkSession = { id: DEFAULT_SESSION_ID, checkout, started_at: at, seen_at: at };
    const { tree: ____, ...project } = draft.session(DEFAULT_SESSION_ID) ?? blank;
    const isIdle = project.current === undefined || !isWorkActive(draft, project.current);
    if (isIdle) draft.putSession({ ...project, checkout, current: id, seen_at: at });
  }
  // Once two sessions work in one folder, differences no longer show which of them made a change.
  for (const each of runtime.sessions.values()) {
    const { tree: seen, ...other } = draft.session(each.id) ?? each;
    const isBeside = other.id !== session && other.checkout === checkout && other.current !== id;
    if (isBeside && seen !== undefined) draft.putSession(other);
  }
  const record = draft.workflow(id);
  if (record?.timebox) draft.putWorkflow({ ...record, timebox: resumeTimebox(record.timebox, at, steady) });
}

/** The ledger gives a new token only to a new holder. */
function predictLeaseToken({ runtime }: WorkflowDraft, id: string, session: string): number {
  const lease = runtime.lease(id);
  const isOurs = lease?.holder === session && lease.isLive;
  return (lease?.token ?? 0) + (isOurs ? 0 : 1);
}

export function recordSessionActivity(draft: WorkflowDraft, session: string): void {
  const known = draft.session(session);
  if (session === DEFAULT_SESSION_ID || known?.current === undefined) return;
  const { current } = known;
  if (findTakeoverLease(current, session, draft.runtime) || !isWorkActive(draft, current)) return;
  draft.putSession(draft.identify({ ...known, seen_at: draft.at, token: predictLeaseToken(draft, current, session) }));
  draft.grant(current, session);
}

const isWorkActive = (draft: WorkflowDraft, id: string): boolean =>
  draft.workflow(id)?.status === "active" || draft.runtime.changes.some((change) => change.id === id);

const LOCK_RETENTION_DAYS = 30;

/** Kept while older workflows run, whose rollbacks must not undo the files, and for 30 days for a later restore. */
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
    const isOld = released < subtractDays(draft.at, LOCK_RETENTION_DAYS);
    if (isOld && (oldest === undefined || released < oldest)) draft.dropLock(lock);
    else draft.putLock({ ...lock, released_at: released });
  }
  for (const known of draft.runtime.sessions.values()) {
    const { current, token: _, tree: __, ...rested } = draft.session(known.id) ?? known;
    if (current === id) draft.putSession(rested);
  }
  draft.release(id);
  draft.put(WORK_SPACE, id, undefined);
}
