import type { MemoryEngine } from "./engine.ts";
import type * as z from "zod";
import { openEnabledMemory } from "./ports/memory.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { BackupMemoryOutputSchema, BackupMemoryInputSchema } from "./schema.ts";

export const backUpObservations = defineOperation<
  z.infer<typeof BackupMemoryInputSchema>,
  z.infer<typeof BackupMemoryOutputSchema>,
  MemoryEngine
>({
  id: "memory.backup",
  effect: "append",
  isUsers: true,
  input: async () => (await import("./schema.ts")).BackupMemoryInputSchema,
  output: async () => (await import("./schema.ts")).BackupMemoryOutputSchema,
  run: async (engine: MemoryEngine, { file }) => (await openEnabledMemory(engine)).backupTo(file),
  page: ({ file, bytes }) => ({ title: `A copy of ${bytes} bytes is in ${file}.` }),
});
