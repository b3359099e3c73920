import type { PlanningEngine } from "../engine.ts";
import type * as z from "zod";
import { defineOperation } from "#kernel/operations/operation.ts";
import { formatWorkflowStartPage, startWorkflow } from "./begin-workflow.ts";
import type { StartFeatureInput, WorkflowStartOutput } from "./schema.ts";

export const startFeatureOperation = defineOperation<
  z.infer<typeof StartFeatureInput>,
  z.infer<typeof WorkflowStartOutput>,
  PlanningEngine
>({
  id: "workflow.feature",
  effect: "append",
  input: async () => (await import("./schema.ts")).StartFeatureInput,
  output: async () => (await import("./schema.ts")).WorkflowStartOutput,
  run: (engine: PlanningEngine, input) =>
    startWorkflow(engine, { ...input, kind: "feature", spec: { summary: input.title } }),
  page: formatWorkflowStartPage,
});
