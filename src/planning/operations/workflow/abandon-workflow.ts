import type * as z from "zod";
import { isLockHeld } from "../../model/workflow/file-locks.ts";
import { abandonWorkflowRecord } from "../../model/workflow/workflow-lifecycle.ts";
import { abandonChangeOperation as abandonChange } from "../change/revise-change.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { PlanningEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { WorkflowDraft, resolveQueueItem, loadWorkRuntime, resolveSession } from "./workflow-runtime.ts";
import { finishWork } from "./session-focus.ts";
import { dropWorkflowRefs } from "./workflow-snapshots.ts";
import { formatPathList } from "./workflow-view.ts";
import { syncWorkflowState, writeWorkflow } from "./workflow-writes.ts";
import type { AbandonWorkflowInput, AbandonWorkflowOutput } from "./schema.ts";
import { LOCK_SPACE } from "./ledger-spaces.ts";

export const abandonWorkflowOperation = defineOperation<
  z.infer<typeof AbandonWorkflowInput>,
  z.infer<typeof AbandonWorkflowOutput>,
  PlanningEngine
>({
  id: "workflow.abandon",
  effect: "change",
  input: async () => (await import("./schema.ts")).AbandonWorkflowInput,
  output: async () => (await import("./schema.ts")).AbandonWorkflowOutput,
  async run(engine: PlanningEngine, { id, reason, session: said }) {
    await syncWorkflowState(engine);
    const session = resolveSession(engine, said);
    const item = await engine.store.read((tree) => resolveQueueItem(loadWorkRuntime(tree), id));
    const released =
      item.kind === "change"
        ? await abandonChangeWork(engine, id, reason)
        : await abandonWorkflowWork(engine, { id, session }, reason.trim());
    return { id, kind: item.kind, stage: item.stage, reason: reason.trim(), released };
  },
  page: ({ id, stage, released }) => ({
    title: `${id} is abandoned at stage ${stage}. Its files stay as they are.`,
    points: released.length > 0 ? [`Released: ${formatPathList(released)}`] : [],
    next: [{ operation: "workflow.status" }],
  }),
});

async function abandonWorkflowWork(
  engine: PlanningEngine,
  { id, session }: { readonly id: string; readonly session: string },
  reason: string,
): Promise<string[]> {
  const released = await writeWorkflow(engine, { id, session }, (draft, record) => {
    const [abandoned] = abandonWorkflowRecord(record, reason, draft.at);
    draft.putWorkflow(abandoned);
    draft.say("workflow.abandoned", id, { reason });
    const held = draft.runtime.locks.filter((lock) => lock.workflow === id && isLockHeld(lock));
    finishWork(draft, id);
    return held.map(({ path }) => path);
  });
  await dropWorkflowRefs(engine, id);
  return released;
}

/** A change ends by its own operation. Then its locks and sessions are released here. */
async function abandonChangeWork(engine: PlanningEngine, id: string, reason: string): Promise<string[]> {
  await abandonChange.run(engine, { change_id: id, reason });
  return commitStoreWrite(engine, (tree) => {
    const draft = new WorkflowDraft(loadWorkRuntime(tree), engine.clock.now());
    const held = [...tree.kept(LOCK_SPACE).values()].filter((lock) => lock.workflow === id && isLockHeld(lock));
    finishWork(draft, id);
    const paths = held.map(({ path }) => path);
    draft.say("lock.released", id, { paths });
    return draft.plan(paths);
  });
}
