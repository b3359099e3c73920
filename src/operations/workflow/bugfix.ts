import type * as z from "zod";
import { operation } from "../operation.ts";
import { begunPage, beginAndShow } from "./running/beginning.ts";
import type { Bugfix, WorkflowBegun } from "./schema.ts";

export const bugfix = operation<z.infer<typeof Bugfix>, z.infer<typeof WorkflowBegun>>({
  id: "workflow.bugfix",
  effect: "append",
  input: async () => (await import("./schema.ts")).Bugfix,
  output: async () => (await import("./schema.ts")).WorkflowBegun,
  run: (engine, input) => beginAndShow(engine, { ...input, kind: "bugfix", spec: { summary: input.title } }),
  page: begunPage,
});
