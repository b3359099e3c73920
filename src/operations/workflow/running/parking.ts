import type { Snapshot } from "#domain/workflow/record.ts";
import { isUnfinished } from "#domain/workflow/workflow.ts";
import { takenBy } from "#domain/workflow/sessions.ts";
import type { Engine } from "../../engine.ts";
import type { LockedTree } from "../../ports/store.ts";
import { ROLLBACKS } from "../spaces.ts";
import type { Draft } from "./draft.ts";
import { keepSnapshot, snapshotsOf, takeSnapshot } from "./keeping-files.ts";
import { lockOwnWork, ownWork, type OwnWork, withOwnWork } from "./own-work.ts";
import type { Runtime } from "./runtime.ts";

export interface Parked {
  readonly work?: OwnWork | undefined;
  readonly snapshot?: Snapshot | undefined;
  readonly tree?: string | undefined;
}

/** Runs outside the store lock, because git is slow. */
export async function park(engine: Engine, runtime: Runtime, session: string): Promise<Parked> {
  const work = await ownWork(engine, runtime, session);
  const tree = work?.tree ?? ((await engine.snapshots.isPossible()) ? await engine.snapshots.tree() : undefined);
  const record = work && runtime.workflows.get(work.workflow);
  const hasMoved =
    record !== undefined && isUnfinished(record) && snapshotsOf(runtime, record.id).at(-1)?.tree !== tree;
  return {
    work,
    tree,
    snapshot: hasMoved ? await takeSnapshot(engine, withOwnWork(runtime, work), record, "switch") : undefined,
  };
}

/**
 * Runs under the store lock. Returns snapshots to drop, including one of work that ended or is being rolled back
 * meanwhile.
 */
export function keepParked(draft: Draft, tree: LockedTree, session: string, { work, snapshot }: Parked): Snapshot[] {
  const id = work?.workflow;
  const record = id === undefined ? undefined : draft.workflow(id);
  const isChange = id !== undefined && draft.runtime.changes.some((change) => change.id === id);
  const isOver = record ? !isUnfinished(record) || tree.kept(ROLLBACKS).has(record.id) : !isChange;
  const isTaken = id !== undefined && takenBy(id, session, draft.runtime.sessions, draft.runtime.lease(id));
  if (isOver || isTaken) return snapshot ? [snapshot] : [];
  lockOwnWork(draft, work);
  return keepSnapshot(draft, snapshot);
}
