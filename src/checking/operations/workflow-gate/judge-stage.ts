import type { Problem } from "#kernel/model/verdict.ts";
import {
  checkFixCriteria,
  checkRegressionPlan,
  checkBugReproduction,
  checkRootCause,
  isSpecOfKind,
  checkSpecDocument,
  checkApiContracts,
  checkFeatureCriteria,
  checkSpecDependencies,
  checkTestScenarios,
  checkSuccessCriteria,
  checkUnfinishedMarkers,
  checkDecisionMatrix,
  checkResearchOptions,
  checkRecommendation,
  type SpecCheck,
} from "#planning/model/spec/spec-checks.ts";
import type { SpecDocument } from "#planning/model/spec/spec-reader.ts";
import {
  type DocumentCheck,
  type StageGate,
  findStageGate,
  type SpecApproval,
  type GateCheckResult,
  type WorkflowGateResult,
  type WorkflowRecord,
} from "#planning/model/workflow/workflow-record.ts";
import { COMMAND_CHECKS, type Config } from "#kernel/model/workspace-config.ts";
import { SPEC_FILE_FOLDER, getSpecPath } from "#kernel/model/workspace-paths.ts";
import type { CheckingEngine } from "../engine.ts";
import { runGateChecks, type GateCheckResults } from "../gate/run-gate-checks.ts";
import { findDocumentationProblems } from "../gate/static-checks.ts";
import { loadCheckRuling } from "../gate/load-trusted-checks.ts";
import { readSpecFile, type SpecFileReading } from "#planning/operations/spec/spec-files.ts";

export interface GateJudgement {
  readonly gate: StageGate;
  readonly checks: readonly GateCheckResult[];
  readonly passed: boolean;
  /** True if only the user's approval is missing. */
  readonly isProven: boolean;
  /** The commands that ran now. Missing if an earlier run is still valid or the gate has no commands. */
  readonly ran?: GateCheckResults | undefined;
  readonly criteria?: readonly string[] | undefined;
  readonly ran_on?: WorkflowGateResult["ran_on"] | undefined;
  readonly approval?: SpecApproval | undefined;
  readonly spec?: SpecFileReading | undefined;
}

interface GateJudgementOptions {
  readonly session: string;
  readonly approver?: string | undefined;
  readonly isFresh?: boolean;
  /** A dry run must not fix files. */
  readonly isOnlyLooking?: boolean;
}

export async function judgeStageGate(
  engine: CheckingEngine,
  record: WorkflowRecord,
  judging: GateJudgementOptions,
): Promise<GateJudgement> {
  const { session, approver, isFresh = false, isOnlyLooking = false } = judging;
  const gate = findStageGate(record.kind, record.current_stage);
  const { spec, knownIds } = await loadWorkflowSpec(engine, record);
  const agreed = spec && hashApprovedContent(engine, spec);
  const given =
    approver === undefined || agreed === undefined
      ? undefined
      : { stage: record.current_stage, by: approver.trim(), at: engine.clock.now(), spec: agreed };
  const standing = { given, agreed, approvals: record.approvals };
  const documents = runDocumentChecks(gate, record, spec, knownIds, standing);
  const criteria = listTestableCriteria(spec?.document);
  const earlier = isFresh ? undefined : await findReusableRun(engine, record, gate, criteria);
  const asked = gate.commands.filter((check) => check !== "documentation");
  const ran =
    asked.length > 0 && !earlier
      ? await runGateChecks(engine, { record, session, checks: asked, criteria, mayMend: !isOnlyLooking })
      : undefined;
  const commands = ran ? ran.results.map((check) => waiveUnknownCheck(check, ran.gates)) : (earlier?.checks ?? []);
  const gates = ran?.gates ?? earlier?.gates;
  // The documents named by the spec may have changed since, so this cheap check always runs.
  const told =
    gates && gate.commands.includes("documentation")
      ? [waiveUnknownCheck(await checkDocumentation(engine, record, spec?.document?.spec.trace.docs ?? []), gates)]
      : [];
  const proven = [...documents, ...commands, ...told];
  const checks = gate.approval
    ? [...proven, checkStageApproval(gate.approval, record.current_stage, standing)]
    : proven;
  const isGood = ({ status }: GateCheckResult): boolean => status === "passed" || status === "waived";
  return {
    gate,
    checks,
    passed: checks.every(isGood),
    isProven: proven.every(isGood),
    ran,
    criteria: gate.commands.includes("criteria") ? criteria : undefined,
    ran_on: earlier?.ran_on,
    approval: given,
    spec,
  };
}

async function findReusableRun(
  engine: CheckingEngine,
  { gates, base_commit }: WorkflowRecord,
  { name, commands }: StageGate,
  criteria: readonly string[],
) {
  const last = gates.find(({ gate }) => gate === name);
  const { ran_on } = last ?? {};
  if (!last || !ran_on || commands.length === 0) return undefined;
  // The spec is not part of the hashed files.
  if (commands.includes("criteria") && !criteria.every((each) => ran_on.criteria?.includes(each))) return undefined;
  const known = last.checks.filter(
    ({ check }) => check !== "documentation" && COMMAND_CHECKS.some((each) => each === check),
  );
  if (known.some(({ status }) => status !== "passed" && status !== "waived")) return undefined;
  if (!(await engine.snapshots.isPossible()) || (await engine.snapshots.sourceTree()) !== ran_on.tree) return undefined;
  const { rules, gates: by } = await loadCheckRuling(engine, base_commit);
  if (rules?.hash !== ran_on.rules) return undefined;
  const checks = known.map(({ check, status }): GateCheckResult => {
    const reason = status === "waived" ? by.waived[check] : undefined;
    return { check, status, problems: [], ...(reason === undefined ? {} : { reason }) };
  });
  return { checks, ran_on, gates: by };
}

async function checkDocumentation(
  engine: CheckingEngine,
  record: WorkflowRecord,
  docs: readonly string[],
): Promise<GateCheckResult> {
  const check = "documentation";
  const reason = "trace.docs of the spec is empty: name the document that tells users of it.";
  if (docs.length === 0) return { check, status: "unknown", problems: [], reason };
  return createCheckResult(check, await findDocumentationProblems(engine, record, docs));
}

/** Only features have criteria that tests can name. A bug fix is proven by its regression test. */
function listTestableCriteria(document: SpecDocument | undefined): readonly string[] {
  return document && isSpecOfKind("feature", document) ? document.spec.acceptance_criteria.map(({ id }) => id) : [];
}

/** The approval covers the content of the spec without trace, status, metadata and comments. */
function hashApprovedContent({ digest }: Pick<CheckingEngine, "digest">, { document, text }: SpecFileReading): string {
  if (!document) return digest(text);
  const { trace: _, metadata: __, status: ___, ...said } = document.spec;
  return digest(JSON.stringify(said));
}

interface ApprovalState {
  readonly given: SpecApproval | undefined;
  readonly agreed: string | undefined;
  readonly approvals: readonly SpecApproval[];
}

/** A problem of a named check is not repeated by `spec-valid`. */
function runDocumentChecks(
  gate: StageGate,
  record: WorkflowRecord,
  spec: SpecFileReading | undefined,
  knownIds: ReadonlySet<string>,
  standing: ApprovalState,
): GateCheckResult[] {
  const found = gate.documents.map((check) => ({
    check,
    problems: runDocumentCheck(check, record, spec, knownIds, standing),
  }));
  const named = found.filter(({ check }) => check !== "spec-valid").flatMap(({ problems }) => problems);
  const isTold = ({ problem, line }: Problem): boolean =>
    named.some((other) => other.problem === problem && other.line === line);
  return found.map(({ check, problems }) =>
    createCheckResult(
      check,
      check === "spec-valid" && spec?.document ? problems.filter((each) => !isTold(each)) : problems,
    ),
  );
}

async function loadWorkflowSpec(
  engine: CheckingEngine,
  { id }: WorkflowRecord,
): Promise<{ spec: SpecFileReading | undefined; knownIds: ReadonlySet<string> }> {
  const { reading, names } = await engine.store.read((tree) => ({
    reading: readSpecFile(engine, tree, id),
    names: tree.names(SPEC_FILE_FOLDER),
  }));
  return { spec: await reading, knownIds: new Set(names.map((name) => name.replace(/\.yaml$/, ""))) };
}

const createCheckResult = (check: string, problems: readonly Problem[]): GateCheckResult => ({
  check,
  status: problems.length === 0 ? "passed" : "failed",
  problems: problems.map(({ problem, line }) => ({ problem, ...(line === undefined ? {} : { line }) })),
});

type DocumentCheckRun = (...args: Parameters<SpecCheck>) => readonly Problem[];

/** A check that does not apply to a kind of spec passes. No gate asks for one. */
const DOCUMENT_CHECKS: Readonly<
  Record<Exclude<DocumentCheck, "spec-draft" | "spec-unchanged">, readonly DocumentCheckRun[]>
> = {
  "spec-valid": [(document, knownIds) => checkSpecDocument(document, "complete", knownIds)],
  summary: [createMarkerCheck(/^(?:title|summary|symptom\.description)$/)],
  "no-markers": [({ tree }) => checkUnfinishedMarkers(tree)],
  "criteria-testable": [checkFeatureCriteria, checkFixCriteria],
  "success-measurable": [checkSuccessCriteria],
  contracts: [checkApiContracts],
  scenarios: [checkTestScenarios],
  dependencies: [checkSpecDependencies],
  reproduction: [checkBugReproduction, createMarkerCheck(/^symptom\b/)],
  "root-cause": [checkRootCause, createMarkerCheck(/^investigation\b/)],
  "regression-plan": [checkRegressionPlan],
  traced: [checkSpecTraced],
  options: [checkResearchOptions, createMarkerCheck(/^options\b/)],
  matrix: [checkDecisionMatrix],
  recommendation: [checkRecommendation],
};

function createMarkerCheck(part: RegExp) {
  return ({ tree }: SpecDocument) => checkUnfinishedMarkers(tree).filter(({ field }) => part.test(field));
}

function runDocumentCheck(
  check: DocumentCheck,
  record: WorkflowRecord,
  spec: SpecFileReading | undefined,
  knownIds: ReadonlySet<string>,
  standing: ApprovalState,
): readonly Problem[] {
  if (!spec) return [{ problem: `${getSpecPath(record.id)} is missing.` }];
  if (check === "spec-unchanged") return checkSpecUnchanged(standing);
  if (check === "spec-draft") return spec.problems;
  if (!spec.document) return check === "spec-valid" ? spec.problems : [{ problem: "The spec cannot be read." }];
  const { document } = spec;
  return DOCUMENT_CHECKS[check].flatMap((run) => run(document, knownIds));
}

function checkSpecUnchanged({ given, agreed, approvals }: ApprovalState): Problem[] {
  const last = given ?? approvals.at(-1);
  if (last !== undefined && last.spec === agreed) return [];
  return [
    {
      problem: last
        ? `The spec says something else than when ${last.by} agreed to it: ask again, and give their name as approve.`
        : "Nobody agreed to the spec.",
    },
  ];
}

function checkSpecTraced({ spec }: SpecDocument): Problem[] {
  return (["code", "tests"] as const)
    .filter((side) => spec.trace[side].length === 0)
    .map((side) => ({ problem: `trace.${side} is empty: name the files, as src/login.ts:15.` }));
}

function checkStageApproval(what: string, stage: string, { given, agreed, approvals }: ApprovalState): GateCheckResult {
  const before = approvals.findLast((approval) => approval.stage === stage);
  if (given || (before !== undefined && before.spec === agreed)) return createCheckResult("approval", []);
  return createCheckResult("approval", [
    {
      problem: before
        ? `${before.by} agreed on ${before.at}, but the spec says something else now.`
        : `The user has not agreed to this: ${what}. Ask, then give their name as approve.`,
    },
  ]);
}

/** A reason in the settings waives an unknown result, never a failed one. */
function waiveUnknownCheck(check: GateCheckResult, { waived: reasons }: Config["gates"]): GateCheckResult {
  const reason = reasons[check.check];
  return check.status === "unknown" && reason !== undefined
    ? { ...check, status: "waived", problems: [], reason }
    : check;
}

export const createGateResult = (
  { gate, checks, passed, ran, ran_on, criteria }: GateJudgement,
  stage: string,
  at: string,
  tree: string | undefined,
): WorkflowGateResult => ({
  gate: gate.name,
  stage,
  passed,
  at,
  ...(tree ? { tree } : {}),
  checks: checks.map(({ check, status }) => ({ check, status })),
  ...(ran?.tree && ran.rules
    ? { ran_on: { tree: ran.tree, rules: ran.rules, ...(criteria ? { criteria } : {}) } }
    : ran_on
      ? { ran_on }
      : {}),
});
