import type * as z from "zod";
import { refuseCrowd, reopenChange } from "#domain/change/change.ts";
import { commit } from "../engine.ts";
import { operation } from "../operation.ts";
import type { ChangeReopen, ChangeReopened } from "./schema.ts";
import { chooseChange, occurrences, unfinishedChanges, recordStep, workflowsBeside } from "./shelf.ts";
import { changePage, nextCalls, nextStage, viewChange } from "./view.ts";

export const reopen = operation<z.infer<typeof ChangeReopen>, z.infer<typeof ChangeReopened>>({
  id: "change.reopen",
  effect: "change",
  input: async () => (await import("./schema.ts")).ChangeReopen,
  output: async () => (await import("./schema.ts")).ChangeReopened,
  async run(engine, { change_id, stage, reason }) {
    const record = await commit(engine, (tree) => {
      const { record: before } = chooseChange(tree, change_id, "change.reopen");
      const [reopened, effects] = reopenChange(before, stage, reason.trim(), engine.clock.now());
      if (before.status !== "active") {
        const workflows = workflowsBeside(tree);
        refuseCrowd(unfinishedChanges(tree), `${before.id} cannot be reopened.`, { workflows });
      }
      const happened = occurrences(reopened, effects).map((occurrence) =>
        occurrence.kind === "change.stage-opened"
          ? { ...occurrence, data: { ...occurrence.data, reason } }
          : occurrence,
      );
      return {
        steps: [recordStep(reopened)],
        occurrences: happened,
        result: reopened,
      };
    });
    const stale = record.stages.flatMap((entry) => (entry.status === "stale" ? [entry.name] : []));
    return { change: viewChange(record), stale, next: await nextStage(engine, record) };
  },
  page: ({ change, next }) => ({
    ...changePage(`Stage ${next.stage} of ${change.id} is open again.`, change),
    guide: next.guide,
    next: nextCalls(change),
  }),
});
