import type { PlanningEngine } from "../engine.ts";
import type * as z from "zod";
import { describeUnusualPriority } from "../../model/workflow/work-queue.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import {
  WorkflowDraft,
  findCurrentWork,
  resolveQueueItem,
  listWorkQueue,
  loadWorkRuntime,
} from "./workflow-runtime.ts";
import { syncWorkflowState } from "./workflow-writes.ts";
import type { PrioritizeWorkInput, PrioritizeWorkOutput } from "./schema.ts";
import { createQueueItemView } from "#roadmap/operations/workflow/show-workflow-status.ts";

export const prioritizeWorkOperation = defineOperation<
  z.infer<typeof PrioritizeWorkInput>,
  z.infer<typeof PrioritizeWorkOutput>,
  PlanningEngine
>({
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
      else draft.putPriority(id, priority);
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
