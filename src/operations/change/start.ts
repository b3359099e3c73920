import type * as z from "zod";
import { beginChange } from "#domain/change/change.ts";
import { commit } from "../engine.ts";
import { operation } from "../operation.ts";
import type { ChangeStart, ChangeStarted } from "./schema.ts";
import { isTaken, unfinishedChanges, recordStep } from "./shelf.ts";
import { changePage, nextCalls, nextStage, viewChange } from "./view.ts";

export const startChange = operation<z.infer<typeof ChangeStart>, z.infer<typeof ChangeStarted>>({
  id: "change.start",
  effect: "append",
  input: async () => (await import("./schema.ts")).ChangeStart,
  output: async () => (await import("./schema.ts")).ChangeStarted,
  async run(engine, proposal) {
    const record = await commit(engine, (tree) => {
      const begun = beginChange(proposal, unfinishedChanges(tree), isTaken(tree), engine.clock.now());
      const { id, type, size, description } = begun;
      return {
        steps: [recordStep(begun)],
        occurrences: [{ kind: "change.started", subject: id, data: { type, size, description } }],
        result: begun,
      };
    });
    return { change: viewChange(record), next: await nextStage(engine, record) };
  },
  page: ({ change, next }) => ({
    ...changePage(`Change ${change.id} has begun; stage ${next.stage} is open.`, change),
    guide: next.guide,
    next: nextCalls(change),
  }),
});
