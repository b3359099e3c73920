import type * as z from "zod";
import { isLockHeld } from "#domain/workflow/locks.ts";
import { abandonWorkflowRecord } from "#domain/workflow/workflow.ts";
import { abandonChangeOperation as abandonChange } from "../change/abandon.ts";
import { commitStoreWrite, type Engine } from "../engine.ts";
import { defineOperation } from "../operation.ts";
import { WorkflowDraft } from "./running/draft.ts";
import { finishWork } from "./running/ending.ts";
import { dropWorkflowRefs } from "./running/keeping-files.ts";
import { resolveQueueItem, loadWorkRuntime, resolveSession } from "./running/runtime.ts";
import { formatPathList } from "./running/view.ts";
import { syncWorkflowState, writeWorkflow } from "./running/writing.ts";
import type { AbandonWorkflowInput, AbandonWorkflowOutput } from "./schema.ts";
import { LOCK_SPACE } from "./spaces.ts";

export const abandonWorkflowOperation = defineOperation<
  z.infer<typeof AbandonWorkflowInput>,
  z.infer<typeof AbandonWorkflowOutput>
>({
  id: "workflow.abandon",
  effect: "change",
  input: async () => (await import("./schema.ts")).AbandonWorkflowInput,
  output: async () => (await import("./schema.ts")).AbandonWorkflowOutput,
  async run(engine, { id, reason, session: said }) {
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
  engine: Engine,
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
async function abandonChangeWork(engine: Engine, id: string, reason: string): Promise<string[]> {
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
