import type { ReviewKind } from "../../review/finding.ts";
import type { Action } from "./action.ts";
import { dueNow } from "./next/cap.ts";
import { idleBecause } from "./next/idle.ts";
import type { HandedOut, Lead, Scope } from "./state.ts";

/** What there is to do now. The same state gives the same decision. */
export interface Decision {
  /** What is due and nobody is at work on, in the order of waves and names. */
  readonly actions: readonly Action[];
  /** Reviews to begin: whoever carries this out knows the hash and the batch, begins them and decides again. */
  readonly reviews: readonly ReviewDue[];
  /** What would be due if the run might cost more: ids of actions, and keys of reviews. */
  readonly withheld: readonly string[];
  readonly out: readonly HandedOut[];
  /** Why nothing is due; nothing where something is. */
  readonly idle: string | null;
}

export interface ReviewDue {
  readonly kind: "review-due";
  readonly review: ReviewKind;
  readonly scope: Scope;
}

export function decide(lead: Lead): Decision {
  const out = [...lead.out.values()];
  const { actions, reviews, withheld } = dueNow(lead);
  const isIdle = actions.length === 0 && reviews.length === 0;
  return { actions, reviews, withheld: withheld.ids, out, idle: isIdle ? idleBecause(lead, withheld) : null };
}
