import type { LeadDraft } from "../draft.ts";
import { formatCapUsage, getFreeTokens } from "../next/cap.ts";
import { findPendingAction, isWithheldAction } from "../next/due-action.ts";
import { EVENT_APPLIED, type LeadEventOfKind, EVENT_REPEATED, rejectLeadEvent, type EventOutcome } from "../taken.ts";
import { rejectUnpendingAction } from "./reported.ts";

export function applyAssignment(draft: LeadDraft, event: LeadEventOfKind<"handed-out">): EventOutcome {
  const { action: id, session, at, base, estimate } = event;
  const out = draft.out(id);
  if (out?.session === session) return EVENT_REPEATED;
  if (out)
    return rejectLeadEvent(`${id} is out with session ${out.session} since ${out.at}. Ask sdd_next what else is due.`);
  const action = findPendingAction(draft.base, id);
  if (!action)
    return isWithheldAction(draft.base, id) ? rejectOverCap(draft, id) : rejectUnpendingAction(draft.base, id);
  const isPaid = action.kind === "spawn" && Number.isFinite(estimate) && estimate > 0;
  const cost = isPaid ? Math.round(estimate) : 0;
  if (cost > getFreeTokens(draft.base)) return rejectOverCap(draft, id);
  draft.keepOut({ action, session, at, base, estimate: cost, refusals: 0 });
  return EVENT_APPLIED;
}

const rejectOverCap = (draft: LeadDraft, id: string): EventOutcome =>
  rejectLeadEvent(`${id} is held back: the run may cost ${formatCapUsage(draft.base)}.`);
