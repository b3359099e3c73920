import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import { openEnabledMemory } from "../ports/memory.ts";
import { defineOperation } from "../operation.ts";
import type { Export, Exported } from "./schema.ts";

export const exportAll = defineOperation<z.infer<typeof Export>, z.infer<typeof Exported>>({
  id: "memory.export",
  effect: "append",
  isUsers: true,
  input: async () => (await import("./schema.ts")).Export,
  output: async () => (await import("./schema.ts")).Exported,
  run: async (engine, { file }) => (await openEnabledMemory(engine)).exportTo(file),
  page: ({ file, lines }) => ({ title: `${formatCount(lines, "line")} written to ${file}.` }),
});
