import type * as z from "zod";
import {
  type LockConflict,
  findLockConflicts,
  isLockHeld,
  chooseNarrowerPath,
} from "../../model/workflow/file-locks.ts";
import type { WorkflowSnapshot } from "../../model/workflow/workflow-record.ts";
import { rejectLostLease } from "../../model/workflow/work-sessions.ts";
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
} from "./workflow-view.ts";
import {
  WorkflowDraft,
  findCurrentWork,
  resolveQueueItem,
  type WorkRuntime,
  loadWorkRuntime,
  resolveSession,
} from "./workflow-runtime.ts";
import { dropSnapshotRefs, writeWithSnapshots, storeParkedWork, parkSessionWork } from "./workflow-snapshots.ts";
import { rejectDuringRollback, warnTimeboxEnd, syncWorkflowState } from "./workflow-writes.ts";
import { focusSessionWork } from "./session-focus.ts";
import type { SwitchWorkflowInput, SwitchWorkflowOutput } from "./schema.ts";

type SwitchWorkflowRequest = z.infer<typeof SwitchWorkflowInput>;
type SwitchWorkflowResult = z.infer<typeof SwitchWorkflowOutput>;

export const switchWorkflowOperation = defineOperation<SwitchWorkflowRequest, SwitchWorkflowResult, PlanningEngine>({
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
    if (met.length > 0) {
      return {
        switched: false,
        conflict: true,
        conflicting_files: [...new Set(met.map(chooseNarrowerPath))].toSorted(),
        current_workflow: before ?? null,
        target_workflow: input.id,
        holders: listLockHolders(met, runtime),
        ...(await createCurrentWorkView(engine, runtime, input.id, session)),
        notes: [],
      };
    }
    const after = await engine.store.read(loadWorkRuntime);
    return {
      switched: true,
      conflict: false,
      conflicting_files: [],
      holders: [],
      current_workflow: before ?? null,
      target_workflow: input.id,
      ...(await createCurrentWorkView(engine, after, input.id, session)),
      notes,
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
  const mine = runtime.locks.filter((lock) => lock.workflow === target && isLockHeld(lock) && !lock.is_shared);
  return findLockConflicts(
    mine.map(({ path }) => path),
    target,
    runtime.locks.filter((lock) => !lock.is_shared),
    true,
  );
}

interface SwitchOutcome {
  readonly met: readonly LockConflict[];
  readonly gone: readonly WorkflowSnapshot[];
  readonly notes: string[];
}

async function switchSessionWork(
  engine: PlanningEngine,
  { id, force }: SwitchWorkflowRequest,
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

async function createCurrentWorkView(
  engine: PlanningEngine,
  runtime: WorkRuntime,
  id: string,
  session: string,
): Promise<Pick<SwitchWorkflowResult, "current" | "workflow" | "next">> {
  const { kind, stage } = resolveQueueItem(runtime, id);
  const record = runtime.workflows.get(id);
  return {
    current: {
      id,
      kind,
      stage,
      files_locked: runtime.locks.filter((lock) => lock.workflow === id && isLockHeld(lock)).map(({ path }) => path),
    },
    ...(record
      ? {
          workflow: createWorkflowView(record, runtime, session, engine.clock.now()),
          next: await loadOpenStage(engine, record),
        }
      : {}),
  };
}
