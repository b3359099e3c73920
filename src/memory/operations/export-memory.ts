import type { MemoryEngine } from "./engine.ts";
import type * as z from "zod";
import { formatCount } from "#kernel/model/text-format.ts";
import { openEnabledMemory } from "./ports/memory.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { ExportMemoryInputSchema, ExportMemoryOutputSchema } from "./schema.ts";

export const exportObservations = defineOperation<
  z.infer<typeof ExportMemoryInputSchema>,
  z.infer<typeof ExportMemoryOutputSchema>,
  MemoryEngine
>({
  id: "memory.export",
  effect: "append",
  isUsers: true,
  input: async () => (await import("./schema.ts")).ExportMemoryInputSchema,
  output: async () => (await import("./schema.ts")).ExportMemoryOutputSchema,
  run: async (engine: MemoryEngine, { file }) => (await openEnabledMemory(engine)).exportTo(file),
  page: ({ file, lines }) => ({ title: `${formatCount(lines, "line")} written to ${file}.` }),
});
