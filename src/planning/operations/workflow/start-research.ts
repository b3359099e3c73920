import type { PlanningEngine } from "../engine.ts";
import type * as z from "zod";
import { parseWorkDuration } from "../../model/workflow/workflow-record.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { formatWorkflowStartPage, startWorkflow } from "./begin-workflow.ts";
import type { StartResearchInput, WorkflowStartOutput } from "./schema.ts";

const DEFAULT_TIMEBOX = "2h";

export const startResearchOperation = defineOperation<
  z.infer<typeof StartResearchInput>,
  z.infer<typeof WorkflowStartOutput>,
  PlanningEngine
>({
  id: "workflow.research",
  effect: "append",
  input: async () => (await import("./schema.ts")).StartResearchInput,
  output: async () => (await import("./schema.ts")).WorkflowStartOutput,
  async run(engine: PlanningEngine, { topic, timebox = DEFAULT_TIMEBOX, ...rest }) {
    const timebox_s = parseWorkDuration(timebox);
    return startWorkflow(engine, { ...rest, kind: "research", title: topic, timebox_s, spec: { timebox } });
  },
  page: formatWorkflowStartPage,
});
