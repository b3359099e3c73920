import { isPathLocked, findLockConflicts } from "../../model/workflow/file-locks.ts";
import {
  SNAPSHOT_REASONS,
  type WorkflowSnapshot,
  type WorkflowRecord,
  type FileLock,
  type WorkSession,
} from "../../model/workflow/workflow-record.ts";
import { Fault } from "#kernel/model/fault.ts";
import { subtractDays } from "#kernel/model/utc-time.ts";
import type { PlanningEngine } from "../engine.ts";
import type { ComingFile } from "#git/operations/ports/git-files.ts";
import {
  commitDraft,
  findCurrentWork,
  loadWorkRuntime,
  type WorkflowDraft,
  type WorkRuntime,
} from "./workflow-runtime.ts";
import { DEFAULT_SESSION_ID, findTakeoverLease } from "../../model/workflow/work-sessions.ts";
import { isActiveWorkflow } from "../../model/workflow/workflow-lifecycle.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { ROLLBACK_SPACE, WORK_SPACE } from "./ledger-spaces.ts";
import { findShellEdits, type WorkBasis } from "../../model/workflow/work-attribution.ts";
import { isChangeId } from "#kernel/model/stages/change-stages.ts";
import { CHANGES_FOLDER } from "#kernel/model/workspace-paths.ts";
import { findFilledDocuments } from "./filled-documents.ts";
import { loadChangeRecords } from "../change/change-records.ts";

/** Per workflow, for safety snapshots and for all others alike. The newest snapshot of each stage is always kept. */
const MAX_SNAPSHOTS = 5;
/** Days after the end of the workflow. */
const SNAPSHOT_RETENTION_DAYS = 30;
const MAX_SNAPSHOT_PATHS = 200;

/** Returns undefined outside git. */
export async function takeWorkflowSnapshot(
  engine: PlanningEngine,
  runtime: WorkRuntime,
  state: WorkflowRecord,
  why: WorkflowSnapshot["why"],
  coming?: ComingFile,
): Promise<WorkflowSnapshot | undefined> {
  const { snapshots, store } = engine;
  if (!(await snapshots.isPossible())) return undefined;
  // The number is reserved before the ref exists, so that two concurrent snapshots get different refs.
  const counter = `snapshot ${state.id}`;
  const n = await store.write((tree) => {
    const next = tree.counter(counter) + 1;
    return { steps: [], occurrences: [], counters: { [counter]: next }, result: next };
  });
  const taken = await snapshots.take(state.id, n, formatSnapshotMessage(state, why), coming);
  const before = listWorkflowSnapshots(runtime, state.id).at(-1);
  // Git may have removed objects without a ref.
  const isThere = before !== undefined && (await snapshots.has(before.commit));
  const changed = isThere ? await snapshots.between(before.tree, taken.tree) : [];
  const own = runtime.locks.filter(({ workflow }) => workflow === state.id);
  const paths = changed.map(({ path }) => path).filter((path) => own.some((lock) => isPathLocked(lock, path)));
  return {
    workflow: state.id,
    n,
    stage: state.current_stage,
    why,
    at: engine.clock.now(),
    checkout: engine.checkout,
    ...taken,
    files_modified: paths.slice(0, MAX_SNAPSHOT_PATHS),
    state,
  };
}

/** A rebuilt ledger reads the stage and the reason from here. */
const formatSnapshotMessage = ({ id, current_stage }: WorkflowRecord, why: WorkflowSnapshot["why"]): string =>
  `${id} at ${current_stage} (${why})`;

export function parseSnapshotMessage(message: string) {
  const [, stage, why] = /^\S+ at ([a-z-]+)(?: \(([a-z]+)\))?$/.exec(message) ?? [];
  return { stage, why: SNAPSHOT_REASONS.find((known) => known === why) };
}

/** Oldest first, without snapshots archived by a rollback. */
export const listWorkflowSnapshots = (runtime: WorkRuntime, id: string): WorkflowSnapshot[] =>
  runtime.snapshots
    .filter(({ workflow, dropped_by }) => workflow === id && dropped_by === undefined)
    .toSorted((a, b) => a.n - b.n);

export function storeSnapshot(draft: WorkflowDraft, snapshot: WorkflowSnapshot | undefined, needed?: number) {
  if (!snapshot) return [];
  draft.putSnapshot(snapshot);
  // Later differences are computed from the newest snapshot, because its ref keeps the tree from being removed.
  for (const each of draft.runtime.sessions.values()) {
    const known = draft.session(each.id) ?? each;
    const isHere = known.current === snapshot.workflow && known.checkout === snapshot.checkout;
    if (isHere && known.tree !== undefined) draft.putSession({ ...known, tree: snapshot.tree });
  }
  draft.say("workflow.snapshot", snapshot.workflow, { n: snapshot.n, why: snapshot.why, stage: snapshot.stage });
  const all = [...draft.runtime.snapshots, snapshot].filter(({ workflow }) => workflow === snapshot.workflow);
  const kept = all.filter(({ dropped_by }) => dropped_by === undefined);
  const alike = kept.filter(({ why }) => getSnapshotGroup(why) === getSnapshotGroup(snapshot.why));
  const isNeeded = (each: WorkflowSnapshot): boolean =>
    each.n === needed ||
    each.n === snapshot.n ||
    (getSnapshotGroup(each.why) === "stage" &&
      !alike.some(({ n, stage, why }) => stage === each.stage && why === each.why && n > each.n));
  // Fix snapshots go first, because a gate makes many of them.
  const rank = ({ why, n }: WorkflowSnapshot): number => (why === "fix" ? n - Number.MAX_SAFE_INTEGER : n);
  const spare = alike.filter((each) => !isNeeded(each)).toSorted((a, b) => rank(a) - rank(b));
  const oldest = spare.slice(0, Math.max(0, alike.length - MAX_SNAPSHOTS));
  // Snapshots that only this safety snapshot could restore go with it.
  const gone = [...oldest, ...all.filter(({ dropped_by }) => oldest.some(({ n }) => n === dropped_by))];
  for (const each of gone) draft.dropSnapshot(each);
  return gone;
}

/** Each group has its own limit, so that switches and fixes never remove the snapshots of stages. */
function getSnapshotGroup(why: WorkflowSnapshot["why"]): "stage" | "safety" | "other" {
  if (why === "start" || why === "stage") return "stage";
  return why === "safety" ? why : "other";
}

/** Comes after a write that is kept, so a failure is only reported. */
export const pruneExpiredSnapshots = (engine: PlanningEngine): Promise<void> =>
  dropExpiredSnapshots(engine).catch((error: unknown) => {
    if (!(error instanceof Fault)) throw error;
    engine.notice(`Expired snapshots were not removed. ${error.why}`);
  });

/** Snapshots of ended workflows go by time. The refs go first: a killed process leaves the records, which come again. */
async function dropExpiredSnapshots(engine: PlanningEngine): Promise<void> {
  const runtime = await engine.store.read(loadWorkRuntime);
  const limit = subtractDays(engine.clock.now(), SNAPSHOT_RETENTION_DAYS);
  const ended = [...runtime.workflows.values()].filter(
    ({ finished_at }) => finished_at !== undefined && finished_at < limit,
  );
  const expired = ended.filter(({ id }) => runtime.snapshots.some(({ workflow }) => workflow === id));
  const ids = new Set([...expired.map(({ id }): string => id), ...(await listEndedChanges(engine, runtime))]);
  for (const id of ids) await dropWorkflowRefs(engine, id);
  if (ids.size === 0) return;
  await commitDraft(engine, (draft) => {
    for (const each of draft.runtime.snapshots) if (ids.has(each.workflow)) draft.dropSnapshot(each);
    for (const id of ids) {
      draft.put(WORK_SPACE, id, undefined);
      draft.say("workflow.snapshots-expired", id);
    }
  });
}

/** Changes with a baseline that were archived or abandoned. A completed one can be reopened. */
async function listEndedChanges({ store, checkout }: PlanningEngine, { bases, workflows }: WorkRuntime) {
  const open = await store.read((tree) => {
    const { changes } = loadChangeRecords(tree, [CHANGES_FOLDER]);
    const ended = new Set(
      changes.flatMap(({ record }) => (record.status === "abandoned" ? [record.id as string] : [])),
    );
    // A change with a damaged record may be open.
    return new Set(tree.names(CHANGES_FOLDER).filter((id) => !ended.has(id)));
  });
  const isEnded = ([id, basis]: [string, WorkBasis]): boolean =>
    isChangeId(id) && !workflows.has(id) && basis.checkout === checkout && !open.has(id);
  return [...bases].filter(isEnded).map(([id]) => id);
}

type SnapshotName = Pick<WorkflowSnapshot, "workflow" | "n">;

export async function writeWithSnapshots<T>(
  engine: PlanningEngine,
  taken: readonly (SnapshotName | undefined)[],
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    // A write that is still pending needs its snapshots.
    const isRefused = error instanceof Fault && !/^(?:store\.pending|rollback\.unfinished)$/.test(error.code);
    const unused = taken.filter((each) => each !== undefined);
    if (isRefused) await dropSnapshotRefs(engine, unused);
    throw error;
  }
}

export const dropSnapshotRefs = (engine: PlanningEngine, gone: readonly SnapshotName[]) =>
  reportDropFailure(engine, async () => {
    for (const { workflow, n } of gone) await engine.snapshots.drop(workflow, n);
  });

/** Also drops refs that a killed process created but never recorded. */
const dropWorkflowRefs = (engine: PlanningEngine, id: string) =>
  reportDropFailure(engine, async () => {
    if (await engine.snapshots.isPossible()) await engine.snapshots.dropAll(id);
  });

/** A leftover ref is harmless, so it is only reported. */
const reportDropFailure = (engine: PlanningEngine, drop: () => Promise<void>): Promise<void> =>
  drop().catch((error: unknown) => {
    if (!(error instanceof Fault)) throw error;
    engine.notice(`The ref of a snapshot was not removed. ${error.why}`);
  });

/** The change has begun by now, and until git cleans up the files are there without the ref, too. */
export const keepBaselineRef = (engine: PlanningEngine, id: string, commit: string): Promise<void> =>
  engine.snapshots.keepBaseline(id, commit).catch((error: unknown) => {
    if (!(error instanceof Fault)) throw error;
    engine.notice(`The change is started, but git cannot save its initial files. ${error.why}`);
  });

export type SessionWork = NonNullable<Awaited<ReturnType<typeof detectWorkflowWork>>>;

function detectSessionWork(engine: PlanningEngine, runtime: WorkRuntime, session: string) {
  const workflow = findCurrentWork(runtime, session);
  return workflow === undefined ? Promise.resolve(undefined) : detectWorkflowWork(engine, runtime, workflow);
}

/** With hooks, a session's shell command owns files that changed while it ran; without, the only session does. */
export async function detectWorkflowWork(engine: PlanningEngine, runtime: WorkRuntime, workflow: string) {
  if (!(await engine.snapshots.isPossible())) return undefined;
  const tree = await engine.snapshots.tree();
  // The files of another checkout cannot be compared with these.
  const here = [...runtime.sessions.values()].filter(({ checkout }) => checkout === engine.checkout);
  const own = here.filter(({ id }) => findCurrentWork(runtime, id) === workflow);
  const isReported = own.some((each) => each.reports_edits && each.ended_at === undefined && !each.gone_at);
  const isAlone = !here.some((other) => isWorkingBeside(runtime, other, workflow));
  const armed = own.find((each) => each.tree !== undefined && each.current === workflow);
  const presumed = isReported || !isAlone ? [] : await listChangedSince(engine, armed?.tree, tree);
  const hasShells = own.some(({ shells }) => shells !== undefined);
  const open = hasShells || presumed.length > 0 ? await listOpenPaths(engine, runtime, workflow) : [];
  const times = hasShells ? await engine.snapshots.changedAt(open) : new Map<string, number>();
  const edited = findShellEdits({ paths: open, times, own, beside: here.filter((each) => !own.includes(each)) });
  const found = [
    ...edited,
    ...open
      .filter((path) => presumed.includes(path) && edited.every((each) => each.path !== path))
      .map((path) => ({ path, how: "git" as const })),
  ];
  // Once this is the only work in the folder again, differences show its author again.
  const disarmed = isAlone && !isReported && !armed ? own.find((each) => each.current === workflow) : undefined;
  const branch = await engine.snapshots.branch();
  return { workflow, found, paths: found.map(({ path }) => path), tree, branch, rearmed: disarmed?.id };
}

function isWorkingBeside(runtime: WorkRuntime, { id, current, tree }: WorkSession, workflow: string): boolean {
  if (current === undefined || current === workflow) return false;
  const lease = runtime.lease(current);
  return id === DEFAULT_SESSION_ID ? tree !== undefined : lease?.holder === id && lease.isLive;
}

async function listChangedSince({ snapshots }: PlanningEngine, since: string | undefined, tree: string) {
  if (since === undefined || since === tree || !(await snapshots.has(since))) return [];
  return (await snapshots.between(since, tree)).map(({ path }) => path);
}

/** Work of sessions that were alone in this folder so far. Once another works here, changes no longer show an author. */
export async function detectWorkBeside(engine: PlanningEngine, runtime: WorkRuntime, session: string) {
  const armed = [...runtime.sessions.values()].filter(
    ({ id, checkout, tree }) => id !== session && checkout === engine.checkout && tree !== undefined,
  );
  const works = await Promise.all(armed.map(({ id }) => detectSessionWork(engine, runtime, id)));
  return works.filter((work) => work !== undefined && work.paths.length > 0);
}

export function lockWorkBeside(draft: WorkflowDraft, beside: readonly (SessionWork | undefined)[] = []): void {
  for (const work of beside) {
    const record = work && draft.workflow(work.workflow);
    if (record && isActiveWorkflow(record)) lockSessionWork(draft, work);
  }
}

/** Changed files without those that a pull, a merge or a rebase brought, and without what Tenon itself wrote. */
async function listOpenPaths(engine: PlanningEngine, runtime: WorkRuntime, id: string): Promise<string[]> {
  const basis = findWorkBasis(engine, runtime, id);
  const open = basis
    ? (await engine.snapshots.sinceBaseline(basis)).map(({ path }) => path)
    : await engine.snapshots.uncommitted();
  const filled = basis ? await findFilledDocuments(engine, basis.commit, open) : new Set();
  return open.filter((path) => !/^\.?sdd\//.test(path) && !filled.has(path));
}

/** Undefined in another checkout, whose files cannot be compared with these, and for work of an earlier release. */
export function findWorkBasis({ checkout }: PlanningEngine, { bases }: WorkRuntime, id: string): WorkBasis | undefined {
  const basis = bases.get(id);
  return basis?.checkout === checkout ? basis : undefined;
}

export function lockSessionWork(draft: WorkflowDraft, work: SessionWork | undefined): void {
  if (!work) return;
  const { workflow } = work;
  const fresh = selectFreshLocks(work, draft.runtime, draft.at);
  for (const lock of fresh) draft.putLock(lock);
  const paths = fresh.map(({ path }) => path);
  if (fresh.length > 0) draft.say("lock.taken", workflow, { paths: paths.slice(0, 100) });
  const session = work.rearmed === undefined ? undefined : draft.session(work.rearmed);
  if (session && session.tree === undefined) draft.putSession({ ...session, tree: work.tree });
  const basis = draft.runtime.bases.get(workflow);
  if (basis && !basis.branches.includes(work.branch))
    draft.put(WORK_SPACE, workflow, { ...basis, branches: [...basis.branches, work.branch] });
}

/** A file that was released, or that other work holds, is not taken without a reported edit. */
function selectFreshLocks({ workflow, found }: SessionWork, { locks, bases }: WorkRuntime, at: string): FileLock[] {
  const mine = locks.filter((lock) => lock.workflow === workflow);
  const excluded = bases.get(workflow)?.excluded ?? [];
  return found.flatMap(({ path, ...seen }): FileLock[] => {
    const known = mine.find((lock) => isPathLocked(lock, path));
    const isKept = known !== undefined && (seen.how === "git" || known.how === "edit");
    const isLeft = excluded.some((each) => each.path === path) || findLockConflicts([path], workflow, locks).length > 0;
    return isKept || isLeft ? [] : [{ workflow, path, at, ...seen }];
  });
}

export function addSessionLocks(runtime: WorkRuntime, work: SessionWork | undefined): WorkRuntime {
  if (!work) return runtime;
  const fresh = selectFreshLocks(work, runtime, "");
  const isReplaced = (lock: FileLock): boolean =>
    fresh.some(({ workflow, path }) => workflow === lock.workflow && path === lock.path);
  return { ...runtime, locks: [...runtime.locks.filter((lock) => !isReplaced(lock)), ...fresh] };
}

export type ParkedWork = Partial<Awaited<ReturnType<typeof parkSessionWork>>>;

/** Runs outside the store lock, because git is slow. */
export async function parkSessionWork(engine: PlanningEngine, runtime: WorkRuntime, session: string) {
  const work = await detectSessionWork(engine, runtime, session);
  const tree = work?.tree ?? ((await engine.snapshots.isPossible()) ? await engine.snapshots.tree() : undefined);
  const record = work && runtime.workflows.get(work.workflow);
  const hasMoved =
    record !== undefined && isActiveWorkflow(record) && listWorkflowSnapshots(runtime, record.id).at(-1)?.tree !== tree;
  const taken = hasMoved && (await takeWorkflowSnapshot(engine, addSessionLocks(runtime, work), record, "switch"));
  return { work, tree, snapshot: taken || undefined, beside: await detectWorkBeside(engine, runtime, session) };
}

/** Runs under the store lock. Returns snapshots to drop, also of work that ended meanwhile. */
export function storeParkedWork(
  draft: WorkflowDraft,
  tree: StoreTree,
  session: string,
  { work, snapshot, beside }: ParkedWork,
) {
  lockWorkBeside(draft, beside);
  const id = work?.workflow;
  const record = id === undefined ? undefined : draft.workflow(id);
  const isChange = id !== undefined && draft.runtime.changes.some((change) => change.id === id);
  const isOver = record ? !isActiveWorkflow(record) || tree.kept(ROLLBACK_SPACE).has(record.id) : !isChange;
  const isTaken = id !== undefined && findTakeoverLease(id, session, draft.runtime);
  if (isOver || isTaken) return snapshot ? [snapshot] : [];
  lockSessionWork(draft, work);
  return storeSnapshot(draft, snapshot);
}
