import { countDaysBetween } from "#kernel/model/utc-time.ts";
import { findLockConflicts, isLockHeld, formatLockKey, isPathLocked } from "./file-locks.ts";
import { isGlobPattern } from "#kernel/model/path-glob.ts";
import {
  type FileLock,
  type WorkSession,
  type WorkflowRecord,
  pauseTimebox,
  resumeTimebox,
} from "./workflow-record.ts";
import { DEFAULT_SESSION_ID, SESSION_TTL_MS, type WorkLease } from "./work-sessions.ts";

export const JOURNAL_EVENTS = [
  "SessionStart",
  "PostToolUse",
  "UserPromptSubmit",
  "Stop",
  "SubagentStop",
  "SessionEnd",
] as const;
export type JournalEventName = (typeof JOURNAL_EVENTS)[number];

export interface JournalLine {
  readonly event: JournalEventName;
  readonly session: string;
  readonly at: string;
  /** Age by the monotonic clock. Infinity for a line written before the last boot. */
  readonly ageMs: number;
  readonly paths: readonly string[];
  readonly told?: string;
}

export interface ActiveWork {
  readonly sessions: ReadonlyMap<string, WorkSession>;
  readonly locks: ReadonlyMap<string, FileLock>;
  readonly workflows: ReadonlyMap<string, WorkflowRecord>;
  isOpenChange(id: string): boolean;
  lease(workflow: string): WorkLease | undefined;
}

interface JournalOccurrence {
  readonly kind: "session.started" | "session.ended" | "lock.taken" | "lock.overlap";
  readonly subject: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface JournalFoldResult {
  readonly sessions: readonly WorkSession[];
  readonly forgotten: readonly string[];
  readonly locks: readonly FileLock[];
  readonly workflows: readonly WorkflowRecord[];
  readonly grants: readonly { readonly workflow: string; readonly holder: string; readonly ttlMs: number }[];
  readonly releases: readonly string[];
  readonly happened: readonly JournalOccurrence[];
  readonly after: ActiveWork;
}

const SESSION_RETENTION_DAYS = 30;

export const isUnfinishedWork = (id: string, atWork: ActiveWork): boolean =>
  atWork.workflows.has(id) ? atWork.workflows.get(id)?.status === "active" : atWork.isOpenChange(id);

/**
 * The session's own unfinished work, or else the project's current work. Work leased by another live session is not
 * shared.
 */
export function findSessionWork(session: string, atWork: ActiveWork): string | undefined {
  const own = atWork.sessions.get(session)?.current;
  if (own !== undefined && isUnfinishedWork(own, atWork)) return own;
  const common = atWork.sessions.get(DEFAULT_SESSION_ID)?.current;
  if (common === undefined || !isUnfinishedWork(common, atWork)) return undefined;
  const lease = atWork.lease(common);
  const isTaken = session !== DEFAULT_SESSION_ID && lease?.isLive === true && lease.holder !== session;
  return isTaken ? undefined : common;
}

export function foldJournalLines(
  lines: readonly JournalLine[],
  atWork: ActiveWork,
  checkout: string,
  now: string,
): JournalFoldResult {
  const folding = new JournalFolder(atWork, checkout);
  for (const line of lines) folding.take(line);
  return folding.outcome(now);
}

/** A lease as it will be after the fold. `isLive` still counts for its token after `isGivenUp`. */
interface FoldedLease extends WorkLease {
  readonly isGivenUp: boolean;
}

class JournalFolder {
  readonly #before: ActiveWork;
  readonly #checkout: string;
  readonly #sessions: Map<string, WorkSession>;
  readonly #locks: Map<string, FileLock>;
  /** Held locks by path, and glob locks apart, so that a long journal folds in linear time. */
  readonly #byPath = new Map<string, FileLock[]>();
  readonly #patterns: FileLock[] = [];
  readonly #workflows: Map<string, WorkflowRecord>;
  readonly #leases = new Map<string, FoldedLease | undefined>();
  readonly #grants: { workflow: string; holder: string; ttlMs: number }[] = [];
  readonly #sessionsMet: JournalOccurrence[] = [];
  readonly #taken = new Map<string, Set<string>>();
  readonly #overlaps = new Map<string, { subject: string; holder: string; paths: Set<string> }>();

  constructor(before: ActiveWork, checkout: string) {
    this.#before = before;
    this.#checkout = checkout;
    this.#sessions = new Map(before.sessions);
    this.#locks = new Map(before.locks);
    this.#workflows = new Map(before.workflows);
    for (const lock of before.locks.values()) this.#index(lock);
  }

  take(line: JournalLine): void {
    if (line.session === DEFAULT_SESSION_ID)
      return this.#lock(line, findSessionWork(DEFAULT_SESSION_ID, this.#atWork()));
    const seenAt = this.#sessions.get(line.session)?.seen_at;
    if (!this.#meet(line)) return;
    if (line.event === "SessionEnd") return this.#end(line);
    const isNews = seenAt === undefined || line.at > seenAt;
    const work = line.paths.length > 0 ? this.#join(line) : this.#sessions.get(line.session)?.current;
    if (isNews && work !== undefined) this.#renew(line, work);
    this.#lock(line, work);
  }

  outcome(now: string): JournalFoldResult {
    const atWork = this.#atWork();
    const forgotten = [...this.#sessions.values()].filter((session) => isSessionExpired(session, atWork, now));
    for (const { id } of forgotten) this.#sessions.delete(id);
    return {
      sessions: listChangedValues(this.#before.sessions, this.#sessions),
      forgotten: forgotten.map(({ id }) => id),
      locks: listChangedValues(this.#before.locks, this.#locks),
      workflows: listChangedValues(this.#before.workflows, this.#workflows),
      grants: this.#grants,
      releases: [...this.#leases].filter(([, lease]) => lease?.isGivenUp === true).map(([workflow]) => workflow),
      happened: [
        ...this.#sessionsMet,
        ...[...this.#taken].map(([subject, paths]) => ({
          kind: "lock.taken" as const,
          subject,
          data: { paths: [...paths] },
        })),
        ...[...this.#overlaps.values()].map(({ subject, holder, paths }) => ({
          kind: "lock.overlap" as const,
          subject,
          data: { paths: [...paths], holder },
        })),
      ],
      after: atWork,
    };
  }

  #atWork(): ActiveWork {
    return {
      sessions: this.#sessions,
      locks: this.#locks,
      workflows: this.#workflows,
      isOpenChange: (id) => this.#before.isOpenChange(id),
      lease: (workflow) => {
        const lease = this.#lease(workflow);
        return lease && { ...lease, isLive: lease.isLive && !lease.isGivenUp };
      },
    };
  }

  #lease(workflow: string): FoldedLease | undefined {
    if (!this.#leases.has(workflow)) {
      const lease = this.#before.lease(workflow);
      this.#leases.set(workflow, lease && { ...lease, isGivenUp: false });
    }
    return this.#leases.get(workflow);
  }

  /** Records activity of a session. Returns false for late events of an ended session. */
  #meet({ event, session: id, at, told }: JournalLine): boolean {
    const known = this.#sessions.get(id);
    const isBack = event === "SessionStart" || event === "UserPromptSubmit" || event === "PostToolUse";
    if (known?.ended_at !== undefined && !isBack) return false;
    if (known === undefined && event === "SessionEnd") return false;
    if (known === undefined || known.ended_at !== undefined) {
      this.#sessionsMet.push({ kind: "session.started", subject: id });
    }
    const { ended_at: _, ...session } = known ?? { id, checkout: this.#checkout, started_at: at, seen_at: at };
    this.#sessions.set(id, {
      ...session,
      seen_at: at > session.seen_at ? at : session.seen_at,
      ...(told === undefined ? {} : { told: [...new Set([...(session.told ?? []), told])] }),
    });
    return true;
  }

  /** An editing session without its own work joins the project's current work. */
  #join({ session: id, ageMs }: JournalLine): string | undefined {
    const work = findSessionWork(id, this.#atWork());
    const session = this.#sessions.get(id);
    if (work === undefined || session === undefined || session.current === work) return work;
    const { token: _, tree: __, ...kept } = session;
    const left = SESSION_TTL_MS - ageMs;
    const token = left > 0 ? this.#grant(work, id, left) : undefined;
    this.#sessions.set(id, { ...kept, current: work, ...(token === undefined ? {} : { token }) });
    // Once two sessions work in one folder, differences no longer show which of them made a change.
    for (const [other, { tree, ...others }] of this.#sessions) {
      if (other !== id && tree !== undefined && others.checkout === kept.checkout && others.current !== work)
        this.#sessions.set(other, others);
    }
    return work;
  }

  #renew({ event, session: id, at, ageMs }: JournalLine, work: string): void {
    const session = this.#sessions.get(id);
    const lease = this.#lease(work);
    if (session?.current !== work || !isUnfinishedWork(work, this.#atWork())) return;
    const isTakenOver = lease !== undefined && session.token !== undefined && lease.token > session.token;
    const isAnothers = lease?.isLive === true && !lease.isGivenUp && lease.holder !== id;
    if (isTakenOver || isAnothers) return;
    const left = SESSION_TTL_MS - ageMs;
    if (left > 0) this.#sessions.set(id, { ...session, token: this.#grant(work, id, left) });
    const record = this.#workflows.get(work);
    if (record?.timebox && event !== "Stop" && event !== "SubagentStop")
      this.#workflows.set(work, setWorkflowTimebox(record, resumeTimebox(record.timebox, at)));
  }

  /** Predicts the token of the ledger, which gives a new one only to a new holder. */
  #grant(workflow: string, holder: string, ttlMs: number): number {
    const lease = this.#lease(workflow);
    const isSame = lease !== undefined && lease.holder === holder && lease.isLive;
    const token = (lease?.token ?? 0) + (isSame ? 0 : 1);
    const last = this.#grants.findLast((grant) => grant.workflow === workflow);
    if (last?.holder === holder) last.ttlMs = ttlMs;
    else this.#grants.push({ workflow, holder, ttlMs });
    this.#leases.set(workflow, { holder, token, isLive: true, isGivenUp: false });
    return token;
  }

  #end({ session: id, at }: JournalLine): void {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    this.#sessions.set(id, { ...session, ended_at: at });
    this.#sessionsMet.push({ kind: "session.ended", subject: id });
    const lease = session.current === undefined ? undefined : this.#lease(session.current);
    if (session.current === undefined || lease?.holder !== id) return;
    this.#leases.set(session.current, { ...lease, isGivenUp: true });
    const record = this.#workflows.get(session.current);
    if (record?.timebox?.running_since !== undefined)
      this.#workflows.set(session.current, setWorkflowTimebox(record, pauseTimebox(record.timebox, at)));
  }

  /** Edited paths belong to the work of the editing session. Paths held by other work stay theirs and are reported. */
  #lock({ paths, at }: JournalLine, work: string | undefined): void {
    if (work === undefined) return;
    for (const path of paths) {
      const held = this.#locksOn(path);
      if (held.some((lock) => lock.workflow === work)) continue;
      const others = findLockConflicts([path], work, held).filter(({ lock }) =>
        isUnfinishedWork(lock.workflow, this.#before),
      );
      for (const { lock } of others) this.#overlap(work, lock.workflow, path);
      if (others.length > 0) continue;
      const lock: FileLock = { workflow: work, path, at, how: "edit" };
      this.#locks.set(formatLockKey(lock), lock);
      this.#index(lock);
      this.#taken.set(work, (this.#taken.get(work) ?? new Set()).add(path));
    }
  }

  #index(lock: FileLock): void {
    if (!isLockHeld(lock)) return;
    if (lock.how === "claim" && isGlobPattern(lock.path)) this.#patterns.push(lock);
    else this.#byPath.set(lock.path, [...(this.#byPath.get(lock.path) ?? []), lock]);
  }

  #locksOn(path: string): FileLock[] {
    const plain = isGlobPattern(path) ? [...this.#byPath.values()].flat() : (this.#byPath.get(path) ?? []);
    return [...plain, ...this.#patterns].filter((lock) => isPathLocked(lock, path));
  }

  #overlap(subject: string, holder: string, path: string): void {
    const key = `${subject} ${holder}`;
    const found = this.#overlaps.get(key) ?? { subject, holder, paths: new Set() };
    found.paths.add(path);
    this.#overlaps.set(key, found);
  }
}

const setWorkflowTimebox = (record: WorkflowRecord, timebox: NonNullable<WorkflowRecord["timebox"]>): WorkflowRecord =>
  record.timebox === timebox ? record : { ...record, timebox };

function isSessionExpired({ id, current, seen_at }: WorkSession, atWork: ActiveWork, now: string): boolean {
  const isOld = id !== DEFAULT_SESSION_ID && countDaysBetween(seen_at, now) > SESSION_RETENTION_DAYS;
  return isOld && (current === undefined || !isUnfinishedWork(current, atWork));
}

function listChangedValues<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): T[] {
  return [...after].filter(([key, value]) => before.get(key) !== value).map(([, value]) => value);
}
