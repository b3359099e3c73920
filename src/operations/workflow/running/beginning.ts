import type * as z from "zod";
import type { Page } from "#domain/page.ts";
import type { Engine } from "../../engine.ts";
import type { WorkflowStartOutput } from "../schema.ts";
import { beginNewWorkflow, type WorkflowStart } from "./begin.ts";
import { loadWorkRuntime, resolveSession } from "./runtime.ts";
import { suggestNextCalls, loadOpenStage, createWorkflowView, formatWorkflowPage } from "./view.ts";

type WorkflowStartResult = z.infer<typeof WorkflowStartOutput>;

export async function startWorkflow(engine: Engine, wanted: WorkflowStart): Promise<WorkflowStartResult> {
  const { record, notes } = await beginNewWorkflow(engine, wanted);
  const runtime = await engine.store.read(loadWorkRuntime);
  const workflow = createWorkflowView(record, runtime, resolveSession(engine, wanted.session), engine.clock.now());
  return { workflow, next: await loadOpenStage(engine, record), notes: [...notes] };
}

export function formatWorkflowStartPage({ workflow, next, notes }: WorkflowStartResult): Page {
  return {
    ...formatWorkflowPage(`${workflow.id} has begun; stage ${next.stage} is open.`, workflow),
    points: [`Fill in ${workflow.spec}: it is a draft with comments.`, ...notes],
    guide: next.guide,
    next: suggestNextCalls(workflow),
  };
}
