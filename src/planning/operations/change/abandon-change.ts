import type { PlanningEngine } from "../engine.ts";
import { abandonChange } from "../../model/change/change-lifecycle.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { chooseActiveChange, createChangeOccurrences, createChangeRecordStep } from "./change-records.ts";
import { formatChangePage, listNextChangeCalls, createChangeView } from "./change-page.ts";

export const abandonChangeOperation = defineOperation({
  id: "change.abandon",
  effect: "change",
  input: async () => (await import("./schema.ts")).ChangeAbandon,
  output: async () => (await import("./schema.ts")).ChangeClosed,
  async run(engine: PlanningEngine, { change_id, reason }) {
    const record = await commitStoreWrite(engine, (tree) => {
      const { record: before } = chooseActiveChange(tree, change_id, "change.abandon");
      const [abandoned, effects] = abandonChange(before, reason.trim(), engine.clock.now());
      const happened = createChangeOccurrences(abandoned, effects).map((occurrence) => ({
        ...occurrence,
        data: { reason },
      }));
      return {
        steps: [createChangeRecordStep(abandoned)],
        occurrences: happened,
        result: abandoned,
      };
    });
    return { change: createChangeView(record) };
  },
  page: ({ change }) => ({
    ...formatChangePage(`${change.id} is abandoned. Its folder stays as it was.`, change),
    next: listNextChangeCalls(change),
  }),
});
