import { getPathFolder, isFolderWithin } from "#kernel/model/folder-path.ts";
import { createProblemResult, createUnknownResult } from "../../model/gate/check-outcome.ts";
import type { CheckReceipt } from "../../model/gate/receipt-chain.ts";
import type { CheckKind, FolderStack } from "../../model/stack/stack-check.ts";
import { describeMissingTool, hasTestReport, OPTIONAL_CHECKS } from "../../model/stack/stack-check.ts";
import type {
  GateAllowance,
  GateCheckResult,
  TestRemoval,
  WorkflowRecord,
} from "#planning/model/workflow/workflow-record.ts";
import type { CommandCheck } from "#kernel/model/workspace-config.ts";
import { findSpecTags, formatTagName } from "#code/model/scan/spec-tags.ts";
import type { TraceableIds } from "#code/model/trace/traceable-ids.ts";
import { locateSpecTags } from "#code/model/trace/spec-tag-locations.ts";
import { createTestNameReader } from "#code/model/trace/id-mentions.ts";
import { findFileStack } from "#code/model/scan/test-files.ts";
import { type AttributedWork, describeOutsideWork, loadWork } from "#planning/operations/workflow/attributed-work.ts";
import type { CheckingEngine } from "../engine.ts";
import { BaseComparison } from "./compare-with-base.ts";
import {
  compareChangedTests,
  describeChangedTests,
  describeUnusedRemovals,
  findLostTestProblems,
  findRemovalReason,
} from "./kept-tests.ts";
import { addChangedTests } from "./changed-tests.ts";
import { describeUnchecked, judgeMutations } from "./gate-mutations.ts";
import {
  type ChangedFile,
  type CriterionTest,
  findCoverageProblems,
  findCriteriaProblems,
  findCriterionTests,
  findDriftProblems,
  findShortcutProblems,
  findSpecFiles,
  findTagProblems,
  listProvenCriteria,
  listTracedFiles,
  loadChangedCode,
  type ParsedFile,
  splitAllowedFindings,
} from "./static-checks.ts";
import type { FinishedCheck } from "./run-check.ts";
import { listOtherPaths } from "./new-tests.ts";
import { findLostGeneratedTests } from "./generated-tests.ts";
import { findOutsideImports } from "./outside-imports.ts";
import { findTestDetectionProblems } from "./test-detection.ts";
import { keepRuns } from "./known-runs.ts";
import { hasPassedTest, listFilesChangedMeanwhile, runExclusively } from "./run-check.ts";
import { type CheckRuling, loadCheckRuling } from "./load-trusted-checks.ts";
import { type FixMandate, runStackChecks, STACK_CHECK_KINDS } from "./run-stack-checks.ts";
import { runWithoutOthersTests } from "./others-tests.ts";
import { checkNewTestsFail, findUnrunTestProblems } from "./run-tests-on-base.ts";

/** A workflow or a change. Of the types of a change, only `fix` matters. */
interface GatedWork {
  readonly id: string;
  readonly kind?: WorkflowRecord["kind"] | "fix" | undefined;
  readonly base_commit?: string | undefined;
  readonly started_at: string;
  /** Requirements that a change modifies. */
  readonly modified?: readonly string[];
}

export interface GateCheckRequest {
  readonly record: GatedWork;
  /** A function may leave out checks for which no stack has a tool. */
  readonly checks: readonly CommandCheck[] | ((stacks: CheckRuling["stacks"]) => readonly CommandCheck[]);
  readonly criteria: readonly string[];
  readonly removals: readonly TestRemoval[];
  /** Default: what the ledger knows of the record. */
  readonly work?: AttributedWork | undefined;
  /** Set if tools may fix files. A dry run must not change any. */
  readonly mending?: FixMandate;
}

const NO_BASE_COMMIT =
  "It started before the first commit, so Tenon cannot compare the code. Commit, abandon it and start it again.";

interface ChosenChecks extends GateCheckRequest {
  readonly checks: readonly CommandCheck[];
}

interface GateRun extends ChosenChecks {
  readonly engine: CheckingEngine;
  readonly ruling: CheckRuling;
  readonly work: AttributedWork | undefined;
  /** The code of the work; undefined without something to compare it with. */
  readonly files: readonly ChangedFile[] | undefined;
  readonly tried: readonly FinishedCheck[];
  readonly known: TraceableIds;
  readonly cases: readonly CriterionTest[];
  readonly locations: ReturnType<typeof locateSpecTags>;
  readonly notes: string[];
}

export type GateCheckResults = Awaited<ReturnType<typeof runTrustedChecks>>;

export async function runGateChecks(engine: CheckingEngine, asked: GateCheckRequest): Promise<GateCheckResults> {
  const ruling = await loadCheckRuling(engine, asked.record.base_commit);
  const checks = typeof asked.checks === "function" ? asked.checks(ruling.stacks) : asked.checks;
  const run = () => runTrustedChecks(engine, { ...asked, checks }, ruling);
  return runExclusively(engine, () => engine.worktrees.reuse(run));
}

/** Commands on the work, new tests on the base commit, static checks, then the results in the requested order. */
async function runTrustedChecks(all: CheckingEngine, asked: ChosenChecks, ruling: CheckRuling) {
  const { record } = asked;
  const { rules } = ruling;
  // Gates that keep the old tests also run the tests of the work with broken code.
  const isEnding = asked.checks.includes("tests-kept");
  const checks: readonly CommandCheck[] = isEnding ? [...asked.checks, "mutation-check"] : asked.checks;
  const before = asked.work ?? (await loadWork(all, record));
  const own = before?.files.filter(({ to }) => to !== undefined).map(({ path }) => path);
  await using comparison = rules && new BaseComparison(all, before, rules);
  const notes: string[] = [];
  const ran = await runStackChecks(all, { ...asked, checks }, ruling, own ?? [], comparison, notes);
  const blocked = { id: record.id, work: before, rules, tried: ran.tried, notes };
  const { engine, tried } = await runWithoutOthersTests(all, blocked);
  // A fix or another process may have changed files: read them again in the state in which the checks ran.
  const work = ran.attempts.length > 1 && !asked.work ? await loadWork(engine, record) : before;
  const files = await loadChangedCode(engine, work?.base, ruling.stacks);
  const known = await engine.requirements.traceable();
  const cases = await findNamedTests(engine, { ...asked, checks }, ruling, files ?? [], tried, known);
  const locations = locateSpecTags(files ?? [], known);
  const run: GateRun = { ...asked, engine, ruling, work, files, tried, known, cases, locations, notes };
  const failFirst = checks.find((check) => check.endsWith("seen-to-fail"));
  const evidence =
    failFirst && files && work
      ? await checkNewTestsFail(engine, failFirst, describeFix(record, work, files), ruling, files, tried)
      : undefined;

  const isJudged = isEnding && evidence?.result.status !== "failed";
  const mutations = isJudged ? await judgeMutations(run, evidence?.seen?.red) : undefined;
  const results: GateCheckResult[] = [];
  for (const check of checks) {
    const done = check === failFirst ? evidence?.result : mutations?.result;
    const isDone = check === "mutation-check" || (check === failFirst && evidence !== undefined);
    const result = isDone ? done : await judgeCheck(check, run);
    if (result) results.push(result);
  }
  const judgeTest = createTestJudge(tried);
  if (files && work) await addChangedTests(engine, { ...run, files, work, judgeTest }, results);
  const moved = await listFilesChangedMeanwhile(engine, ran.tree);
  const trees = { tree: moved.length === 0 ? ran.tree : undefined, base: before?.base_tree };
  if (rules) await keepRuns(engine, rules, trees, ran.tried);
  results.push(...describeMovedFiles(moved), ...(await findCodeProblems(engine, files ?? [], work?.others)));
  const later = [...(evidence?.receipts ?? []), ...(mutations?.receipts ?? [])];
  const receipts = completeReceipts([...tried.map(({ receipt }) => receipt), ...later], results);
  const specs = (files ?? []).flatMap(({ look }) => (look ? findSpecTags(look).map(({ spec }) => spec) : []));
  return {
    /** In the requested order. An optional check without a tool is left out. */
    results,
    receipts,
    attempts: ran.attempts,
    took: [
      ...tried.map(({ receipt, isReused }) => describeDuration(receipt, isReused)),
      ...(comparison?.runs ?? []),
      ...later.map((each) => describeDuration(each, each.check === "mutation-check" && mutations?.isReused)),
    ],
    notes: [
      ...ruling.changed,
      ...ran.notes,
      ...describeAllowances(results),
      ...run.notes,
      ...describeUnchecked(mutations?.receipts),
      ...((await comparison?.describe(record.id)) ?? []),
      ...(work ? describeOutsideWork(record.id, work).notes : []),
      ...(await describeStash(engine, record, files)),
    ],
    seen: evidence?.seen,
    gates: ruling.gates,
    checks,
    /** The files for which the results hold. Missing if nothing ran, outside git, and if files changed meanwhile. */
    tree: moved.length === 0 ? ran.tree : undefined,
    rules: rules?.hash,
    work,
    trace: listTracedFiles(record.id, locations),
    spec_ids: [...new Set([record.id, ...specs.toSorted()])],
    criteria: listProvenCriteria(cases, tried),
    judgeTest,
  };
}

const findCodeProblems = async (
  engine: CheckingEngine,
  files: readonly ChangedFile[],
  others: AttributedWork["others"] | undefined,
): Promise<readonly GateCheckResult[]> => [
  ...(await findOutsideImports(engine, files, others)),
  ...findTestDetectionProblems(files),
];

function describeMovedFiles(moved: readonly string[]): GateCheckResult[] {
  const problems = moved.slice(0, 20).map((path) => ({
    problem: `${path} changed while the checks ran, and no check wrote it, so it was not checked. Run the gate again.`,
  }));
  return problems.length > 0 ? [createProblemResult("files-unchanged", problems)] : [];
}

/** Whether a test passed. Undefined if nothing reports on the tests of its folder. */
const createTestJudge =
  (tried: readonly FinishedCheck[]) =>
  (wanted: { readonly file: string; readonly name: string }): boolean | undefined => {
    const folder = getPathFolder(wanted.file);
    const isReported = tried.some(({ report, stack }) => report && isFolderWithin(folder, stack.directory));
    return isReported ? hasPassedTest(tried, wanted) : undefined;
  };

/** Stashed work looks like no work at all. */
async function describeStash(
  { source }: CheckingEngine,
  { started_at }: GatedWork,
  files: readonly ChangedFile[] | undefined,
): Promise<string[]> {
  if (files?.length !== 0) return [];
  const at = await source.committedAt("refs/stash");
  return at !== undefined && at >= started_at
    ? ["No code changed, but a git stash is newer than this work. To restore it: git stash pop"]
    : [];
}

/** A bugfix has a spec that its test names. */
const describeFix = ({ id, kind }: GatedWork, work: AttributedWork, files: readonly ChangedFile[]) => ({
  base: work.base,
  others: listOtherPaths(work.files, files),
  id,
  isFix: kind === "bugfix" || kind === "fix",
  tag: kind === "bugfix" ? id : undefined,
});

const MOST_SHOWN_ALLOWANCES = 10;

function describeAllowances(results: readonly GateCheckResult[]): string[] {
  const all = results.flatMap(({ allowed = [] }) => allowed);
  const rest = all.length - MOST_SHOWN_ALLOWANCES;
  return [
    ...all.slice(0, MOST_SHOWN_ALLOWANCES).map(({ what, reason }) => `Allowed: ${what}: ${reason}`),
    ...(rest > 0 ? [`${rest} more findings are allowed; the receipt lists them.`] : []),
  ];
}

/** With checks that ran no command. A check may have run several times: its first receipt lists what was allowed. */
function completeReceipts(runs: readonly CheckReceipt[], results: readonly GateCheckResult[]): CheckReceipt[] {
  const others = results
    .filter(({ check, status }) => !runs.some((each) => each.check === check) && status !== "unknown")
    .map(({ check, status }): CheckReceipt => ({ check, status: status === "passed" ? "passed" : "failed" }));
  const left = new Map<string, readonly GateAllowance[] | undefined>(
    results.map(({ check, allowed }) => [check, allowed]),
  );
  return [...runs, ...others].map((receipt) => {
    const allowed = left.get(receipt.check);
    left.delete(receipt.check);
    return allowed ? { ...receipt, allowed: allowed.map((each) => ({ ...each })) } : receipt;
  });
}

const describeDuration = ({ check, tool = "", ms = 0 }: CheckReceipt, isReused = false) => ({
  check,
  tool,
  ms,
  ...(isReused ? { reused: true } : {}),
});

/** Tests that name criteria. Those that the work did not change can prove a criterion too. */
async function findNamedTests(
  engine: CheckingEngine,
  { record: { id: spec }, criteria, checks }: ChosenChecks,
  { stacks }: CheckRuling,
  files: readonly ChangedFile[],
  tried: readonly FinishedCheck[],
  known: TraceableIds,
): Promise<CriterionTest[]> {
  const namesIn = createTestNameReader(known.ids.keys());
  if (!checks.includes("criteria")) return findCriterionTests(files, namesIn);
  const isEnough = (found: readonly ParsedFile[]): boolean =>
    findCriteriaProblems(spec, criteria, findCriterionTests(found, namesIn), tried).length === 0;
  return findCriterionTests(await findSpecFiles(engine, { spec, stacks, namesIn, seen: files, isEnough }), namesIn);
}

/** Gives no result for a check that does not apply here. */
async function judgeCheck(check: CommandCheck, run: GateRun): Promise<GateCheckResult | undefined> {
  const { engine, record, ruling, work, files, tried } = run;
  const { id: spec } = record;
  if (STACK_CHECK_KINDS[check] !== undefined) return joinStackRuns(check, run);
  if (check === "drift") {
    const found = await findDriftProblems(engine, spec, work?.base);
    if (found === "nothing accepted") return undefined;
    return found === "no base" ? createUnknownResult(check, NO_BASE_COMMIT) : createProblemResult(check, found);
  }
  if (!files) return createUnknownResult(check, NO_BASE_COMMIT);
  if (check === "criteria") {
    // A test that ran and passed must name each criterion. If no test could run, the result is unknown.
    const named = new Set(run.cases.map((each) => each.criterion));
    const isNamed = run.criteria.every((criterion) => named.has(formatTagName({ spec, criterion })));
    if (isNamed && run.criteria.length > 0 && !tried.some(({ report }) => report !== undefined))
      return createUnknownResult(check, "Tests name every criterion, but none could run.");
    return createProblemResult(check, findCriteriaProblems(spec, run.criteria, run.cases, tried));
  }
  if (check === "tests-kept") return judgeKeptTests(run, files);
  if (check === "tags") return createProblemResult(check, findTagProblems(spec, run.locations, run.known));
  if (check !== "shortcuts") return createUnknownResult(check, NO_BASE_COMMIT);
  const { problems, allowed } = findShortcutProblems(files, ruling.stacks);
  return createProblemResult(check, problems, allowed);
}

async function judgeKeptTests(run: GateRun, files: readonly ChangedFile[]): Promise<GateCheckResult> {
  const { engine, ruling, work, tried, removals, notes } = run;
  const comparison = compareChangedTests(files);
  const { rules } = ruling;
  const unrun =
    rules && work ? await findUnrunTestProblems(engine, { base: work.base, rules, files }, comparison, tried) : [];
  const generated = rules && work ? await findLostGeneratedTests(engine, { base: work.base, rules, files }, tried) : [];
  const lost = [
    ...findLostTestProblems(files, comparison, removals),
    ...[...unrun, ...generated].map((each) => ({ ...each, allowed: findRemovalReason(each, removals) })),
  ];
  notes.push(...describeChangedTests(comparison), ...describeUnusedRemovals(removals, lost));
  const { problems, allowed } = splitAllowedFindings(lost);
  return createProblemResult("tests-kept", problems, allowed);
}

/** Joins the runs of all stacks: one failed or unknown run decides. */
function joinStackRuns(check: CommandCheck, run: GateRun): GateCheckResult | undefined {
  const { ruling, files } = run;
  const kind = STACK_CHECK_KINDS[check];
  const isOptional = OPTIONAL_CHECKS.has(check);
  if (isOptional && !ruling.stacks.some((stack) => stack.checks.some((each) => each.kind === kind))) return undefined;
  if (!ruling.rules) return createUnknownResult(check, ruling.refused ?? "No command may run.");
  const hasOwnRun = (stack: FolderStack): boolean =>
    run.tried.some((each) => each.name === check && each.stack === stack);
  const tried = run.tried.filter(
    (each) => each.name === check || (check === "tests" && hasTestReport(each.check) && !hasOwnRun(each.stack)),
  );
  const { stacks, problems } = ruling.rules.definitions;
  // A stack without changes needs no tool.
  const isTouched = (stack: FolderStack): boolean =>
    stacks.length === 1 || !files || files.some(({ path }) => findFileStack(path, stacks) === stack);
  const lacking = stacks.filter(
    (stack) =>
      isTouched(stack) && !tried.some((each) => each.stack === stack) && !isCoveredElsewhere(stack, kind, run.tried),
  );
  const bare = lacking.filter((stack) => check !== "types" || !isPlainJavaScript(stack, stacks, files));
  if (tried.length + bare.length === 0 && lacking.length > 0) return undefined;
  const failed = tried.flatMap(({ outcome }) => (outcome.status === "failed" ? outcome.problems : []));
  if (failed.length > 0) return createProblemResult(check, failed);
  if (check === "coverage" && stacks.length > 0 && bare.length + problems.length === 0)
    return judgeCoverage(tried, run);
  const stuck = tried.flatMap(({ outcome }) => (outcome.status === "unknown" ? [outcome.reason ?? ""] : []));
  const absent = bare.map((stack) => describeMissingTool(stack, kind, "No tool of that kind is configured."));
  // A project may do without an optional tool. A tool that it has and that could not run has not passed.
  const doubts = isOptional ? stuck : [...problems, ...stuck, ...absent];
  if (doubts.length > 0) return createUnknownResult(check, doubts.join(" "));
  if (stacks.length > 0) return createProblemResult(check, []);
  return createUnknownResult(check, "No stack with runnable checks was found: tenon stack");
}

/** Whether the work in a stack is JavaScript only. It has no types to check. */
function isPlainJavaScript(
  stack: FolderStack,
  stacks: readonly FolderStack[],
  files: readonly ChangedFile[] = [],
): boolean {
  const own = files.filter(({ path }) => findFileStack(path, stacks) === stack);
  return own.length > 0 && own.every(({ path }) => /\.(?:js|jsx|mjs|cjs)$/.test(path));
}

/** If the compiler reports type errors, the build answers for both checks. */
function isCoveredElsewhere(
  { instead, directory }: FolderStack,
  kind: CheckKind | undefined,
  tried: readonly FinishedCheck[],
): boolean {
  const other = kind && instead[kind];
  if (other === undefined) return false;
  if (other === "test" || other === "build") return true;
  return tried.some((each) => each.stack.directory === directory && each.check.kind === other);
}

function judgeCoverage(tried: readonly FinishedCheck[], { files, ruling }: GateRun): GateCheckResult {
  const broken = tried.find(({ outcome }) => outcome.status === "unknown");
  if (broken) return createUnknownResult("coverage", broken.outcome.reason ?? "");
  if (!files) return createUnknownResult("coverage", NO_BASE_COMMIT);
  const blind = tried.find(({ coverage }) => coverage === undefined);
  if (blind) return createUnknownResult("coverage", `${blind.check.tool} did not report which lines ran.`);
  const all = new Map(tried.flatMap(({ coverage }) => [...(coverage ?? [])]));
  return createProblemResult("coverage", findCoverageProblems(files, all, ruling.gates.coverage));
}
