import { formatCount } from "#kernel/model/text-format.ts";
import { estimateRoleTokens, REVIEW_INSPECTORS } from "../agent/agent-roles.ts";
import type { FeatureRecord } from "../feature/feature-record.ts";
import { createCapQuestionId, createReviewKey } from "./action-ids.ts";
import { getUnpaidEstimate } from "./lead-draft.ts";
import type { ActionAssignment, ActionId, Lead, LeadAction } from "./lead-state.ts";
import { getFeatureGoal, getLeadView, getWaveStep, type LeadView } from "./lead-view.ts";
import { getNextStep } from "./next-step.ts";
import { findCandidateAction, listAllPendingWork, type PendingReview, type PendingWork } from "./pending-actions.ts";
import { formatTokens, userQuestions } from "./user-questions.ts";

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

export function decideNextActions(lead: Lead): LeadDecision {
  const { actions, reviews, withheld } = listAffordableWork(lead);
  const isIdle = actions.length === 0 && reviews.length === 0;
  const idle = isIdle ? explainIdleLead(lead, withheld.ids) : null;
  return { actions, reviews, withheld: withheld.ids, out: [...lead.out.values()], idle };
}

interface WithheldWork {
  readonly ids: readonly string[];
  readonly least: number;
}

const NOTHING_WITHHELD: WithheldWork = { ids: [], least: 0 };

export const estimateActionCost = (action: LeadAction): number =>
  action.kind === "spawn" ? estimateRoleTokens(action.role) : 0;

const sumReservedTokens = ({ out }: Lead): number =>
  [...out.values()].reduce((sum, each) => sum + getUnpaidEstimate(each), 0);

export const getFreeTokens = (lead: Lead): number =>
  lead.run.isOn && lead.run.cap !== null
    ? Math.max(0, lead.run.cap - lead.run.spent - sumReservedTokens(lead))
    : Number.POSITIVE_INFINITY;

/**
 * The pending work that fits the token cap. Free actions always fit. If no agent works and none can start, asks the
 * user for a higher cap.
 */
export function listAffordableWork(lead: Lead): PendingWork & { readonly withheld: WithheldWork } {
  const due = listAllPendingWork(lead);
  const room = getFreeTokens(lead);
  if (room === Number.POSITIVE_INFINITY) return { ...due, withheld: NOTHING_WITHHELD };
  const { actions, reviews, withheld } = splitByBudget(due, room);
  const assigned = [...lead.out.values()].map(({ action }) => action);
  const isAgentAtWork = [...actions, ...assigned].some(({ kind }) => kind === "spawn");
  if (withheld.ids.length === 0 || isAgentAtWork || reviews.length > 0) return { actions, reviews, withheld };
  const question = userQuestions.cap(lead, withheld);
  return { actions: lead.out.has(question.id) ? actions : [question, ...actions], reviews, withheld };
}

function splitByBudget(
  { actions, reviews }: PendingWork,
  budget: number,
): PendingWork & { readonly withheld: WithheldWork } {
  let room = budget;
  const withheld: { readonly id: string; readonly cost: number }[] = [];
  const fits = (id: string, cost: number): boolean => {
    const isWithin = cost === 0 || cost <= room;
    if (isWithin) room -= cost;
    else withheld.push({ id, cost });
    return isWithin;
  };
  const work = {
    actions: actions.filter((action) => fits(action.id, estimateActionCost(action))),
    reviews: reviews.filter((due) => fits(createReviewKey(due.review, due.scope), estimateReviewStart(due))),
  };
  if (withheld.length === 0) return { ...work, withheld: NOTHING_WITHHELD };
  const least = Math.min(...withheld.map(({ cost }) => cost));
  return { ...work, withheld: { ids: withheld.map(({ id }) => id), least } };
}

/** A review starts only if at least its cheapest inspector fits. */
const estimateReviewStart = ({ review }: PendingReview): number =>
  Math.min(...REVIEW_INSPECTORS[review].map((name) => estimateRoleTokens(`inspector-${name}`)));

export function formatCapUsage(lead: Lead): string {
  const { cap, spent } = lead.run;
  const reserved = sumReservedTokens(lead);
  const held = reserved === 0 ? "" : ` and ${formatTokens(reserved)} reserved for who is at work`;
  return `${formatTokens(cap ?? spent)} tokens, of which ${formatTokens(spent)} are spent${held}`;
}

export function findPendingAction(lead: Lead, id: ActionId): LeadAction | undefined {
  if (id === createCapQuestionId(lead)) return listAffordableWork(lead).actions.find((action) => action.id === id);
  const action = findCandidateAction(lead, id);
  return action && estimateActionCost(action) <= getFreeTokens(lead) ? action : undefined;
}

export function isWithheldAction(lead: Lead, id: ActionId): boolean {
  const action = findCandidateAction(lead, id);
  return action !== undefined && estimateActionCost(action) > getFreeTokens(lead);
}

const MAX_IDLE_REASONS = 5;

function explainIdleLead(lead: Lead, withheld: readonly string[]): string {
  const { out, features } = lead;
  if (out.size > 0) {
    const working = `${formatCount(out.size, "action")} ${out.size === 1 ? "is" : "are"} under way.`;
    return [working, ...explainHeldActions(lead, withheld)].join(" ");
  }
  if (features.size === 0) return "There are no features. `sdd_design` or `sdd_roadmap create` makes some.";
  const view = getLeadView(lead);
  const wanted = view.order.filter((record) => getFeatureGoal(lead, record) !== null);
  if (wanted.length === 0) return explainMissingGoals(lead);
  const aborted = getWaveStep(view)?.kind === "aborted" ? [`The gate of wave ${view.openWave} was aborted.`] : [];
  const reasons = [...listWaitReasons(view, wanted), ...aborted];
  if (reasons.length > 0) return `Nothing is due. ${reasons.join(" ")}`;
  const blocked = wanted.filter(({ phase }) => phase === "blocked").length;
  const done = `${formatCount(wanted.length - blocked, "feature")} ${wanted.length - blocked === 1 ? "is" : "are"} done`;
  return blocked === 0 ? `All is done: ${done}.` : `${done}, ${blocked} blocked.`;
}

function explainHeldActions(lead: Lead, ids: readonly string[]): string[] {
  if (ids.length === 0) return [];
  const rest = ids.length - MAX_IDLE_REASONS;
  const held = `${ids.slice(0, MAX_IDLE_REASONS).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  const asked = lead.out.has(createCapQuestionId(lead)) ? " The user was asked for more." : "";
  return [`The run may cost ${formatCapUsage(lead)}; held back: ${held}.${asked}`];
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
    return step.kind === "waiting" ? `${record.feature_name}: ${step.why}.` : [];
  });
  const rest = reasons.length - MAX_IDLE_REASONS;
  return rest > 0 ? [...reasons.slice(0, MAX_IDLE_REASONS), `${formatCount(rest, "more feature")} wait.`] : reasons;
}
