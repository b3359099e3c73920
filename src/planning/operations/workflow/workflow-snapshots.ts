import { isPathLocked, findLockConflicts, isLockHeld } from "../../model/workflow/file-locks.ts";
import type { WorkflowSnapshot, WorkflowRecord, FileLock } from "../../model/workflow/workflow-record.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { PlanningEngine } from "../engine.ts";
import type { ComingFile } from "#git/operations/ports/git-files.ts";
import { type WorkflowDraft, type WorkRuntime, findCurrentWork } from "./workflow-runtime.ts";
import { DEFAULT_SESSION_ID, findTakeoverLease } from "../../model/workflow/work-sessions.ts";
import { isActiveWorkflow } from "../../model/workflow/workflow-lifecycle.ts";
import type { LockedStoreTree } from "#store/operations/ports/store.ts";
import { ROLLBACK_SPACE } from "./ledger-spaces.ts";

/** Kept per workflow. Safety snapshots count separately. */
const MAX_SNAPSHOTS = 5;
const MAX_SNAPSHOT_PATHS = 200;

const formatSnapshotCounter = (id: string): string => `snapshot ${id}`;

/** Returns undefined outside git. */
export async function takeWorkflowSnapshot(
  engine: Pick<PlanningEngine, "store" | "snapshots" | "clock" | "checkout">,
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

type SnapshotDropEngine = Pick<PlanningEngine, "snapshots" | "notice">;

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

const NON_WORK_PATHS = /^\.?sdd\//;

export interface SessionWork {
  readonly workflow: string;
  readonly paths: readonly string[];
  readonly tree: string;
}

/**
 * Finds edits made by a shell, which hooks do not see. If several sessions work in one folder on different work, the
 * author of a change is unknown, so no workflow gets it.
 */
export async function detectSessionWork(
  engine: Pick<PlanningEngine, "snapshots" | "checkout">,
  runtime: WorkRuntime,
  session: string,
): Promise<SessionWork | undefined> {
  const workflow = findCurrentWork(runtime, session);
  if (workflow === undefined || !(await engine.snapshots.isPossible())) return undefined;
  const tree = await engine.snapshots.tree();
  const known = runtime.sessions.get(session) ?? runtime.sessions.get(DEFAULT_SESSION_ID);
  // The tree of another checkout cannot be compared with this one.
  const since = known?.checkout === engine.checkout ? known.tree : undefined;
  const isUntold = since === undefined || since === tree || hasOtherWorkers(runtime, workflow, engine.checkout);
  if (isUntold || !(await engine.snapshots.has(since))) return { workflow, paths: [], tree };
  const differences = await engine.snapshots.between(since, tree);
  // Files from a pull, a merge or another branch are committed, and their commits name the owner.
  const open = new Set(await engine.snapshots.uncommitted());
  const paths = differences.map(({ path }) => path).filter((path) => open.has(path) && !NON_WORK_PATHS.test(path));
  return { workflow, paths, tree };
}

function hasOtherWorkers(runtime: WorkRuntime, workflow: string, here: string): boolean {
  return [...runtime.sessions.values()].some(({ id, current, checkout, tree }) => {
    if (current === undefined || current === workflow || checkout !== here) return false;
    const lease = runtime.lease(current);
    return id === DEFAULT_SESSION_ID ? tree !== undefined : lease?.holder === id && lease.isLive;
  });
}

export function lockSessionWork(draft: WorkflowDraft, work: SessionWork | undefined): void {
  if (!work) return;
  const { workflow, paths } = work;
  const mine = draft.runtime.locks.filter((lock) => lock.workflow === workflow && isLockHeld(lock));
  const fresh = paths.filter(
    (path) =>
      !mine.some((lock) => isPathLocked(lock, path)) &&
      findLockConflicts([path], workflow, draft.runtime.locks).length === 0,
  );
  for (const path of fresh) draft.putLock({ workflow, path, at: draft.at, how: "git" } satisfies FileLock);
  if (fresh.length > 0) draft.say("lock.taken", workflow, { paths: fresh.slice(0, 100) });
}

export function addSessionLocks(runtime: WorkRuntime, work: SessionWork | undefined): WorkRuntime {
  if (!work) return runtime;
  const fresh = work.paths.map((path): FileLock => ({ workflow: work.workflow, path, at: "", how: "git" }));
  return { ...runtime, locks: [...runtime.locks, ...fresh] };
}

export interface ParkedWork {
  readonly work?: SessionWork | undefined;
  readonly snapshot?: WorkflowSnapshot | undefined;
  readonly tree?: string | undefined;
}

/** Runs outside the store lock, because git is slow. */
export async function parkSessionWork(
  engine: PlanningEngine,
  runtime: WorkRuntime,
  session: string,
): Promise<ParkedWork> {
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
