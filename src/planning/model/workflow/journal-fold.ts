import type { HeardAnswer } from "../approval/user-message.ts";
import { countDaysBetween, type SteadyMoment } from "#kernel/model/utc-time.ts";
import { findLockConflicts, isLockHeld, formatLockKey, isPathLocked } from "./file-locks.ts";
import { isGlobPattern } from "#kernel/model/path-glob.ts";
import type { FileLock, WorkSession, WorkflowRecord } from "./workflow-record.ts";
import { pauseTimebox, resumeTimebox } from "./workflow-record.ts";
import { DEFAULT_SESSION_ID, isHeldByOther, SESSION_TTL_MS, type WorkLease } from "./work-sessions.ts";

export const JOURNAL_EVENTS = [
  "SessionStart",
  "PreToolUse",
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
  readonly steady?: SteadyMoment;
  readonly paths: readonly string[];
  /** When each of the paths last changed, in milliseconds by the file system. 0 for a missing file. */
  readonly changed?: readonly number[] | undefined;
  /**
   * A shell command began or ended: the time in milliseconds, and the client's id of the call. `paths` are files that
   * changed since the last command of the session, or while this one ran.
   */
  readonly shell?: readonly [number, string] | undefined;
  readonly told?: string;
  /** The answers to open questions in the user's message. */
  readonly heard?: readonly HeardAnswer[];
  /** The process of the client that ran the hook. */
  readonly client?: string | undefined;
}

export interface ActiveWork {
  readonly sessions: ReadonlyMap<string, WorkSession>;
  readonly locks: ReadonlyMap<string, FileLock>;
  readonly workflows: ReadonlyMap<string, WorkflowRecord>;
  /** When each piece of work began, in milliseconds. Work of an earlier release does not have it. */
  readonly begun?: ReadonlyMap<string, number>;
  isOpenChange(id: string): boolean;
  lease(workflow: string): WorkLease | undefined;
}

const SESSION_RETENTION_DAYS = 30;
const MAX_OPEN_SHELLS = 16;
const MAX_SHELLS = 200;
const MAX_SHELL_CHANGES = 1000;
const MAX_MIXED = 200;
/** The record of a workflow gives its start to the second. */
const START_TOLERANCE_MS = 1000;

/** Whether a file that changed at this time was changed by one of these shell commands. */
export const isWithinShells = (time: number | undefined, shells: WorkSession["shells"] = []): boolean =>
  time !== undefined && shells.some(([from, to]) => from <= time && time <= to);

export const isUnfinishedWork = (id: string, atWork: ActiveWork): boolean =>
  atWork.workflows.has(id) ? atWork.workflows.get(id)?.status === "active" : atWork.isOpenChange(id);

/** The session's own unfinished work, or the project's, unless another live session has leased it. */
export function findSessionWork(session: string, atWork: ActiveWork): string | undefined {
  const own = atWork.sessions.get(session)?.current;
  if (own !== undefined && isUnfinishedWork(own, atWork)) return own;
  const common = atWork.sessions.get(DEFAULT_SESSION_ID)?.current;
  if (common === undefined || !isUnfinishedWork(common, atWork)) return undefined;
  const isTaken = session !== DEFAULT_SESSION_ID && isHeldByOther(atWork.lease(common), session, atWork.sessions);
  return isTaken ? undefined : common;
}

export function foldJournalLines(lines: readonly JournalLine[], atWork: ActiveWork, checkout: string, now: string) {
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
  readonly #sessionsMet: { kind: "session.started" | "session.ended"; subject: string }[] = [];
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
    this.#noteShell(line);
    if (line.event === "PreToolUse") return this.#noteFilesBefore(line);
    const isEdit = line.paths.length > 0 && !line.shell;
    const work = isEdit ? this.#join(line) : this.#sessions.get(line.session)?.current;
    if (isNews && work !== undefined) this.#renew(line, work);
    if (isEdit) this.#lock(line, work);
  }

  #change(id: string, change: (session: WorkSession) => Partial<WorkSession>): void {
    const session = this.#sessions.get(id);
    if (session) this.#sessions.set(id, { ...session, ...change(session) });
  }

  /** A command that was refused or cancelled never ends. The end of a turn forgets it. */
  #noteShell({ event, session, shell, paths, changed = [] }: JournalLine): void {
    const isTurnOver = event === "Stop" || event === "UserPromptSubmit" || event === "SessionStart";
    if (!shell && !isTurnOver) return;
    const [time, call] = shell ?? [0, ""];
    this.#change(session, ({ shells_open = [], shells = [], shell_changes = [], mixed = [] }) => {
      if (isTurnOver) return shells_open.length > 0 ? { shells_open: [] } : {};
      // Many paths make several lines of one command.
      const isNoted = shells_open.some(([id, begun]) => id === call && begun === time);
      if (event === "PreToolUse")
        return isNoted ? {} : { shells_open: [...shells_open, [call, time] as const].slice(-MAX_OPEN_SHELLS) };
      // Of a missing file only the time of its folder is known. It may have been missing before the command.
      const isOwn = (path: string, i: number): boolean => (changed[i] ?? 0) > 0 || !mixed.includes(path);
      const seen = paths.flatMap((path, i) => (isOwn(path, i) ? [[path, changed[i] || time] as const] : []));
      const changes = seen.length > 0 ? { shell_changes: [...shell_changes, ...seen].slice(-MAX_SHELL_CHANGES) } : {};
      const begun = shells_open.findLast(([id]) => id === call);
      if (!begun || begun[1] > time) return changes;
      const window = [begun[1], time] as const;
      return {
        ...changes,
        shells_open: shells_open.filter((each) => each !== begun),
        shells: [...shells, window].slice(-MAX_SHELLS),
      };
    });
  }

  /** A file that changed since the workflow began, but not by the session, also has changes of others. */
  #noteFilesBefore({ session: id, paths, changed = [], shell }: JournalLine): void {
    const work = findSessionWork(id, this.#atWork());
    if (work === undefined) return;
    const started = Date.parse(this.#workflows.get(work)?.started_at ?? "") + START_TOLERANCE_MS;
    const begun = this.#before.begun?.get(work) ?? started;
    const mixed = paths.filter((path, i) => {
      const lock = this.#locks.get(formatLockKey({ workflow: work, path }));
      const known = lock && isLockHeld(lock) ? lock.changed_ms : undefined;
      const time = changed[i] ?? 0;
      const { shells, shell_changes = [] } = this.#sessions.get(id) ?? {};
      if (shell && time === 0) return shell_changes.every(([each]) => each !== path);
      const isKnown = isWithinShells(time, shells) || time === known;
      return time > 0 && !isKnown && (known !== undefined || time > begun);
    });
    if (mixed.length > 0)
      this.#change(id, (session) => ({ mixed: [...new Set([...(session.mixed ?? []), ...mixed])].slice(-MAX_MIXED) }));
  }

  outcome(now: string) {
    const after = this.#atWork();
    const isExpired = ({ id, current, seen_at }: WorkSession): boolean =>
      id !== DEFAULT_SESSION_ID &&
      countDaysBetween(seen_at, now) > SESSION_RETENTION_DAYS &&
      (current === undefined || !isUnfinishedWork(current, after));
    const forgotten = [...this.#sessions.values()].filter(isExpired).map(({ id }) => id);
    for (const id of forgotten) this.#sessions.delete(id);
    return {
      sessions: listChangedValues(this.#before.sessions, this.#sessions),
      forgotten,
      locks: listChangedValues(this.#before.locks, this.#locks),
      workflows: listChangedValues(this.#before.workflows, this.#workflows),
      grants: this.#grants,
      releases: [...this.#leases].filter(([, lease]) => lease?.isGivenUp === true).map(([workflow]) => workflow),
      happened: [
        ...this.#sessionsMet,
        ...[...this.#taken].map(([subject, paths]) => ({ kind: "lock.taken", subject, data: { paths: [...paths] } })),
        ...[...this.#overlaps.values()].map(({ subject, holder, paths }) => ({
          kind: "lock.overlap",
          subject,
          data: { paths: [...paths], holder },
        })),
      ],
      after,
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
  #meet({ event, session: id, at, told, client }: JournalLine): boolean {
    const known = this.#sessions.get(id);
    const isBack = /^(?:SessionStart|UserPromptSubmit|PreToolUse|PostToolUse)$/.test(event);
    if (known?.ended_at !== undefined && !isBack) return false;
    if (known === undefined && event === "SessionEnd") return false;
    if (known === undefined || known.ended_at !== undefined)
      this.#sessionsMet.push({ kind: "session.started", subject: id });
    const {
      ended_at: _,
      gone_at: __,
      ...session
    } = known ?? { id, checkout: this.#checkout, started_at: at, seen_at: at };
    this.#sessions.set(id, {
      ...session,
      hooked: true,
      ...(event === "PostToolUse" ? { reports_edits: true as const } : {}),
      ...(client === undefined ? {} : nameProcess(session, event, client)),
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

  #renew({ event, session: id, at, ageMs, steady }: JournalLine, work: string): void {
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
      this.#workflows.set(work, { ...record, timebox: resumeTimebox(record.timebox, at, steady) });
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

  #end({ session: id, at, steady }: JournalLine): void {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    this.#sessions.set(id, { ...session, ended_at: at });
    this.#sessionsMet.push({ kind: "session.ended", subject: id });
    const lease = session.current === undefined ? undefined : this.#lease(session.current);
    if (session.current === undefined || lease?.holder !== id) return;
    this.#leases.set(session.current, { ...lease, isGivenUp: true });
    const record = this.#workflows.get(session.current);
    if (record?.timebox?.running_since !== undefined)
      this.#workflows.set(session.current, { ...record, timebox: pauseTimebox(record.timebox, at, steady) });
  }

  /** Edited paths belong to the work of the editing session. Paths held by other work stay theirs and are reported. */
  #lock({ session, paths, at, changed = [] }: JournalLine, work: string | undefined): void {
    if (work === undefined) return;
    for (const [i, path] of paths.entries()) {
      const held = this.#locksOn(path);
      const isMixed = this.#sessions.get(session)?.mixed?.includes(path) ?? false;
      const seen = {
        ...(changed[i] ? { changed_ms: changed[i] } : {}),
        ...(isMixed ? { is_mixed: true as const } : {}),
      };
      const own = held.find((lock) => lock.workflow === work && lock.path === path);
      // A reported edit is a better proof than a claim or a difference.
      const isNews = own && (own.how !== "edit" || own.changed_ms !== (seen.changed_ms ?? own.changed_ms) || isMixed);
      if (isNews && !own.is_shared) this.#putLock({ ...own, how: "edit", ...seen }, own);
      if (held.some((lock) => lock.workflow === work)) continue;
      const others = findLockConflicts([path], work, held).filter(({ lock }) =>
        isUnfinishedWork(lock.workflow, this.#before),
      );
      for (const { lock } of others) {
        const key = `${work} ${lock.workflow}`;
        const found = this.#overlaps.get(key) ?? { subject: work, holder: lock.workflow, paths: new Set() };
        this.#overlaps.set(key, { ...found, paths: found.paths.add(path) });
      }
      if (others.length > 0) continue;
      this.#putLock({ workflow: work, path, at, how: "edit", ...seen });
      this.#taken.set(work, (this.#taken.get(work) ?? new Set()).add(path));
    }
  }

  #putLock(lock: FileLock, before?: FileLock): void {
    this.#locks.set(formatLockKey(lock), lock);
    if (before)
      this.#byPath.set(
        lock.path,
        (this.#byPath.get(lock.path) ?? []).filter((each) => each !== before),
      );
    this.#index(lock);
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
}

/** A client that starts each hook through another short-lived process cannot be recognized by it. */
function nameProcess({ mark, hooked }: Partial<WorkSession>, event: JournalEventName, client: string) {
  const isNew = event === "SessionStart" || hooked === undefined || mark === undefined;
  const own = isNew || mark === client ? client : "";
  return { mark: own, client: own };
}

function listChangedValues<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): T[] {
  return [...after].filter(([key, value]) => before.get(key) !== value).map(([, value]) => value);
}
