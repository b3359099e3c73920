import { createProblemResult, createUnknownResult, type GateAttempt } from "../../model/gate/check-outcome.ts";
import type { CheckReceipt } from "../../model/gate/receipt-chain.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import type { CheckKind } from "../../model/stack/stack-check.ts";
import type { GateCheckResult, WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import type { CommandCheck, Config } from "#kernel/model/workspace-config.ts";
import { formatTagName } from "#code/model/scan/spec-tags.ts";
import type { TraceableIds } from "#code/model/trace/traceable-ids.ts";
import { createTestNameReader } from "#code/model/trace/id-mentions.ts";
import type { CheckingEngine } from "../engine.ts";
import { createMutationResult } from "./run-mutation-check.ts";
import {
  findCriterionTests,
  listProvenCriteria,
  findCriteriaProblems,
  type CriterionTest,
  listNamedSpecs,
  findSpecFiles,
} from "./criterion-tests.ts";
import {
  type ChangedFile,
  findDriftProblems,
  findCoverageProblems,
  findLostTestProblems,
  findShortcutProblems,
  findTagProblems,
  loadChangedCode,
} from "./static-checks.ts";
import {
  listFilesChangedMeanwhile,
  type RetriedChecks,
  runChecksWithRetries,
  runExclusively,
  type PlannedCheck,
  type FinishedCheck,
} from "./run-check.ts";
import { type CheckRuling, loadCheckRuling } from "./load-trusted-checks.ts";
import { findFileStack } from "#code/model/scan/test-files.ts";
import { checkNewTestsFail, type NewTestEvidence, findUnrunTestProblems } from "./run-tests-on-base.ts";

export interface GateCheckRequest {
  readonly record: WorkflowRecord;
  readonly session: string;
  readonly checks: readonly CommandCheck[];
  readonly criteria: readonly string[];
  /** Whether tools may fix files. A dry run must not change any. */
  readonly mayMend: boolean;
}

export interface GateCheckResults {
  /** In the requested order. An optional check without a tool is left out. */
  readonly results: readonly GateCheckResult[];
  readonly receipts: readonly CheckReceipt[];
  readonly attempts: readonly GateAttempt[];
  readonly notes: readonly string[];
  readonly gates: Config["gates"];
  /**
   * The files and check definitions for which the results hold. `tree` is missing if nothing ran, outside git, and if
   * files changed meanwhile.
   */
  readonly tree?: string | undefined;
  readonly rules?: string | undefined;
  readonly spec_ids: readonly string[];
  readonly criteria: readonly string[];
  readonly seen?: NewTestEvidence | undefined;
}

const STACK_CHECK_KINDS: Readonly<Partial<Record<CommandCheck, CheckKind>>> = {
  tests: "test",
  lint: "lint",
  types: "types",
  format: "format",
  build: "build",
  coverage: "coverage",
};
const OPTIONAL_CHECKS = new Set<CommandCheck>(["format", "build"]);

const NO_BASE_COMMIT =
  "It began before there was a commit, so the code cannot be compared with what was there. Commit, abandon it, begin anew.";

/** Everything that the checks judge. */
interface GateRun extends GateCheckRequest {
  readonly engine: CheckingEngine;
  readonly ruling: CheckRuling;
  /** Changed code of all workflows, and of this one; undefined without a base commit. */
  readonly all: readonly ChangedFile[];
  readonly files: readonly ChangedFile[] | undefined;
  readonly ran: RetriedChecks;
  readonly known: TraceableIds;
  readonly cases: readonly CriterionTest[];
}

export async function runGateChecks(engine: CheckingEngine, asked: GateCheckRequest): Promise<GateCheckResults> {
  const ruling = await loadCheckRuling(engine, asked.record.base_commit);
  return runExclusively(engine, () => runTrustedChecks(engine, asked, ruling));
}

/** Commands on the work, new tests on the base commit, static checks, then the results in the requested order. */
async function runTrustedChecks(
  engine: CheckingEngine,
  asked: GateCheckRequest,
  ruling: CheckRuling,
): Promise<GateCheckResults> {
  const { record } = asked;
  const isFailFirst = (check: CommandCheck): boolean => check.endsWith("seen-to-fail");
  // The mutation check goes with the check that new tests fail first.
  const hasMutations = ruling.gates.bite && asked.checks.some(isFailFirst);
  const checks: readonly CommandCheck[] = hasMutations ? [...asked.checks, "bite"] : asked.checks;

  const before = await loadChangedCode(engine, record, ruling.stacks);
  const ran = await runStackChecks(engine, { ...asked, checks }, ruling, before ?? []);
  // A fix or another process may have changed files: read them again in the state in which the checks ran.
  const all = ran.attempts.length > 0 ? await loadChangedCode(engine, record, ruling.stacks) : before;
  const files = all?.filter(({ isOthers }) => !isOthers);
  const known = await engine.requirements.traceable();
  const cases = await findNamedTests(engine, { ...asked, checks }, ruling, files ?? [], ran.tried, known);
  const run: GateRun = { ...asked, engine, ruling, all: all ?? [], files, ran, known, cases };

  const failFirst = checks.find(isFailFirst);
  const evidence =
    failFirst && files
      ? await checkNewTestsFail(engine, { check: failFirst, record, ruling, files, tried: ran.tried })
      : undefined;

  const results: GateCheckResult[] = [];
  for (const check of checks) {
    const result = check === failFirst && evidence ? evidence.result : await judgeCheck(check, run);
    if (result) results.push(result);
  }
  const moved = await listFilesChangedMeanwhile(engine, ran.tree);
  if (moved.length > 0) results.push(createFilesChangedResult(moved));
  const receipts = [...ran.tried.map(({ receipt }) => receipt), ...(evidence?.receipts ?? [])];
  return {
    results,
    receipts: [...receipts, ...createStaticReceipts(results, receipts)],
    attempts: ran.attempts,
    notes: [...ruling.changed, ...ran.notes],
    seen: evidence?.seen,
    gates: ruling.gates,
    tree: moved.length === 0 ? ran.tree : undefined,
    rules: ruling.rules?.hash,
    spec_ids: listNamedSpecs(record.id, files ?? []),
    criteria: listProvenCriteria(cases, ran.tried),
  };
}

function runStackChecks(
  engine: CheckingEngine,
  { record, session, checks, mayMend }: GateCheckRequest,
  { rules }: CheckRuling,
  files: readonly ChangedFile[],
): Promise<RetriedChecks> | RetriedChecks {
  const planned = rules ? planStackChecks(checks, rules.definitions.stacks) : [];
  if (!rules || planned.length === 0) return { tried: [], attempts: [], notes: [] };
  const own = files.filter(({ isOthers, change }) => !isOthers && change.status !== "deleted").map(({ path }) => path);
  return runChecksWithRetries(engine, { rules, planned, mending: mayMend ? { record, session, own } : undefined });
}

/** Each check once. A coverage run that also reports tests replaces the test run. */
function planStackChecks(checks: readonly CommandCheck[], stacks: readonly PlannedCheck["stack"][]): PlannedCheck[] {
  return stacks.flatMap((stack) => {
    const isTestedByCoverage = checks.includes("coverage") && stack.checks.some(hasTestReport);
    return checks.flatMap((name): PlannedCheck[] => {
      const kind = STACK_CHECK_KINDS[name];
      if (kind === undefined || (name === "tests" && isTestedByCoverage)) return [];
      return stack.checks.filter((check) => check.kind === kind).map((check) => ({ name, stack, check }));
    });
  });
}

const hasTestReport = ({ kind, report }: PlannedCheck["check"]): boolean => kind === "coverage" && report !== undefined;

/** Tests that name criteria. Those that the work did not change can prove a criterion too. */
async function findNamedTests(
  engine: CheckingEngine,
  { record: { id: spec }, criteria, checks }: GateCheckRequest,
  { stacks }: CheckRuling,
  files: readonly ChangedFile[],
  tried: readonly FinishedCheck[],
  known: TraceableIds,
): Promise<CriterionTest[]> {
  const namesIn = createTestNameReader(known.ids.keys());
  if (!checks.includes("criteria")) return findCriterionTests(files, namesIn);
  const isEnough = (found: Parameters<typeof findCriterionTests>[0]): boolean =>
    findCriteriaProblems({ spec, criteria, cases: findCriterionTests(found, namesIn), tried }).length === 0;
  return findCriterionTests(await findSpecFiles(engine, { spec, stacks, namesIn, seen: files, isEnough }), namesIn);
}

/** Gives no result for a check that does not apply here. */
async function judgeCheck(check: CommandCheck, run: GateRun): Promise<GateCheckResult | undefined> {
  const { engine, record, ruling, files, ran } = run;
  if (STACK_CHECK_KINDS[check] !== undefined) return joinStackRuns(check, run);
  if (check === "drift") {
    const found = await findDriftProblems(engine, record);
    if (found === "nothing accepted") return undefined;
    return found === "no base" ? createUnknownResult(check, NO_BASE_COMMIT) : createProblemResult(check, found);
  }
  if (!files) return createUnknownResult(check, NO_BASE_COMMIT);
  if (check === "bite") return createMutationResult(engine, ruling, record.id);
  if (check === "criteria") return judgeCriteria(run);
  const problems: Problem[] = [];
  if (check === "tags") problems.push(...findTagProblems(record.id, files, run.known));
  if (check === "shortcuts") problems.push(...findShortcutProblems(files, ruling.stacks));
  if (check === "tests-kept") {
    problems.push(...findLostTestProblems(run.all));
    const { rules } = ruling;
    const base = record.base_commit;
    if (rules && base !== undefined)
      problems.push(...(await findUnrunTestProblems(engine, { base, rules, files: run.all }, ran.tried)));
  }
  return createProblemResult(check, problems);
}

/** A test that ran and passed must name each criterion. If no test could run, the result is unknown. */
function judgeCriteria({ record: { id: spec }, criteria, cases, ran: { tried } }: GateRun): GateCheckResult {
  const named = new Set(cases.map((each) => each.criterion));
  const isNamed = criteria.every((criterion) => named.has(formatTagName({ spec, criterion })));
  if (isNamed && criteria.length > 0 && !tried.some(({ report }) => report !== undefined))
    return createUnknownResult("criteria", "Tests name every criterion, but none could be run.");
  return createProblemResult("criteria", findCriteriaProblems({ spec, criteria, cases, tried }));
}

/** Joins the runs of all stacks: one failed or unknown run decides. */
function joinStackRuns(check: CommandCheck, run: GateRun): GateCheckResult | undefined {
  const { ruling, files, ran } = run;
  const kind = STACK_CHECK_KINDS[check];
  const isOptional = OPTIONAL_CHECKS.has(check);
  if (isOptional && !ruling.stacks.some((stack) => stack.checks.some((each) => each.kind === kind))) return undefined;
  if (!ruling.rules) return createUnknownResult(check, ruling.refused ?? "Nothing may be run.");
  const tried = ran.tried.filter((each) => each.name === check || (check === "tests" && hasTestReport(each.check)));
  const { stacks, problems } = ruling.rules.definitions;
  // A stack without changes needs no tool.
  const isTouched = (stack: PlannedCheck["stack"]): boolean =>
    stacks.length === 1 || !files || files.some(({ path }) => findFileStack(path, stacks) === stack);
  const bare = stacks.filter(
    (stack) =>
      isTouched(stack) && !tried.some((each) => each.stack === stack) && !isCoveredElsewhere(stack, kind, ran.tried),
  );
  const failed = tried.flatMap(({ outcome }) => (outcome.status === "failed" ? outcome.problems : []));
  if (failed.length > 0) return createProblemResult(check, failed);
  if (check === "coverage" && stacks.length > 0 && bare.length + problems.length === 0)
    return judgeCoverage(tried, run);
  const doubts = [
    ...problems,
    ...tried.flatMap(({ outcome }) => (outcome.status === "unknown" ? [outcome.reason ?? ""] : [])),
    ...bare.map((stack) => describeMissingTool(stack, kind)),
  ];
  if (doubts.length > 0 && !isOptional) return createUnknownResult(check, doubts.join(" "));
  if (stacks.length > 0) return createProblemResult(check, []);
  return createUnknownResult(check, "No stack was found whose checks could be run: tenon stack");
}

/** If the compiler reports type errors, the build answers for both checks. */
function isCoveredElsewhere(
  { instead, directory }: PlannedCheck["stack"],
  kind: CheckKind | undefined,
  tried: readonly FinishedCheck[],
): boolean {
  const other = kind && instead[kind];
  if (other === undefined) return false;
  if (other === "test" || other === "build") return true;
  return tried.some((each) => each.stack.directory === directory && each.check.kind === other);
}

function describeMissingTool(
  { directory, missing: list, profile }: PlannedCheck["stack"],
  kind: CheckKind | undefined,
): string {
  const how = list.find((each) => each.kind === kind)?.how ?? "No tool of that kind was found.";
  return `${directory === "." ? profile : `${directory} (${profile})`}: ${how}`;
}

function judgeCoverage(tried: readonly FinishedCheck[], { files, ruling }: GateRun): GateCheckResult {
  const broken = tried.find(({ outcome }) => outcome.status === "unknown");
  if (broken) return createUnknownResult("coverage", broken.outcome.reason ?? "");
  if (!files) return createUnknownResult("coverage", NO_BASE_COMMIT);
  const blind = tried.find(({ coverage }) => coverage === undefined);
  if (blind) return createUnknownResult("coverage", `${blind.check.tool} did not say which lines were run.`);
  const all = new Map(tried.flatMap(({ coverage }) => [...(coverage ?? [])]));
  return createProblemResult("coverage", findCoverageProblems(files, all, ruling.gates.coverage));
}

const createFilesChangedResult = (paths: readonly string[]): GateCheckResult =>
  createProblemResult(
    "files-unchanged",
    paths.slice(0, 20).map((path) => ({
      problem: `${path} changed while the checks ran, so it was not checked. Have git ignore what they write, or wait.`,
    })),
  );

const createStaticReceipts = (results: readonly GateCheckResult[], told: readonly CheckReceipt[]): CheckReceipt[] =>
  results
    .filter(({ check, status }) => !told.some((each) => each.check === check) && status !== "unknown")
    .map(({ check, status }) => ({ check, status: status === "passed" ? "passed" : "failed" }));
