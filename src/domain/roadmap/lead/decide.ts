import type { ReviewKind } from "../../review/finding.ts";
import type { Action } from "./action.ts";
import { dueNow } from "./next/cap.ts";
import { idleBecause } from "./next/idle.ts";
import type { HandedOut, Lead, Scope } from "./state.ts";

/** The same state gives the same decision. */
export interface Decision {
  /** Pending and unassigned actions, by wave and name. */
  readonly actions: readonly Action[];
  /** Reviews to start. The caller adds hash and batch, starts them and decides again. */
  readonly reviews: readonly ReviewDue[];
  readonly withheld: readonly string[];
  readonly out: readonly HandedOut[];
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
