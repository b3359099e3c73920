import type * as z from "zod";
import { isHeld } from "#domain/workflow/locks.ts";
import { abandonWorkflow } from "#domain/workflow/workflow.ts";
import { abandonChangeOperation as abandonChange } from "../change/abandon.ts";
import { commit, type Engine } from "../engine.ts";
import { operation } from "../operation.ts";
import { Draft } from "./running/draft.ts";
import { endWork } from "./running/ending.ts";
import { dropEveryRef } from "./running/keeping-files.ts";
import { chooseItem, runtimeIn, sessionIn } from "./running/runtime.ts";
import { listed } from "./running/view.ts";
import { bringUpToDate, writeFor } from "./running/writing.ts";
import type { Abandon, Abandoned } from "./schema.ts";
import { LOCKS } from "./spaces.ts";

export const abandon = operation<z.infer<typeof Abandon>, z.infer<typeof Abandoned>>({
  id: "workflow.abandon",
  effect: "change",
  input: async () => (await import("./schema.ts")).Abandon,
  output: async () => (await import("./schema.ts")).Abandoned,
  async run(engine, { id, reason, session: said }) {
    await bringUpToDate(engine);
    const session = sessionIn(engine, said);
    const item = await engine.store.read((tree) => chooseItem(runtimeIn(tree), id));
    const released =
      item.kind === "change"
        ? await endChange(engine, id, reason)
        : await endWorkflow(engine, { id, session }, reason.trim());
    return { id, kind: item.kind, stage: item.stage, reason: reason.trim(), released };
  },
  page: ({ id, stage, released }) => ({
    title: `${id} is abandoned at stage ${stage}. Its files stay as they are.`,
    points: released.length > 0 ? [`Released: ${listed(released)}`] : [],
    next: [{ operation: "workflow.status" }],
  }),
});

async function endWorkflow(
  engine: Engine,
  { id, session }: { readonly id: string; readonly session: string },
  reason: string,
): Promise<string[]> {
  const released = await writeFor(engine, { id, session }, (draft, record) => {
    const [abandoned] = abandonWorkflow(record, reason, draft.at);
    draft.putWorkflow(abandoned);
    draft.say("workflow.abandoned", id, { reason });
    const held = draft.runtime.locks.filter((lock) => lock.workflow === id && isHeld(lock));
    endWork(draft, id);
    return held.map(({ path }) => path);
  });
  await dropEveryRef(engine, id);
  return released;
}

/** A change ends by its own operation. Then its locks and sessions are released here. */
async function endChange(engine: Engine, id: string, reason: string): Promise<string[]> {
  await abandonChange.run(engine, { change_id: id, reason });
  return commit(engine, (tree) => {
    const draft = new Draft(runtimeIn(tree), engine.clock.now());
    const held = [...tree.kept(LOCKS).values()].filter((lock) => lock.workflow === id && isHeld(lock));
    endWork(draft, id);
    const paths = held.map(({ path }) => path);
    draft.say("lock.released", id, { paths });
    return draft.plan(paths);
  });
}
