import { Fault } from "../fault.ts";
import type { Session } from "./record.ts";
import { NOBODY } from "./session-name.ts";

interface Held {
  readonly holder: string;
  readonly token: number;
  readonly isLive: boolean;
}

export const leaseName = (workflow: string): string => `workflow ${workflow}`;

/** A session that is silent for longer counts as interrupted. */
export const SESSION_TTL_MS = 30 * 60 * 1000;

export type Standing = "active" | "paused" | "interrupted";

export function standingOf(
  workflow: string,
  sessions: Iterable<Session>,
  lease: Held | undefined,
): { readonly standing: Standing; readonly session?: Session } {
  const there = [...sessions].filter((session) => session.current === workflow && session.ended_at === undefined);
  const holder = there.find(({ id }) => id === lease?.holder && lease.isLive);
  if (holder) return { standing: "active", session: holder };
  const [vanished] = there.filter(({ id }) => id !== NOBODY).toSorted((a, b) => (a.seen_at < b.seen_at ? 1 : -1));
  const isDead = vanished !== undefined && (lease === undefined || !lease.isLive);
  if (isDead) return { standing: "interrupted", session: vanished };
  return { standing: there.length > 0 ? "active" : "paused" };
}

/**
 * The lease of another session that took the workflow over, or undefined. Unnamed callers share one session, so they
 * never lose a workflow.
 */
export function takenBy(
  workflow: string,
  session: string,
  sessions: ReadonlyMap<string, Session>,
  lease: Held | undefined,
): Held | undefined {
  if (session === NOBODY || lease === undefined || lease.holder === session) return undefined;
  const known = sessions.get(session);
  const isTakenOver = known?.current === workflow && known.token !== undefined && lease.token > known.token;
  return isTakenOver || lease.isLive ? lease : undefined;
}

export function refuseFenced(...[workflow, session, sessions, lease]: Parameters<typeof takenBy>): void {
  const other = takenBy(workflow, session, sessions, lease);
  if (other === undefined) return;
  throw new Fault("lease.lost", {
    what: `Session ${session} may not write for ${workflow}.`,
    why: other.isLive
      ? `Session ${other.holder} is at work on it.`
      : `Session ${other.holder} took it over while this one was silent.`,
    fix: other.isLive
      ? [
          { operation: "workflow.status", input: { id: workflow } },
          { operation: "workflow.resume", input: { id: workflow, take_over: true } },
        ]
      : { operation: "workflow.resume", input: { id: workflow } },
  });
}
