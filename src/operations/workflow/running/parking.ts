import type { WorkflowSnapshot } from "#domain/workflow/record.ts";
import { isActiveWorkflow } from "#domain/workflow/workflow.ts";
import { findTakeoverLease } from "#domain/workflow/sessions.ts";
import type { Engine } from "../../engine.ts";
import type { LockedStoreTree } from "../../ports/store.ts";
import { ROLLBACK_SPACE } from "../spaces.ts";
import type { WorkflowDraft } from "./draft.ts";
import { storeSnapshot, listWorkflowSnapshots, takeWorkflowSnapshot } from "./keeping-files.ts";
import { lockSessionWork, detectSessionWork, type SessionWork, addSessionLocks } from "./own-work.ts";
import type { WorkRuntime } from "./runtime.ts";

export interface ParkedWork {
  readonly work?: SessionWork | undefined;
  readonly snapshot?: WorkflowSnapshot | undefined;
  readonly tree?: string | undefined;
}

/** Runs outside the store lock, because git is slow. */
export async function parkSessionWork(engine: Engine, runtime: WorkRuntime, session: string): Promise<ParkedWork> {
  const work = await detectSessionWork(engine, runtime, session);
  const tree = work?.tree ?? ((await engine.snapshots.isPossible()) ? await engine.snapshots.tree() : undefined);
  const record = work && runtime.workflows.get(work.workflow);
  const hasMoved =
    record !== undefined && isActiveWorkflow(record) && listWorkflowSnapshots(runtime, record.id).at(-1)?.tree !== tree;
  return {
    work,
    tree,
    snapshot: hasMoved
      ? await takeWorkflowSnapshot(engine, addSessionLocks(runtime, work), record, "switch")
      : undefined,
  };
}

/**
 * Runs under the store lock. Returns snapshots to drop, including one of work that ended or is being rolled back
 * meanwhile.
 */
export function storeParkedWork(
  draft: WorkflowDraft,
  tree: LockedStoreTree,
  session: string,
  { work, snapshot }: ParkedWork,
): WorkflowSnapshot[] {
  const id = work?.workflow;
  const record = id === undefined ? undefined : draft.workflow(id);
  const isChange = id !== undefined && draft.runtime.changes.some((change) => change.id === id);
  const isOver = record ? !isActiveWorkflow(record) || tree.kept(ROLLBACK_SPACE).has(record.id) : !isChange;
  const isTaken = id !== undefined && findTakeoverLease(id, session, draft.runtime.sessions, draft.runtime.lease(id));
  if (isOver || isTaken) return snapshot ? [snapshot] : [];
  lockSessionWork(draft, work);
  return storeSnapshot(draft, snapshot);
}
