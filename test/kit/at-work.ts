import type { WorkflowKind, FileLock, WorkSession, WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import { parseWorkflowId } from "#kernel/model/workflow-id.ts";
import { formatLockKey } from "#planning/model/workflow/file-locks.ts";
import { formatLeaseName } from "#planning/model/workflow/work-sessions.ts";
import { createWorkflowRecord } from "#planning/model/workflow/workflow-lifecycle.ts";
import type { Engine } from "#doors/engine.ts";
import { LOCK_SPACE, SESSION_SPACE, WORKFLOW_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";

/** What a workspace has under way, as operations would have left it. */
export interface Staged {
  readonly workflows?: readonly WorkflowRecord[];
  readonly sessions?: readonly WorkSession[];
  readonly locks?: readonly FileLock[];
  /** Who holds the lease of which workflow, for how long. */
  readonly leases?: readonly (readonly [workflow: string, holder: string, ttlMs: number])[];
}

export const STAGED_AT = "2026-01-31T10:00:00Z";

export const workflow = (id: string, kind: WorkflowKind, changes: Partial<WorkflowRecord> = {}): WorkflowRecord => ({
  ...createWorkflowRecord({ id: parseWorkflowId(id), kind, title: `What ${id} is about` }, STAGED_AT),
  ...changes,
});

export const session = (id: string, changes: Partial<WorkSession> = {}): WorkSession => ({
  id,
  checkout: "main",
  started_at: STAGED_AT,
  seen_at: STAGED_AT,
  ...changes,
});

export const lock = (holder: string, path: string, changes: Partial<FileLock> = {}): FileLock => ({
  workflow: holder,
  path,
  at: STAGED_AT,
  how: "edit",
  ...changes,
});

export function stage({ store }: Pick<Engine, "store">, staged: Staged): Promise<void> {
  const { workflows = [], sessions = [], locks = [], leases = [] } = staged;
  return store.write(() => ({
    steps: [],
    keeps: [
      ...workflows.map((value) => ({ space: WORKFLOW_SPACE.name, key: value.id, value })),
      ...sessions.map((value) => ({ space: SESSION_SPACE.name, key: value.id, value })),
      ...locks.map((value) => ({ space: LOCK_SPACE.name, key: formatLockKey(value), value })),
    ],
    grants: leases.map(([id, holder, ttlMs]) => ({ name: formatLeaseName(id), holder, ttlMs })),
    occurrences: [{ kind: "test.staged", subject: "test" }],
    result: undefined,
  }));
}
