import { formatLockKey } from "#domain/workflow/locks.ts";
import type { FileLock, WorkSession, WorkflowSnapshot, WorkflowRecord } from "#domain/workflow/record.ts";
import { formatLeaseName, SESSION_TTL_MS } from "#domain/workflow/sessions.ts";
import type { LeaseGrant, LedgerEntry, StoreOccurrence, StorePlan, StoreStep } from "../../ports/store.ts";
import {
  LOCK_SPACE,
  PRIORITY_SPACE,
  ROLLBACK_SPACE,
  SESSION_SPACE,
  SNAPSHOT_SPACE,
  WORKFLOW_SPACE,
  type PendingRollback,
} from "../spaces.ts";
import type { WorkRuntime } from "./runtime.ts";

/** Collects the changes of one write and shows their effect before it happens. */
export class WorkflowDraft {
  readonly runtime: WorkRuntime;
  readonly at: string;
  readonly #keeps = new Map<string, LedgerEntry>();
  readonly #grants = new Map<string, LeaseGrant>();
  readonly #releases = new Set<string>();
  readonly #occurrences: StoreOccurrence[] = [];
  readonly #steps: StoreStep[] = [];
  readonly #counters: Record<string, number> = {};

  constructor(runtime: WorkRuntime, at: string) {
    this.runtime = runtime;
    this.at = at;
  }

  workflow(id: string): WorkflowRecord | undefined {
    return (this.#kept(WORKFLOW_SPACE.name, id) as WorkflowRecord | undefined) ?? this.runtime.workflows.get(id);
  }

  session(id: string): WorkSession | undefined {
    return (this.#kept(SESSION_SPACE.name, id) as WorkSession | undefined) ?? this.runtime.sessions.get(id);
  }

  putWorkflow(record: WorkflowRecord): void {
    this.#keep(WORKFLOW_SPACE.name, record.id, record);
  }

  putSession(session: WorkSession): void {
    this.#keep(SESSION_SPACE.name, session.id, session);
  }

  putLock(lock: FileLock): void {
    this.#keep(LOCK_SPACE.name, formatLockKey(lock), lock);
  }

  dropLock(lock: FileLock): void {
    this.#keep(LOCK_SPACE.name, formatLockKey(lock), undefined);
  }

  putSnapshot(snapshot: WorkflowSnapshot): void {
    this.#keep(SNAPSHOT_SPACE.name, formatSnapshotKey(snapshot), snapshot);
  }

  dropSnapshot(snapshot: WorkflowSnapshot): void {
    this.#keep(SNAPSHOT_SPACE.name, formatSnapshotKey(snapshot), undefined);
  }

  putPriority(change: string, priority: number): void {
    this.#keep(PRIORITY_SPACE.name, change, priority);
  }

  putRollback(workflow: string, pending: PendingRollback | undefined): void {
    this.#keep(ROLLBACK_SPACE.name, workflow, pending);
  }

  grant(workflow: string, holder: string): void {
    this.#releases.delete(formatLeaseName(workflow));
    this.#grants.set(workflow, { name: formatLeaseName(workflow), holder, ttlMs: SESSION_TTL_MS });
  }

  release(workflow: string): void {
    this.#grants.delete(workflow);
    this.#releases.add(formatLeaseName(workflow));
  }

  keep({ space, key, value }: LedgerEntry): void {
    this.#keep(space, key, value);
  }

  step(...steps: readonly StoreStep[]): void {
    this.#steps.push(...steps);
  }

  count(name: string, value: number): void {
    this.#counters[name] = value;
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

  #keep(space: string, key: string, value: unknown): void {
    this.#keeps.set(`${space} ${key}`, { space, key, ...(value === undefined ? {} : { value }) });
  }

  #kept(space: string, key: string): unknown {
    return this.#keeps.get(`${space} ${key}`)?.value;
  }
}

const formatSnapshotKey = ({ workflow, n }: WorkflowSnapshot): string => `${workflow} ${String(n).padStart(6, "0")}`;
