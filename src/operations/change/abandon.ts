import type * as z from "zod";
import { abandonChange } from "#domain/change/change.ts";
import { commitStoreWrite } from "../engine.ts";
import { defineOperation } from "../operation.ts";
import type { ChangeAbandon, ChangeClosed } from "./schema.ts";
import { chooseActiveChange, createChangeOccurrences, createChangeRecordStep } from "./shelf.ts";
import { formatChangePage, listNextChangeCalls, createChangeView } from "./view.ts";

export const abandonChangeOperation = defineOperation<z.infer<typeof ChangeAbandon>, z.infer<typeof ChangeClosed>>({
  id: "change.abandon",
  effect: "change",
  input: async () => (await import("./schema.ts")).ChangeAbandon,
  output: async () => (await import("./schema.ts")).ChangeClosed,
  async run(engine, { change_id, reason }) {
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
