import { isActiveWorkflow } from "#domain/workflow/workflow.ts";
import type { WorkflowDraft } from "./draft.ts";
import { dropWorkflowSnapshots } from "./keeping-files.ts";
import { UNKNOWN_END_TIME } from "./runtime.ts";
import { clearFinishedWork } from "./taking-up.ts";

/**
 * Releases the locks and drops the snapshots of finished work. Released locks are kept while older workflows run, so
 * that their rollbacks do not undo protected files.
 */
export function finishWork(draft: WorkflowDraft, id: string): void {
  const { locks, workflows } = draft.runtime;
  const others = [...workflows.values()].filter((each) => isActiveWorkflow(each) && each.id !== id);
  const oldest = others.map(({ started_at }) => started_at).toSorted()[0];
  for (const lock of locks) {
    // The change may still be active in another checkout.
    if (lock.released_at === UNKNOWN_END_TIME && lock.workflow !== id) continue;
    const released =
      lock.workflow === id && (lock.released_at ?? UNKNOWN_END_TIME) === UNKNOWN_END_TIME ? draft.at : lock.released_at;
    if (released === undefined) continue;
    if (oldest === undefined || released < oldest) draft.dropLock(lock);
    else draft.putLock({ ...lock, released_at: released });
  }
  clearFinishedWork(draft, id);
  dropWorkflowSnapshots(draft, id);
}
