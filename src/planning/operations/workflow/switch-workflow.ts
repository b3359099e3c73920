import { chooseNarrowerPath, findLockConflicts } from "../../model/workflow/file-locks.ts";
import { Fault } from "#kernel/model/fault.ts";
import { canGlobsOverlap } from "#kernel/model/path-glob.ts";
import { countSecondsBetween, formatDuration } from "#kernel/model/utc-time.ts";
import type { WorkflowRecord } from "../../model/workflow/workflow-record.ts";
import { DEFAULT_SESSION_ID, isHeldByOther, rejectLostLease } from "../../model/workflow/work-sessions.ts";
import { isActiveWorkflow } from "../../model/workflow/workflow-lifecycle.ts";
import type { PlanningEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import {
  formatLockHolder,
  listLockHolders,
  recordLockRejection,
  formatPathList,
  suggestNextCalls,
  loadOpenStage,
  createWorkflowView,
  formatParkedNote,
  formatWorkflowPage,
} from "./workflow-view.ts";
import {
  commitDraft,
  findCurrentWork,
  resolveQueueItem,
  type WorkRuntime,
  loadWorkRuntime,
  resolveWorkflow,
  findWorkActivity,
  listLockedPaths,
} from "./workflow-runtime.ts";
import {
  addSessionLocks,
  detectWorkflowWork,
  detectWorkBeside,
  dropSnapshotRefs,
  listWorkflowSnapshots,
  lockSessionWork,
  lockWorkBeside,
  type ParkedWork,
  parkSessionWork,
  storeParkedWork,
  writeWithSnapshots,
} from "./workflow-snapshots.ts";
import { rejectDuringRollback } from "./finish-rollback.ts";
import { focusSessionWork, syncWorkflowState, warnTimeboxEnd } from "./workflow-writes.ts";

export const switchWorkflowOperation = defineOperation({
  id: "workflow.switch",
  effect: "change",
  input: async () => (await import("./schema.ts")).SwitchWorkflowInput,
  output: async () => (await import("./schema.ts")).SwitchWorkflowOutput,
  async run(engine: PlanningEngine, { id, force, session: said }) {
    const { session, runtime } = await syncWorkflowState(engine, said);
    const before = findCurrentWork(runtime, session);
    resolveQueueItem(runtime, id);
    rejectLostLease(id, session, runtime);
    const parked: ParkedWork = before === id ? {} : await parkSessionWork(engine, runtime, session);
    const write = () =>
      commitDraft(engine, (draft, tree) => {
        resolveQueueItem(draft.runtime, id);
        rejectDuringRollback(tree, id);
        rejectLostLease(id, session, draft.runtime);
        const current = findCurrentWork(draft.runtime, session);
        // Locks that were shared with force do not conflict.
        const locks = draft.runtime.locks.filter((lock) => !lock.is_shared);
        const paths = force || current === id ? [] : listLockedPaths({ ...draft.runtime, locks }, id);
        const conflicts = findLockConflicts(paths, id, locks, true);
        if (conflicts.length > 0) {
          recordLockRejection(draft, id, conflicts);
          return { met: conflicts, gone: parked.snapshot ? [parked.snapshot] : [], warnings: [] };
        }
        const dropped = storeParkedWork(draft, tree, session, parked);
        focusSessionWork(draft, id, { session, checkout: engine.checkout, tree: parked.tree });
        draft.say("workflow.switched", id, { ...(current ? { from: current } : {}), session });
        return { met: [], gone: dropped, warnings: warnTimeboxEnd(draft, id) };
      });
    const { met, gone, warnings } = await writeWithSnapshots(engine, [parked.snapshot], write);
    await dropSnapshotRefs(engine, gone);
    const kept = parked.snapshot && !gone.includes(parked.snapshot) ? parked.snapshot : undefined;
    const conflict = met.length > 0;
    const after = conflict ? runtime : await engine.store.read(loadWorkRuntime);
    const { kind, stage } = resolveQueueItem(after, id);
    const record = after.workflows.get(id);
    return {
      switched: !conflict,
      conflict,
      conflicting_files: [...new Set(met.map(chooseNarrowerPath))].toSorted(),
      holders: listLockHolders(met, runtime),
      current_workflow: before ?? null,
      target_workflow: id,
      current: { id, kind, stage, files_locked: listLockedPaths(after, id) },
      workflow: record && createWorkflowView(record, after, session, engine.clock.now(), engine.clock.steady?.()),
      next: record && (await loadOpenStage(engine, record)),
      notes: conflict ? [] : [...formatParkedNote(kept), ...warnings],
    };
  },
  page({ switched, target_workflow, current_workflow, conflicting_files, holders, current, workflow, next, notes }) {
    if (!switched) {
      return {
        title: `${target_workflow} was not started: other work holds ${formatPathList(conflicting_files)}.`,
        points: [
          ...holders.map(formatLockHolder),
          "Nothing changed. Finish or abandon that work, release the file, or share it with force.",
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

export const resumeWorkflowOperation = defineOperation({
  id: "workflow.resume",
  effect: "change",
  input: async () => (await import("./schema.ts")).ResumeWorkflowInput,
  output: async () => (await import("./schema.ts")).ResumeWorkflowOutput,
  async run(engine: PlanningEngine, { id: said, take_over: isTakingOver = false, session: name }) {
    const { session, runtime: before } = await syncWorkflowState(engine, name);
    const interrupted = [...before.workflows.values()].filter(
      (each) => isActiveWorkflow(each) && findWorkActivity(before, each.id).standing === "interrupted",
    );
    const only = interrupted.length === 1 ? interrupted[0]?.id : undefined;
    const record = requireResumable(before, said ?? only, session, isTakingOver);
    const { id } = record;
    const { session: vanished } = findWorkActivity(before, id);
    const work = await detectWorkflowWork(engine, before, id);
    const beside = await detectWorkBeside(engine, before, session);
    const { tree: files, ...paths } = await inspectWorkflowFiles(engine, addSessionLocks(before, work), record);
    const { resumed, notes } = await commitDraft(engine, (draft, tree) => {
      rejectDuringRollback(tree, id);
      const current = requireResumable(draft.runtime, id, session, isTakingOver);
      const { session: gone } = findWorkActivity(draft.runtime, id);
      const isOther = gone !== undefined && gone.id !== session;
      // Shell edits of the vanished session belong to the workflow, as edits seen by hooks do.
      lockSessionWork(draft, work);
      lockWorkBeside(draft, beside);
      if (isOther && gone.id !== DEFAULT_SESSION_ID) draft.putSession({ ...gone, ended_at: draft.at });
      focusSessionWork(draft, id, { session, checkout: engine.checkout, tree: files });
      draft.say("workflow.resumed", id, { session, ...(isOther ? { taken_over: gone.id } : {}) });
      const warnings = warnTimeboxEnd(draft, id);
      return { resumed: draft.workflow(id) ?? current, notes: warnings };
    });
    const last_activity = vanished?.seen_at ?? record.updated_at;
    const ago = formatDuration(countSecondsBetween(last_activity, engine.clock.now()));
    const after = await engine.store.read(loadWorkRuntime);
    return {
      workflow: createWorkflowView(resumed, after, session, engine.clock.now(), engine.clock.steady?.()),
      session,
      interrupted_session: vanished?.id === session ? undefined : vanished?.id,
      last_activity,
      ...paths,
      next: await loadOpenStage(engine, resumed),
      notes: [...notes, `Last seen ${ago} ago.`],
    };
  },
  page: ({ workflow, uncommitted, since_snapshot, next, notes }) => ({
    ...formatWorkflowPage(`${workflow.id} continues at stage ${workflow.stage}. No file was changed.`, workflow),
    points: [
      uncommitted.length > 0 ? `Not committed: ${formatPathList(uncommitted)}` : "All its files are committed.",
      ...(since_snapshot.length > 0 ? [`Changed since its last snapshot: ${formatPathList(since_snapshot)}`] : []),
      ...notes,
    ],
    guide: next.guide,
    next: suggestNextCalls(workflow),
  }),
});

/** The named or current workflow, if it is active and no other session works on it. */
function requireResumable(runtime: WorkRuntime, said: string | undefined, session: string, isTakingOver: boolean) {
  const record = resolveWorkflow(runtime, { id: said, session }, "workflow.resume");
  const { id, status } = record;
  if (!isActiveWorkflow(record)) {
    throw new Fault("flow.not-active", {
      what: `${id} cannot continue.`,
      why: `It is ${status}.`,
      fix: { operation: "workflow.status" },
    });
  }
  const lease = runtime.lease(id);
  if (isTakingOver || !isHeldByOther(lease, session, runtime.sessions)) return record;
  throw new Fault("lease.lost", {
    what: `${id} was not taken over.`,
    why: `Session ${lease?.holder} is working on it.`,
    fix: [
      { operation: "workflow.status", input: { id } },
      { operation: "workflow.resume", input: { id, take_over: true } },
    ],
  });
}

async function inspectWorkflowFiles({ snapshots }: PlanningEngine, runtime: WorkRuntime, { id }: WorkflowRecord) {
  if (!(await snapshots.isPossible())) return { uncommitted: [], since_snapshot: [], tree: undefined };
  const tree = await snapshots.tree();
  const own = listLockedPaths(runtime, id);
  const isOwn = (path: string): boolean => own.some((locked) => canGlobsOverlap(locked, path));
  const last = listWorkflowSnapshots(runtime, id).at(-1);
  // Snapshots of a teammate's machine stay there.
  const isHere = last !== undefined && (await snapshots.has(last.tree));
  const since = isHere ? (await snapshots.between(last.tree, tree)).map(({ path }) => path) : [];
  return { uncommitted: (await snapshots.uncommitted()).filter(isOwn), since_snapshot: since.filter(isOwn), tree };
}
