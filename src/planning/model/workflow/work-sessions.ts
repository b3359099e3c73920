import { Fault } from "#kernel/model/fault.ts";
import type { WorkSession } from "./workflow-record.ts";

export interface WorkLease {
  readonly holder: string;
  readonly token: number;
  readonly isLive: boolean;
}

export const formatLeaseName = (workflow: string): string => `workflow ${workflow}`;

/** A session that is silent for longer counts as interrupted. */
export const SESSION_TTL_MS = 30 * 60 * 1000;

export type WorkflowActivity = "active" | "paused" | "interrupted";

export function findWorkflowActivity(
  workflow: string,
  sessions: Iterable<WorkSession>,
  lease: WorkLease | undefined,
): { readonly standing: WorkflowActivity; readonly session?: WorkSession } {
  const there = [...sessions].filter((session) => session.current === workflow && session.ended_at === undefined);
  const holder = there.find(({ id }) => id === lease?.holder && lease.isLive);
  if (holder) return { standing: "active", session: holder };
  const [vanished] = there
    .filter(({ id }) => id !== DEFAULT_SESSION_ID)
    .toSorted((a, b) => (a.seen_at < b.seen_at ? 1 : -1));
  const isDead = vanished !== undefined && (lease === undefined || !lease.isLive);
  if (isDead) return { standing: "interrupted", session: vanished };
  return { standing: there.length > 0 ? "active" : "paused" };
}

/**
 * The lease of another session that took the workflow over, or undefined. Unnamed callers share one session, so they
 * never lose a workflow.
 */
export function findTakeoverLease(
  workflow: string,
  session: string,
  sessions: ReadonlyMap<string, WorkSession>,
  lease: WorkLease | undefined,
): WorkLease | undefined {
  if (session === DEFAULT_SESSION_ID || lease === undefined || lease.holder === session) return undefined;
  const known = sessions.get(session);
  const isTakenOver = known?.current === workflow && known.token !== undefined && lease.token > known.token;
  return isTakenOver || lease.isLive ? lease : undefined;
}

export function rejectLostLease(...[workflow, session, sessions, lease]: Parameters<typeof findTakeoverLease>): void {
  const other = findTakeoverLease(workflow, session, sessions, lease);
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

/** The session of callers that give no name. Its current work is current for the project. */
export const DEFAULT_SESSION_ID = "default";

/** Letters, digits and id punctuation, safe in a shell and on one line. */
const SESSION_NAME_PATTERN = /^[\w.:@+-]{1,64}$/;

export const parseSessionName = (said: unknown): string =>
  typeof said === "string" && SESSION_NAME_PATTERN.test(said) ? said : DEFAULT_SESSION_ID;
