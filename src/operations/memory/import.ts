import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import { TextCleaner } from "../clean.ts";
import { openEnabledMemory } from "../ports/memory.ts";
import { defineOperation } from "../operation.ts";
import type { Import, Imported } from "./schema.ts";

export const importAll = defineOperation<z.infer<typeof Import>, z.infer<typeof Imported>>({
  id: "memory.import",
  effect: "change",
  isUsers: true,
  input: async () => (await import("./schema.ts")).Import,
  output: async () => (await import("./schema.ts")).Imported,
  async run(engine, { file }) {
    const memory = await openEnabledMemory(engine);
    const cleaner = new TextCleaner(engine);
    return { ...(await memory.importFrom(file, cleaner.text, engine.clock.now())), notes: cleaner.notes() };
  },
  page: ({ kind, read, added, updated, unchanged, buried, notes }) => ({
    title: `${formatCount(read, "observation")} read from ${kind}: ${added} added, ${updated} updated, ${unchanged} known already.`,
    points: [...(buried > 0 ? [`${buried} were deleted here for good, and stay so.`] : []), ...notes],
  }),
});
