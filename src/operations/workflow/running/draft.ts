import { lockKey } from "#domain/workflow/locks.ts";
import type { Lock, Session, Snapshot, WorkflowRecord } from "#domain/workflow/record.ts";
import { leaseName, SESSION_TTL_MS } from "#domain/workflow/sessions.ts";
import type { Grant, Keeping, Occurrence, Plan, Step } from "../../ports/store.ts";
import { LOCKS, PRIORITIES, ROLLBACKS, SESSIONS, SNAPSHOTS, WORKFLOWS, type PendingRollback } from "../spaces.ts";
import type { Runtime } from "./runtime.ts";

/** Collects the changes of one write and shows their effect before it happens. */
export class Draft {
  readonly runtime: Runtime;
  readonly at: string;
  readonly #keeps = new Map<string, Keeping>();
  readonly #grants = new Map<string, Grant>();
  readonly #releases = new Set<string>();
  readonly #occurrences: Occurrence[] = [];
  readonly #steps: Step[] = [];
  readonly #counters: Record<string, number> = {};

  constructor(runtime: Runtime, at: string) {
    this.runtime = runtime;
    this.at = at;
  }

  workflow(id: string): WorkflowRecord | undefined {
    return (this.#kept(WORKFLOWS.name, id) as WorkflowRecord | undefined) ?? this.runtime.workflows.get(id);
  }

  session(id: string): Session | undefined {
    return (this.#kept(SESSIONS.name, id) as Session | undefined) ?? this.runtime.sessions.get(id);
  }

  putWorkflow(record: WorkflowRecord): void {
    this.#keep(WORKFLOWS.name, record.id, record);
  }

  putSession(session: Session): void {
    this.#keep(SESSIONS.name, session.id, session);
  }

  putLock(lock: Lock): void {
    this.#keep(LOCKS.name, lockKey(lock), lock);
  }

  dropLock(lock: Lock): void {
    this.#keep(LOCKS.name, lockKey(lock), undefined);
  }

  putSnapshot(snapshot: Snapshot): void {
    this.#keep(SNAPSHOTS.name, snapshotKey(snapshot), snapshot);
  }

  dropSnapshot(snapshot: Snapshot): void {
    this.#keep(SNAPSHOTS.name, snapshotKey(snapshot), undefined);
  }

  putPriority(change: string, priority: number): void {
    this.#keep(PRIORITIES.name, change, priority);
  }

  putRollback(workflow: string, pending: PendingRollback | undefined): void {
    this.#keep(ROLLBACKS.name, workflow, pending);
  }

  grant(workflow: string, holder: string): void {
    this.#releases.delete(leaseName(workflow));
    this.#grants.set(workflow, { name: leaseName(workflow), holder, ttlMs: SESSION_TTL_MS });
  }

  release(workflow: string): void {
    this.#grants.delete(workflow);
    this.#releases.add(leaseName(workflow));
  }

  keep({ space, key, value }: Keeping): void {
    this.#keep(space, key, value);
  }

  step(...steps: readonly Step[]): void {
    this.#steps.push(...steps);
  }

  count(name: string, value: number): void {
    this.#counters[name] = value;
  }

  say(kind: string, subject: string, data?: Readonly<Record<string, unknown>>): void {
    this.#occurrences.push({ kind, subject, ...(data ? { data } : {}) });
  }

  /** Without an event nothing is written. Session activity alone does not justify a write. */
  plan<T>(result: T): Plan<T> {
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

const snapshotKey = ({ workflow, n }: Snapshot): string => `${workflow} ${String(n).padStart(6, "0")}`;
