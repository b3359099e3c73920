import type * as z from "zod";
import type { Page } from "#domain/page.ts";
import type { Engine } from "../../engine.ts";
import type { WorkflowBegun } from "../schema.ts";
import { begin, type Beginning } from "./begin.ts";
import { runtimeIn, sessionIn } from "./runtime.ts";
import { nextCalls, nextStage, viewWorkflow, workflowPage } from "./view.ts";

type Output = z.infer<typeof WorkflowBegun>;

export async function beginAndShow(engine: Engine, wanted: Beginning): Promise<Output> {
  const { record, notes } = await begin(engine, wanted);
  const runtime = await engine.store.read(runtimeIn);
  const workflow = viewWorkflow(record, runtime, sessionIn(engine, wanted.session), engine.clock.now());
  return { workflow, next: await nextStage(engine, record), notes: [...notes] };
}

export function begunPage({ workflow, next, notes }: Output): Page {
  return {
    ...workflowPage(`${workflow.id} has begun; stage ${next.stage} is open.`, workflow),
    points: [`Fill in ${workflow.spec}: it is a draft with comments.`, ...notes],
    guide: next.guide,
    next: nextCalls(workflow),
  };
}
