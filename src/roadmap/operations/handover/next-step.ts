import { sanitizeText } from "#kernel/model/text-format.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { decideNextActions } from "../../model/lead/lead-decision.ts";
import type { Lead } from "../../model/lead/lead-state.ts";
import { createReviewKey } from "../../model/lead/lead-view.ts";
import type { RoadmapEngine } from "../engine.ts";
import { describeAction } from "../lead/action-view.ts";
import { loadLead } from "../lead/lead-store.ts";

const MAX_NEXT_STEP = 400;

/** The next step for the Lead's state; empty without features. */
export function describeNextStep(lead: Lead): string {
  if (lead.features.size === 0) return "";
  const { actions, reviews, idle } = decideNextActions(lead);
  const [[action], [review]] = [actions, reviews];
  const more = actions.length + reviews.length - 1;
  const due = action
    ? `${describeAction(action)} (${action.id})`
    : review && `the review ${createReviewKey(review.review, review.scope)} begins`;
  if (due !== undefined)
    return sanitizeText(`\`tenon next\`: ${due}${more > 0 ? `; ${more} more ready` : ""}`, MAX_NEXT_STEP);
  const { run, features, out } = lead;
  const isOpen = [...features.values()].some(({ roadmap, phase }) => roadmap && phase !== "implementation-complete");
  if (run.isOn || out.size > 0 || !isOpen) return sanitizeText(idle ?? "Nothing is ready.", MAX_NEXT_STEP);
  const why = run.stopped === null ? "it has not begun" : `it was stopped (${run.stopped})`;
  return sanitizeText(`\`tenon roadmap run\`: ${why}`, MAX_NEXT_STEP);
}

/** For callers without a Lead. Operations that need the records report unreadable ones. */
export function readNextStep(tree: StoreTree, engine: Pick<RoadmapEngine, "checkout" | "digest">): string {
  try {
    return describeNextStep(loadLead(tree, engine));
  } catch {
    return "";
  }
}
