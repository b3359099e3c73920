import { commitStoreWrite } from "#store/operations/engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { isLockHeld } from "../../model/workflow/file-locks.ts";
import { describeUnusualPriority } from "../../model/workflow/work-queue.ts";
import { abandonWorkflowRecord } from "../../model/workflow/workflow-lifecycle.ts";
import { abandonChangeOperation } from "../change/revise-change.ts";
import type { PlanningEngine } from "../engine.ts";
import { LOCK_SPACE, PRIORITY_SPACE } from "./ledger-spaces.ts";
import {
  findCurrentWork,
  listLockedPaths,
  listWorkQueue,
  loadWorkRuntime,
  resolveQueueItem,
  resolveSession,
  WorkflowDraft,
} from "./workflow-runtime.ts";
import { dropWorkflowRefs } from "./workflow-snapshots.ts";
import { createQueueItemView, formatPathList } from "./workflow-view.ts";
import { finishWork, syncWorkflowState, writeWorkflow } from "./workflow-writes.ts";

export const prioritizeWorkOperation = defineOperation({
  id: "workflow.prioritize",
  effect: "change",
  input: async () => (await import("./schema.ts")).PrioritizeWorkInput,
  output: async () => (await import("./schema.ts")).PrioritizeWorkOutput,
  async run(engine: PlanningEngine, { id, priority }) {
    await syncWorkflowState(engine);
    const item = await commitStoreWrite(engine, (tree) => {
      const draft = new WorkflowDraft(loadWorkRuntime(tree), engine.clock.now());
      const found = resolveQueueItem(draft.runtime, id);
      const record = draft.workflow(id);
      if (record) draft.putWorkflow({ ...record, priority, updated_at: draft.at });
      else draft.put(PRIORITY_SPACE, id, priority);
      draft.say("workflow.prioritized", id, { from: found.priority, to: priority });
      return draft.plan(found);
    });
    const runtime = await engine.store.read(loadWorkRuntime);
    const current = findCurrentWork(runtime, engine.session);
    const unusual = describeUnusualPriority(item.kind, priority);
    return {
      id,
      from: item.priority,
      to: priority,
      queue: listWorkQueue(runtime).map((each) => createQueueItemView(each, runtime, current, engine.clock.now())),
      notes: unusual ? [unusual] : [],
    };
  },
  page: ({ id, from, to, queue, notes }) => ({
    title: `${id} has priority ${to}; it had ${from}.`,
    table: {
      columns: ["prio", "id", "kind", "stage"],
      rows: queue.map((item) => [String(item.priority), item.id, item.kind, item.stage]),
    },
    points: notes,
  }),
});

export const abandonWorkflowOperation = defineOperation({
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
  const paths = await writeWorkflow(engine, { id, session }, (draft, record) => {
    const [abandoned] = abandonWorkflowRecord(record, reason, draft.at);
    draft.putWorkflow(abandoned);
    draft.say("workflow.abandoned", id, { reason });
    const released = listLockedPaths(draft.runtime, id);
    finishWork(draft, id);
    return released;
  });
  await dropWorkflowRefs(engine, id);
  return paths;
}

/** A change ends by its own operation. Then its locks and sessions are released here. */
async function abandonChangeWork(engine: PlanningEngine, id: string, reason: string): Promise<string[]> {
  await abandonChangeOperation.run(engine, { change_id: id, reason });
  return commitStoreWrite(engine, (tree) => {
    const draft = new WorkflowDraft(loadWorkRuntime(tree), engine.clock.now());
    const held = [...tree.kept(LOCK_SPACE).values()].filter((lock) => lock.workflow === id && isLockHeld(lock));
    finishWork(draft, id);
    const paths = held.map(({ path }) => path);
    draft.say("lock.released", id, { paths });
    return draft.plan(paths);
  });
}
