import { RETRY_WAITS_S } from "#domain/gate/retry.ts";
import type { CheckReceipt, Receipt } from "#domain/gate/receipt.ts";
import type { SpecApproval, GateCheckResult, WorkflowRecord } from "#domain/workflow/record.ts";
import type { WorkflowId } from "#domain/workflow/id.ts";
import type { Engine } from "../../engine.ts";
import type { LockedStoreTree } from "../../ports/store.ts";
import type { WorkflowDraft } from "../../workflow/running/draft.ts";
import { createGateResult, type GateJudgement } from "../../workflow/running/gate.ts";
import { EVIDENCE_SPACE } from "../../workflow/spaces.ts";
import { planWorkflowReceipt } from "../receipts.ts";
import { recordTestFailures } from "./recorded.ts";

export type GateProof = Omit<Receipt, "id" | "workflow" | "at"> & { readonly workflow: WorkflowId };

/**
 * Undefined if the gate did not pass apart from the user's approval, if an earlier run already proved it, and, for a
 * gate that runs nothing, until its stage ends.
 */
export async function createGateProof(
  engine: Pick<Engine, "snapshots" | "machine" | "version">,
  record: WorkflowRecord,
  judged: GateJudgement,
  isMoving: boolean,
): Promise<GateProof | undefined> {
  const { gate, ran, ran_on, isProven, checks } = judged;
  if (!isProven || ran_on || (!ran && !isMoving) || hasEarlierProof(record, judged)) return undefined;
  const tree = ran?.tree ?? ((await engine.snapshots.isPossible()) ? await engine.snapshots.sourceTree() : undefined);
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
    ...(tree ? { tree } : {}),
    ...(record.base_commit ? { base: record.base_commit } : {}),
    ...(ran?.rules ? { trust: ran.rules } : {}),
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
  ...(reason ? { reason } : {}),
});

export function recordGateProof(
  engine: Pick<Engine, "digest" | "checkout">,
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
  engine: Pick<Engine, "digest">,
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
  if (ran?.seen)
    recordTestFailures(
      draft,
      engine,
      now.id,
      ran.seen.cases,
      ran.seen.red,
      tree.kept(EVIDENCE_SPACE).get(now.id) ?? [],
    );
  recordGateEvent(draft, now.id, judged, kept.isOnlyLooking);
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

function recordGateEvent(
  draft: WorkflowDraft,
  id: string,
  { gate, passed, checks }: GateJudgement,
  isOnlyLooking: boolean,
): void {
  const named = (status: GateCheckResult["status"]): string[] =>
    checks.filter((each) => each.status === status).map(({ check }) => check);
  draft.say(isOnlyLooking ? "gate.looked-at" : "gate.checked", id, {
    gate: gate.name,
    passed,
    failed: named("failed"),
    unknown: named("unknown"),
    waived: named("waived"),
  });
}
