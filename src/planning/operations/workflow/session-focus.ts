import { type WorkSession, pauseTimebox, resumeTimebox } from "../../model/workflow/workflow-record.ts";
import { DEFAULT_SESSION_ID, findTakeoverLease } from "../../model/workflow/work-sessions.ts";
import { type WorkflowDraft, UNKNOWN_END_TIME } from "./workflow-runtime.ts";
import { isActiveWorkflow } from "../../model/workflow/workflow-lifecycle.ts";
import { dropWorkflowSnapshots } from "./workflow-snapshots.ts";

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

function clearFinishedWork(draft: WorkflowDraft, id: string): void {
  for (const known of draft.runtime.sessions.values()) {
    const { current, token: _, tree: __, ...rested } = draft.session(known.id) ?? known;
    if (current === id) draft.putSession(rested);
  }
  draft.release(id);
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
  clearFinishedWork(draft, id);
  dropWorkflowSnapshots(draft, id);
}
