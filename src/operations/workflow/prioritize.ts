import type * as z from "zod";
import { unusualPriority } from "#domain/workflow/queue.ts";
import { commit } from "../engine.ts";
import { operation } from "../operation.ts";
import { Draft } from "./running/draft.ts";
import { currentIn, chooseItem, queueIn, runtimeIn } from "./running/runtime.ts";
import { bringUpToDate } from "./running/writing.ts";
import type { Prioritize, Prioritized } from "./schema.ts";
import { itemOf } from "./status.ts";

export const prioritize = operation<z.infer<typeof Prioritize>, z.infer<typeof Prioritized>>({
  id: "workflow.prioritize",
  effect: "change",
  input: async () => (await import("./schema.ts")).Prioritize,
  output: async () => (await import("./schema.ts")).Prioritized,
  async run(engine, { id, priority }) {
    await bringUpToDate(engine);
    const item = await commit(engine, (tree) => {
      const draft = new Draft(runtimeIn(tree), engine.clock.now());
      const found = chooseItem(draft.runtime, id);
      const record = draft.workflow(id);
      if (record) draft.putWorkflow({ ...record, priority, updated_at: draft.at });
      else draft.putPriority(id, priority);
      draft.say("workflow.prioritized", id, { from: found.priority, to: priority });
      return draft.plan(found);
    });
    const runtime = await engine.store.read(runtimeIn);
    const current = currentIn(runtime, engine.session);
    const unusual = unusualPriority(item.kind, priority);
    return {
      id,
      from: item.priority,
      to: priority,
      queue: queueIn(runtime).map((each) => itemOf(each, runtime, current, engine.clock.now())),
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
