import { isPathLocked } from "#domain/workflow/locks.ts";
import type { WorkflowSnapshot, WorkflowRecord } from "#domain/workflow/record.ts";
import { Fault } from "#domain/fault.ts";
import type { Engine } from "../../engine.ts";
import type { ComingFile } from "../../ports/snapshots.ts";
import type { WorkflowDraft } from "./draft.ts";
import type { WorkRuntime } from "./runtime.ts";

/** Kept per workflow. Safety snapshots count separately. */
const MAX_SNAPSHOTS = 5;
const MAX_SNAPSHOT_PATHS = 200;

const formatSnapshotCounter = (id: string): string => `snapshot ${id}`;

/** Returns undefined outside git. */
export async function takeWorkflowSnapshot(
  engine: Pick<Engine, "store" | "snapshots" | "clock" | "checkout">,
  runtime: WorkRuntime,
  state: WorkflowRecord,
  why: WorkflowSnapshot["why"],
  coming?: ComingFile,
): Promise<WorkflowSnapshot | undefined> {
  const { snapshots, store } = engine;
  if (!(await snapshots.isPossible())) return undefined;
  // The number is reserved before the ref exists, so that two concurrent snapshots get different refs.
  const n = await store.write((tree) => {
    const next = tree.counter(formatSnapshotCounter(state.id)) + 1;
    return { steps: [], occurrences: [], counters: { [formatSnapshotCounter(state.id)]: next }, result: next };
  });
  const taken = await snapshots.take(state.id, n, `${state.id} at ${state.current_stage}`, coming);
  const before = listWorkflowSnapshots(runtime, state.id).at(-1);
  // Git may have removed objects without a ref.
  const isThere = before !== undefined && (await snapshots.has(before.commit));
  const changed = isThere ? await snapshots.between(before.tree, taken.tree) : [];
  const own = runtime.locks.filter(({ workflow }) => workflow === state.id);
  const isOwn = (path: string): boolean => own.some((lock) => isPathLocked(lock, path));
  return {
    workflow: state.id,
    n,
    stage: state.current_stage,
    why,
    at: engine.clock.now(),
    checkout: engine.checkout,
    ...taken,
    files_modified: changed
      .map(({ path }) => path)
      .filter(isOwn)
      .slice(0, MAX_SNAPSHOT_PATHS),
    state,
  };
}

/** Oldest first, without snapshots archived by a rollback. */
export const listWorkflowSnapshots = (runtime: WorkRuntime, id: string): WorkflowSnapshot[] =>
  runtime.snapshots
    .filter(({ workflow, dropped_by }) => workflow === id && dropped_by === undefined)
    .toSorted((a, b) => a.n - b.n);

export function storeSnapshot(
  draft: WorkflowDraft,
  snapshot: WorkflowSnapshot | undefined,
  needed?: number,
): WorkflowSnapshot[] {
  if (!snapshot) return [];
  draft.putSnapshot(snapshot);
  moveSessionBase(draft, snapshot);
  draft.say("workflow.snapshot", snapshot.workflow, { n: snapshot.n, why: snapshot.why, stage: snapshot.stage });
  const all = [...draft.runtime.snapshots, snapshot].filter(({ workflow }) => workflow === snapshot.workflow);
  const isSafety = snapshot.why === "safety";
  const alike = all.filter(({ why, dropped_by }) => (why === "safety") === isSafety && dropped_by === undefined);
  // Fix snapshots go first, so that many gate runs do not use up the stage snapshots.
  const rank = ({ why, n }: WorkflowSnapshot): number => (why === "fix" ? n - Number.MAX_SAFE_INTEGER : n);
  const spare = alike.filter(({ n }) => n !== needed && n !== snapshot.n).toSorted((a, b) => rank(a) - rank(b));
  const oldest = spare.slice(0, Math.max(0, alike.length - MAX_SNAPSHOTS));
  // Snapshots that only this safety snapshot could restore go with it.
  const gone = [...oldest, ...all.filter(({ dropped_by }) => oldest.some(({ n }) => n === dropped_by))];
  for (const each of gone) draft.dropSnapshot(each);
  return gone;
}

export async function writeWithSnapshots<T>(
  engine: SnapshotDropEngine,
  taken: readonly (WorkflowSnapshot | undefined)[],
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    // A write that is still pending needs its snapshots.
    const isRefused = error instanceof Fault && error.code !== "store.pending";
    if (isRefused)
      await dropSnapshotRefs(
        engine,
        taken.filter((each) => each !== undefined),
      );
    throw error;
  }
}

type SnapshotDropEngine = Pick<Engine, "snapshots" | "notice">;

/** Later differences are computed from the newest snapshot, because its ref keeps the tree from being removed. */
function moveSessionBase(draft: WorkflowDraft, { workflow, checkout, tree }: WorkflowSnapshot): void {
  for (const { id } of draft.runtime.sessions.values()) {
    const known = draft.session(id);
    if (known?.current === workflow && known.tree !== undefined && known.checkout === checkout)
      draft.putSession({ ...known, tree });
  }
}

export function dropSnapshotRefs(engine: SnapshotDropEngine, gone: readonly WorkflowSnapshot[]): Promise<void> {
  return reportDropFailure(engine, async () => {
    for (const { workflow, n } of gone) await engine.snapshots.drop(workflow, n);
  });
}

/** Also drops refs that a killed process created but never recorded. */
export function dropWorkflowRefs(engine: SnapshotDropEngine, id: string): Promise<void> {
  return reportDropFailure(engine, async () => {
    if (await engine.snapshots.isPossible()) await engine.snapshots.dropAll(id);
  });
}

/** A leftover ref is harmless, so it is only reported. */
async function reportDropFailure(engine: SnapshotDropEngine, drop: () => Promise<void>): Promise<void> {
  try {
    await drop();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    engine.notice(`The ref of a snapshot stays behind. ${error.why}`);
  }
}

export function dropWorkflowSnapshots(draft: WorkflowDraft, id: string): void {
  for (const each of draft.runtime.snapshots) if (each.workflow === id) draft.dropSnapshot(each);
}
