import { Draft } from "./draft.ts";
import type { Applied, LeadEvent } from "./event.ts";
import { takeHandOut } from "./events/handed-out.ts";
import { takeLoss } from "./events/lost.ts";
import { takeFeature, takePlace, takeRemoval, takeUnblocking } from "./events/placing.ts";
import { takeReport } from "./events/reported.ts";
import { takeReviewBegun } from "./events/review-begun.ts";
import { takeRunBegun, takeStop } from "./events/run.ts";
import { takeWaiver } from "./events/waived.ts";
import { takeRevision, takeWish } from "./events/wanted.ts";
import type { Lead } from "./state.ts";
import { refuse, type Taken } from "./taken.ts";

export interface After {
  readonly lead: Lead;
  readonly applied: Applied;
}

/**
 * Applies one event and never throws. The event is applied, repeated, or rejected with problems. A rejection changes
 * only its own record: it counts a rejected report, and voids a review whose content changed.
 */
export function apply(lead: Lead, event: LeadEvent): After {
  if (event.kind === "reported") {
    const { draft, taken } = takeReport(lead, event);
    return told(draft, taken);
  }
  const draft = new Draft(lead);
  return told(draft, take(draft, event));
}

function told(draft: Draft, taken: Taken): After {
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

function take(draft: Draft, event: Exclude<LeadEvent, { kind: "reported" }>): Taken {
  switch (event.kind) {
    case "feature-added":
      return takeFeature(draft, event);
    case "feature-removed":
      return takeRemoval(draft, event);
    case "placed":
      return takePlace(draft, event);
    case "wanted":
      return takeWish(draft, event);
    case "revised":
      return takeRevision(draft, event);
    case "unblocked":
      return takeUnblocking(draft, event);
    case "run-begun":
      return takeRunBegun(draft, event);
    case "run-stopped":
      return takeStop(draft, event);
    case "review-begun":
      return takeReviewBegun(draft, event);
    case "handed-out":
      return takeHandOut(draft, event);
    case "lost":
      return takeLoss(draft, event);
    case "waived":
      return takeWaiver(draft, event);
    default:
      return refuse(`Nobody knows what ${String((event satisfies never as LeadEvent).kind)} means.`);
  }
}
