import type * as z from "zod";
import { beginChange } from "#domain/change/change.ts";
import { commit } from "../engine.ts";
import { operation } from "../operation.ts";
import type { ChangeStart, ChangeStarted } from "./schema.ts";
import { proposalPage, propose } from "./propose.ts";
import { isTaken, unfinishedChanges, recordStep, workflowsBeside } from "./shelf.ts";
import { changePage, nextCalls, nextStage, viewChange } from "./view.ts";

export const startChange = operation<z.infer<typeof ChangeStart>, z.infer<typeof ChangeStarted>>({
  id: "change.start",
  effect: "append",
  input: async () => (await import("./schema.ts")).ChangeStart,
  output: async () => (await import("./schema.ts")).ChangeStarted,
  async run(engine, wanted) {
    const { type, size } = wanted;
    if (type === undefined || size === undefined) return { proposed: await propose(engine, wanted) };
    const proposal = { ...wanted, type, size, base_commit: await engine.source.head() };
    const record = await commit(engine, (tree) => {
      const at = engine.clock.now();
      const begun = beginChange(proposal, unfinishedChanges(tree), isTaken(tree), at, workflowsBeside(tree));
      const data = { type, size, description: begun.description };
      return {
        steps: [recordStep(begun)],
        occurrences: [{ kind: "change.started", subject: begun.id, data }],
        result: begun,
      };
    });
    return { change: viewChange(record), next: await nextStage(engine, record) };
  },
  page({ change, next, proposed }) {
    if (proposed) return proposalPage(proposed);
    if (!change || !next) throw new Error("A change has begun, or one is proposed.");
    return {
      ...changePage(`Change ${change.id} has begun; stage ${next.stage} is open.`, change),
      guide: next.guide,
      next: nextCalls(change),
    };
  },
});
