import type * as z from "zod";
import { countSecondsBetween, formatDuration } from "#kernel/model/utc-time.ts";
import { Fault } from "#kernel/model/fault.ts";
import { canGlobsOverlap } from "#kernel/model/path-glob.ts";
import { isLockHeld } from "../../model/workflow/file-locks.ts";
import type { WorkflowRecord } from "../../model/workflow/workflow-record.ts";
import { DEFAULT_SESSION_ID } from "../../model/workflow/work-sessions.ts";
import { isActiveWorkflow } from "../../model/workflow/workflow-lifecycle.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { PlanningEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { LockedStoreTree, StorePlan } from "#store/operations/ports/store.ts";
import {
  WorkflowDraft,
  resolveWorkflow,
  type WorkRuntime,
  loadWorkRuntime,
  resolveSession,
  findWorkActivity,
} from "./workflow-runtime.ts";
import {
  listWorkflowSnapshots,
  lockSessionWork,
  detectSessionWork,
  type SessionWork,
  addSessionLocks,
} from "./workflow-snapshots.ts";
import { rejectDuringRollback, warnTimeboxEnd, syncWorkflowState } from "./workflow-writes.ts";
import { focusSessionWork } from "./session-focus.ts";
import {
  formatPathList,
  suggestNextCalls,
  loadOpenStage,
  createWorkflowView,
  formatWorkflowPage,
} from "./workflow-view.ts";
import type { ResumeWorkflowInput, ResumeWorkflowOutput } from "./schema.ts";

type ResumeWorkflowRequest = z.infer<typeof ResumeWorkflowInput>;
type ResumeWorkflowResult = z.infer<typeof ResumeWorkflowOutput>;

export const resumeWorkflowOperation = defineOperation<ResumeWorkflowRequest, ResumeWorkflowResult, PlanningEngine>({
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
      ...(vanished && vanished.id !== session ? { interrupted_session: vanished.id } : {}),
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
  if (isActiveWorkflow(record)) return record;
  throw createEndedWorkflowFault(record);
}

function createEndedWorkflowFault({ id, status }: WorkflowRecord): Fault {
  return new Fault("flow.not-active", {
    what: `${id} cannot go on.`,
    why: `It is ${status}.`,
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
  if (!isActiveWorkflow(record)) throw createEndedWorkflowFault(record);
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
  const own = runtime.locks.filter((lock) => lock.workflow === id && isLockHeld(lock));
  const isOwn = (path: string): boolean => own.some((lock) => canGlobsOverlap(lock.path, path));
  const last = listWorkflowSnapshots(runtime, id).at(-1);
  const since = last ? (await engine.snapshots.between(last.tree, tree)).map(({ path }) => path) : [];
  return { uncommitted: (await engine.snapshots.uncommitted()).filter(isOwn), since: since.filter(isOwn), tree };
}
