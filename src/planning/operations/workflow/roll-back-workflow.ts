import type * as z from "zod";
import { formatCount, quote } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { FileLock, WorkflowSnapshot, WorkflowRecord } from "../../model/workflow/workflow-record.ts";
import { isActiveWorkflow } from "../../model/workflow/workflow-lifecycle.ts";
import { isWithinShells } from "../../model/workflow/journal-fold.ts";
import { findMessageIds, parseLockPath, planRollback } from "../../model/workflow/file-locks.ts";
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
  detectWorkflowWork,
  findWorkBasis,
  addSessionLocks,
} from "./workflow-snapshots.ts";
import { restoreRollbackFiles, withdrawRollback, rejectGitObstacle, rejectDuringRollback } from "./finish-rollback.ts";
import {
  syncWorkflowState,
  recordSessionActivity,
  requireWritableWorkflow,
  writeWorkflow,
  rejectExpiredTimebox,
  warnTimeboxEnd,
} from "./workflow-writes.ts";
import { commitDraft, resolveWorkflow, type WorkRuntime, loadWorkRuntime } from "./workflow-runtime.ts";
import {
  formatPathList,
  suggestNextCalls,
  rejectOtherWorktree,
  createWorkflowView,
  formatWorkflowPage,
} from "./workflow-view.ts";
import type { RollbackWorkflowInput, RollbackWorkflowOutput } from "./schema.ts";
import { type PendingRollback, ROLLBACK_SPACE } from "./ledger-spaces.ts";

type RollbackRequest = z.infer<typeof RollbackWorkflowInput>;
/** The planned rollback. Its token is valid only while nothing has changed. */
type PreparedRollback = Awaited<ReturnType<typeof prepareRollback>>;

export const rollbackWorkflowOperation = defineOperation({
  id: "workflow.rollback",
  effect: "destroy",
  input: async () => (await import("./schema.ts")).RollbackWorkflowInput,
  output: async () => (await import("./schema.ts")).RollbackWorkflowOutput,
  async run(engine: PlanningEngine, input) {
    const { session, runtime } = await syncWorkflowState(engine, input.session);
    const prepared = await prepareRollback(engine, runtime, input, session);
    if (input.confirm === undefined) return createRollbackResult(engine, prepared, session, []);
    rejectStaleRollback(input.confirm, prepared, input.keep_overlaps ?? false);
    return executeRollback(engine, prepared, session);
  },
  page(output) {
    const { done, workflow, to, restored, deleted, presumed, mixed, unknown, kept, overlaps, except, token, undo } =
      output;
    const goal = `stage ${to.stage} as of ${to.timestamp}`;
    const keeping = overlaps.length > 0 ? { keep_overlaps: true } : {};
    const again = { id: workflow.id, snapshot: to.snapshot, ...keeping, ...(except.length > 0 ? { except } : {}) };
    const isEnded = workflow.status === "abandoned" || workflow.status === "completed";
    const page = formatWorkflowPage(
      done
        ? `${isEnded ? `Files of ${workflow.id} are` : `${workflow.id} is`} back at ${goal}.`
        : `${workflow.id} would go back to ${goal}. Nothing is changed yet.`,
      workflow,
    );
    return {
      ...page,
      points: [
        ...formatPathPoints(done ? "Restored" : "To restore", restored),
        ...formatPathPoints(done ? "Deleted" : "To delete", deleted),
        ...formatPathPoints(`Only presumed to belong to ${workflow.id}, left unchanged`, presumed),
        ...formatPathPoints("Also changed by other work, left unchanged", mixed),
        ...formatPathPoints("Not changed by a known session, left unchanged", unknown),
        ...formatPathPoints("Not part of this workflow, left unchanged", kept),
        ...overlaps.map(({ path, with: others }) => `${path} was changed by ${others.join(" and ")} too.`),
        ...formatPathPoints("Changed in the meantime, left unchanged", output.foreign),
        ...output.notes,
      ],
      next: [
        ...(token === undefined ? [] : [{ operation: "workflow.rollback", input: { ...again, confirm: token } }]),
        ...(token === undefined || presumed.length === 0
          ? []
          : [
              "To restore the presumed ones as well, ask the user first:",
              { operation: "workflow.rollback", input: { ...again, presumed: true, confirm: token } },
            ]),
        ...(token === undefined || mixed.length === 0
          ? []
          : [
              "To restore a file with others' changes, claim it first:",
              { operation: "workflow.work", input: { action: "claim", id: workflow.id, paths: mixed.slice(0, 10) } },
            ]),
        ...(done ? suggestNextCalls(workflow) : []),
        ...(undo ? ["To undo the rollback:", { operation: "workflow.rollback", input: undo }] : []),
      ],
    };
  },
});

const formatPathPoints = (label: string, paths: readonly string[]): string[] =>
  paths.length === 0 ? [] : [`${label}: ${formatPathList(paths)}`];

async function prepareRollback(engine: PlanningEngine, before: WorkRuntime, input: RollbackRequest, session: string) {
  const { snapshots, store } = engine;
  const except = (input.except ?? []).map(parseLockPath);
  const { id } = resolveWorkflow(before, { id: input.id, session }, "workflow.rollback");
  rejectOtherWorktree(engine, requireRollbackWorkflow(before, id, session));
  if (!(await snapshots.isPossible())) throw createNoSnapshotsFault(engine, id);
  await rejectGitObstacle(snapshots, `${id} was not rolled back.`);
  // Edits made by a shell belong to the workflow, as edits seen by hooks do.
  const work = await detectWorkflowWork(engine, before, id);
  if (work && work.paths.length > 0)
    await writeWorkflow(engine, { id, session }, (draft) => lockSessionWork(draft, work));
  const runtime = await store.read(loadWorkRuntime);
  const record = requireRollbackWorkflow(runtime, id, session);
  const target = chooseRollbackSnapshot(runtime, record, input);
  await rejectLostSnapshot(engine, target);
  const tree = await snapshots.tree();
  const all = await snapshots.between(tree, target.commit);
  const differences = all.map(({ path, to }) => ({ path, wasThere: to !== undefined }));
  const commits = (await snapshots.commitsSince(target.head)).map(({ subject, body, paths }) => ({
    paths,
    // Skips text that only looks like an id, such as SHA-256.
    ids: findMessageIds(`${subject}\n${body}`).filter((named) => runtime.workflows.has(named)),
  }));
  const known = { differences, commits, except, uncommitted: await snapshots.uncommitted() };
  const times = await snapshots.changedAt(all.flatMap(({ path, from }) => (from ? [path] : [])));
  const basis = findWorkBasis(engine, runtime, id);
  // A restored version would lack what a merge, a pull or a rebase brought.
  const outside = basis && (await snapshots.changedOutside({ ...basis, commit: target.commit, head: target.head }));
  const planWith = (now: WorkRuntime) => {
    const locks = isActiveWorkflow(record) ? now.locks : now.locks.map((lock) => holdOwnLock(lock, id));
    const claimed = now.bases.get(id)?.claimed ?? [];
    const undone = target.undoes?.map(([path]) => path);
    const isChangedSince = (path: string, lock: FileLock | undefined): boolean =>
      outside?.has(path) || isForeignChange(now, target, { path, lock, time: times.get(path) });
    const facts = { ...known, id, since: target.at, locks, spec: getSpecPath(id), claimed, undone, isChangedSince };
    return planRollback(facts);
  };
  const whole = planWith(runtime);
  const token = engine.digest(JSON.stringify([id, target.n, tree, record.current_stage, whole])).slice(0, 16);
  const plan = input.presumed ? includePresumed(whole, differences) : whole;
  return { plan, runtime, record, target, tree, planWith, token, except };
}

type RollbackPlan = ReturnType<typeof planRollback>;

function includePresumed(
  plan: RollbackPlan,
  differences: readonly { path: string; wasThere: boolean }[],
): RollbackPlan {
  const there = new Set(differences.filter(({ wasThere }) => wasThere).map(({ path }) => path));
  return {
    ...plan,
    restored: [...plan.restored, ...plan.presumed.filter((path) => there.has(path))],
    deleted: [...plan.deleted, ...plan.presumed.filter((path) => !there.has(path))],
    presumed: [],
  };
}

/** Whether a file that exists changed after the last change that is known to be the workflow's, or after the rollback to undo. */
function isForeignChange(
  { sessions }: WorkRuntime,
  { workflow, undoes }: WorkflowSnapshot,
  { path, lock, time }: { path: string; lock: FileLock | undefined; time: number | undefined },
): boolean {
  const own = [...sessions.values()].filter(({ current }) => current === workflow);
  if (!undoes && own.some(({ mixed }) => mixed?.includes(path))) return true;
  const last = undoes?.find(([each]) => each === path)?.[1] ?? lock?.changed_ms;
  if (last === undefined || time === undefined || last === time) return false;
  const shells = own.flatMap((each) => each.shells ?? []);
  return !isWithinShells(time, shells);
}

/** An ended workflow can still restore its files from a snapshot. */
function requireRollbackWorkflow(runtime: WorkRuntime, id: string, session: string): WorkflowRecord {
  const record = runtime.workflows.get(id);
  return record && !isActiveWorkflow(record) ? record : requireWritableWorkflow(runtime, id, session);
}

/** The locks of an ended workflow are released, but they name its files. */
function holdOwnLock(lock: FileLock, id: string): FileLock {
  const { released_at: _, ...held } = lock;
  return lock.workflow === id ? held : lock;
}

function chooseRollbackSnapshot(runtime: WorkRuntime, record: WorkflowRecord, { stage, snapshot }: RollbackRequest) {
  const all = listWorkflowSnapshots(runtime, record.id);
  const found =
    snapshot === undefined
      ? all.findLast((each) => each.stage === stage && each.why !== "safety")
      : all.find(({ n }) => n === snapshot);
  if (found && (stage !== undefined || snapshot !== undefined)) return found;
  const last = all.at(-1);
  const known = all.map(({ n, stage: at, why }) => `${n} (${at}, ${why})`);
  const to = snapshot === undefined ? `to stage ${quote(stage ?? "", 40)}` : `to snapshot ${snapshot}`;
  const isUnsaid = snapshot === undefined && stage === undefined;
  throw new Fault("snapshot.unknown", {
    what: isUnsaid
      ? `Missing argument: the stage or snapshot that ${record.id} goes back to.`
      : `${record.id} cannot go back ${to}.`,
    why: last ? `Its snapshots are ${known.join(", ")}.` : "It has no snapshots.",
    fix: last
      ? { operation: "workflow.rollback", input: { id: record.id, snapshot: last.n } }
      : { operation: "workflow.snapshot", input: { id: record.id } },
  });
}

function rejectStaleRollback(confirm: string, prepared: PreparedRollback, isKeeping: boolean): void {
  const { token, record, target, plan } = prepared;
  const again = { operation: "workflow.rollback", input: { id: record.id, snapshot: target.n } };
  if (confirm !== token) {
    throw new Fault("rollback.void", {
      what: `${record.id} was not rolled back.`,
      why: "The approved plan is out of date: files or the workflow changed since, or it was for another snapshot.",
      fix: again,
    });
  }
  if (plan.overlaps.length === 0 || isKeeping) return;
  throw new Fault("rollback.overlap", {
    what: `${record.id} was not rolled back.`,
    why: `${plan.overlaps.map(({ path, with: others }) => `${path} was changed by ${others.join(" and ")} too`).join("; ")}.`,
    fix: { operation: "workflow.rollback", input: { ...again.input, keep_overlaps: true, confirm: token } },
  });
}

/** Takes a safety snapshot first, so that the rollback can be undone. */
async function executeRollback(engine: PlanningEngine, prepared: PreparedRollback, session: string) {
  const { record, target, runtime, plan, planWith } = prepared;
  const safety = await takeWorkflowSnapshot(engine, runtime, record, "safety");
  if (!safety) throw createNoSnapshotsFault(engine, record.id);
  const pending: PendingRollback = {
    workflow: record.id,
    checkout: engine.checkout,
    root: engine.root,
    from: safety.commit,
    to: target.commit,
    paths: [...plan.restored, ...plan.deleted],
    n: target.n,
    safety: safety.n,
    at: engine.clock.now(),
  };
  const describe = (now: WorkRuntime): string =>
    JSON.stringify([
      planWith(now),
      now.workflows.get(record.id)?.current_stage,
      listWorkflowSnapshots(now, record.id).map(({ n }) => n),
    ]);
  const begin = () =>
    commitDraft(engine, (draft, locked) => {
      // A rollback that stopped half-way is replaced: by its end, or by the way back.
      if (!locked.kept(ROLLBACK_SPACE).get(record.id)?.failed) rejectDuringRollback(locked, record.id);
      requireRollbackWorkflow(draft.runtime, record.id, session);
      recordSessionActivity(draft, session);
      const isCurrent = safety.tree === prepared.tree && describe(draft.runtime) === describe(runtime);
      if (!isCurrent) rejectStaleRollback("", prepared, true);
      draft.put(ROLLBACK_SPACE, record.id, pending);
      return storeSnapshot(draft, safety, target.n);
    });
  const { gone, foreign } = await writeWithSnapshots(engine, [safety], () =>
    engine.store.exclusively("rollback", async () => {
      const dropped = await begin();
      const restored = restoreRollbackFiles(engine, engine.snapshots, pending).catch(async (error: unknown) => {
        // A recorded write is finished by the next command.
        if (!(error instanceof Fault) || error.code === "store.pending") throw error;
        throw await withdrawRollback(engine, pending, error);
      });
      return { gone: dropped, ...(await restored) };
    }),
  );
  await dropSnapshotRefs(engine, gone);
  return createRollbackResult(engine, prepared, session, foreign, safety.n);
}

/** `safety` is the number of the safety snapshot, if the rollback is done. */
async function createRollbackResult(
  engine: PlanningEngine,
  {
    record,
    target,
    plan: { restored, deleted, presumed, mixed, unknown, kept, overlaps },
    token,
    except,
  }: PreparedRollback,
  session: string,
  foreign: readonly string[],
  safety?: number,
): Promise<z.infer<typeof RollbackWorkflowOutput>> {
  const runtime = await engine.store.read(loadWorkRuntime);
  const now = runtime.workflows.get(record.id) ?? record;
  const isTouched = (path: string): boolean => !foreign.includes(path);
  const done = safety !== undefined;
  return {
    done,
    workflow: createWorkflowView(now, runtime, session, engine.clock.now(), engine.clock.steady?.()),
    to: { snapshot: target.n, stage: target.stage, timestamp: target.at },
    restored: restored.filter(isTouched),
    deleted: deleted.filter(isTouched),
    presumed,
    mixed,
    unknown,
    kept,
    except,
    overlaps: overlaps.map(({ path, with: others }) => ({ path, with: [...others] })),
    foreign: [...foreign],
    token: done ? undefined : token,
    undo: done ? { id: record.id, snapshot: safety } : undefined,
    notes: done
      ? ["No branch was moved, and no commit was made. Later snapshots stay hidden until you undo this."]
      : [`${formatCount(restored.length + deleted.length, "path")} would change; Tenon takes a snapshot first.`],
  };
}

async function rejectLostSnapshot(engine: PlanningEngine, { workflow, n, commit, checkout }: WorkflowSnapshot) {
  if (!(await engine.snapshots.has(commit))) {
    throw new Fault("snapshot.unknown", {
      what: `${workflow} cannot go back to snapshot ${n}.`,
      why: `Git no longer has the files of refs/tenon/${workflow}/${n}.`,
      fix: { operation: "workflow.status", input: { id: workflow } },
    });
  }
  if (checkout === engine.checkout) return;
  throw new Fault("workflow.elsewhere", {
    what: `${workflow} cannot go back to snapshot ${n} here.`,
    why: `It has the files of another checkout: ${quote(checkout, 60)}.`,
    fix: "Run it there: git worktree list",
  });
}

export const takeSnapshotOperation = defineOperation({
  id: "workflow.snapshot",
  effect: "append",
  input: async () => (await import("./schema.ts")).TakeSnapshotInput,
  output: async () => (await import("./schema.ts")).TakeSnapshotOutput,
  async run(engine: PlanningEngine, { id, session: said }) {
    const { session, runtime } = await syncWorkflowState(engine, said);
    const chosen = resolveWorkflow(runtime, { id, session }, "workflow.snapshot");
    const record = requireWritableWorkflow(runtime, chosen.id, session);
    rejectOtherWorktree(engine, record);
    rejectExpiredTimebox(record, `Tenon took no snapshot of ${record.id}.`, {
      at: engine.clock.now(),
      steady: engine.clock.steady?.(),
    });
    const work = await detectWorkflowWork(engine, runtime, record.id);
    const taken = await takeWorkflowSnapshot(engine, addSessionLocks(runtime, work), record, "request");
    if (!taken) throw createNoSnapshotsFault(engine, record.id);
    const gone = await writeWithSnapshots(engine, [taken], () =>
      writeWorkflow(engine, { id: record.id, session }, (draft) => {
        lockSessionWork(draft, work);
        warnTimeboxEnd(draft, record.id);
        return storeSnapshot(draft, taken);
      }),
    );
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
    title: `Snapshot ${n} of ${id} is saved, at stage ${stage}.`,
    facts: [["ref", ref], ...(files_modified.length > 0 ? [["changed", formatPathList(files_modified)] as const] : [])],
    next: [{ operation: "workflow.rollback", input: { id, snapshot: n } }],
  }),
});

const createNoSnapshotsFault = ({ root }: PlanningEngine, id: string): Fault =>
  new Fault("workspace.no-git", {
    what: `${id} has no snapshots.`,
    why: `${root} is not in a git repository with working files.`,
    fix: "git init",
  });
