import { sanitizeText } from "#kernel/model/text-format.ts";
import { isActionFinished, parseReviewerName } from "./action-ids.ts";
import {
  countFeatureRun,
  countFixAttempt,
  countLostRun,
  getLostRunCount,
  MAX_LOST_RUNS,
  MAX_REJECTED_REPORTS,
} from "./feature-counters.ts";
import { abandonPartition, escalateFeature, isPartitionPlanning } from "./feature-rework.ts";
import { findPendingAction, formatCapUsage, getFreeTokens, isWithheldAction } from "./lead-decision.ts";
import { getRunCounter, LeadDraft } from "./lead-draft.ts";
import {
  EVENT_APPLIED,
  EVENT_REPEATED,
  type EventOf,
  type EventOutcome,
  type LeadEvent,
  type LeadEventResult,
  rejectEvent,
} from "./lead-events.ts";
import type { Lead, LeadAction } from "./lead-state.ts";
import { applyAudit, applyInspection, applyReviewStarted, applyWaiver, loseReviewerRun } from "./review-events.ts";
import { applyUserAnswer } from "./user-answers.ts";
import {
  applyFeatureAdded,
  applyFeaturePlaced,
  applyFeatureRemoved,
  applyFeatureRevised,
  applyFeatureUnblocked,
  applyGoalRequest,
  applyRunStarted,
  applyRunStopped,
} from "./user-requests.ts";
import {
  applyBlockerReport,
  applyBuildReport,
  applyCommitReport,
  applyDesignReport,
  applyGateReport,
  applyTasksReport,
} from "./work-reports.ts";

/**
 * Applies one event and never throws. The event is applied, repeated, or rejected with problems. A rejection changes
 * only its own record: it counts a rejected report, and voids a review whose content changed.
 */
export function applyLeadEvent(
  lead: Lead,
  event: LeadEvent,
): { readonly lead: Lead; readonly applied: LeadEventResult } {
  const draft = new LeadDraft(lead);
  if (event.kind !== "reported") return createTransition(draft, dispatchLeadEvent(draft, event));
  const taken = applyReport(draft, event);
  const isCounted = taken.kind === "refused" && !taken.isKept && lead.out.has(event.action);
  if (!isCounted) return createTransition(draft, taken);
  const fresh = new LeadDraft(lead);
  countRejectedReport(fresh, event, taken);
  return createTransition(fresh, { ...taken, isKept: true });
}

function createTransition(draft: LeadDraft, taken: EventOutcome): ReturnType<typeof applyLeadEvent> {
  const { base, effects } = draft;
  if (taken.kind === "refused") {
    const { problems, isKept } = taken;
    return isKept
      ? { lead: draft.lead(), applied: { kind: "refused", problems, effects } }
      : { lead: base, applied: { kind: "refused", problems, effects: [] } };
  }
  return taken.kind === "applied"
    ? { lead: draft.lead(), applied: { kind: "applied", effects } }
    : { lead: base, applied: { kind: "repeated" } };
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
      return rejectEvent(`Nobody knows what ${String((event satisfies never as LeadEvent).kind)} means.`);
  }
}

/** Accepts a report once, if the action is pending and the facts confirm it. */
function applyReport(draft: LeadDraft, event: EventOf<"reported">): EventOutcome {
  const action = draft.out.get(event.action)?.action ?? findPendingAction(draft.base, event.action);
  if (!action) return rejectUnpendingAction(draft.base, event.action);
  draft.end(event.action, parseReportedTokens(event));
  return applyActionReport(draft, action, event) ?? rejectWrongReport(action, event);
}

function rejectUnpendingAction(lead: Lead, id: string): EventOutcome {
  if (isActionFinished(lead, id)) return EVENT_REPEATED;
  return rejectEvent(`${id} is not due, and nobody is at work on it. Ask sdd_next what is.`);
}

const parseReportedTokens = ({ tokens }: EventOf<"reported">): number | undefined =>
  tokens !== undefined && Number.isFinite(tokens) && tokens >= 0 ? Math.round(tokens) : undefined;

/** Undefined if the report is of another kind than the action asks for. */
function applyActionReport(
  draft: LeadDraft,
  action: LeadAction,
  { report, facts }: EventOf<"reported">,
): EventOutcome | undefined {
  if (action.kind === "ask" && report.kind === "answer") return applyUserAnswer(draft, action, { report, facts });
  if (action.kind === "commit" && report.kind === "commit") return applyCommitReport(draft, action, { report, facts });
  if (action.kind === "gate" && report.kind === "gate") return applyGateReport(draft, action, { report, facts });
  if (action.kind !== "spawn") return undefined;
  const { work } = action;
  switch (work.of) {
    case "design":
      return report.kind === "architect" ? applyDesignReport(draft, work, { report, facts }) : undefined;
    case "tasks":
      return report.kind === "tasks" ? applyTasksReport(draft, work, { report, facts }) : undefined;
    case "build":
      if (report.kind === "builder") return applyBuildReport(draft, work, { report, facts });
      return report.kind === "builder-blocked" ? applyBlockerReport(draft, work, { report, facts }) : undefined;
    case "review":
      if (action.role.startsWith("auditor-"))
        return report.kind === "audit" ? applyAudit(draft, work.review, { report, facts }) : undefined;
      return report.kind === "inspection"
        ? applyInspection(draft, work.review, action.id, { report, facts })
        : undefined;
  }
}

function rejectWrongReport(action: LeadAction, { report }: EventOf<"reported">): EventOutcome {
  const who = action.kind === "spawn" ? action.role : action.kind;
  return rejectEvent(`${action.id} is for ${who}; a report of the kind ${report.kind} is not an answer to it.`);
}

/** The agent can fix the problems and report again. The third rejected report fails the run. */
function countRejectedReport(
  draft: LeadDraft,
  event: EventOf<"reported">,
  { problems }: Extract<EventOutcome, { kind: "refused" }>,
): void {
  const out = draft.out.get(event.action);
  if (!out) return;
  const { action } = out;
  const tokens = parseReportedTokens(event);
  const refusals = out.refusals + 1;
  if (refusals < MAX_REJECTED_REPORTS || action.kind !== "spawn") {
    draft.pay(tokens ?? 0);
    const paid = tokens === undefined ? {} : { paid: (out.paid ?? 0) + tokens };
    return draft.out.set(action.id, { ...out, refusals, ...paid });
  }
  draft.end(action.id, tokens);
  draft.effect({ kind: "dismissed", action: action.id });
  if (action.work.of === "review") {
    loseReviewerRun(draft, action.work.review, parseReviewerName(action.id));
    return;
  }
  const run = getRunCounter(action);
  const record = run && draft.feature(run.feature);
  if (!record) return;
  const ended = countFeatureRun(record, run.key);
  // Planning around shared files is optional, so its failure does not use up a retry.
  if (isPartitionPlanning(action.work, record)) return draft.keep(abandonPartition(ended));
  const counted = countFixAttempt(ended, "retry");
  draft.keep(counted ?? ended);
  const reason = problems[0]?.problem ?? "its report was refused";
  if (!counted) escalateFeature(draft, run.feature, `${action.id} failed: ${reason}`);
}

function applyAssignment(draft: LeadDraft, event: EventOf<"handed-out">): EventOutcome {
  const { action: id, session, at, base, estimate } = event;
  const out = draft.out.get(id);
  if (out?.session === session) return EVENT_REPEATED;
  if (out)
    return rejectEvent(`${id} is out with session ${out.session} since ${out.at}. Ask sdd_next what else is due.`);
  const action = findPendingAction(draft.base, id);
  if (!action)
    return isWithheldAction(draft.base, id) ? rejectOverCap(draft.base, id) : rejectUnpendingAction(draft.base, id);
  const isPaid = action.kind === "spawn" && Number.isFinite(estimate) && estimate > 0;
  const cost = isPaid ? Math.round(estimate) : 0;
  if (cost > getFreeTokens(draft.base)) return rejectOverCap(draft.base, id);
  draft.out.set(id, { action, session, at, base, estimate: cost, refusals: 0 });
  return EVENT_APPLIED;
}

const rejectOverCap = (lead: Lead, id: string): EventOutcome =>
  rejectEvent(`${id} is held back: the run may cost ${formatCapUsage(lead)}.`);

/** The action becomes pending again. After the third loss in a row the user decides. */
function applyAssignmentLost(draft: LeadDraft, { action: id, why }: EventOf<"lost">): EventOutcome {
  const out = draft.out.get(id);
  if (!out) return rejectUnpendingAction(draft.base, id);
  const { action } = out;
  draft.end(id);
  if (action.kind === "spawn" && action.work.of === "review")
    return loseReviewerRun(draft, action.work.review, parseReviewerName(id));
  const run = getRunCounter(action);
  const record = run && draft.feature(run.feature);
  if (!record) return EVENT_APPLIED;
  const isPartition = action.kind === "spawn" && isPartitionPlanning(action.work, record);
  const next = countFeatureRun(countLostRun(isPartition ? abandonPartition(record) : record, run.key), run.key);
  draft.keep(next);
  if (getLostRunCount(next, run.key) >= MAX_LOST_RUNS) {
    const detail = `${run.key} was lost ${MAX_LOST_RUNS} times in a row: ${sanitizeText(why, 200)}`;
    escalateFeature(draft, run.feature, detail);
  }
  return EVENT_APPLIED;
}
