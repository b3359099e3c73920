import type { ReviewKind } from "../review/review-finding.ts";
import type { LeadAction, ActionAssignment, Lead, ReviewScope } from "./lead-state.ts";
import { listAffordableWork, formatCapUsage, type WithheldWork } from "./pending-actions.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import type { FeatureRecord } from "../feature/feature-record.ts";
import { createCapQuestionId } from "./action-ids.ts";
import { type NextStep, getNextStep } from "./next-step.ts";
import { getFeatureGoal, type LeadView, getLeadView } from "./lead-view.ts";
import { getWaveStep } from "./wave-progress.ts";

/** The same state gives the same decision. */
export interface LeadDecision {
  /** Pending and unassigned actions, by wave and name. */
  readonly actions: readonly LeadAction[];
  /** Reviews to start. The caller adds hash and batch, starts them and decides again. */
  readonly reviews: readonly PendingReview[];
  readonly withheld: readonly string[];
  readonly out: readonly ActionAssignment[];
  readonly idle: string | null;
}

export interface PendingReview {
  readonly kind: "review-due";
  readonly review: ReviewKind;
  readonly scope: ReviewScope;
}

export function decideNextActions(lead: Lead): LeadDecision {
  const out = [...lead.out.values()];
  const { actions, reviews, withheld } = listAffordableWork(lead);
  const isIdle = actions.length === 0 && reviews.length === 0;
  return { actions, reviews, withheld: withheld.ids, out, idle: isIdle ? explainIdleLead(lead, withheld) : null };
}

const MAX_IDLE_REASONS = 5;

function explainIdleLead(lead: Lead, withheld: WithheldWork): string {
  const { out, features } = lead;
  if (out.size > 0) return [formatActionsInProgress(lead), ...explainHeldActions(lead, withheld)].join(" ");
  if (features.size === 0) return "There are no features. `sdd_design` or `sdd_roadmap create` makes some.";
  const view = getLeadView(lead);
  const wanted = view.order.filter((record) => getFeatureGoal(lead, record) !== null);
  if (wanted.length === 0) return explainMissingGoals(lead);
  const reasons = [...listWaitReasons(view, wanted), ...explainAbortedGate(view)];
  if (reasons.length > 0) return `Nothing is due. ${reasons.join(" ")}`;
  const blocked = wanted.filter(({ phase }) => phase === "blocked").length;
  const done = `${formatCount(wanted.length - blocked, "feature")} ${wanted.length - blocked === 1 ? "is" : "are"} done`;
  return blocked === 0 ? `All is done: ${done}.` : `${done}, ${blocked} blocked.`;
}

const formatActionsInProgress = ({ out }: Lead): string =>
  `${formatCount(out.size, "action")} ${out.size === 1 ? "is" : "are"} under way.`;

function explainHeldActions(lead: Lead, { ids }: WithheldWork): string[] {
  if (ids.length === 0) return [];
  const rest = ids.length - MAX_IDLE_REASONS;
  const told = `${ids.slice(0, MAX_IDLE_REASONS).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  const asked = lead.out.has(createCapQuestionId(lead)) ? " The user was asked for more." : "";
  return [`The run may cost ${formatCapUsage(lead)}; held back: ${told}.${asked}`];
}

function explainMissingGoals({ run }: Lead): string {
  if (run.stopped !== null)
    return `The run was stopped: ${run.stopped.replace(/[^.!?]$/, "$&.")} \`sdd_roadmap run\` goes on.`;
  if (run.isOn) return "The roadmap has no features. `sdd_roadmap create` places some.";
  return "Nobody wants anything. `sdd_roadmap run`, `sdd_design` or `sdd_impl` begins something.";
}

function listWaitReasons(view: LeadView, records: readonly FeatureRecord[]): string[] {
  const reasons = records.flatMap((record) => {
    const step = getNextStep(view, record);
    return isWaitingStep(step) ? `${record.feature_name}: ${step.why}.` : [];
  });
  const rest = reasons.length - MAX_IDLE_REASONS;
  return rest > 0 ? [...reasons.slice(0, MAX_IDLE_REASONS), `${formatCount(rest, "more feature")} wait.`] : reasons;
}

const isWaitingStep = (step: NextStep): step is Extract<NextStep, { kind: "waiting" }> => step.kind === "waiting";

function explainAbortedGate(view: LeadView): string[] {
  return getWaveStep(view)?.kind === "aborted" ? [`The gate of wave ${view.openWave} was aborted.`] : [];
}
