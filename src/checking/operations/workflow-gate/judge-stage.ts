import type { Problem } from "#kernel/model/verdict.ts";
import { judgeStageApproval, type SpecApprovals } from "./stage-approval.ts";
import { isSpecOfKind, listSpecProblems, SPEC_CHECKS } from "#planning/model/spec/spec-checks.ts";
import {
  type DocumentCheck,
  type StageGate,
  findStageGate,
  type GateCheckResult,
  listStageApprovals,
  type TestRemoval,
  type WorkflowRecord,
} from "#planning/model/workflow/workflow-record.ts";
import { COMMAND_CHECKS, type Config } from "#kernel/model/workspace-config.ts";
import { SPEC_FILE_FOLDER, getSpecPath } from "#kernel/model/workspace-paths.ts";
import type { CheckingEngine } from "../engine.ts";
import { runGateChecks } from "../gate/run-gate-checks.ts";
import { readSourceTree } from "../gate/run-check.ts";
import { checkDocumentation } from "../gate/check-documentation.ts";
import { loadCheckRuling } from "../gate/load-trusted-checks.ts";
import { createProblemResult } from "../../model/gate/check-outcome.ts";
import { loadWork } from "#planning/operations/workflow/attributed-work.ts";
import { resolveWorkflow, type WorkRuntime } from "#planning/operations/workflow/workflow-runtime.ts";
import { rejectOtherWorktree } from "#planning/operations/workflow/workflow-view.ts";
import { requireWritableWorkflow, syncWorkflowState } from "#planning/operations/workflow/workflow-writes.ts";
import { readSpecFile, type SpecFileReading } from "#planning/operations/spec/spec-files.ts";

/** The named or current workflow, which this session may write from this folder. */
export async function openOwnWorkflow(
  engine: CheckingEngine,
  input: { readonly id?: string | undefined; readonly session?: string | undefined },
  operation: string,
): Promise<{ session: string; runtime: WorkRuntime; record: WorkflowRecord }> {
  const { session, runtime } = await syncWorkflowState(engine, input.session);
  const { id } = resolveWorkflow(runtime, { id: input.id, session }, operation);
  const record = requireWritableWorkflow(runtime, id, session);
  rejectOtherWorktree(engine, record);
  return { session, runtime, record };
}

export const isGoodCheck = ({ status }: Pick<GateCheckResult, "status">): boolean =>
  status === "passed" || status === "waived";

export type GateJudgement = Awaited<ReturnType<typeof judgeStageGate>>;

export interface GateRequest {
  readonly session: string;
  readonly approver?: string | undefined;
  readonly removals?: readonly TestRemoval[] | undefined;
  readonly isFresh?: boolean;
  /** A dry run must not fix files. */
  readonly isOnlyLooking?: boolean;
}

export async function judgeStageGate(
  engine: CheckingEngine,
  record: WorkflowRecord,
  { session, approver, removals = [], isFresh = false, isOnlyLooking = false }: GateRequest,
) {
  const gate = findStageGate(record.kind, record.current_stage);
  const { reading, names } = await engine.store.read((tree) => ({
    reading: readSpecFile(engine, tree, record.id),
    names: tree.names(SPEC_FILE_FOLDER),
  }));
  const spec = await reading;
  const knownIds = new Set(names.map((name) => name.replace(/\.yaml$/, "")));
  // The approval covers the content of the spec without trace, status, metadata and comments.
  const { trace: _, metadata: __, status: ___, ...content } = spec?.document?.spec ?? {};
  const text = spec && engine.digest(spec.document ? JSON.stringify(content) : spec.text);
  const before: SpecApprovals = { text, approvals: listStageApprovals(record) };
  const runDocuments = (approvals: SpecApprovals) => runDocumentChecks(gate, record, spec, knownIds, approvals);
  // Only features have criteria that tests can name. A bug fix is proven by its regression test.
  const criteria =
    spec?.document && isSpecOfKind("feature", spec.document)
      ? spec.document.spec.acceptance_criteria.map(({ id }) => id)
      : [];
  const earlier = isFresh ? undefined : await findReusableRun(engine, record, session, gate, criteria);
  const asked = gate.commands.filter((check) => check !== "documentation");
  const ran =
    asked.length > 0 && !earlier
      ? await runGateChecks(engine, {
          record,
          checks: asked,
          criteria,
          removals: mergeTestRemovals(record, removals),
          ...(isOnlyLooking ? {} : { mending: { record, session } }),
        })
      : undefined;
  const commands = ran ? ran.results.map((check) => waiveUnknownCheck(check, ran.gates)) : (earlier?.checks ?? []);
  const gates = ran?.gates ?? earlier?.gates;
  // The documents named by the spec may have changed since, so this cheap check always runs.
  const documentation =
    gates && gate.commands.includes("documentation")
      ? await checkDocumentation(
          engine,
          record.id,
          ran ? ran.work : await loadWork(engine, record),
          spec?.document?.spec.trace.docs ?? [],
        )
      : undefined;
  const written = gates && documentation ? [waiveUnknownCheck(documentation.result, gates)] : [];
  const others = [...runDocuments(before).filter(({ check }) => check !== "spec-unchanged"), ...commands, ...written];
  const isReady = others.every(isGoodCheck);
  const approved = await judgeStageApproval(engine, { gate, record, before, session, approver, isReady });
  const proven = [...runDocuments(approved.known), ...commands, ...written];
  const checks = approved.check ? [...proven, approved.check] : proven;
  return {
    gate,
    checks,
    passed: checks.every(isGoodCheck),
    /** True if only the user's approval is missing. */
    isProven: proven.every(isGoodCheck),
    /** The commands that ran now. Missing if an earlier run is still valid or the gate has no commands. */
    ran,
    criteria: gate.commands.includes("criteria") ? criteria : undefined,
    ran_on: earlier?.ran_on,
    /** Files of the work, for the trace of the spec. */
    trace: { ...(ran?.trace ?? earlier?.ran_on.trace), docs: documentation?.docs },
    approved,
    spec,
  };
}

/** A reason given once holds for the rest of the workflow. A new reason replaces the old one. */
export const mergeTestRemovals = (
  { tests_removed: known = [] }: Pick<WorkflowRecord, "tests_removed">,
  added: readonly TestRemoval[],
): readonly TestRemoval[] => [...known.filter(({ test }) => !added.some((each) => each.test === test)), ...added];

async function findReusableRun(
  engine: CheckingEngine,
  record: WorkflowRecord,
  session: string,
  { name, commands }: StageGate,
  criteria: readonly string[],
) {
  const { gates, base_commit } = record;
  const last = gates.find(({ gate }) => gate === name);
  const { ran_on } = last ?? {};
  if (!last || !ran_on || commands.length === 0) return undefined;
  // The spec is not part of the hashed files.
  if (commands.includes("criteria") && !criteria.every((each) => ran_on.criteria?.includes(each))) return undefined;
  const known = last.checks.filter(
    ({ check }) => check !== "documentation" && COMMAND_CHECKS.some((each) => each === check),
  );
  // A run whose gate failed for a document left no receipt, so it cannot prove the stage later.
  if (!last.checks.every((each) => each.check === "approval" || isGoodCheck(each))) return undefined;
  if ((await readSourceTree(engine)) !== ran_on.tree) return undefined;
  // A claim or an exclusion changes what the gate has to judge.
  if (ran_on.base_tree !== (await loadWork(engine, record))?.base_tree) return undefined;
  const { rules, gates: by } = await loadCheckRuling(engine, base_commit);
  if (rules?.hash !== ran_on.rules) return undefined;
  const checks = known.map(({ check, status }): GateCheckResult => {
    const reason = status === "waived" ? by.waived[check] : undefined;
    return { check, status, problems: [], ...(reason === undefined ? {} : { reason }) };
  });
  return { checks, ran_on, gates: by };
}

/** A problem of a named check is not repeated by `spec-valid`. */
function runDocumentChecks(
  gate: StageGate,
  record: WorkflowRecord,
  spec: SpecFileReading | undefined,
  knownIds: ReadonlySet<string>,
  { text, approvals }: SpecApprovals,
): GateCheckResult[] {
  const last = approvals.at(-1);
  const unapproved = last
    ? `The spec changed since ${last.by} approved it. It needs approval again.`
    : "The spec has no approval.";
  const runCheck = (check: DocumentCheck): readonly Problem[] => {
    if (!spec) return [{ problem: `${getSpecPath(record.id)} is missing.` }];
    if (check === "spec-unchanged") return last && last.text === text ? [] : [{ problem: unapproved }];
    if (check === "spec-draft") return spec.problems;
    const { document, partial } = spec;
    if (check === "spec-valid") return listSpecProblems(spec, "complete", knownIds);
    const readable = document ?? partial;
    // What makes the spec unreadable is reported by `spec-valid`, or else by each check.
    if (!readable) return gate.documents.includes("spec-valid") ? [] : spec.problems;
    return SPEC_CHECKS[check].flatMap((run) => run(readable, knownIds));
  };
  const found = gate.documents.map((check) => ({ check, problems: runCheck(check) }));
  const named = found.filter(({ check }) => check !== "spec-valid").flatMap(({ problems }) => problems);
  const isTold = ({ problem, line }: Problem): boolean =>
    named.some((other) => other.problem === problem && other.line === line);
  return found.map(({ check, problems }) => {
    const isRepeating = check === "spec-valid" && spec?.document !== undefined;
    return createProblemResult(check, isRepeating ? problems.filter((each) => !isTold(each)) : problems);
  });
}

/** A reason in the settings waives an unknown result, never a failed one. */
export function waiveUnknownCheck(check: GateCheckResult, { waived: reasons }: Config["gates"]): GateCheckResult {
  const reason = reasons[check.check];
  return check.status === "unknown" && reason !== undefined
    ? { ...check, status: "waived", problems: [], reason }
    : check;
}
