import type * as z from "zod";
import { memoryOf } from "../ports/memory.ts";
import { operation } from "../operation.ts";
import type { BackedUp, Backup } from "./schema.ts";

export const backUp = operation<z.infer<typeof Backup>, z.infer<typeof BackedUp>>({
  id: "memory.backup",
  effect: "append",
  isUsers: true,
  input: async () => (await import("./schema.ts")).Backup,
  output: async () => (await import("./schema.ts")).BackedUp,
  run: async (engine, { file }) => (await memoryOf(engine)).backupTo(file),
  page: ({ file, bytes }) => ({ title: `A copy of ${bytes} bytes is in ${file}.` }),
});
