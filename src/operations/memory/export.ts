import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import { openEnabledMemory } from "../ports/memory.ts";
import { defineOperation } from "../operation.ts";
import type { ExportMemoryInputSchema, ExportMemoryOutputSchema } from "./schema.ts";

export const exportObservations = defineOperation<
  z.infer<typeof ExportMemoryInputSchema>,
  z.infer<typeof ExportMemoryOutputSchema>
>({
  id: "memory.export",
  effect: "append",
  isUsers: true,
  input: async () => (await import("./schema.ts")).ExportMemoryInputSchema,
  output: async () => (await import("./schema.ts")).ExportMemoryOutputSchema,
  run: async (engine, { file }) => (await openEnabledMemory(engine)).exportTo(file),
  page: ({ file, lines }) => ({ title: `${formatCount(lines, "line")} written to ${file}.` }),
});
