import { REVIEW_INSPECTORS } from "../../../agent/role.ts";
import { estimateRoleTokens } from "../../../agent/roles.ts";
import { getUnpaidEstimate } from "../changes/counters.ts";
import type { LeadAction } from "../action.ts";
import type { PendingReview } from "../decide.ts";
import { createReviewKey } from "../ids.ts";
import type { Lead } from "../state.ts";
import { listAllPendingWork } from "./all-due.ts";
import type { PendingWork } from "./due.ts";
import { userQuestions } from "./question.ts";

export interface WithheldWork {
  readonly ids: readonly string[];
  readonly least: number;
}

const NOTHING_WITHHELD: WithheldWork = { ids: [], least: 0 };

export const estimateActionCost = (action: LeadAction): number =>
  action.kind === "spawn" ? estimateRoleTokens(action.role) : 0;

function sumReservedTokens({ out }: Pick<Lead, "out">): number {
  let reserved = 0;
  for (const each of out.values()) reserved += getUnpaidEstimate(each);
  return reserved;
}

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
  const isSomebodyAtWork =
    actions.some(isSpawnAction) || [...lead.out.values()].some(({ action }) => isSpawnAction(action));
  if (withheld.ids.length === 0 || isSomebodyAtWork || reviews.length > 0) return { actions, reviews, withheld };
  const question = userQuestions.cap(lead, withheld);
  return { actions: lead.out.has(question.id) ? actions : [question, ...actions], reviews, withheld };
}

const isSpawnAction = (action: LeadAction): boolean => action.kind === "spawn";

function splitByBudget(
  { actions, reviews }: PendingWork,
  all: number,
): PendingWork & { readonly withheld: WithheldWork } {
  let room = all;
  const ids: string[] = [];
  let least = Number.POSITIVE_INFINITY;
  const fits = (id: string, cost: number): boolean => {
    const isWithin = cost === 0 || cost <= room;
    if (isWithin) room -= cost;
    else {
      ids.push(id);
      least = Math.min(least, cost);
    }
    return isWithin;
  };
  return {
    actions: actions.filter((action) => fits(action.id, estimateActionCost(action))),
    reviews: reviews.filter((due) => fits(createReviewKey(due.review, due.scope), estimateReviewStart(due))),
    withheld: ids.length === 0 ? NOTHING_WITHHELD : { ids, least },
  };
}

/** A review starts only if at least its cheapest inspector fits. */
const estimateReviewStart = ({ review }: PendingReview): number =>
  Math.min(...REVIEW_INSPECTORS[review].map((name) => estimateRoleTokens(`inspector-${name}`)));

export function formatCapUsage(lead: Lead): string {
  const { cap, spent } = lead.run;
  const told = (tokens: number): string => tokens.toLocaleString("en");
  const reserved = sumReservedTokens(lead);
  const held = reserved === 0 ? "" : ` and ${told(reserved)} reserved for who is at work`;
  return `${told(cap ?? spent)} tokens, of which ${told(spent)} are spent${held}`;
}
