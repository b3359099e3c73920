import type * as z from "zod";
import { beginChange } from "#domain/change/change.ts";
import { commitStoreWrite } from "../engine.ts";
import { defineOperation } from "../operation.ts";
import type { ChangeStart, ChangeStarted } from "./schema.ts";
import { formatProposalPage, proposeChangeStart } from "./propose.ts";
import { createChangeNameCheck, listActiveChanges, createChangeRecordStep, countUnfinishedWorkflows } from "./shelf.ts";
import { formatChangePage, listNextChangeCalls, loadOpenChangeStage, createChangeView } from "./view.ts";

export const startChangeOperation = defineOperation<z.infer<typeof ChangeStart>, z.infer<typeof ChangeStarted>>({
  id: "change.start",
  effect: "append",
  input: async () => (await import("./schema.ts")).ChangeStart,
  output: async () => (await import("./schema.ts")).ChangeStarted,
  async run(engine, wanted) {
    const { type, size } = wanted;
    if (type === undefined || size === undefined) return { proposed: await proposeChangeStart(engine, wanted) };
    const proposal = { ...wanted, type, size, base_commit: await engine.source.head() };
    const record = await commitStoreWrite(engine, (tree) => {
      const at = engine.clock.now();
      const begun = beginChange(
        proposal,
        listActiveChanges(tree),
        createChangeNameCheck(tree),
        at,
        countUnfinishedWorkflows(tree),
      );
      const data = { type, size, description: begun.description };
      return {
        steps: [createChangeRecordStep(begun)],
        occurrences: [{ kind: "change.started", subject: begun.id, data }],
        result: begun,
      };
    });
    return { change: createChangeView(record), next: await loadOpenChangeStage(engine, record) };
  },
  page({ change, next, proposed }) {
    if (proposed) return formatProposalPage(proposed);
    if (!change || !next) throw new Error("A change has begun, or one is proposed.");
    return {
      ...formatChangePage(`Change ${change.id} has begun; stage ${next.stage} is open.`, change),
      guide: next.guide,
      next: listNextChangeCalls(change),
    };
  },
});
