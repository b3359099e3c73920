import { Fault } from "../fault.ts";
import { changeFlowStages } from "../flow/reflow.ts";
import { hasStageArtifact, requireActiveFlow } from "../flow/transition.ts";
import { type ChangeTransition, buildRecordedChangeFlow } from "./change.ts";
import type { ChangeGrowth } from "./classes.ts";
import { CHANGE_SIZES, buildChangeFlow, type ChangeSize } from "./flows.ts";
import type { ChangeRecord } from "./record.ts";

/** Also records the decision to keep the current size although the change grew. */
export function resizeChange(
  record: ChangeRecord,
  size: ChangeSize,
  reason: string,
  at: string,
  growth?: ChangeGrowth,
): ChangeTransition {
  const flow = buildRecordedChangeFlow(record);
  requireActiveFlow(flow, record, "given another size");
  if (CHANGE_SIZES.indexOf(size) < CHANGE_SIZES.indexOf(record.size)) requireNoCompletedStageLost(record, size);
  const [state, effects] =
    size === record.size
      ? ([record, []] as const)
      : changeFlowStages(flow, record, buildChangeFlow(record.type, size), `The change became ${size}: ${reason}`, at);
  const sizing = { from: record.size, to: size, reason, at, ...growth };
  return [
    { ...record, ...state, size, sizings: [...(record.sizings ?? []), sizing], updated_at: at, rev: record.rev + 1 },
    effects,
  ];
}

function requireNoCompletedStageLost(record: ChangeRecord, size: ChangeSize): void {
  const stages = new Set(buildChangeFlow(record.type, size).stages.map(({ name }) => name));
  const lost = record.stages
    .filter((stage) => hasStageArtifact(stage) && !stages.has(stage.name))
    .map(({ name }) => name);
  if (lost.length === 0) return;
  throw new Fault("change.not-smaller", {
    what: `${record.id} cannot become ${size}.`,
    why: `A ${size} ${record.type} has no stage ${lost.join(" and no stage ")}, and that is done already.`,
    fix: { operation: "change.resize", input: { change_id: record.id, size: record.size, reason: "…" } },
  });
}

/** Accepts extra stages that were done while the change had a different size. */
export function hasExpectedChangeFlow({ type, size, stages, sizings = [] }: ChangeRecord): boolean {
  const own = buildChangeFlow(type, size).stages.map(({ name }) => name);
  const earlier = new Set(sizings.flatMap(({ from }) => buildChangeFlow(type, from).stages.map(({ name }) => name)));
  const names = stages.map(({ name }) => name).filter((name) => own.includes(name) || !earlier.has(name));
  return names.join() === own.join();
}
