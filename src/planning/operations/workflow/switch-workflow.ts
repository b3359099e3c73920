import type * as z from "zod";
import { chooseNarrowerPath, findLockConflicts, type LockConflict } from "../../model/workflow/file-locks.ts";
import { Fault } from "#kernel/model/fault.ts";
import { canGlobsOverlap } from "#kernel/model/path-glob.ts";
import { countSecondsBetween, formatDuration } from "#kernel/model/utc-time.ts";
import type { WorkflowRecord, WorkflowSnapshot } from "../../model/workflow/workflow-record.ts";
import { DEFAULT_SESSION_ID, rejectLostLease } from "../../model/workflow/work-sessions.ts";
import { isActiveWorkflow } from "../../model/workflow/workflow-lifecycle.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { PlanningEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { LockedStoreTree, StorePlan } from "#store/operations/ports/store.ts";
import {
  formatLockHolder,
  listLockHolders,
  recordLockRejection,
  formatPathList,
  suggestNextCalls,
  loadOpenStage,
  createWorkflowView,
  formatWorkflowPage,
} from "./workflow-view.ts";
import {
  WorkflowDraft,
  findCurrentWork,
  resolveQueueItem,
  type WorkRuntime,
  loadWorkRuntime,
  resolveSession,
  resolveWorkflow,
  findWorkActivity,
  listLockedPaths,
} from "./workflow-runtime.ts";
import {
  addSessionLocks,
  detectSessionWork,
  dropSnapshotRefs,
  listWorkflowSnapshots,
  lockSessionWork,
  parkSessionWork,
  type SessionWork,
  storeParkedWork,
  writeWithSnapshots,
} from "./workflow-snapshots.ts";
import { focusSessionWork, rejectDuringRollback, syncWorkflowState, warnTimeboxEnd } from "./workflow-writes.ts";
import type { SwitchWorkflowInput } from "./schema.ts";

export const switchWorkflowOperation = defineOperation({
  id: "workflow.switch",
  effect: "change",
  input: async () => (await import("./schema.ts")).SwitchWorkflowInput,
  output: async () => (await import("./schema.ts")).SwitchWorkflowOutput,
  async run(engine: PlanningEngine, input) {
    await syncWorkflowState(engine);
    const session = resolveSession(engine, input.session);
    const runtime = await engine.store.read(loadWorkRuntime);
    const before = findCurrentWork(runtime, session);
    resolveQueueItem(runtime, input.id);
    rejectLostLease(input.id, session, runtime.sessions, runtime.lease(input.id));
    const { met, notes } = await switchSessionWork(engine, input, session, runtime);
    const conflict = met.length > 0;
    const after = conflict ? runtime : await engine.store.read(loadWorkRuntime);
    return {
      switched: !conflict,
      conflict,
      conflicting_files: [...new Set(met.map(chooseNarrowerPath))].toSorted(),
      holders: listLockHolders(met, runtime),
      current_workflow: before ?? null,
      target_workflow: input.id,
      ...(await createCurrentWorkView(engine, after, input.id, session)),
      notes: conflict ? [] : notes,
    };
  },
  page({ switched, target_workflow, current_workflow, conflicting_files, holders, current, workflow, next, notes }) {
    if (!switched) {
      return {
        title: `${target_workflow} was not taken up: others work on ${formatPathList(conflicting_files)}.`,
        points: [
          ...holders.map(formatLockHolder),
          "Finish or abandon that work, release the file, or share it with force; nothing was changed.",
        ],
        next: [
          ...(current_workflow ? [{ operation: "workflow.status", input: { id: current_workflow } }] : []),
          { operation: "workflow.switch", input: { id: target_workflow, force: true } },
        ],
      };
    }
    return {
      title: `${current.id} is current, at stage ${current.stage}. No file was changed.`,
      facts: [
        ...(current_workflow && current_workflow !== current.id ? [["before", current_workflow] as const] : []),
        ...(current.files_locked.length > 0 ? [["locked", formatPathList(current.files_locked)] as const] : []),
      ],
      points: notes,
      ...(next ? { guide: next.guide } : {}),
      next: workflow ? suggestNextCalls(workflow) : [{ operation: "change.status", input: { change_id: current.id } }],
    };
  },
  isRefusal: ({ switched }) => !switched,
});

/** Conflicts with any other work, except for locks that were shared with force. */
function findSwitchConflicts(runtime: WorkRuntime, target: string): LockConflict[] {
  const locks = runtime.locks.filter((lock) => !lock.is_shared);
  return findLockConflicts(listLockedPaths({ ...runtime, locks }, target), target, locks, true);
}

interface SwitchOutcome {
  readonly met: readonly LockConflict[];
  readonly gone: readonly WorkflowSnapshot[];
  readonly notes: string[];
}

async function switchSessionWork(
  engine: PlanningEngine,
  { id, force }: z.infer<typeof SwitchWorkflowInput>,
  session: string,
  runtime: WorkRuntime,
): Promise<SwitchOutcome> {
  const isCurrent = findCurrentWork(runtime, session) === id;
  const parked = isCurrent ? {} : await parkSessionWork(engine, runtime, session);
  const decide = (tree: LockedStoreTree): StorePlan<SwitchOutcome> => {
    const draft = new WorkflowDraft(loadWorkRuntime(tree), engine.clock.now());
    resolveQueueItem(draft.runtime, id);
    rejectDuringRollback(tree, id);
    rejectLostLease(id, session, draft.runtime.sessions, draft.runtime.lease(id));
    const before = findCurrentWork(draft.runtime, session);
    const met = force || before === id ? [] : findSwitchConflicts(draft.runtime, id);
    if (met.length > 0) {
      recordLockRejection(draft, id, met);
      return draft.plan({ met, gone: parked.snapshot ? [parked.snapshot] : [], notes: [] });
    }
    const gone = storeParkedWork(draft, tree, session, parked);
    focusSessionWork(draft, id, { session, checkout: engine.checkout, tree: parked.tree });
    draft.say("workflow.switched", id, { ...(before ? { from: before } : {}), session });
    return draft.plan({ met, gone, notes: warnTimeboxEnd(draft, id) });
  };
  const moved = await writeWithSnapshots(engine, [parked.snapshot], () => commitStoreWrite(engine, decide));
  await dropSnapshotRefs(engine, moved.gone);
  const kept = parked.snapshot && !moved.gone.includes(parked.snapshot) ? parked.snapshot : undefined;
  const told = kept ? [`What ${kept.workflow} had done is kept as its snapshot ${kept.n}.`] : [];
  return { ...moved, notes: [...told, ...moved.notes] };
}

async function createCurrentWorkView(engine: PlanningEngine, runtime: WorkRuntime, id: string, session: string) {
  const { kind, stage } = resolveQueueItem(runtime, id);
  const record = runtime.workflows.get(id);
  return {
    current: { id, kind, stage, files_locked: listLockedPaths(runtime, id) },
    workflow: record && createWorkflowView(record, runtime, session, engine.clock.now()),
    next: record && (await loadOpenStage(engine, record)),
  };
}

export const resumeWorkflowOperation = defineOperation({
  id: "workflow.resume",
  effect: "change",
  input: async () => (await import("./schema.ts")).ResumeWorkflowInput,
  output: async () => (await import("./schema.ts")).ResumeWorkflowOutput,
  async run(engine: PlanningEngine, input) {
    await syncWorkflowState(engine);
    const session = resolveSession(engine, input.session);
    const before = await engine.store.read(loadWorkRuntime);
    const record = chooseInterruptedWorkflow(before, input.id, session);
    const { session: vanished } = findWorkActivity(before, record.id);
    rejectLeasedWorkflow(before, record.id, session, input.take_over ?? false);
    const seen = await detectSessionWork(engine, before, vanished?.id ?? session);
    const work = await inspectWorkflowFiles(engine, addSessionLocks(before, seen), record);
    const taking = { session, isTakingOver: input.take_over ?? false, files: work.tree, work: seen };
    const { resumed, notes } = await commitStoreWrite(engine, (tree) => planTakeover(tree, engine, record.id, taking));
    const after = await engine.store.read(loadWorkRuntime);
    return {
      workflow: createWorkflowView(resumed, after, session, engine.clock.now()),
      session,
      interrupted_session: vanished?.id === session ? undefined : vanished?.id,
      last_activity: vanished?.seen_at ?? record.updated_at,
      uncommitted: work.uncommitted,
      since_snapshot: work.since,
      next: await loadOpenStage(engine, resumed),
      notes: [
        ...notes,
        `Last seen ${formatDuration(countSecondsBetween(vanished?.seen_at ?? record.updated_at, engine.clock.now()))} ago.`,
      ],
    };
  },
  page: ({ workflow, uncommitted, since_snapshot, next, notes }) => ({
    ...formatWorkflowPage(`${workflow.id} goes on at stage ${workflow.stage}. No file was changed.`, workflow),
    points: [
      uncommitted.length > 0 ? `Not committed: ${formatPathList(uncommitted)}` : "Everything of it is committed.",
      ...(since_snapshot.length > 0 ? [`Changed since its last snapshot: ${formatPathList(since_snapshot)}`] : []),
      ...notes,
    ],
    guide: next.guide,
    next: suggestNextCalls(workflow),
  }),
});

function chooseInterruptedWorkflow(runtime: WorkRuntime, id: string | undefined, session: string): WorkflowRecord {
  const interrupted = [...runtime.workflows.values()].filter(
    (record) => isActiveWorkflow(record) && findWorkActivity(runtime, record.id).standing === "interrupted",
  );
  const only = interrupted.length === 1 ? interrupted[0]?.id : undefined;
  const record = resolveWorkflow(runtime, { id: id ?? only, session }, "workflow.resume");
  rejectEndedWorkflow(record);
  return record;
}

function rejectEndedWorkflow(record: WorkflowRecord): void {
  if (isActiveWorkflow(record)) return;
  throw new Fault("flow.not-active", {
    what: `${record.id} cannot go on.`,
    why: `It is ${record.status}.`,
    fix: { operation: "workflow.status" },
  });
}

function rejectLeasedWorkflow(runtime: WorkRuntime, id: string, session: string, isTakingOver: boolean): void {
  const lease = runtime.lease(id);
  if (isTakingOver || !lease?.isLive || lease.holder === session) return;
  throw new Fault("lease.lost", {
    what: `${id} was not taken over.`,
    why: `Session ${lease.holder} is at work on it.`,
    fix: [
      { operation: "workflow.status", input: { id } },
      { operation: "workflow.resume", input: { id, take_over: true } },
    ],
  });
}

function planTakeover(
  tree: LockedStoreTree,
  engine: PlanningEngine,
  id: string,
  { session, isTakingOver, files, work }: TakeoverRequest,
): StorePlan<{ resumed: WorkflowRecord; notes: string[] }> {
  const draft = new WorkflowDraft(loadWorkRuntime(tree), engine.clock.now());
  rejectDuringRollback(tree, id);
  const record = resolveWorkflow(draft.runtime, { id, session }, "workflow.resume");
  rejectEndedWorkflow(record);
  rejectLeasedWorkflow(draft.runtime, id, session, isTakingOver);
  const { session: vanished } = findWorkActivity(draft.runtime, id);
  // Shell edits of the vanished session belong to the workflow, as edits seen by hooks do.
  if (work?.workflow === id) lockSessionWork(draft, work);
  if (vanished && vanished.id !== session && vanished.id !== DEFAULT_SESSION_ID) {
    draft.putSession({ ...vanished, ended_at: draft.at });
  }
  focusSessionWork(draft, id, { session, checkout: engine.checkout, tree: files });
  const isOther = vanished !== undefined && vanished.id !== session;
  draft.say("workflow.resumed", id, { session, ...(isOther ? { taken_over: vanished.id } : {}) });
  const notes = warnTimeboxEnd(draft, id);
  return draft.plan({ resumed: draft.workflow(id) ?? record, notes });
}

interface TakeoverRequest {
  readonly session: string;
  readonly isTakingOver: boolean;
  readonly files: string | undefined;
  readonly work: SessionWork | undefined;
}

async function inspectWorkflowFiles(
  engine: PlanningEngine,
  runtime: WorkRuntime,
  { id }: WorkflowRecord,
): Promise<{ uncommitted: string[]; since: string[]; tree?: string }> {
  if (!(await engine.snapshots.isPossible())) return { uncommitted: [], since: [] };
  const tree = await engine.snapshots.tree();
  const own = listLockedPaths(runtime, id);
  const isOwn = (path: string): boolean => own.some((locked) => canGlobsOverlap(locked, path));
  const last = listWorkflowSnapshots(runtime, id).at(-1);
  const since = last ? (await engine.snapshots.between(last.tree, tree)).map(({ path }) => path) : [];
  return { uncommitted: (await engine.snapshots.uncommitted()).filter(isOwn), since: since.filter(isOwn), tree };
}
