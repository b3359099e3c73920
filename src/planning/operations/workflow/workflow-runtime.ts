import type { EngineClock } from "#kernel/operations/engine.ts";
import type { SteadyMoment } from "#kernel/model/utc-time.ts";
import type { ChangeRecord } from "../../model/change/change-record.ts";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";
import { findSessionWork } from "../../model/workflow/journal-fold.ts";
import { isLockHeld, formatLockKey } from "../../model/workflow/file-locks.ts";
import { sortWorkQueue, type QueueItem, getDefaultPriority } from "../../model/workflow/work-queue.ts";
import type { FileLock, WorkSession, WorkflowSnapshot, WorkflowRecord } from "../../model/workflow/workflow-record.ts";
import {
  DEFAULT_SESSION_ID,
  findClientSession,
  formatLeaseName,
  findWorkflowActivity,
  SESSION_TTL_MS,
} from "../../model/workflow/work-sessions.ts";
import {
  isActiveWorkflow,
  createNoCurrentWorkflowFault,
  createUnknownWorkflowFault,
} from "../../model/workflow/workflow-lifecycle.ts";
import { CHANGES_FOLDER } from "#kernel/model/workspace-paths.ts";
import { loadChangeRecords } from "../change/change-records.ts";
import type { PlanningEngine } from "../engine.ts";
import { type CallingProgram, UNKNOWN_CALLER } from "../ports/caller.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type {
  LockedStoreTree,
  StoreTree,
  LeaseGrant,
  LedgerEntry,
  LedgerSpace,
  StoreOccurrence,
  StorePlan,
  StoreStep,
} from "#store/operations/ports/store.ts";
import {
  LOCK_SPACE,
  PRIORITY_SPACE,
  SESSION_SPACE,
  SNAPSHOT_SPACE,
  WORK_SPACE,
  WORKFLOW_SPACE,
} from "./ledger-spaces.ts";

export type WorkRuntime = ReturnType<typeof loadWorkRuntime>;

/** All work in progress. A lock counts as released when its workflow has ended. */
export function loadWorkRuntime(tree: StoreTree) {
  let changes: readonly ChangeRecord[] | undefined;
  let locks: readonly FileLock[] | undefined;
  return {
    workflows: tree.kept(WORKFLOW_SPACE),
    /** Read when first asked for: each change is a file, and few calls need them. */
    get changes(): readonly ChangeRecord[] {
      return (changes ??= loadChangeRecords(tree, [CHANGES_FOLDER])
        .changes.map(({ record }) => record)
        .filter(({ status }) => status === "active"));
    },
    get locks(): readonly FileLock[] {
      return (locks ??= releaseEndedLocks([...tree.kept(LOCK_SPACE).values()], this));
    },
    sessions: tree.kept(SESSION_SPACE),
    snapshots: [...tree.kept(SNAPSHOT_SPACE).values()],
    priorities: tree.kept(PRIORITY_SPACE),
    bases: tree.kept(WORK_SPACE),
    lease: (workflow: string) => tree.lease(formatLeaseName(workflow)),
  };
}

/** The end time is unknown, so the lock counts against every rollback. */
export const UNKNOWN_END_TIME = "9999-12-31T23:59:59Z";

/** Change operations do not release locks. */
export function releaseEndedLocks(
  locks: readonly FileLock[],
  work: { readonly workflows: ReadonlyMap<string, WorkflowRecord>; readonly changes: readonly ChangeRecord[] },
): FileLock[] {
  const isOver = (id: string): boolean => {
    const workflow = work.workflows.get(id);
    return workflow ? !isActiveWorkflow(workflow) : !work.changes.some((change) => change.id === id);
  };
  return locks.map((lock) =>
    isLockHeld(lock) && isOver(lock.workflow) ? { ...lock, released_at: UNKNOWN_END_TIME } : lock,
  );
}

/** The session's own work, or the project's current work if no other session has it. */
export const findCurrentWork = (runtime: WorkRuntime, session: string) =>
  findSessionWork(session, {
    sessions: runtime.sessions,
    workflows: runtime.workflows,
    lease: runtime.lease,
    locks: new Map(),
    isOpenChange: (id) => runtime.changes.some((change) => change.id === id),
  });

export function listWorkQueue({ workflows, changes, priorities }: WorkRuntime): QueueItem[] {
  return sortWorkQueue([
    ...[...workflows.values()].filter(isActiveWorkflow).map(createQueueItem),
    ...changes.map((change): QueueItem => ({
      id: change.id,
      kind: "change",
      title: change.description,
      stage: change.current_stage,
      priority: priorities.get(change.id) ?? getDefaultPriority("change"),
      started_at: change.created_at,
      updated_at: change.updated_at,
    })),
  ]);
}

export function createQueueItem(record: WorkflowRecord): QueueItem {
  const { id, kind, title, current_stage: stage, priority, started_at, updated_at } = record;
  return { id, kind, title, stage, priority, started_at, updated_at };
}

export const listLockedPaths = ({ locks }: WorkRuntime, id: string): string[] =>
  locks.filter((lock) => lock.workflow === id && isLockHeld(lock)).map(({ path }) => path);

export const findWorkActivity = ({ sessions, lease }: WorkRuntime, id: string) =>
  findWorkflowActivity(id, sessions.values(), lease(id));

/** The named workflow, or the current one of the session. `operation` is the call to suggest if there is none. */
export function resolveWorkflow(
  runtime: WorkRuntime,
  { id, session }: { readonly id?: string | undefined; readonly session: string },
  operation: string,
): WorkflowRecord {
  const unfinished = listWorkQueue(runtime).filter(({ kind }) => kind !== "change");
  const current = findCurrentWork(runtime, session);
  const only = unfinished.length === 1 ? unfinished[0]?.id : undefined;
  // A change may be current, too.
  const name = id ?? (current !== undefined && runtime.workflows.has(current) ? current : only);
  if (name === undefined) throw createNoCurrentWorkflowFault(unfinished, operation);
  const found = runtime.workflows.get(name);
  if (found) return found;
  if (!runtime.changes.some((change) => change.id === name)) throw createUnknownWorkflowFault(name, unfinished);
  throw new Fault("workflow.not-a-workflow", {
    what: `${quote(name, 64)} was not changed.`,
    why: "It is a change, not a workflow.",
    fix: [
      { operation: "change.advance", input: { change_id: name, content: "…" } },
      { operation: "change.status", input: { change_id: name } },
    ],
  });
}

export function resolveQueueItem(runtime: WorkRuntime, id: string): QueueItem {
  const workflow = runtime.workflows.get(id);
  if (workflow && isActiveWorkflow(workflow)) return createQueueItem(workflow);
  const queue = listWorkQueue(runtime);
  const found = queue.find((item) => item.id === id);
  if (found) return found;
  if (!workflow) throw createUnknownWorkflowFault(id, queue);
  throw new Fault("flow.not-active", {
    what: `${id} is not in progress.`,
    why: `It is ${workflow.status}.`,
    fix: { operation: "workflow.status", input: { id } },
  });
}

/** The session of a call about workflows. A call that names none belongs to the session of its client. */
export function resolveCallSession(
  { session, caller }: Pick<PlanningEngine, "session" | "caller">,
  said: string | undefined,
  sessions: ReadonlyMap<string, WorkSession>,
): string {
  if (said !== undefined) caller.note(said);
  const known = said ?? (session === DEFAULT_SESSION_ID ? undefined : session);
  if (known !== undefined) return known;
  const options = { isConnection: caller.name !== undefined, isGone: (mark: string) => caller.isGone(mark) };
  const linked = findClientSession(caller.clients(), sessions.values(), options);
  return linked ?? caller.given ?? caller.name ?? DEFAULT_SESSION_ID;
}

/** Collects the changes of one write and shows their effect before it happens. */
export class WorkflowDraft {
  readonly runtime: WorkRuntime;
  readonly at: string;
  readonly steady: SteadyMoment | undefined;
  readonly #keeps = new Map<string, LedgerEntry>();
  readonly #grants = new Map<string, LeaseGrant>();
  readonly #releases = new Set<string>();
  readonly #occurrences: StoreOccurrence[] = [];
  readonly #steps: StoreStep[] = [];
  readonly #counters: Record<string, number> = {};

  readonly #caller: CallingProgram;

  constructor(runtime: WorkRuntime, clock: EngineClock, caller: CallingProgram = UNKNOWN_CALLER) {
    this.runtime = runtime;
    this.at = clock.now();
    this.steady = clock.steady?.();
    this.#caller = caller;
  }

  /** Marks a session as that of the calling connection, unless hooks have named its process. */
  identify<Session extends Partial<WorkSession>>(session: Session): Session {
    const { gone_at: _, ...rest } = session;
    const mark = session.hooked && session.mark ? undefined : this.#caller.mark();
    const [client] = mark === undefined ? [] : this.#caller.clients();
    return {
      ...rest,
      ...(mark === undefined ? {} : { mark }),
      ...(client === undefined ? {} : { client }),
    } as Session;
  }

  workflow = (id: string): WorkflowRecord | undefined =>
    this.#kept(WORKFLOW_SPACE, id) ?? this.runtime.workflows.get(id);
  session = (id: string): WorkSession | undefined => this.#kept(SESSION_SPACE, id) ?? this.runtime.sessions.get(id);

  putWorkflow = (record: WorkflowRecord): void => this.put(WORKFLOW_SPACE, record.id, record);
  putSession = (session: WorkSession): void => this.put(SESSION_SPACE, session.id, session);
  putLock = (lock: FileLock): void => this.put(LOCK_SPACE, formatLockKey(lock), lock);
  dropLock = (lock: FileLock): void => this.put(LOCK_SPACE, formatLockKey(lock), undefined);
  putSnapshot = (snapshot: WorkflowSnapshot): void => this.put(SNAPSHOT_SPACE, formatSnapshotKey(snapshot), snapshot);
  dropSnapshot = (snapshot: WorkflowSnapshot): void => this.put(SNAPSHOT_SPACE, formatSnapshotKey(snapshot), undefined);

  put<T>(space: LedgerSpace<T>, key: string, value: T | undefined): void {
    this.keep({ space: space.name, key, ...(value === undefined ? {} : { value }) });
  }

  /** Adds the steps, counters and events of a plan to this write. Returns its result. */
  include<T>({ steps, counters = {}, occurrences, result }: StorePlan<T>): T {
    this.#steps.push(...steps);
    Object.assign(this.#counters, counters);
    this.#occurrences.push(...occurrences);
    return result;
  }

  keep(entry: LedgerEntry): void {
    this.#keeps.set(`${entry.space} ${entry.key}`, entry);
  }

  #kept<T>({ name }: LedgerSpace<T>, key: string): T | undefined {
    return this.#keeps.get(`${name} ${key}`)?.value as T | undefined;
  }

  grant(workflow: string, holder: string): void {
    this.#releases.delete(formatLeaseName(workflow));
    this.#grants.set(workflow, { name: formatLeaseName(workflow), holder, ttlMs: SESSION_TTL_MS });
  }

  release(workflow: string): void {
    this.#grants.delete(workflow);
    this.#releases.add(formatLeaseName(workflow));
  }

  step(...steps: readonly StoreStep[]): void {
    this.#steps.push(...steps);
  }

  say(kind: string, subject: string, data?: Readonly<Record<string, unknown>>): void {
    this.#occurrences.push({ kind, subject, ...(data ? { data } : {}) });
  }

  /** Without an event nothing is written. Session activity alone does not justify a write. */
  plan<T>(result: T): StorePlan<T> {
    if (this.#occurrences.length === 0) return { steps: [], occurrences: [], result };
    return {
      steps: this.#steps,
      occurrences: this.#occurrences,
      counters: this.#counters,
      keeps: [...this.#keeps.values()],
      grants: [...this.#grants.values()],
      releases: [...this.#releases],
      result,
    };
  }
}

/** Writes what `decide` puts into a draft. */
export const commitDraft = <T>(engine: PlanningEngine, decide: (draft: WorkflowDraft, tree: LockedStoreTree) => T) =>
  commitStoreWrite(engine, (tree) => {
    const draft = new WorkflowDraft(loadWorkRuntime(tree), engine.clock, engine.caller);
    return draft.plan(decide(draft, tree));
  });

const formatSnapshotKey = ({ workflow, n }: WorkflowSnapshot): string => `${workflow} ${String(n).padStart(6, "0")}`;
