import type { ReviewKind } from "../../review/finding.ts";
import type { LeadAction } from "./action.ts";
import { listAffordableWork } from "./next/cap.ts";
import { explainIdleLead } from "./next/idle.ts";
import type { ActionAssignment, Lead, ReviewScope } from "./state.ts";

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
