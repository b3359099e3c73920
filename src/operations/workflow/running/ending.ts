import { isHeld } from "#domain/workflow/locks.ts";
import { isUnfinished } from "#domain/workflow/workflow.ts";
import type { Draft } from "./draft.ts";
import { forgetSnapshots } from "./keeping-files.ts";
import { letGo } from "./taking-up.ts";

/**
 * Nobody works on it any more: its locks are released and its snapshots go. A released lock is remembered while older
 * workflows run, so that none of their rollbacks undoes what it protected.
 */
export function endWork(draft: Draft, id: string): void {
  const { locks, workflows } = draft.runtime;
  const others = [...workflows.values()].filter((each) => isUnfinished(each) && each.id !== id);
  const oldest = others.map(({ started_at }) => started_at).toSorted()[0];
  for (const lock of locks) {
    const released = isHeld(lock) ? (lock.workflow === id ? draft.at : undefined) : lock.released_at;
    if (released === undefined) continue;
    if (oldest === undefined || released < oldest) draft.dropLock(lock);
    else draft.putLock({ ...lock, released_at: released });
  }
  letGo(draft, id);
  forgetSnapshots(draft, id);
}
