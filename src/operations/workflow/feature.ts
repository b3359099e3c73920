import type * as z from "zod";
import { operation } from "../operation.ts";
import { begunPage, beginAndShow } from "./running/beginning.ts";
import type { Feature, WorkflowBegun } from "./schema.ts";

export const feature = operation<z.infer<typeof Feature>, z.infer<typeof WorkflowBegun>>({
  id: "workflow.feature",
  effect: "append",
  input: async () => (await import("./schema.ts")).Feature,
  output: async () => (await import("./schema.ts")).WorkflowBegun,
  run: (engine, input) => beginAndShow(engine, { ...input, kind: "feature", spec: { summary: input.title } }),
  page: begunPage,
});
