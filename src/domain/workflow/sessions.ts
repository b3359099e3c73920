import { Fault } from "../fault.ts";
import type { Session } from "./record.ts";
import { NOBODY } from "./session-name.ts";

/** A lease as far as it matters here. */
interface Held {
  readonly holder: string;
  readonly token: number;
  readonly isLive: boolean;
}

export const leaseName = (workflow: string): string => `workflow ${workflow}`;

/** How long a session may be silent before its work counts as interrupted. */
export const SESSION_TTL_MS = 30 * 60 * 1000;

export type Standing = "active" | "paused" | "interrupted";

/** Whether somebody is at work on a workflow, nobody is, or somebody was and vanished. */
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
 * Whether a session may write for a workflow. Those who give no name cannot be told apart, so they are never refused;
 * a named one is, once another has taken the work over.
 */
export function refuseFenced(
  workflow: string,
  session: string,
  sessions: ReadonlyMap<string, Session>,
  lease: Held | undefined,
): void {
  if (session === NOBODY || lease === undefined) return;
  const known = sessions.get(session);
  const isTakenOver = known?.current === workflow && known.token !== undefined && lease.token > known.token;
  if (!isTakenOver && (lease.holder === session || !lease.isLive)) return;
  throw new Fault("lease.lost", {
    what: `Session ${session} may not write for ${workflow}.`,
    why: lease.isLive
      ? `Session ${lease.holder} is at work on it.`
      : `Session ${lease.holder} took it over while this one was silent.`,
    fix: lease.isLive
      ? [
          { operation: "workflow.status", input: { id: workflow } },
          { operation: "workflow.resume", input: { id: workflow, take_over: true } },
        ]
      : { operation: "workflow.resume", input: { id: workflow } },
  });
}
