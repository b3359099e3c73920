import type { LeadAction } from "./lead-state.ts";
import { escalateFeature } from "./blocked-features.ts";
import {
  MAX_REJECTED_REPORTS,
  countFixAttempt,
  countFeatureRun,
  getLostRunCount,
  MAX_LOST_RUNS,
  countLostRun,
} from "./feature-counters.ts";
import { getRunCounter } from "./work-cancellation.ts";
import { isPartitionPlanning, abandonPartition } from "./feature-rework.ts";
import { LeadDraft } from "./lead-draft.ts";
import { parseReviewerName, isActionFinished } from "./action-ids.ts";
import { findPendingAction, formatCapUsage, getFreeTokens, isWithheldAction } from "./pending-actions.ts";
import { applyUserAnswer } from "./user-answers.ts";
import { applyAudit, loseReviewerRun, applyInspection } from "./review-events.ts";
import { applyBlockerReport, applyBuildReport, applyCommitReport, applyGateReport } from "./build-reports.ts";
import { applyDesignReport, applyTasksReport } from "./planning-reports.ts";
import {
  type LeadEventOfKind,
  EVENT_REPEATED,
  rejectLeadEvent,
  type EventOutcome,
  EVENT_APPLIED,
} from "./lead-events.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";

/** Accepts a report once, if the action is pending and the facts confirm it. */
export function applyReport(
  lead: LeadDraft["base"],
  event: LeadEventOfKind<"reported">,
): { draft: LeadDraft; taken: EventOutcome } {
  const out = lead.out.get(event.action);
  const action = out?.action ?? findPendingAction(lead, event.action);
  const draft = new LeadDraft(lead);
  if (!action) return { draft, taken: rejectUnpendingAction(lead, event.action) };
  draft.end(event.action, parseReportedTokens(event));
  const taken = applyActionReport(draft, action, event);
  if (taken.kind !== "refused" || taken.isKept) return { draft, taken };
  const fresh = new LeadDraft(lead);
  if (out) countRejectedReport(fresh, out.action, taken, parseReportedTokens(event));
  return { draft: fresh, taken: { ...taken, isKept: true } };
}

function rejectUnpendingAction(lead: LeadDraft["base"], id: string): EventOutcome {
  if (isActionFinished(lead, id)) return EVENT_REPEATED;
  return rejectLeadEvent(`${id} is not due, and nobody is at work on it. Ask sdd_next what is.`);
}

function parseReportedTokens({ tokens }: LeadEventOfKind<"reported">): number | undefined {
  return tokens !== undefined && Number.isFinite(tokens) && tokens >= 0 ? Math.round(tokens) : undefined;
}

function applyActionReport(draft: LeadDraft, action: LeadAction, event: LeadEventOfKind<"reported">): EventOutcome {
  const { report, facts, action: id } = event;
  switch (action.kind) {
    case "ask":
      return report.kind === "answer"
        ? applyUserAnswer(draft, action, { id, report, facts })
        : rejectWrongReport(action, event);
    case "commit":
      return report.kind === "commit"
        ? applyCommitReport(draft, action, { id, report, facts })
        : rejectWrongReport(action, event);
    case "gate":
      return report.kind === "gate"
        ? applyGateReport(draft, action, { id, report, facts })
        : rejectWrongReport(action, event);
    case "spawn":
      return applyAgentReport(draft, action, event);
  }
}

function applyAgentReport(
  draft: LeadDraft,
  action: Extract<LeadAction, { kind: "spawn" }>,
  event: LeadEventOfKind<"reported">,
): EventOutcome {
  const { report, facts, action: id } = event;
  const { work } = action;
  switch (work.of) {
    case "design":
      return report.kind === "architect"
        ? applyDesignReport(draft, work, { id, report, facts })
        : rejectWrongReport(action, event);
    case "tasks":
      return report.kind === "tasks"
        ? applyTasksReport(draft, work, { id, report, facts })
        : rejectWrongReport(action, event);
    case "build":
      if (report.kind === "builder") return applyBuildReport(draft, work, { id, report, facts });
      if (report.kind === "builder-blocked") return applyBlockerReport(draft, work, { id, report, facts });
      return rejectWrongReport(action, event);
    case "review":
      if (action.role.startsWith("auditor-")) {
        return report.kind === "audit"
          ? applyAudit(draft, work.review, { id, report, facts })
          : rejectWrongReport(action, event);
      }
      if (report.kind !== "inspection") return rejectWrongReport(action, event);
      return applyInspection(draft, work.review, { id, report, facts });
  }
}

function rejectWrongReport(action: LeadAction, { report }: LeadEventOfKind<"reported">): EventOutcome {
  const who = action.kind === "spawn" ? action.role : action.kind;
  return rejectLeadEvent(`${action.id} is for ${who}; a report of the kind ${report.kind} is not an answer to it.`);
}

/** The agent can fix the problems and report again. The third rejected report fails the run. */
function countRejectedReport(
  draft: LeadDraft,
  action: LeadAction,
  taken: EventOutcome,
  tokens: number | undefined,
): void {
  const out = draft.out(action.id);
  if (!out || taken.kind !== "refused") return;
  const refusals = out.refusals + 1;
  if (refusals < MAX_REJECTED_REPORTS || action.kind !== "spawn") {
    draft.pay(tokens ?? 0);
    return draft.keepOut({ ...out, refusals, ...(tokens === undefined ? {} : { paid: (out.paid ?? 0) + tokens }) });
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
  if (!counted)
    escalateFeature(
      draft,
      run.feature,
      `${action.id} failed: ${taken.problems[0]?.problem ?? "its report was refused"}`,
    );
}

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

/** The action becomes pending again. After the third loss in a row the user decides. */
export function applyAssignmentLost(draft: LeadDraft, { action: id, why }: LeadEventOfKind<"lost">): EventOutcome {
  const out = draft.out(id);
  if (!out) return rejectUnpendingAction(draft.base, id);
  const { action } = out;
  draft.end(id);
  if (action.kind === "spawn" && action.work.of === "review") {
    return loseReviewerRun(draft, action.work.review, parseReviewerName(id));
  }
  const run = getRunCounter(action);
  const record = run && draft.feature(run.feature);
  if (!record) return EVENT_APPLIED;
  const isOne = action.kind === "spawn" && isPartitionPlanning(action.work, record);
  const next = countFeatureRun(countLostRun(isOne ? abandonPartition(record) : record, run.key), run.key);
  draft.keep(next);
  if (getLostRunCount(next, run.key) >= MAX_LOST_RUNS) {
    const detail = `${run.key} was lost ${MAX_LOST_RUNS} times in a row: ${sanitizeText(why, 200)}`;
    escalateFeature(draft, run.feature, detail);
  }
  return EVENT_APPLIED;
}
