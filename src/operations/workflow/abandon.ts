import type * as z from "zod";
import { isHeld } from "#domain/workflow/locks.ts";
import { abandonWorkflow } from "#domain/workflow/workflow.ts";
import { abandon as abandonChange } from "../change/abandon.ts";
import { commit, type Engine } from "../engine.ts";
import { operation } from "../operation.ts";
import { foldJournal } from "./fold.ts";
import { Draft } from "./running/draft.ts";
import { endWork } from "./running/ending.ts";
import { dropEveryRef } from "./running/keeping-files.ts";
import { finishRollbacks } from "./running/rolling-back.ts";
import { chooseItem, runtimeIn } from "./running/runtime.ts";
import { listed } from "./running/view.ts";
import type { Abandon, Abandoned } from "./schema.ts";

export const abandon = operation<z.infer<typeof Abandon>, z.infer<typeof Abandoned>>({
  id: "workflow.abandon",
  effect: "change",
  input: async () => (await import("./schema.ts")).Abandon,
  output: async () => (await import("./schema.ts")).Abandoned,
  async run(engine, { id, reason }) {
    await finishRollbacks(engine);
    await foldJournal(engine);
    const item = await engine.store.read((tree) => chooseItem(runtimeIn(tree), id));
    if (item.kind === "change") await abandonChange.run(engine, { change_id: id, reason });
    return end(engine, id, reason.trim(), item);
  },
  page: ({ id, stage, released }) => ({
    title: `${id} is abandoned at stage ${stage}. Its files stay as they are.`,
    points: released.length > 0 ? [`Released: ${listed(released)}`] : [],
    next: [{ operation: "workflow.status" }],
  }),
});

async function end(
  engine: Engine,
  id: string,
  reason: string,
  { kind, stage }: { readonly kind: string; readonly stage: string },
): Promise<z.infer<typeof Abandoned>> {
  const released = await commit(engine, (tree) => {
    const draft = new Draft(runtimeIn(tree), engine.clock.now());
    const record = draft.workflow(id);
    if (record) {
      const [abandoned] = abandonWorkflow(record, reason, draft.at);
      draft.putWorkflow(abandoned);
    }
    draft.say(record ? "workflow.abandoned" : "lock.released", id, { reason });
    const held = [...draft.runtime.locks].filter((lock) => lock.workflow === id && (isHeld(lock) || !record));
    endWork(draft, id);
    return draft.plan(held.map(({ path }) => path));
  });
  await dropEveryRef(engine, id);
  return { id, kind, stage, reason, released };
}
