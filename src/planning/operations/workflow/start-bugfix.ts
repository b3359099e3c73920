import type { PlanningEngine } from "../engine.ts";
import type * as z from "zod";
import { defineOperation } from "#kernel/operations/operation.ts";
import { formatWorkflowStartPage, startWorkflow } from "./begin-workflow.ts";
import type { StartBugfixInput, WorkflowStartOutput } from "./schema.ts";

export const startBugfixOperation = defineOperation<
  z.infer<typeof StartBugfixInput>,
  z.infer<typeof WorkflowStartOutput>,
  PlanningEngine
>({
  id: "workflow.bugfix",
  effect: "append",
  input: async () => (await import("./schema.ts")).StartBugfixInput,
  output: async () => (await import("./schema.ts")).WorkflowStartOutput,
  run: (engine: PlanningEngine, input) =>
    startWorkflow(engine, { ...input, kind: "bugfix", spec: { summary: input.title } }),
  page: formatWorkflowStartPage,
});
