import type { Session } from "#domain/workflow/record.ts";
import { NOBODY } from "#domain/workflow/session-name.ts";
import { rest, run } from "#domain/workflow/timebox.ts";
import type { Draft } from "./draft.ts";

interface Worker {
  readonly session: string;
  readonly checkout: string;
  /** The files as they are now; nothing outside git. */
  readonly tree?: string | undefined;
}

/** A session takes something up, and lets go of what it had. No file is touched. */
export function takeUp(draft: Draft, id: string, { session, checkout, tree }: Worker): void {
  const { at, runtime } = draft;
  const known = draft.session(session);
  if (known?.current !== undefined && known.current !== id) putDown(draft, known, at);
  const lease = runtime.lease(id);
  const isOurs = lease?.holder === session && lease.isLive;
  const { ended_at: _, token: __, ...kept } = known ?? { id: session, started_at: at };
  draft.putSession({
    ...kept,
    current: id,
    checkout,
    seen_at: at,
    ...(session === NOBODY ? {} : { token: (lease?.token ?? 0) + (isOurs ? 0 : 1) }),
    ...(tree ? { tree } : {}),
  });
  if (session !== NOBODY) draft.grant(id, session);
  // What a named session begins is the project's too while the project has nothing.
  const nobodys = draft.session(NOBODY);
  const isIdle = nobodys?.current === undefined || !isUnderWay(draft, nobodys.current);
  if (session !== NOBODY && isIdle) draft.putSession({ ...nobody(checkout, at), ...nobodys, current: id, seen_at: at });
  const record = draft.workflow(id);
  if (record?.timebox) draft.putWorkflow({ ...record, timebox: run(record.timebox, at) });
}

/** A session that calls is alive: its lease goes on, unless another has taken the work over. */
export function beSeen(draft: Draft, session: string): void {
  const known = draft.session(session);
  if (session === NOBODY || known?.current === undefined) return;
  const lease = draft.runtime.lease(known.current);
  const isTakenOver = lease !== undefined && (lease.holder === session ? lease.token !== known.token : true);
  if (isTakenOver || !isUnderWay(draft, known.current)) return;
  const token = (lease?.token ?? 0) + (lease?.isLive ? 0 : 1);
  draft.putSession({ ...known, seen_at: draft.at, token });
  draft.grant(known.current, session);
}

/** Whoever else was at work there keeps its name on it; this session no longer does. */
function putDown(draft: Draft, { id: session, current }: Session, at: string): void {
  if (current === undefined) return;
  if (draft.runtime.lease(current)?.holder === session) draft.release(current);
  const record = draft.workflow(current);
  if (record?.timebox) draft.putWorkflow({ ...record, timebox: rest(record.timebox, at), updated_at: at });
}

/** Nobody is at work on it any more: it has ended. */
export function letGo(draft: Draft, id: string): void {
  for (const known of draft.runtime.sessions.values()) {
    const { current, token: _, ...rested } = draft.session(known.id) ?? known;
    if (current === id) draft.putSession(rested);
  }
  draft.release(id);
}

const isUnderWay = (draft: Draft, id: string): boolean =>
  draft.workflow(id)?.status === "active" || draft.runtime.changes.some((change) => change.id === id);

const nobody = (checkout: string, at: string): Session => ({
  id: NOBODY,
  checkout,
  started_at: at,
  seen_at: at,
});
