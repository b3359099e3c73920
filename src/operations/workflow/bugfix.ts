import type * as z from "zod";
import { defineOperation } from "../operation.ts";
import { formatWorkflowStartPage, startWorkflow } from "./running/beginning.ts";
import type { StartBugfixInput, WorkflowStartOutput } from "./schema.ts";

export const startBugfixOperation = defineOperation<
  z.infer<typeof StartBugfixInput>,
  z.infer<typeof WorkflowStartOutput>
>({
  id: "workflow.bugfix",
  effect: "append",
  input: async () => (await import("./schema.ts")).StartBugfixInput,
  output: async () => (await import("./schema.ts")).WorkflowStartOutput,
  run: (engine, input) => startWorkflow(engine, { ...input, kind: "bugfix", spec: { summary: input.title } }),
  page: formatWorkflowStartPage,
});
