import { sanitizeText } from "#kernel/model/text-format.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { abandonPartition, escalateFeature, isPartitionPlanning } from "./feature-rework.ts";
import { findPendingAction, isWithheldAction } from "./lead-decision.ts";
import {
  countFeatureRun,
  countFixAttempt,
  countLostRun,
  getLostRunCount,
  getRunCounter,
  LeadDraft,
  MAX_LOST_RUNS,
  MAX_REJECTED_REPORTS,
} from "./lead-draft.ts";
import type { EventOf, EventOutcome, Lead, LeadAction, LeadEvent, LeadEventResult } from "./lead-state.ts";
import { EVENT_APPLIED, EVENT_REPEATED, rejectEvent } from "./lead-state.ts";
import { formatCapUsage, getFreeTokens, isActionFinished, parseReviewerName } from "./lead-view.ts";
import { applyAudit, applyInspection, applyReviewStarted, applyWaiver, loseReviewerRun } from "./review-events.ts";
import { applyEditAccepted } from "./design-acceptance.ts";
import { applyUserAnswer } from "./user-answers.ts";
import * as userRequests from "./user-requests.ts";
import {
  applyBlockerReport,
  applyBuildReport,
  applyCommitReport,
  applyDesignReport,
  applyGateReport,
  applyTasksEdited,
  applyTasksReport,
  applyWaveGateReport,
} from "./work-reports.ts";

/** Never throws. A rejection changes only its own record: it counts the report, or voids a changed review. */
export function applyLeadEvent(
  lead: Lead,
  event: LeadEvent,
): { readonly lead: Lead; readonly applied: LeadEventResult } {
  const draft = new LeadDraft(lead);
  const taken = event.kind === "reported" ? applyReport(draft, event) : dispatchLeadEvent(draft, event);
  if (event.kind !== "reported" || taken.kind !== "refused" || taken.isKept || !lead.out.has(event.action))
    return createTransition(draft, taken);
  const fresh = new LeadDraft(lead);
  countRejectedReport(fresh, event, taken.problems);
  return createTransition(fresh, { ...taken, isKept: true });
}

function createTransition(draft: LeadDraft, taken: EventOutcome): ReturnType<typeof applyLeadEvent> {
  const { base, effects } = draft;
  if (taken.kind === "refused") {
    const { problems, isKept } = taken;
    return {
      lead: isKept ? draft.lead() : base,
      applied: { kind: "refused", problems, effects: isKept ? effects : [] },
    };
  }
  return taken.kind === "applied"
    ? { lead: draft.lead(), applied: { kind: "applied", effects } }
    : { lead: base, applied: { kind: "repeated" } };
}

function dispatchLeadEvent(draft: LeadDraft, event: Exclude<LeadEvent, { kind: "reported" }>): EventOutcome {
  switch (event.kind) {
    case "feature-added":
      return userRequests.applyFeatureAdded(draft, event);
    case "feature-removed":
      return userRequests.applyFeatureRemoved(draft, event);
    case "placed":
      return userRequests.applyFeaturePlaced(draft, event);
    case "wanted":
      return userRequests.applyGoalRequest(draft, event);
    case "revised":
      return userRequests.applyFeatureRevised(draft, event);
    case "unblocked":
      return userRequests.applyFeatureUnblocked(draft, event);
    case "run-begun":
      return userRequests.applyRunStarted(draft, event);
    case "run-stopped":
      return userRequests.applyRunStopped(draft, event);
    case "review-begun":
      return applyReviewStarted(draft, event);
    case "handed-out":
      return applyAssignment(draft, event);
    case "lost":
      return applyAssignmentLost(draft, event);
    case "waived":
      return applyWaiver(draft, event);
    case "tasks-edited":
      return applyTasksEdited(draft, event);
    case "edit-accepted":
      return applyEditAccepted(draft, event);
    default:
      return rejectEvent(`Nobody knows what ${String((event satisfies never as LeadEvent).kind)} means.`);
  }
}

/** Accepts a report once, if the action is pending and the facts confirm it. */
function applyReport(draft: LeadDraft, event: EventOf<"reported">): EventOutcome {
  const action = draft.out.get(event.action)?.action ?? findPendingAction(draft.base, event.action);
  if (!action) return rejectUnpendingAction(draft.base, event.action);
  draft.end(event.action, parseReportedTokens(event));
  const outcome = applyActionReport(draft, action, event);
  if (outcome) return outcome;
  const who = action.kind === "spawn" ? action.role : action.kind;
  return rejectEvent(`${action.id} is for ${who}; a report of the kind ${event.report.kind} is not an answer to it.`);
}

function rejectUnpendingAction(lead: Lead, id: string): EventOutcome {
  if (isActionFinished(lead, id)) return EVENT_REPEATED;
  return rejectEvent(`${id} is not ready, and no agent works on it. Call sdd_next for the next actions.`);
}

const parseReportedTokens = ({ tokens }: EventOf<"reported">): number | undefined =>
  tokens !== undefined && Number.isFinite(tokens) && tokens >= 0 ? Math.round(tokens) : undefined;

/** Undefined if the report is of another kind than the action asks for. */
function applyActionReport(draft: LeadDraft, action: LeadAction, event: EventOf<"reported">): EventOutcome | undefined {
  const { report, facts } = event;
  if (action.kind === "ask" && report.kind === "answer") return applyUserAnswer(draft, action, { report, facts });
  if (action.kind === "commit" && report.kind === "commit") return applyCommitReport(draft, action, { report, facts });
  if (action.kind === "gate" && report.kind === "gate")
    return applyGateReport(draft, action.feature, { report, facts });
  if (action.kind === "wave-gate" && report.kind === "gate")
    return applyWaveGateReport(draft, action.wave, { report, facts });
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
        ? applyInspection(draft, work.review, parseReviewerName(action.id), { report, facts })
        : undefined;
  }
}

/** The agent can fix the problems and report again. The third rejected report fails the run. */
function countRejectedReport(draft: LeadDraft, event: EventOf<"reported">, problems: readonly Problem[]): void {
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
  draft.effects.push({ kind: "dismissed", action: action.id });
  if (action.work.of === "review") return void loseReviewerRun(draft, action.work.review, parseReviewerName(action.id));
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
  const { action: id, session, mark, at, steady, base, estimate } = event;
  const out = draft.out.get(id);
  if (out?.session === session) return EVENT_REPEATED;
  if (out)
    return rejectEvent(`${id} is assigned to session ${out.session} since ${out.at}. Call sdd_next for other actions.`);
  const action = findPendingAction(draft.base, id);
  if (!action)
    return isWithheldAction(draft.base, id) ? rejectOverCap(draft.base, id) : rejectUnpendingAction(draft.base, id);
  const isPaid = action.kind === "spawn" && Number.isFinite(estimate) && estimate > 0;
  const cost = isPaid ? Math.round(estimate) : 0;
  if (cost > getFreeTokens(draft.base)) return rejectOverCap(draft.base, id);
  const owner = mark === undefined ? {} : { mark };
  const since = steady === undefined ? {} : { steady };
  draft.out.set(id, { action, session, ...owner, at, ...since, base, estimate: cost, refusals: 0 });
  return EVENT_APPLIED;
}

const rejectOverCap = (lead: Lead, id: string): EventOutcome =>
  rejectEvent(`${id} is held back: the run may cost ${formatCapUsage(lead)}.`);

/** The action becomes pending again. After the third loss in a row the user decides. */
function applyAssignmentLost(draft: LeadDraft, event: EventOf<"lost">): EventOutcome {
  const { action: id, why, isExpected = false } = event;
  const out = draft.out.get(id);
  if (!out) return rejectUnpendingAction(draft.base, id);
  const { action } = out;
  draft.end(id);
  if (action.kind === "spawn" && action.work.of === "review")
    return isExpected ? EVENT_APPLIED : loseReviewerRun(draft, action.work.review, parseReviewerName(id));
  const run = getRunCounter(action);
  const record = run && draft.feature(run.feature);
  if (!record) return EVENT_APPLIED;
  if (isExpected) {
    draft.keep(countFeatureRun(record, run.key));
    return EVENT_APPLIED;
  }
  const isPartition = action.kind === "spawn" && isPartitionPlanning(action.work, record);
  const next = countFeatureRun(countLostRun(isPartition ? abandonPartition(record) : record, run.key), run.key);
  draft.keep(next);
  if (getLostRunCount(next, run.key) >= MAX_LOST_RUNS) {
    const detail = `${run.key} was lost ${MAX_LOST_RUNS} times in a row: ${sanitizeText(why, 200)}`;
    escalateFeature(draft, run.feature, detail);
  }
  return EVENT_APPLIED;
}
