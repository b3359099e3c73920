import type { FlowState } from "./flow-engine.ts";

/**
 * The field that breaks the order. Stages before the current one are over, stages after it have not begun.
 */
export function findFlowDisorder({
  stages,
  current_stage,
  status,
  abandoned,
}: FlowState & { readonly abandoned?: unknown }): "current_stage" | "stages" | undefined {
  const current = stages.findIndex(({ name }) => name === current_stage);
  if (current === -1) return "current_stage";
  const isThrough = status === "completed" || (status === "archived" && abandoned === undefined);
  const isInOrder = stages.every((stage, i) => {
    if (i < current) return stage.status === "completed" || stage.status === "skipped";
    if (i > current) return stage.status === "pending" || stage.status === "stale";
    return stage.status === (isThrough ? "completed" : "in_progress");
  });
  return isInOrder ? undefined : "stages";
}
