import type { ChangeRecord } from "#domain/change/record.ts";
import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import { workOf } from "#domain/workflow/fold.ts";
import { isHeld } from "#domain/workflow/locks.ts";
import { inOrder, type QueueItem, usualPriority } from "#domain/workflow/queue.ts";
import type { Lock, Session, Snapshot, WorkflowRecord } from "#domain/workflow/record.ts";
import { NOBODY } from "#domain/workflow/session-name.ts";
import { leaseName, type Standing, standingOf } from "#domain/workflow/sessions.ts";
import { isUnfinished, noneCurrent, unknownWorkflow } from "#domain/workflow/workflow.ts";
import { CHANGES } from "#domain/workspace/path.ts";
import { loadChangeRecords } from "../../change/census.ts";
import type { HeldLease, Tree } from "../../ports/store.ts";
import { LOCKS, PRIORITIES, SESSIONS, SNAPSHOTS, WORKFLOWS } from "../spaces.ts";

export interface Runtime {
  readonly workflows: ReadonlyMap<string, WorkflowRecord>;
  readonly changes: readonly ChangeRecord[];
  /** All locks. A lock counts as released when its workflow has ended. */
  readonly locks: readonly Lock[];
  readonly sessions: ReadonlyMap<string, Session>;
  readonly snapshots: readonly Snapshot[];
  readonly priorities: ReadonlyMap<string, number>;
  readonly lease: (workflow: string) => HeldLease | undefined;
}

export function runtimeIn(tree: Tree): Runtime {
  const workflows = tree.kept(WORKFLOWS);
  const changes = loadChangeRecords(tree, [CHANGES])
    .changes.map(({ record }) => record)
    .filter(({ status }) => status === "active");
  return {
    workflows,
    changes,
    locks: releasedWhereEnded([...tree.kept(LOCKS).values()], { workflows, changes }),
    sessions: tree.kept(SESSIONS),
    snapshots: [...tree.kept(SNAPSHOTS).values()],
    priorities: tree.kept(PRIORITIES),
    lease: (workflow) => tree.lease(leaseName(workflow)),
  };
}

/** The end time is unknown, so the lock counts against every rollback. */
export const ENDED_UNSEEN = "9999-12-31T23:59:59Z";

/** Change operations do not release locks. */
export function releasedWhereEnded(
  locks: readonly Lock[],
  { workflows, changes }: Pick<Runtime, "workflows" | "changes">,
): Lock[] {
  const active = new Set([...[...workflows.values()].filter(isUnfinished), ...changes].map(({ id }): string => id));
  return locks.map((lock) =>
    isHeld(lock) && !active.has(lock.workflow) ? { ...lock, released_at: ENDED_UNSEEN } : lock,
  );
}

/** The session's own work, or the project's current work if no other session has it. */
export const currentIn = ({ sessions, workflows, changes, lease }: Runtime, session: string): string | undefined =>
  workOf(session, {
    sessions,
    workflows,
    lease,
    locks: new Map(),
    isOpenChange: (id) => changes.some((change) => change.id === id),
  });

export function queueIn({ workflows, changes, priorities }: Runtime): QueueItem[] {
  return inOrder([
    ...[...workflows.values()].filter(isUnfinished).map(asItem),
    ...changes.map((change): QueueItem => ({
      id: change.id,
      kind: "change",
      title: change.description,
      stage: change.current_stage,
      priority: priorities.get(change.id) ?? usualPriority("change"),
      started_at: change.created_at,
      updated_at: change.updated_at,
    })),
  ]);
}

const asItem = ({ id, kind, title, current_stage, priority, started_at, updated_at }: WorkflowRecord): QueueItem => ({
  id,
  kind,
  title,
  stage: current_stage,
  priority,
  started_at,
  updated_at,
});

export const standingIn = (runtime: Runtime, id: string): { standing: Standing; session?: Session } =>
  standingOf(id, runtime.sessions.values(), runtime.lease(id));

/** The named workflow, or the current one of the session. `operation` is the call to suggest if there is none. */
export function chooseWorkflow(
  runtime: Runtime,
  { id, session }: { readonly id?: string | undefined; readonly session: string },
  operation: string,
): WorkflowRecord {
  const unfinished = queueIn(runtime).filter(({ kind }) => kind !== "change");
  const name = id ?? currentIn(runtime, session) ?? (unfinished.length === 1 ? unfinished[0]?.id : undefined);
  if (name === undefined)
    throw noneCurrent(
      unfinished.map((item) => item.id),
      operation,
    );
  const found = runtime.workflows.get(name);
  if (found) return found;
  if (runtime.changes.some((change) => change.id === name)) throw isChange(name);
  throw unknownWorkflow(
    name,
    unfinished.map((item) => item.id),
  );
}

export function chooseItem(runtime: Runtime, id: string): QueueItem {
  const queue = queueIn(runtime);
  const found = queue.find((item) => item.id === id);
  if (found) return found;
  const ended = runtime.workflows.get(id);
  if (!ended)
    throw unknownWorkflow(
      id,
      queue.map((item) => item.id),
    );
  throw new Fault("flow.not-active", {
    what: `${id} is not under way.`,
    why: `It is ${ended.status}.`,
    fix: { operation: "workflow.status", input: { id } },
  });
}

function isChange(id: string): Fault {
  return new Fault("workflow.not-a-workflow", {
    what: `${quote(id, 64)} was not touched.`,
    why: "It is a change, which has stages and artifacts of its own.",
    fix: [
      { operation: "change.advance", input: { change_id: id, content: "…" } },
      { operation: "change.status", input: { change_id: id } },
    ],
  });
}

export const sessionIn = (engine: { readonly session: string }, said: string | undefined): string =>
  said ?? engine.session ?? NOBODY;
