import type * as z from "zod";
import { RETRY_WAITS_S } from "../../model/gate/check-outcome.ts";
import type { CheckReceipt, Receipt, WorkReceipt } from "../../model/gate/receipt-chain.ts";
import { planQuestion, planQuestionEnd } from "#planning/operations/approval/ask-approval.ts";
import type { GateCheckResult, TestRemoval, WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import type { SuggestedFix } from "#kernel/model/fault.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { limitShownProblems } from "#kernel/model/verdict.ts";
import type { WorkflowId } from "#kernel/model/workflow-id.ts";
import type { CheckingEngine } from "../engine.ts";
import type { LockedStoreTree } from "#store/operations/ports/store.ts";
import { type AttributedWork, describeOutsideWork } from "#planning/operations/workflow/attributed-work.ts";
import type { GateAttemptsOutput, GateCheckOutput } from "#planning/operations/workflow/schema.ts";
import type { WorkflowDraft } from "#planning/operations/workflow/workflow-runtime.ts";
import type { WorkflowViewData } from "#planning/operations/workflow/workflow-view.ts";
import { isGoodCheck, mergeTestRemovals, type GateJudgement } from "../workflow-gate/judge-stage.ts";
import { TRUST_NEEDED } from "./load-trusted-checks.ts";
import { readSourceTree } from "./run-check.ts";
import { recordTestFailures } from "./run-tests-on-base.ts";
import { findUnapprovedReceipt, planReceiptWrite } from "./receipt-files.ts";

export type GateProof = Omit<Receipt, "id" | "workflow" | "at"> & { readonly workflow: WorkflowId };

/**
 * Undefined without a pass, or if an earlier run proved it; without commands, until the stage ends. Without the
 * approval it does not say that the gate passed.
 */
export async function createGateProof(
  engine: Pick<CheckingEngine, "snapshots" | "machine" | "version" | "store" | "digest">,
  record: WorkflowRecord,
  judged: GateJudgement,
  isMoving: boolean,
): Promise<GateProof | undefined> {
  const { gate, ran, ran_on, isProven, checks, passed } = judged;
  const { id } = record;
  const earlier =
    ran_on && isMoving
      ? await engine.store.read((tree) =>
          findUnapprovedReceipt(tree, engine, { id, gate: gate.name, files: ran_on.tree }),
        )
      : undefined;
  if (!isProven || (ran_on && !earlier) || (!ran && !isMoving)) return undefined;
  const last = record.gates.find((each) => each.gate === gate.name);
  const isProvenBefore =
    last?.checks.every((each) => each.check === "approval" || isGoodCheck(each)) &&
    last.ran_on !== undefined &&
    last.ran_on.tree === ran?.tree &&
    last.ran_on.base_tree === ran.work?.base_tree &&
    last.ran_on.rules === ran.rules;
  if (isProvenBefore && !isMoving) return undefined;
  const told = ran?.receipts ?? earlier?.checks.filter(({ check }) => check !== "approval") ?? [];
  const others = checks
    .filter(({ check }) => !told.some((each) => each.check === check))
    .map(({ check, status, reason }): CheckReceipt => {
      return { check, status: status === "unknown" ? "failed" : status, reason };
    });
  return {
    gate: gate.name,
    workflow: id,
    stage: record.current_stage,
    passed,
    checks: [...told, ...others],
    tree: ran?.tree ?? ran_on?.tree ?? (await readSourceTree(engine)),
    base: record.base_commit,
    trust: ran?.rules ?? ran_on?.rules,
    work: ran?.work ? createWorkReceipt(ran.work) : earlier?.work,
    spec_ids: ran?.spec_ids ?? earlier?.spec_ids ?? [id],
    criteria: ran?.criteria ?? earlier?.criteria ?? [],
    ...(judged.approved.used.length > 0 ? { approvals: judged.approved.used } : {}),
    environment: createEnvironmentReceipt(engine),
  };
}

export const createEnvironmentReceipt = ({ version, machine }: Pick<CheckingEngine, "version" | "machine">) => ({
  tenon: version,
  node: machine.node,
  platform: machine.platform,
});

/** A reviewer sees which files were judged, and which were left out. */
export const createWorkReceipt = ({ files, excluded, unattributed }: AttributedWork): WorkReceipt => ({
  files: files.map(({ path, why, to }) => ({ path, why, ...(to ? { blob: to.blob } : {}) })),
  ...(excluded.length > 0 ? { excluded: excluded.map(({ path, reason }) => ({ path, reason })) } : {}),
  ...(unattributed.length > 0 ? { unattributed: [...unattributed] } : {}),
});

const MAX_EXCERPTS = 5;
const MAX_EXCERPT_LENGTH = 300;

/** The first problem of each failed check: enough to see in a list of runs why a gate did not pass. */
export const listFailureExcerpts = (checks: readonly GateCheckResult[]): string[] =>
  checks
    .flatMap(({ check, status, problems: [first] }) =>
      status === "failed" && first ? [`${check}: ${first.problem}`] : [],
    )
    .slice(0, MAX_EXCERPTS)
    .map((text) => sanitizeText(text, MAX_EXCERPT_LENGTH));

export function recordGateVerdict(
  engine: Pick<CheckingEngine, "digest" | "checkout">,
  { draft, tree }: { readonly draft: WorkflowDraft; readonly tree: LockedStoreTree },
  now: WorkflowRecord,
  judged: GateJudgement,
  kept: {
    readonly tree: string | undefined;
    readonly proof: GateProof | undefined;
    readonly removals?: readonly TestRemoval[] | undefined;
    /** A dry run is not an attempt, so it gets its own event and does not count in the statistics. */
    readonly isOnlyLooking: boolean;
  },
): { readonly record: WorkflowRecord; readonly receipt: string | undefined } {
  const { gate, ran, criteria } = judged;
  const { approval, asked } = kept.isOnlyLooking ? { approval: undefined, asked: undefined } : judged.approved;
  const ran_on =
    ran?.tree && ran.rules
      ? {
          tree: ran.tree,
          ...(ran.work ? { base_tree: ran.work.base_tree } : {}),
          rules: ran.rules,
          trace: ran.trace,
          ...(criteria ? { criteria } : {}),
        }
      : judged.ran_on;
  const result = {
    gate: gate.name,
    stage: now.current_stage,
    passed: judged.passed,
    at: draft.at,
    ...(kept.tree ? { tree: kept.tree } : {}),
    checks: judged.checks.map(({ check, status }) => ({ check, status })),
    ...(ran_on ? { ran_on } : {}),
  };
  const attempts = ran?.attempts ?? [];
  const success = attempts.at(-1)?.failed.length === 0;
  const retry = { gate: gate.name, attempts: attempts.length, success, timestamp: draft.at };
  const record = {
    ...now,
    updated_at: draft.at,
    gates: [...now.gates.filter((each) => each.gate !== gate.name), result],
    ...(kept.removals?.length ? { tests_removed: mergeTestRemovals(now, kept.removals) } : {}),
    approvals: approval ? [...now.approvals, approval] : now.approvals,
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
    ...(judged.passed ? {} : { excerpts: listFailureExcerpts(judged.checks) }),
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
  for (const entry of asked ? planQuestion(tree, asked.question) : []) draft.keep(entry);
  if (approval) {
    for (const entry of planQuestionEnd(tree, now.id)) draft.keep(entry);
    draft.say("workflow.approved", now.id, { stage: approval.stage, by: approval.by, proof: approval.proof });
  }
  if (!kept.proof) return { record, receipt: undefined };
  const { receipt, step, keeping } = planReceiptWrite(tree, engine, { ...kept.proof, at: draft.at });
  draft.step(step);
  draft.keep(keeping);
  draft.say("receipt.written", now.id, { receipt: receipt.id, gate: gate.name });
  return { record, receipt: receipt.id };
}

const MAX_RETRY_HISTORY = 50;

type CheckView = z.infer<typeof GateCheckOutput>;
type AttemptsView = z.infer<typeof GateAttemptsOutput>;

export const viewChecks = (checks: readonly GateCheckResult[]) =>
  checks.map(({ check, status, problems, reason }) => ({
    check,
    status,
    problems: limitShownProblems(problems),
    reason,
  }));

export const viewGateJudgement = ({ gate, checks, ran }: GateJudgement) => ({
  gate: gate.name,
  checks: viewChecks(checks),
  unattributed: [...(ran?.work?.unattributed ?? [])],
  took: (ran?.took ?? []).map((each) => ({ ...each })),
  attempts: (ran?.attempts ?? []).map((each) => ({
    ...each,
    fixed: [...each.fixed],
    failed: each.failed.map((one) => ({ ...one })),
  })),
});

export const formatDurations = (
  took: readonly { readonly check: string; readonly ms: number; readonly reused?: boolean | undefined }[],
): string =>
  took
    .map(
      ({ check, ms, reused }) => `${check} ${(ms / 1000).toFixed(1)} s${reused ? " (earlier, on the same files)" : ""}`,
    )
    .join(", ");

export const isOpenCheck = ({ status }: CheckView): boolean => status === "failed" || status === "unknown";

export function formatOpenChecks(open: readonly CheckView[]): string[] {
  const isBare = ({ problems }: CheckView): boolean => problems.length === 0;
  const listed = new Set<string>();
  // Two checks may read the same field.
  const isFirst = (text: string): boolean => !listed.has(text) && listed.add(text).has(text);
  return open.flatMap((each) => {
    const { check, problems, reason = "" } = each;
    if (!isBare(each))
      return problems
        .map(({ problem, line }) => `${line ? `line ${line}: ` : ""}${problem}`)
        .filter(isFirst)
        .map((text) => `${check}: ${text}`);
    const same = open.filter((other) => isBare(other) && (other.reason ?? "") === reason);
    return same[0] === each ? [`${same.map((other) => other.check).join(", ")}: unknown. ${reason}`.trimEnd()] : [];
  });
}

export const formatWaivedChecks = (checks: readonly CheckView[]): string[] =>
  checks.filter(({ status }) => status === "waived").map(({ check, reason }) => `${check} was waived: ${reason}`);

/** Lists every attempt if there was more than one, so that the next session knows the earlier ones. */
export function formatGateAttempts(attempts: AttemptsView): string[] {
  if (attempts.length < 2) return [];
  const lines = attempts.map(({ n, waited_s, fixed, failed }) => {
    const fixes = fixed.length > 0 ? ` and the fix of ${fixed.join(", ")}` : "";
    const before = n === 1 ? "" : ` after ${waited_s} s${fixes}`;
    const said = failed
      .map((each) => `${each.check} (${each.failure}): ${sanitizeText(each.said, 200).replace(/\.$/, "")}`)
      .join("; ");
    return `Attempt ${n}${before}: ${said === "" ? "passed" : said}`;
  });
  const end =
    attempts.at(-1)?.failed.length === 0
      ? `All commands passed on attempt ${attempts.length}.`
      : `Gate failed after ${formatCount(attempts.length - 1, "retry").replace("retrys", "retries")}, escalating to the user.`;
  return [...lines, end];
}

export const suggestClaims = (id: string, unattributed: readonly string[] = []): SuggestedFix[] =>
  describeOutsideWork(id, { unattributed, excluded: [] }).next;

export function suggestFailedGateSteps(
  { id, stages, stage, snapshots }: WorkflowViewData,
  attempts: AttemptsView,
): SuggestedFix[] {
  if ((attempts.at(-1)?.failed.length ?? 0) === 0) return [];
  const at = stages.findIndex(({ name }) => name === stage);
  const before = stages
    .slice(0, Math.max(0, at))
    .findLast(({ name }) => snapshots.some((each) => each.stage === name))?.name;
  return [
    ...(before === undefined ? [] : [{ operation: "workflow.rollback", input: { id, stage: before } } as const]),
    { operation: "workflow.abandon", input: { id, reason: "…" } },
  ];
}

/** Untrusted checks first. A check that cannot run needs a waiver with a reason, which the user approves. */
export function suggestUnknownCheckSteps(open: readonly CheckView[]): string[] {
  const isUntrusted = open.some(({ status, reason }) => status === "unknown" && reason?.endsWith(TRUST_NEEDED));
  if (isUntrusted) return ["Ask the user to type: tenon trust"];
  const unknown = open.filter(({ status }) => status === "unknown").map(({ check }) => check);
  if (unknown.length === 0) return [];
  const lines = unknown.map((check) => `${check}: <reason>`).join(", ");
  return [
    `${formatCount(unknown.length, "check")} could not run. To waive: gates: { waived: { ${lines} } } in sdd/config.yaml, then tenon trust`,
  ];
}
