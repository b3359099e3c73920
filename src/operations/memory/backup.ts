import type * as z from "zod";
import { openEnabledMemory } from "../ports/memory.ts";
import { defineOperation } from "../operation.ts";
import type { BackedUp, Backup } from "./schema.ts";

export const backUp = defineOperation<z.infer<typeof Backup>, z.infer<typeof BackedUp>>({
  id: "memory.backup",
  effect: "append",
  isUsers: true,
  input: async () => (await import("./schema.ts")).Backup,
  output: async () => (await import("./schema.ts")).BackedUp,
  run: async (engine, { file }) => (await openEnabledMemory(engine)).backupTo(file),
  page: ({ file, bytes }) => ({ title: `A copy of ${bytes} bytes is in ${file}.` }),
});
