import type { Session } from "#domain/workflow/record.ts";
import { NOBODY } from "#domain/workflow/session-name.ts";
import { takenBy } from "#domain/workflow/sessions.ts";
import { rest, run } from "#domain/workflow/timebox.ts";
import type { Draft } from "./draft.ts";

interface Worker {
  readonly session: string;
  readonly checkout: string;
  readonly tree?: string | undefined;
}

/** Makes the work current for a session and leaves its previous work. No file is changed. */
export function takeUp(draft: Draft, id: string, { session, checkout, tree }: Worker): void {
  const { at, runtime } = draft;
  const known = draft.session(session);
  if (known?.current !== undefined && known.current !== id) putDown(draft, known, at);
  const lease = runtime.lease(id);
  const isOurs = lease?.holder === session && lease.isLive;
  const { ended_at: _, token: __, tree: ___, ...kept } = known ?? { id: session, started_at: at };
  draft.putSession({
    ...kept,
    current: id,
    checkout,
    seen_at: at,
    ...(session === NOBODY ? {} : { token: (lease?.token ?? 0) + (isOurs ? 0 : 1) }),
    ...(tree ? { tree } : {}),
  });
  if (session !== NOBODY) {
    draft.grant(id, session);
    pointProject(draft, id, checkout);
  }
  forgetOthersTrees(draft, id, session, checkout);
  const record = draft.workflow(id);
  if (record?.timebox) draft.putWorkflow({ ...record, timebox: run(record.timebox, at) });
}

/** If the project has no current work, work begun by a named session becomes current for it. */
function pointProject(draft: Draft, id: string, checkout: string): void {
  const { at } = draft;
  const blank: Session = { id: NOBODY, checkout, started_at: at, seen_at: at };
  const { tree: _, ...known } = draft.session(NOBODY) ?? blank;
  const isIdle = known.current === undefined || !isUnderWay(draft, known.current);
  if (isIdle) draft.putSession({ ...known, checkout, current: id, seen_at: at });
}

/** Once two sessions work in one folder, differences no longer show which of them made a change. */
function forgetOthersTrees(draft: Draft, id: string, session: string, checkout: string): void {
  for (const { id: other } of draft.runtime.sessions.values()) {
    const known = draft.session(other);
    if (other === session || known?.tree === undefined) continue;
    if (known.checkout !== checkout || known.current === id) continue;
    const { tree: _, ...kept } = known;
    draft.putSession(kept);
  }
}

export function beSeen(draft: Draft, session: string): void {
  const known = draft.session(session);
  if (session === NOBODY || known?.current === undefined) return;
  const { current } = known;
  const lease = draft.runtime.lease(current);
  if (takenBy(current, session, draft.runtime.sessions, lease) || !isUnderWay(draft, current)) return;
  const isOurs = lease?.holder === session && lease.isLive;
  draft.putSession({ ...known, seen_at: draft.at, token: (lease?.token ?? 0) + (isOurs ? 0 : 1) });
  draft.grant(current, session);
}

function putDown(draft: Draft, { id: session, current }: Session, at: string): void {
  if (current === undefined) return;
  if (draft.runtime.lease(current)?.holder === session) draft.release(current);
  const record = draft.workflow(current);
  if (record?.timebox) draft.putWorkflow({ ...record, timebox: rest(record.timebox, at), updated_at: at });
}

export function letGo(draft: Draft, id: string): void {
  for (const known of draft.runtime.sessions.values()) {
    const { current, token: _, tree: __, ...rested } = draft.session(known.id) ?? known;
    if (current === id) draft.putSession(rested);
  }
  draft.release(id);
}

const isUnderWay = (draft: Draft, id: string): boolean =>
  draft.workflow(id)?.status === "active" || draft.runtime.changes.some((change) => change.id === id);
