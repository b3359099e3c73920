import { formatCount } from "../../../count.ts";
import type { FeatureRecord } from "../../../feature/record.ts";
import { capId } from "../ids.ts";
import { capText, type Withheld } from "./cap.ts";
import type { Lead } from "../state.ts";
import { type Step, stepOf } from "./step.ts";
import { aimOf, type View, viewOf } from "../view.ts";
import { waveStepOf } from "./wave.ts";

const MOST_TOLD = 5;

export function idleBecause(lead: Lead, withheld: Withheld): string {
  const { out, features } = lead;
  if (out.size > 0) return [underWay(lead), ...held(lead, withheld)].join(" ");
  if (features.size === 0) return "There are no features. `sdd_design` or `sdd_roadmap create` makes some.";
  const view = viewOf(lead);
  const wanted = view.order.filter((record) => aimOf(lead, record) !== null);
  if (wanted.length === 0) return nobodyWants(lead);
  const reasons = [...reasonsIn(view, wanted), ...waveReason(view)];
  if (reasons.length > 0) return `Nothing is due. ${reasons.join(" ")}`;
  const blocked = wanted.filter(({ phase }) => phase === "blocked").length;
  const done = `${formatCount(wanted.length - blocked, "feature")} ${wanted.length - blocked === 1 ? "is" : "are"} done`;
  return blocked === 0 ? `All is done: ${done}.` : `${done}, ${blocked} blocked.`;
}

const underWay = ({ out }: Lead): string =>
  `${formatCount(out.size, "action")} ${out.size === 1 ? "is" : "are"} under way.`;

function held(lead: Lead, { ids }: Withheld): string[] {
  if (ids.length === 0) return [];
  const rest = ids.length - MOST_TOLD;
  const told = `${ids.slice(0, MOST_TOLD).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  const asked = lead.out.has(capId(lead)) ? " The user was asked for more." : "";
  return [`The run may cost ${capText(lead)}; held back: ${told}.${asked}`];
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
  return rest > 0 ? [...reasons.slice(0, MOST_TOLD), `${formatCount(rest, "more feature")} wait.`] : reasons;
}

const isHeldUp = (step: Step): step is Extract<Step, { kind: "waiting" }> => step.kind === "waiting";

function waveReason(view: View): string[] {
  return waveStepOf(view)?.kind === "aborted" ? [`The gate of wave ${view.openWave} was aborted.`] : [];
}
