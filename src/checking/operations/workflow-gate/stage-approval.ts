import { sanitizeText } from "#kernel/model/text-format.ts";
import { getSpecPath } from "#kernel/model/workspace-paths.ts";
import { formatRejection } from "#planning/model/approval/approval-proof.ts";
import type { Approval } from "#planning/model/approval/approval-record.ts";
import type { GateCheckResult, StageGate, WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import { type ApprovalRequest, askApproval, type AskedApproval } from "#planning/operations/approval/ask-approval.ts";
import { createProblemResult } from "../../model/gate/check-outcome.ts";
import type { CheckingEngine } from "../engine.ts";

export interface SpecApprovals {
  readonly text: string | undefined;
  readonly approvals: readonly Approval[];
}

/** Opens the question once nothing else is missing, so that the user approves a finished text. */
export async function judgeStageApproval(
  engine: CheckingEngine,
  {
    gate,
    record,
    before,
    session,
    approver,
    isReady,
  }: {
    readonly gate: StageGate;
    readonly record: WorkflowRecord;
    readonly before: SpecApprovals;
    readonly session: string;
    readonly approver: string | undefined;
    /** Whether everything but the approval is in order. */
    readonly isReady: boolean;
  },
) {
  const { current_stage: stage } = record;
  const { text } = before;
  const isAsked = text !== undefined && needsApproval(gate, stage, before) && (isReady || approver !== undefined);
  const asked = isAsked
    ? await askApproval(engine, createStageQuestion(gate, record, text, before), {
        session,
        given: approver === undefined ? undefined : { by: approver },
      })
    : undefined;
  const approval = asked?.approval;
  const known: SpecApprovals = approval ? { text, approvals: [...before.approvals, approval] } : before;
  return {
    known,
    /** New in this call. */
    approval,
    /** The approvals of this text that the verdict rests on. */
    used: findUsedApprovals(gate, stage, known),
    /** The question that is open, or that the user answered with no. */
    asked: isReady && !approval ? asked : undefined,
    check: gate.approval === undefined ? undefined : checkStageApproval(gate.approval, stage, known, asked),
  };
}

const findStageApproval = (stage: string, { text, approvals }: SpecApprovals): Approval | undefined =>
  approvals.findLast((approval) => approval.stage === stage && approval.text === text);

function needsApproval({ approval, documents }: StageGate, stage: string, known: SpecApprovals): boolean {
  if (approval !== undefined && !findStageApproval(stage, known)) return true;
  return documents.includes("spec-unchanged") && known.approvals.at(-1)?.text !== known.text;
}

function findUsedApprovals({ approval, documents }: StageGate, stage: string, known: SpecApprovals): Approval[] {
  const last = known.approvals.at(-1);
  const isOfSpec = documents.includes("spec-unchanged") && last?.text === known.text;
  const used = [approval === undefined ? undefined : findStageApproval(stage, known), isOfSpec ? last : undefined];
  return [...new Set(used)].filter((each) => each !== undefined);
}

/** One sentence for the user, which mentions an approval of an older text. */
function createStageQuestion(
  { approval: what = "the changed spec" }: StageGate,
  { id, current_stage: stage, title }: WorkflowRecord,
  text: string,
  { approvals }: SpecApprovals,
): ApprovalRequest {
  const last = approvals.at(-1);
  const changed = last && last.text !== text ? ` The spec changed since ${last.by} approved it, ${last.at}.` : "";
  const question = `${id} (${sanitizeText(title, 80)}): do you approve ${what}?${changed}`;
  return { id, area: "workflow", stage, question, path: getSpecPath(id), text };
}

function checkStageApproval(
  what: string,
  stage: string,
  known: SpecApprovals,
  asked: AskedApproval | undefined,
): GateCheckResult {
  if (findStageApproval(stage, known)) return createProblemResult("approval", []);
  const before = known.approvals.findLast((approval) => approval.stage === stage);
  if (asked?.answer) return createProblemResult("approval", [{ problem: formatRejection(what, asked.answer) }]);
  const problem = before
    ? `Approval needed again: ${before.by} approved on ${before.at}, but the spec changed since.`
    : `Approval needed: ${what}.`;
  return createProblemResult("approval", [{ problem: `${problem}${asked?.why ? ` ${asked.why}` : ""}` }]);
}
