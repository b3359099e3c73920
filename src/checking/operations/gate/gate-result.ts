import { RETRY_WAITS_S } from "../../model/gate/check-outcome.ts";
import type { CheckReceipt, Receipt } from "../../model/gate/receipt-chain.ts";
import type { SpecApproval, GateCheckResult, WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import type { WorkflowId } from "#kernel/model/workflow-id.ts";
import type { CheckingEngine } from "../engine.ts";
import type { LockedStoreTree } from "#store/operations/ports/store.ts";
import type { WorkflowDraft } from "#planning/operations/workflow/workflow-runtime.ts";
import { createGateResult, type GateJudgement } from "../workflow-gate/judge-stage.ts";
import { readSourceTree } from "./run-check.ts";
import { recordTestFailures } from "./run-tests-on-base.ts";
import { planWorkflowReceipt } from "./receipt-files.ts";
import type * as z from "zod";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import type { SuggestedFix } from "#kernel/model/fault.ts";
import { limitShownProblems } from "#kernel/model/verdict.ts";
import type { WorkflowViewData } from "#planning/operations/workflow/workflow-view.ts";
import type { GateAttemptsOutput, GateCheckOutput } from "#planning/operations/workflow/schema.ts";
import { TRUST_NEEDED } from "./load-trusted-checks.ts";

export type GateProof = Omit<Receipt, "id" | "workflow" | "at"> & { readonly workflow: WorkflowId };

/**
 * Undefined if the gate did not pass apart from the user's approval, if an earlier run already proved it, and, for a
 * gate that runs nothing, until its stage ends.
 */
export async function createGateProof(
  engine: Pick<CheckingEngine, "snapshots" | "machine" | "version">,
  record: WorkflowRecord,
  judged: GateJudgement,
  isMoving: boolean,
): Promise<GateProof | undefined> {
  const { gate, ran, ran_on, isProven, checks } = judged;
  if (!isProven || ran_on || (!ran && !isMoving) || hasEarlierProof(record, judged)) return undefined;
  const told = ran?.receipts ?? [];
  return {
    gate: gate.name,
    workflow: record.id,
    stage: record.current_stage,
    passed: true,
    checks: [
      ...told,
      ...checks.filter(({ check }) => !told.some((each) => each.check === check)).map(createCheckReceipt),
    ],
    tree: ran?.tree ?? (await readSourceTree(engine)),
    base: record.base_commit,
    trust: ran?.rules,
    spec_ids: ran?.spec_ids ?? [record.id],
    criteria: ran?.criteria ?? [],
    environment: { tenon: engine.version, node: engine.machine.node, platform: engine.machine.platform },
  };
}

function hasEarlierProof({ gates }: WorkflowRecord, { gate, ran }: GateJudgement): boolean {
  const last = gates.find((each) => each.gate === gate.name);
  const isGood =
    last?.checks.every(({ check, status }) => check === "approval" || PASSING_STATUSES.has(status)) ?? false;
  return isGood && last?.ran_on !== undefined && last.ran_on.tree === ran?.tree && last.ran_on.rules === ran.rules;
}

const PASSING_STATUSES = new Set<GateCheckResult["status"]>(["passed", "waived"]);

const createCheckReceipt = ({ check, status, reason }: GateCheckResult): CheckReceipt => ({
  check,
  status: status === "passed" || status === "waived" ? status : "failed",
  reason,
});

export function recordGateProof(
  engine: Pick<CheckingEngine, "digest" | "checkout">,
  draft: WorkflowDraft,
  tree: LockedStoreTree,
  proof: GateProof | undefined,
): string | undefined {
  if (!proof) return undefined;
  const { receipt, step, keeping } = planWorkflowReceipt(tree, engine, { ...proof, at: draft.at });
  draft.step(step);
  draft.keep(keeping);
  draft.say("receipt.written", proof.workflow, { receipt: receipt.id, gate: proof.gate });
  return receipt.id;
}

interface VerdictContext {
  readonly tree: string | undefined;
  readonly approval?: SpecApproval | undefined;
  /** A dry run is not an attempt, so it gets its own event and does not count in the statistics. */
  readonly isOnlyLooking: boolean;
}

export function recordGateVerdict(
  engine: Pick<CheckingEngine, "digest">,
  { draft, tree }: { readonly draft: WorkflowDraft; readonly tree: LockedStoreTree },
  now: WorkflowRecord,
  judged: GateJudgement,
  kept: VerdictContext,
): WorkflowRecord {
  const { gate, ran } = judged;
  const result = createGateResult(judged, now.current_stage, draft.at, kept.tree);
  const attempts = ran?.attempts ?? [];
  const success = attempts.at(-1)?.failed.length === 0;
  const retry = { gate: gate.name, attempts: attempts.length, success, timestamp: draft.at };
  const record = {
    ...now,
    updated_at: draft.at,
    gates: [...now.gates.filter((each) => each.gate !== gate.name), result],
    approvals: kept.approval ? [...now.approvals, kept.approval] : now.approvals,
    retry_history: attempts.length > 1 ? [...now.retry_history, retry].slice(-MAX_RETRY_HISTORY) : now.retry_history,
  };
  draft.putWorkflow(record);
  if (ran?.seen) recordTestFailures({ draft, tree }, engine, now.id, ran.seen);
  const named = (status: GateCheckResult["status"]): string[] =>
    judged.checks.filter((each) => each.status === status).map(({ check }) => check);
  draft.say(kept.isOnlyLooking ? "gate.looked-at" : "gate.checked", now.id, {
    gate: gate.name,
    passed: judged.passed,
    failed: named("failed"),
    unknown: named("unknown"),
    waived: named("waived"),
  });
  for (const { n, waited_s, fixed, failed } of attempts.slice(1)) {
    draft.say("gate.retried", now.id, {
      gate: gate.name,
      attempt: n - 1,
      of: RETRY_WAITS_S.length,
      success: failed.length === 0,
      waited_s,
      fixed,
      failed: failed.map(({ check }) => check),
    });
  }
  if (kept.approval) draft.say("workflow.approved", now.id, { stage: now.current_stage, by: kept.approval.by });
  return record;
}

const MAX_RETRY_HISTORY = 50;

type CheckView = z.infer<typeof GateCheckOutput>;
type AttemptsView = z.infer<typeof GateAttemptsOutput>;

export const viewGateCheck = ({ check, status, problems, reason }: GateCheckResult): CheckView => ({
  check,
  status,
  problems: limitShownProblems(problems),
  reason,
});

export const viewGateAttempts = ({ ran }: GateJudgement): AttemptsView =>
  (ran?.attempts ?? []).map((each) => ({
    ...each,
    fixed: [...each.fixed],
    failed: each.failed.map((one) => ({ ...one })),
  }));

export function formatOpenChecks(open: readonly CheckView[]): string[] {
  const isBare = ({ problems }: CheckView): boolean => problems.length === 0;
  return open.flatMap((each) => {
    const { check, problems, reason = "" } = each;
    if (!isBare(each))
      return problems.map(({ problem, line }) => `${check}: ${line ? `line ${line}: ` : ""}${problem}`);
    const same = open.filter((other) => isBare(other) && (other.reason ?? "") === reason);
    return same[0] === each ? [`${same.map((other) => other.check).join(", ")}: unknown. ${reason}`.trimEnd()] : [];
  });
}

export const formatWaivedChecks = (checks: readonly CheckView[]): string[] =>
  checks.filter(({ status }) => status === "waived").map(({ check, reason }) => `${check} was waived: ${reason}`);

/** Lists every attempt if there was more than one, so that the next session knows the earlier ones. */
export function formatGateAttempts(attempts: AttemptsView): string[] {
  if (attempts.length < 2) return [];
  const last = attempts.at(-1);
  const end =
    last?.failed.length === 0
      ? `Gate passed on attempt ${attempts.length}.`
      : `Gate failed after ${formatCount(attempts.length - 1, "retry").replace("retrys", "retries")}, escalating to the user.`;
  return [...attempts.map(formatGateAttempt), end];
}

function formatGateAttempt({ n, waited_s, fixed, failed }: AttemptsView[number]): string {
  const fixes = fixed.length > 0 ? ` and the fix of ${fixed.join(", ")}` : "";
  const before = n === 1 ? "" : ` after ${waited_s} s${fixes}`;
  const said = failed
    .map((each) => `${each.check} (${each.failure}): ${sanitizeText(each.said, 200).replace(/\.$/, "")}`)
    .join("; ");
  return `Attempt ${n}${before}: ${said === "" ? "passed" : said}`;
}

export function suggestFailedGateSteps(
  { id, stages, stage }: WorkflowViewData,
  attempts: AttemptsView,
): SuggestedFix[] {
  if ((attempts.at(-1)?.failed.length ?? 0) === 0) return [];
  const at = stages.findIndex(({ name }) => name === stage);
  const before = stages[at - 1]?.name;
  return [
    ...(before === undefined ? [] : [{ operation: "workflow.rollback", input: { id, stage: before } } as const]),
    { operation: "workflow.abandon", input: { id, reason: "…" } },
  ];
}

/**
 * Untrusted checks come first. A check that cannot run needs a waiver with a reason in the settings, which the user
 * approves.
 */
export function suggestUnknownCheckSteps(open: readonly CheckView[]): string[] {
  const isUntrusted = open.some(({ status, reason }) => status === "unknown" && reason?.endsWith(TRUST_NEEDED));
  if (isUntrusted) return ["Ask the user to type: tenon trust"];
  const unknown = open.filter(({ status }) => status === "unknown").map(({ check }) => check);
  if (unknown.length === 0) return [];
  const lines = unknown.map((check) => `${check}: <reason>`).join(", ");
  return [
    `${formatCount(unknown.length, "check")} nobody could run. To do without: gates: { waived: { ${lines} } } in sdd/config.yaml, then tenon trust`,
  ];
}
