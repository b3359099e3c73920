import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import type { WorkflowSnapshot } from "../../model/workflow/workflow-record.ts";
import type { PlanningEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import {
  dropSnapshotRefs,
  storeSnapshot,
  takeWorkflowSnapshot,
  writeWithSnapshots,
  lockSessionWork,
  detectSessionWork,
  addSessionLocks,
} from "./workflow-snapshots.ts";
import { resolveWorkflow, loadWorkRuntime, resolveSession } from "./workflow-runtime.ts";
import {
  rejectExpiredTimebox,
  warnTimeboxEnd,
  syncWorkflowState,
  requireWritableWorkflow,
  writeWorkflow,
} from "./workflow-writes.ts";
import { formatPathList, rejectOtherWorktree } from "./workflow-view.ts";
import type { TakeSnapshotInput, TakeSnapshotOutput } from "./schema.ts";

export const takeSnapshotOperation = defineOperation<
  z.infer<typeof TakeSnapshotInput>,
  z.infer<typeof TakeSnapshotOutput>,
  PlanningEngine
>({
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
    const write = (): Promise<WorkflowSnapshot[]> =>
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

export function createNoSnapshotsFault({ root }: Pick<PlanningEngine, "root">, id: string): Fault {
  return new Fault("workspace.no-git", {
    what: `${id} has no snapshots.`,
    why: `${root} is in no git repository with working files.`,
    fix: "git init",
  });
}
