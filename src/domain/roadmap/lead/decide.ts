import type { ReviewKind } from "../../review/finding.ts";
import type { Action } from "./action.ts";
import type { HandedOut, Lead, Scope } from "./state.ts";

/** What there is to do now. The same state gives the same decision. */
export interface Decision {
  /** What is due and nobody is at work on. */
  readonly actions: readonly Action[];
  /** Reviews to begin: whoever carries this out knows the hash and the batch, begins them and decides again. */
  readonly reviews: readonly ReviewDue[];
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
  return { actions: [], reviews: [], out: [...lead.out.values()], idle: "Nothing is due." };
}
