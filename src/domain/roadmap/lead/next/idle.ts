import { count } from "../../../count.ts";
import type { FeatureRecord } from "../../../feature/record.ts";
import { capOf } from "./due.ts";
import type { Lead } from "../state.ts";
import { type Step, stepOf } from "./step.ts";
import { aimOf, type View, viewOf } from "../view.ts";
import { waveStepOf } from "./wave.ts";

/** Reasons are for a reader: a few say enough. */
const MOST_TOLD = 5;

/** Why nothing is due, and what would change that. */
export function idleBecause(lead: Lead): string {
  const { out, features } = lead;
  if (capOf(lead) === "spent") return "The run has cost what it may; the user was asked.";
  if (out.size > 0) return `${count(out.size, "action")} ${out.size === 1 ? "is" : "are"} under way.`;
  if (features.size === 0) return "There are no features. `sdd_design` or `sdd_roadmap create` makes some.";
  const view = viewOf(lead);
  const wanted = view.order.filter((record) => aimOf(lead, record) !== null);
  if (wanted.length === 0) return nobodyWants(lead);
  const reasons = [...reasonsIn(view, wanted), ...waveReason(view)];
  if (reasons.length > 0) return `Nothing is due. ${reasons.join(" ")}`;
  const blocked = wanted.filter(({ phase }) => phase === "blocked").length;
  const done = `${count(wanted.length - blocked, "feature")} ${wanted.length - blocked === 1 ? "is" : "are"} done`;
  return blocked === 0 ? `All is done: ${done}.` : `${done}, ${blocked} blocked.`;
}

function nobodyWants({ run }: Lead): string {
  if (run.stopped !== null)
    return `The run was stopped: ${run.stopped.replace(/[^.!?]$/, "$&.")} \`sdd_roadmap run\` goes on.`;
  if (run.isOn) return "The roadmap has no features. `sdd_roadmap create` places some.";
  return "Nobody wants anything. `sdd_roadmap run`, `sdd_design` or `sdd_impl` begins something.";
}

function reasonsIn(view: View, records: readonly FeatureRecord[]): string[] {
  const reasons = records.flatMap((record) => {
    const step = stepOf(view, record);
    return isHeldUp(step) ? `${record.feature_name}: ${step.why}.` : [];
  });
  const rest = reasons.length - MOST_TOLD;
  return rest > 0 ? [...reasons.slice(0, MOST_TOLD), `${count(rest, "more feature")} wait.`] : reasons;
}

const isHeldUp = (step: Step): step is Extract<Step, { kind: "waiting" }> => step.kind === "waiting";

function waveReason(view: View): string[] {
  return waveStepOf(view)?.kind === "aborted" ? [`The gate of wave ${view.openWave} was aborted.`] : [];
}
