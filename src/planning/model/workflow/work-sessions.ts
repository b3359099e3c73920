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

export function findWorkflowActivity(workflow: string, sessions: Iterable<WorkSession>, lease: WorkLease | undefined) {
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

interface LeasedWork {
  readonly sessions: ReadonlyMap<string, WorkSession>;
  readonly lease: (workflow: string) => WorkLease | undefined;
}

/** A connection that names no session, and the session that the hooks of the same client name. */
function isSameClient(one: WorkSession | undefined, other: WorkSession | undefined): boolean {
  if (!one?.client || !other) return false;
  return one.client === other.client && (one.hooked ?? false) !== (other.hooked ?? false);
}

export function isHeldByOther(lease: WorkLease | undefined, session: string, sessions: LeasedWork["sessions"]) {
  const isOther = lease?.isLive === true && lease.holder !== session;
  return isOther && !isSameClient(sessions.get(lease.holder), sessions.get(session));
}

interface ProcessJudge {
  isGone(mark: string): boolean;
  isRunning(mark: string): boolean;
}

/** A session holds its work as long as its process runs, however long it is idle, and not a moment longer. */
export function judgeLeaseProcess<Lease extends WorkLease>(
  lease: Lease | undefined,
  sessions: LeasedWork["sessions"],
  processes: ProcessJudge,
): Lease | undefined {
  const { mark, ended_at } = sessions.get(lease?.holder ?? "") ?? {};
  if (!lease || !mark) return lease;
  if (lease.isLive) return processes.isGone(mark) ? { ...lease, isLive: false } : lease;
  return ended_at === undefined && processes.isRunning(mark) ? { ...lease, isLive: true } : lease;
}

/** By the processes of the call, nearest first. A command belongs to its client's connection, unless it has several. */
export function findClientSession(
  clients: readonly string[],
  sessions: Iterable<WorkSession>,
  { isConnection, isGone }: { readonly isConnection: boolean; readonly isGone: (mark: string) => boolean },
): string | undefined {
  const open = [...sessions].filter(
    ({ client, mark, ended_at }) => client && ended_at === undefined && !isGone(mark ?? ""),
  );
  for (const client of clients) {
    const found = open.filter((session) => session.client === client);
    const [hooked] = found.filter((each) => each.hooked).toSorted((a, b) => (a.seen_at < b.seen_at ? 1 : -1));
    if (hooked) return hooked.id;
    if (!isConnection && found.length > 0) return found.length === 1 ? found[0]?.id : undefined;
  }
  return undefined;
}

/** The lease of a session that took the workflow over. Unnamed callers share one session and never lose it. */
export function findTakeoverLease(workflow: string, session: string, { sessions, lease: findLease }: LeasedWork) {
  const lease = findLease(workflow);
  if (session === DEFAULT_SESSION_ID || lease === undefined || lease.holder === session) return undefined;
  const known = sessions.get(session);
  const isTakenOver = known?.current === workflow && known.token !== undefined && lease.token > known.token;
  const isOurs = isSameClient(sessions.get(lease.holder), known);
  return !isOurs && (isTakenOver || lease.isLive) ? lease : undefined;
}

export function rejectLostLease(workflow: string, session: string, runtime: LeasedWork): void {
  const other = findTakeoverLease(workflow, session, runtime);
  if (other === undefined) return;
  throw new Fault("lease.lost", {
    what: `Session ${session} may not write for ${workflow}.`,
    why: other.isLive
      ? `Session ${other.holder} is working on it.`
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
export const parseSessionName = (said: unknown): string =>
  typeof said === "string" && /^[\w.:@+-]{1,64}$/.test(said) ? said : DEFAULT_SESSION_ID;
