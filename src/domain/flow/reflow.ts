import type { Flow, FlowState, RunningFlow, StageEntry } from "./flow.ts";
import { type FlowEffect, type FlowTransition, hasStageArtifact, openStage, requireActiveFlow } from "./transition.ts";

/**
 * Completed stages stay, even if the new flow does not have them. The first stage that is not done opens; completed
 * stages after it become stale.
 */
export function changeFlowStages(
  flow: RunningFlow,
  state: FlowState,
  to: Flow,
  reason: string,
  at: string,
): FlowTransition {
  requireActiveFlow(flow, state, "given another size");
  const merged = mergeFlowStages(state.stages, to);
  const current = merged.findIndex((entry) => !isStageDone(entry));
  const opened = merged[current];
  if (!opened) throw new RangeError("An active workflow has a stage that is not done.");
  const effects: FlowEffect[] =
    opened.name === state.current_stage ? [] : [{ kind: "stage-opened", stage: opened.name }];
  const stages = merged.map((entry, i): StageEntry => {
    if (i < current) return entry;
    if (i === current) return entry.status === "in_progress" ? entry : openStage(entry, at);
    if (!hasStageArtifact(entry)) return { name: entry.name, status: "pending" };
    if (entry.status === "completed") effects.push({ kind: "stage-stale", stage: entry.name });
    return { ...entry, status: "stale", stale_because: entry.stale_because ?? reason };
  });
  return [{ ...state, stages, current_stage: opened.name }, effects];
}

const isStageDone = ({ status }: StageEntry): boolean => status === "completed" || status === "skipped";

/** Keeps done stages that only the earlier flow has, at their old position. */
function mergeFlowStages(before: readonly StageEntry[], to: Flow): StageEntry[] {
  const wanted = new Set(to.stages.map(({ name }) => name));
  const placeOf = new Map(before.map(({ name }, i) => [name, i]));
  const leftOver = before.filter((entry) => !wanted.has(entry.name) && (isStageDone(entry) || hasStageArtifact(entry)));
  const merged: StageEntry[] = [];
  const takeUpTo = (place: number): void => {
    while (leftOver[0] && (placeOf.get(leftOver[0].name) ?? 0) < place) merged.push(...leftOver.splice(0, 1));
  };
  for (const [i, { name }] of to.stages.entries()) {
    const next = to.stages.slice(i).find((stage) => placeOf.has(stage.name));
    takeUpTo(next ? (placeOf.get(next.name) ?? 0) : before.length);
    merged.push(before[placeOf.get(name) ?? -1] ?? { name, status: "pending" });
  }
  return [...merged, ...leftOver];
}
