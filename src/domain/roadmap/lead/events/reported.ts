import type { LeadAction } from "../action.ts";
import { escalateFeature } from "../changes/blocking.ts";
import { MAX_REJECTED_REPORTS, countFixAttempt, countFeatureRun } from "../changes/counters.ts";
import { getRunCounter } from "../changes/dismissal.ts";
import { isPartitionPlanning, abandonPartition } from "../changes/mending.ts";
import { LeadDraft } from "../draft.ts";
import { parseReviewerName } from "../ids.ts";
import { findPendingAction } from "../next/due-action.ts";
import { isActionFinished } from "../over.ts";
import { applyUserAnswer } from "../reports/answer.ts";
import { applyAudit } from "../reports/audit.ts";
import { applyBlockerReport, applyBuildReport } from "../reports/build.ts";
import { applyCommitReport } from "../reports/commit.ts";
import { applyDesignReport } from "../reports/design.ts";
import { applyGateReport } from "../reports/gate.ts";
import { loseReviewerRun, applyInspection } from "../reports/inspection.ts";
import { applyTasksReport } from "../reports/tasks.ts";
import { type LeadEventOfKind, EVENT_REPEATED, rejectLeadEvent, type EventOutcome } from "../taken.ts";

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

export function rejectUnpendingAction(lead: LeadDraft["base"], id: string): EventOutcome {
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
