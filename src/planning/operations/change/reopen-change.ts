import type { PlanningEngine } from "../engine.ts";
import { requireChangeCapacity, reopenChange } from "../../model/change/change-lifecycle.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import {
  chooseActiveChange,
  createChangeOccurrences,
  listActiveChanges,
  createChangeRecordStep,
  countUnfinishedWorkflows,
} from "./change-records.ts";
import { formatChangePage, listNextChangeCalls, loadOpenChangeStage, createChangeView } from "./change-page.ts";

export const reopenChangeOperation = defineOperation({
  id: "change.reopen",
  effect: "change",
  input: async () => (await import("./schema.ts")).ChangeReopen,
  output: async () => (await import("./schema.ts")).ChangeReopened,
  async run(engine: PlanningEngine, { change_id, stage, reason }) {
    const record = await commitStoreWrite(engine, (tree) => {
      const { record: before } = chooseActiveChange(tree, change_id, "change.reopen");
      const [reopened, effects] = reopenChange(before, stage, reason.trim(), engine.clock.now());
      if (before.status !== "active") {
        const workflows = countUnfinishedWorkflows(tree);
        requireChangeCapacity(listActiveChanges(tree), `${before.id} cannot be reopened.`, { workflows });
      }
      const happened = createChangeOccurrences(reopened, effects).map((occurrence) =>
        occurrence.kind === "change.stage-opened"
          ? { ...occurrence, data: { ...occurrence.data, reason } }
          : occurrence,
      );
      return {
        steps: [createChangeRecordStep(reopened)],
        occurrences: happened,
        result: reopened,
      };
    });
    const stale = record.stages.flatMap((entry) => (entry.status === "stale" ? [entry.name] : []));
    return { change: createChangeView(record), stale, next: await loadOpenChangeStage(engine, record) };
  },
  page: ({ change, next }) => ({
    ...formatChangePage(`Stage ${next.stage} of ${change.id} is open again.`, change),
    guide: next.guide,
    next: listNextChangeCalls(change),
  }),
});
