import type { MemoryEngine } from "./engine.ts";
import type * as z from "zod";
import { formatCount } from "#kernel/model/text-format.ts";
import { TextCleaner } from "./text-cleaner.ts";
import { openEnabledMemory } from "./ports/memory.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { ImportMemoryInputSchema, ImportMemoryOutputSchema } from "./schema.ts";

export const importObservations = defineOperation<
  z.infer<typeof ImportMemoryInputSchema>,
  z.infer<typeof ImportMemoryOutputSchema>,
  MemoryEngine
>({
  id: "memory.import",
  effect: "change",
  isUsers: true,
  input: async () => (await import("./schema.ts")).ImportMemoryInputSchema,
  output: async () => (await import("./schema.ts")).ImportMemoryOutputSchema,
  async run(engine: MemoryEngine, { file }) {
    const memory = await openEnabledMemory(engine);
    const cleaner = new TextCleaner(engine);
    return { ...(await memory.importFrom(file, cleaner.text, engine.clock.now())), notes: cleaner.notes() };
  },
  page: ({ kind, read, added, updated, unchanged, buried, notes }) => ({
    title: `${formatCount(read, "observation")} read from ${kind}: ${added} added, ${updated} updated, ${unchanged} known already.`,
    points: [...(buried > 0 ? [`${buried} were deleted here for good, and stay so.`] : []), ...notes],
  }),
});
