import type * as z from "zod";
import { formatCount, quote } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { FileLock, WorkflowSnapshot, WorkflowRecord } from "../../model/workflow/workflow-record.ts";
import { findMessageIds, planRollback, type RollbackPlan } from "../../model/workflow/file-locks.ts";
import { getSpecPath } from "#kernel/model/workspace-paths.ts";
import type { PlanningEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import {
  dropSnapshotRefs,
  storeSnapshot,
  listWorkflowSnapshots,
  takeWorkflowSnapshot,
  writeWithSnapshots,
  lockSessionWork,
  detectSessionWork,
  addSessionLocks,
} from "./workflow-snapshots.ts";
import {
  runExclusiveRollback,
  restoreRollbackFiles,
  rejectGitObstacle,
  syncWorkflowState,
  requireWritableWorkflow,
  writeWorkflow,
  rejectExpiredTimebox,
  warnTimeboxEnd,
} from "./workflow-writes.ts";
import { resolveWorkflow, type WorkRuntime, loadWorkRuntime, resolveSession } from "./workflow-runtime.ts";
import {
  formatPathList,
  suggestNextCalls,
  rejectOtherWorktree,
  createWorkflowView,
  formatWorkflowPage,
} from "./workflow-view.ts";
import type { RollbackWorkflowInput, RollbackWorkflowOutput } from "./schema.ts";
import { type PendingRollback, ROLLBACK_SPACE } from "./ledger-spaces.ts";

type RollbackWorkflowRequest = z.infer<typeof RollbackWorkflowInput>;
type RollbackWorkflowResult = z.infer<typeof RollbackWorkflowOutput>;

/** The planned rollback. Its token is valid only while nothing has changed. */
interface PreparedRollback extends RollbackPlan {
  readonly runtime: WorkRuntime;
  readonly record: WorkflowRecord;
  readonly target: WorkflowSnapshot;
  readonly tree: string;
  readonly planWith: (locks: readonly FileLock[]) => RollbackPlan;
  readonly token: string;
}

export const rollbackWorkflowOperation = defineOperation({
  id: "workflow.rollback",
  effect: "destroy",
  input: async () => (await import("./schema.ts")).RollbackWorkflowInput,
  output: async () => (await import("./schema.ts")).RollbackWorkflowOutput,
  async run(engine: PlanningEngine, input) {
    await syncWorkflowState(engine);
    const session = resolveSession(engine, input.session);
    const prepared = await prepareRollback(engine, input, session);
    if (input.confirm === undefined)
      return createRollbackResult(engine, prepared, session, { done: false, foreign: [] });
    rejectStaleRollback(input.confirm, prepared, input.keep_overlaps ?? false);
    return executeRollback(engine, prepared, session);
  },
  page({ done, workflow, to, restored, deleted, kept, overlaps, foreign, token, undo, notes }) {
    const goal = `stage ${to.stage} as of ${to.timestamp}`;
    const keeping = overlaps.length > 0 ? { keep_overlaps: true } : {};
    const again = { id: workflow.id, snapshot: to.snapshot, ...keeping };
    const page = formatWorkflowPage(
      done ? `${workflow.id} is back at ${goal}.` : `${workflow.id} would go back to ${goal}. Nothing is changed yet.`,
      workflow,
    );
    return {
      ...page,
      points: [
        ...formatPathPoints(done ? "Restored" : "To restore", restored),
        ...formatPathPoints(done ? "Deleted" : "To delete", deleted),
        ...formatPathPoints("Not this workflow's, left alone", kept),
        ...overlaps.map(({ path, with: others }) => `${path} was changed by ${others.join(" and ")} too.`),
        ...formatPathPoints("Changed meanwhile, left alone", foreign),
        ...notes,
      ],
      next: [
        ...(token === undefined ? [] : [{ operation: "workflow.rollback", input: { ...again, confirm: token } }]),
        ...(done ? suggestNextCalls(workflow) : []),
        ...(undo ? ["To take the rollback back:", { operation: "workflow.rollback", input: undo }] : []),
      ],
    };
  },
});

const formatPathPoints = (label: string, paths: readonly string[]): string[] =>
  paths.length === 0 ? [] : [`${label}: ${formatPathList(paths)}`];

/** Edits made by a shell belong to the workflow, as edits seen by hooks do. */
async function lockUnseenWork(engine: PlanningEngine, id: string, session: string): Promise<void> {
  const work = await detectSessionWork(engine, await engine.store.read(loadWorkRuntime), session);
  if (work?.workflow !== id || work.paths.length === 0) return;
  await writeWorkflow(engine, { id, session }, (draft) => lockSessionWork(draft, work));
}

async function prepareRollback(
  engine: PlanningEngine,
  input: RollbackWorkflowRequest,
  session: string,
): Promise<PreparedRollback> {
  const before = await engine.store.read(loadWorkRuntime);
  const { id } = resolveWorkflow(before, { id: input.id, session }, "workflow.rollback");
  rejectOtherWorktree(engine, requireWritableWorkflow(before, id, session));
  if (!(await engine.snapshots.isPossible())) throw createNoSnapshotsFault(engine, id);
  await rejectGitObstacle(engine.snapshots, `${id} was not rolled back.`);
  await lockUnseenWork(engine, id, session);
  const runtime = await engine.store.read(loadWorkRuntime);
  const record = requireWritableWorkflow(runtime, id, session);
  const target = chooseRollbackSnapshot(runtime, record, input);
  await rejectLostSnapshot(engine, target);
  const tree = await engine.snapshots.tree();
  const differences = (await engine.snapshots.between(tree, target.commit)).map(({ path, to }) => ({
    path,
    wasThere: to !== undefined,
  }));
  const commits = (await engine.snapshots.commitsSince(target.head)).map(({ subject, body, paths }) => ({
    paths,
    // Skips text that only looks like an id, such as SHA-256.
    ids: findMessageIds(`${subject}\n${body}`).filter((named) => runtime.workflows.has(named)),
  }));
  const spec = getSpecPath(id);
  const planWith: PreparedRollback["planWith"] = (locks) =>
    planRollback({ id, since: target.at, differences, locks, commits, spec });
  const plan = planWith(runtime.locks);
  const token = engine.digest(JSON.stringify([id, target.n, tree, record.current_stage, plan])).slice(0, 16);
  return { ...plan, runtime, record, target, tree, planWith, token };
}

function chooseRollbackSnapshot(
  runtime: WorkRuntime,
  record: WorkflowRecord,
  { stage, snapshot }: RollbackWorkflowRequest,
): WorkflowSnapshot {
  const all = listWorkflowSnapshots(runtime, record.id);
  const found =
    snapshot === undefined
      ? all.findLast((each) => each.stage === stage && each.why !== "safety")
      : all.find(({ n }) => n === snapshot);
  if (found && (stage !== undefined || snapshot !== undefined)) return found;
  const known = all.map(({ n, stage: at, why }) => `${n} (${at}, ${why})`);
  const to = snapshot === undefined ? `to stage ${quote(stage ?? "", 40)}` : `to snapshot ${snapshot}`;
  const isUnsaid = snapshot === undefined && stage === undefined;
  throw new Fault("snapshot.unknown", {
    what: isUnsaid ? `Where ${record.id} shall go back to was not said.` : `${record.id} cannot go back ${to}.`,
    why: known.length === 0 ? "It has no snapshots." : `Its snapshots are ${known.join(", ")}.`,
    fix:
      known.length === 0
        ? { operation: "workflow.snapshot", input: { id: record.id } }
        : { operation: "workflow.rollback", input: { id: record.id, snapshot: all.at(-1)?.n } },
  });
}

function rejectStaleRollback(
  confirm: string,
  { token, record, target, overlaps }: PreparedRollback,
  isKeeping: boolean,
): void {
  const again = { operation: "workflow.rollback", input: { id: record.id, snapshot: target.n } };
  if (confirm !== token) {
    throw new Fault("rollback.void", {
      what: `${record.id} was not rolled back.`,
      why: "The plan that was agreed to no longer holds: files or the workflow changed since, or it was for another snapshot.",
      fix: again,
    });
  }
  if (overlaps.length === 0 || isKeeping) return;
  throw new Fault("rollback.overlap", {
    what: `${record.id} was not rolled back.`,
    why: `${overlaps.map(({ path, with: others }) => `${path} was changed by ${others.join(" and ")} too`).join("; ")}.`,
    fix: { operation: "workflow.rollback", input: { ...again.input, keep_overlaps: true, confirm: token } },
  });
}

/** Takes a safety snapshot first, so that the rollback can be undone. */
async function executeRollback(
  engine: PlanningEngine,
  prepared: PreparedRollback,
  session: string,
): Promise<RollbackWorkflowResult> {
  const { record, target, runtime } = prepared;
  const safety = await takeWorkflowSnapshot(engine, runtime, record, "safety");
  if (!safety) throw createNoSnapshotsFault(engine, record.id);
  const pending: PendingRollback = {
    workflow: record.id,
    checkout: engine.checkout,
    root: engine.root,
    from: safety.commit,
    to: target.commit,
    paths: [...prepared.restored, ...prepared.deleted],
    n: target.n,
    safety: safety.n,
    at: engine.clock.now(),
  };
  const begin = () =>
    writeWorkflow(engine, { id: record.id, session }, (draft) => {
      if (safety.tree !== prepared.tree || !isRollbackCurrent(draft.runtime, prepared))
        rejectStaleRollback("", prepared, true);
      const dropped = storeSnapshot(draft, safety, target.n);
      draft.put(ROLLBACK_SPACE, record.id, pending);
      return dropped;
    });
  const { gone, foreign } = await writeWithSnapshots(engine, [safety], () =>
    runExclusiveRollback(engine, async () => {
      const dropped = await begin();
      return { gone: dropped, ...(await restoreRollbackFiles(engine, engine.snapshots, pending)) };
    }),
  );
  await dropSnapshotRefs(engine, gone);
  return createRollbackResult(engine, prepared, session, { done: true, foreign, safety: safety.n });
}

function isRollbackCurrent(now: WorkRuntime, { record, runtime, planWith, ...prepared }: PreparedRollback): boolean {
  const numbers = (from: WorkRuntime): string =>
    JSON.stringify(listWorkflowSnapshots(from, record.id).map(({ n }) => n));
  const { restored, deleted, kept, overlaps } = prepared;
  const isSamePlan = JSON.stringify(planWith(now.locks)) === JSON.stringify({ restored, deleted, kept, overlaps });
  const stage = now.workflows.get(record.id)?.current_stage;
  return isSamePlan && stage === record.current_stage && numbers(now) === numbers(runtime);
}

async function createRollbackResult(
  engine: PlanningEngine,
  { record, target, restored, deleted, kept, overlaps, token }: PreparedRollback,
  session: string,
  { done, foreign, safety }: { readonly done: boolean; readonly foreign: readonly string[]; readonly safety?: number },
): Promise<RollbackWorkflowResult> {
  const runtime = await engine.store.read(loadWorkRuntime);
  const now = runtime.workflows.get(record.id) ?? record;
  const isTouched = (path: string): boolean => !foreign.includes(path);
  return {
    done,
    workflow: createWorkflowView(now, runtime, session, engine.clock.now()),
    to: { snapshot: target.n, stage: target.stage, timestamp: target.at },
    restored: restored.filter(isTouched),
    deleted: deleted.filter(isTouched),
    kept: [...kept],
    overlaps: overlaps.map(({ path, with: others }) => ({ path, with: [...others] })),
    foreign: [...foreign],
    token: done ? undefined : token,
    undo: safety === undefined ? undefined : { id: record.id, snapshot: safety },
    notes: done
      ? ["No branch was moved, and no commit was made. Later snapshots are set aside until this is taken back."]
      : [`${formatCount(restored.length + deleted.length, "path")} would change; a snapshot is taken first.`],
  };
}

async function rejectLostSnapshot(
  engine: PlanningEngine,
  { workflow, n, commit, checkout }: WorkflowSnapshot,
): Promise<void> {
  if (!(await engine.snapshots.has(commit))) {
    throw new Fault("snapshot.unknown", {
      what: `${workflow} cannot go back to snapshot ${n}.`,
      why: `Git no longer has what refs/tenon/${workflow}/${n} kept.`,
      fix: { operation: "workflow.status", input: { id: workflow } },
    });
  }
  if (checkout === engine.checkout) return;
  throw new Fault("workflow.elsewhere", {
    what: `${workflow} cannot go back to snapshot ${n} here.`,
    why: `It kept the files of another checkout: ${quote(checkout, 60)}.`,
    fix: "Run it there: git worktree list",
  });
}

export const takeSnapshotOperation = defineOperation({
  id: "workflow.snapshot",
  effect: "append",
  input: async () => (await import("./schema.ts")).TakeSnapshotInput,
  output: async () => (await import("./schema.ts")).TakeSnapshotOutput,
  async run(engine: PlanningEngine, { id, session: said }) {
    await syncWorkflowState(engine);
    const session = resolveSession(engine, said);
    const runtime = await engine.store.read(loadWorkRuntime);
    const chosen = resolveWorkflow(runtime, { id, session }, "workflow.snapshot");
    const record = requireWritableWorkflow(runtime, chosen.id, session);
    rejectOtherWorktree(engine, record);
    rejectExpiredTimebox(record, `No snapshot of ${record.id} was taken.`, engine.clock.now());
    const work = await detectSessionWork(engine, runtime, session);
    const taken = await takeWorkflowSnapshot(engine, addSessionLocks(runtime, work), record, "request");
    if (!taken) throw createNoSnapshotsFault(engine, record.id);
    const write = () =>
      writeWorkflow(engine, { id: record.id, session }, (draft) => {
        lockSessionWork(draft, work?.workflow === record.id ? work : undefined);
        warnTimeboxEnd(draft, record.id);
        return storeSnapshot(draft, taken);
      });
    const gone = await writeWithSnapshots(engine, [taken], write);
    await dropSnapshotRefs(engine, gone);
    return {
      id: record.id,
      snapshot: taken.n,
      stage: taken.stage,
      timestamp: taken.at,
      files_modified: [...taken.files_modified],
      ref: `refs/tenon/${record.id}/${taken.n}`,
    };
  },
  page: ({ id, snapshot: n, stage, files_modified, ref }) => ({
    title: `Snapshot ${n} of ${id} is kept, at stage ${stage}.`,
    facts: [["ref", ref], ...(files_modified.length > 0 ? [["changed", formatPathList(files_modified)] as const] : [])],
    next: [{ operation: "workflow.rollback", input: { id, snapshot: n } }],
  }),
});

function createNoSnapshotsFault({ root }: Pick<PlanningEngine, "root">, id: string): Fault {
  return new Fault("workspace.no-git", {
    what: `${id} has no snapshots.`,
    why: `${root} is in no git repository with working files.`,
    fix: "git init",
  });
}
