import { isUnfinished } from "#domain/workflow/workflow.ts";
import type { Draft } from "./draft.ts";
import { forgetSnapshots } from "./keeping-files.ts";
import { ENDED_UNSEEN } from "./runtime.ts";
import { letGo } from "./taking-up.ts";

/**
 * Releases the locks and drops the snapshots of finished work. Released locks are kept while older workflows run, so
 * that their rollbacks do not undo protected files.
 */
export function endWork(draft: Draft, id: string): void {
  const { locks, workflows } = draft.runtime;
  const others = [...workflows.values()].filter((each) => isUnfinished(each) && each.id !== id);
  const oldest = others.map(({ started_at }) => started_at).toSorted()[0];
  for (const lock of locks) {
    // The change may still be active in another checkout.
    if (lock.released_at === ENDED_UNSEEN && lock.workflow !== id) continue;
    const released =
      lock.workflow === id && (lock.released_at ?? ENDED_UNSEEN) === ENDED_UNSEEN ? draft.at : lock.released_at;
    if (released === undefined) continue;
    if (oldest === undefined || released < oldest) draft.dropLock(lock);
    else draft.putLock({ ...lock, released_at: released });
  }
  letGo(draft, id);
  forgetSnapshots(draft, id);
}
