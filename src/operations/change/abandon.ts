import type * as z from "zod";
import { abandonChange } from "#domain/change/change.ts";
import { commit } from "../engine.ts";
import { operation } from "../operation.ts";
import type { ChangeAbandon, ChangeClosed } from "./schema.ts";
import { chooseChange, occurrences, recordStep } from "./shelf.ts";
import { changePage, nextCalls, viewChange } from "./view.ts";

export const abandon = operation<z.infer<typeof ChangeAbandon>, z.infer<typeof ChangeClosed>>({
  id: "change.abandon",
  effect: "change",
  input: async () => (await import("./schema.ts")).ChangeAbandon,
  output: async () => (await import("./schema.ts")).ChangeClosed,
  async run(engine, { change_id, reason }) {
    const record = await commit(engine, (tree) => {
      const { record: before } = chooseChange(tree, change_id, "change.abandon");
      const [abandoned, effects] = abandonChange(before, reason.trim(), engine.clock.now());
      const happened = occurrences(abandoned, effects).map((occurrence) => ({ ...occurrence, data: { reason } }));
      return {
        steps: [recordStep(abandoned)],
        occurrences: happened,
        result: abandoned,
      };
    });
    return { change: viewChange(record) };
  },
  page: ({ change }) => ({
    ...changePage(`${change.id} is abandoned. Its folder stays as it was.`, change),
    next: nextCalls(change),
  }),
});
