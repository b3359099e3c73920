import { sanitizeText } from "#kernel/model/text-format.ts";
import { type LeadDecision, decideNextActions } from "../../model/lead/lead-decision.ts";
import { createReviewKey } from "../../model/lead/action-ids.ts";
import type { Lead } from "../../model/lead/lead-state.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { loadLead } from "../lead/lead-store.ts";
import { describeAction } from "../lead/action-view.ts";

const MAX_NEXT_STEP = 400;

/** The next step for the Lead's state; empty without features. */
export function describeNextStep(lead: Lead): string {
  if (lead.features.size === 0) return "";
  const decision = decideNextActions(lead);
  const more = decision.actions.length + decision.reviews.length - 1;
  const due = describeFirstAction(decision);
  if (due !== undefined)
    return sanitizeText(`\`tenon next\`: ${due}${more > 0 ? `; ${more} more due` : ""}`, MAX_NEXT_STEP);
  return sanitizeText(describeMissingRun(lead) ?? decision.idle ?? "Nothing is due.", MAX_NEXT_STEP);
}

function describeMissingRun({ run, features, out }: Lead): string | undefined {
  const isOpen = [...features.values()].some(({ roadmap, phase }) => roadmap && phase !== "implementation-complete");
  if (run.isOn || out.size > 0 || !isOpen) return undefined;
  return `\`tenon roadmap run\`: ${run.stopped === null ? "it has not begun" : `it was stopped (${run.stopped})`}`;
}

function describeFirstAction({ actions: [action], reviews: [review] }: LeadDecision): string | undefined {
  if (action) return `${describeAction(action)} (${action.id})`;
  return review && `the review ${createReviewKey(review.review, review.scope)} begins`;
}

/** For callers without a Lead. Operations that need the records report unreadable ones. */
export function readNextStep(tree: StoreTree, engine: Pick<RoadmapEngine, "checkout">): string {
  try {
    return describeNextStep(loadLead(tree, engine));
  } catch {
    return "";
  }
}
