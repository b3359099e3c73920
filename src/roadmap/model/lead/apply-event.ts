import { LeadDraft } from "./lead-draft.ts";
import { type LeadEventResult, type LeadEvent, rejectLeadEvent, type EventOutcome } from "./lead-events.ts";
import { applyAssignment, applyAssignmentLost, applyReport } from "./assignment-events.ts";
import {
  applyFeatureAdded,
  applyFeaturePlaced,
  applyFeatureRemoved,
  applyFeatureUnblocked,
} from "./placement-events.ts";
import { applyReviewStarted, applyWaiver } from "./review-events.ts";
import { applyRunStarted, applyRunStopped, applyFeatureRevised, applyGoalRequest } from "./user-requests.ts";
import type { Lead } from "./lead-state.ts";

export interface LeadTransition {
  readonly lead: Lead;
  readonly applied: LeadEventResult;
}

/**
 * Applies one event and never throws. The event is applied, repeated, or rejected with problems. A rejection changes
 * only its own record: it counts a rejected report, and voids a review whose content changed.
 */
export function applyLeadEvent(lead: Lead, event: LeadEvent): LeadTransition {
  if (event.kind === "reported") {
    const { draft, taken } = applyReport(lead, event);
    return createTransition(draft, taken);
  }
  const draft = new LeadDraft(lead);
  return createTransition(draft, dispatchLeadEvent(draft, event));
}

function createTransition(draft: LeadDraft, taken: EventOutcome): LeadTransition {
  switch (taken.kind) {
    case "applied":
      return { lead: draft.lead(), applied: { kind: "applied", effects: draft.effects } };
    case "repeated":
      return { lead: draft.base, applied: { kind: "repeated" } };
    case "refused": {
      const { problems, isKept } = taken;
      return isKept
        ? { lead: draft.lead(), applied: { kind: "refused", problems, effects: draft.effects } }
        : { lead: draft.base, applied: { kind: "refused", problems, effects: [] } };
    }
  }
}

function dispatchLeadEvent(draft: LeadDraft, event: Exclude<LeadEvent, { kind: "reported" }>): EventOutcome {
  switch (event.kind) {
    case "feature-added":
      return applyFeatureAdded(draft, event);
    case "feature-removed":
      return applyFeatureRemoved(draft, event);
    case "placed":
      return applyFeaturePlaced(draft, event);
    case "wanted":
      return applyGoalRequest(draft, event);
    case "revised":
      return applyFeatureRevised(draft, event);
    case "unblocked":
      return applyFeatureUnblocked(draft, event);
    case "run-begun":
      return applyRunStarted(draft, event);
    case "run-stopped":
      return applyRunStopped(draft, event);
    case "review-begun":
      return applyReviewStarted(draft, event);
    case "handed-out":
      return applyAssignment(draft, event);
    case "lost":
      return applyAssignmentLost(draft, event);
    case "waived":
      return applyWaiver(draft, event);
    default:
      return rejectLeadEvent(`Nobody knows what ${String((event satisfies never as LeadEvent).kind)} means.`);
  }
}
