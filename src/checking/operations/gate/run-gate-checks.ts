import type { GateAttempt } from "../../model/gate/check-outcome.ts";
import type { CheckReceipt } from "../../model/gate/receipt-chain.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import type { CheckKind } from "../../model/stack/stack-check.ts";
import type { GateCheckResult, WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import type { CommandCheck, Config } from "#kernel/model/workspace-config.ts";
import { formatTagName } from "#code/model/scan/spec-tags.ts";
import type { TraceableIds } from "#code/model/trace/traceable-ids.ts";
import { type TestNameReader, createTestNameReader } from "#code/model/trace/id-mentions.ts";
import type { CheckingEngine } from "../engine.ts";
import { createMutationResult } from "./run-mutation-check.ts";
import { loadChangedCode, type ChangedFile } from "./changed-code.ts";
import {
  findCriterionTests,
  listProvenCriteria,
  findCriteriaProblems,
  type ParsedFile,
  listNamedSpecs,
  findSpecFiles,
} from "./criterion-tests.ts";
import {
  findDriftProblems,
  findCoverageProblems,
  findLostTestProblems,
  findShortcutProblems,
  findTagProblems,
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
  readonly tree?: string;
  readonly rules?: string;
  readonly spec_ids: readonly string[];
  readonly criteria: readonly string[];
  readonly seen?: NewTestEvidence;
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

export async function runGateChecks(engine: CheckingEngine, asked: GateCheckRequest): Promise<GateCheckResults> {
  const { record } = asked;
  const ruling = await loadCheckRuling(engine, record.base_commit);
  return runExclusively(engine, () => runTrustedChecks(engine, asked, ruling));
}

async function runTrustedChecks(
  engine: CheckingEngine,
  asked: GateCheckRequest,
  ruling: CheckRuling,
): Promise<GateCheckResults> {
  const { record } = asked;
  const checks = ruling.gates.bite ? addMutationCheck(asked.checks) : asked.checks;
  const before = await loadChangedCode(engine, record, ruling.stacks);
  const own = (before ?? []).flatMap(({ path, change, isOthers }) =>
    isOthers || change.status === "deleted" ? [] : [path],
  );
  const planned = ruling.rules ? planStackChecks(checks, ruling.rules.definitions.stacks) : [];
  const ran =
    ruling.rules && planned.length > 0
      ? await runChecksWithRetries(engine, {
          rules: ruling.rules,
          planned,
          ...(asked.mayMend ? { mending: { record, session: asked.session, own } } : {}),
        })
      : undefined;
  // A fix or another process may have changed files: read them again in the state in which the checks ran.
  const all = ran ? await loadChangedCode(engine, record, ruling.stacks) : before;
  const files = all?.filter(({ isOthers }) => !isOthers);
  const known = await engine.requirements.traceable();
  const namesIn = createTestNameReader(known.ids.keys());
  const naming = checks.includes("criteria")
    ? await loadCriterionFiles(engine, asked, ruling, { files: files ?? [], ran, namesIn })
    : (files ?? []);
  const cases = findCriterionTests(naming, namesIn);
  const seen: GateCheckContext = { engine, asked, ruling, all: all ?? [], files, ran, known, cases };
  let shown: NewTestEvidence | undefined;
  const results: GateCheckResult[] = [];
  const receipts: CheckReceipt[] = (ran?.tried ?? []).map(({ receipt }) => receipt);
  for (const check of checks) {
    const { result, receipts: more = [], seen: red } = await answerGateCheck(check, seen);
    shown = red ?? shown;
    if (result) results.push(result);
    receipts.push(...more);
  }
  const moved = await listFilesChangedMeanwhile(engine, ran?.tree);
  if (moved.length > 0) results.push(createFilesChangedResult(moved));
  return {
    results,
    receipts: [...receipts, ...createStaticReceipts(results, receipts)],
    attempts: ran?.attempts ?? [],
    notes: [...ruling.changed, ...(ran?.notes ?? [])],
    ...(shown ? { seen: shown } : {}),
    gates: ruling.gates,
    ...(ran?.tree && moved.length === 0 ? { tree: ran.tree } : {}),
    ...(ruling.rules ? { rules: ruling.rules.hash } : {}),
    spec_ids: listNamedSpecs(record.id, files ?? []),
    criteria: listProvenCriteria(cases, ran?.tried ?? []),
  };
}

interface CriterionTestSearch {
  readonly files: readonly ParsedFile[];
  readonly ran: RetriedChecks | undefined;
  readonly namesIn: TestNameReader;
}

/** Tests that the work did not change can prove a criterion too. */
function loadCriterionFiles(
  engine: CheckingEngine,
  { record, criteria }: GateCheckRequest,
  { stacks }: CheckRuling,
  { files, ran, namesIn }: CriterionTestSearch,
): Promise<ParsedFile[]> {
  const spec = record.id;
  const tried = ran?.tried ?? [];
  const isEnough = (found: readonly ParsedFile[]): boolean =>
    findCriteriaProblems({ spec, criteria, cases: findCriterionTests(found, namesIn), tried }).length === 0;
  return findSpecFiles(engine, { spec, stacks, namesIn, seen: files, isEnough });
}

/** The mutation check goes with the check that new tests fail first. */
const addMutationCheck = (checks: readonly CommandCheck[]): readonly CommandCheck[] =>
  checks.some((check) => check.endsWith("seen-to-fail")) ? [...checks, "bite"] : checks;

/** Each check once. A coverage run that also reports tests replaces the test run. */
function planStackChecks(checks: readonly CommandCheck[], stacks: readonly PlannedCheck["stack"][]): PlannedCheck[] {
  return stacks.flatMap((stack) => {
    const both = checks.includes("coverage") && checks.includes("tests") && stack.checks.find(hasTestReport);
    return checks.flatMap((name): PlannedCheck[] => {
      const kind = STACK_CHECK_KINDS[name];
      if (kind === undefined || (name === "tests" && both)) return [];
      return stack.checks.filter((check) => check.kind === kind).map((check) => ({ name, stack, check }));
    });
  });
}

const hasTestReport = ({ kind, report }: PlannedCheck["check"]): boolean => kind === "coverage" && report !== undefined;

interface GateCheckContext {
  readonly engine: CheckingEngine;
  readonly asked: GateCheckRequest;
  readonly ruling: CheckRuling;
  readonly all: readonly ChangedFile[];
  readonly files: readonly ChangedFile[] | undefined;
  readonly ran: RetriedChecks | undefined;
  readonly known: TraceableIds;
  readonly cases: ReturnType<typeof findCriterionTests>;
}

interface GateCheckAnswer {
  readonly result?: GateCheckResult;
  readonly receipts?: readonly CheckReceipt[];
  readonly seen?: NewTestEvidence;
}

async function answerGateCheck(check: CommandCheck, seen: GateCheckContext): Promise<GateCheckAnswer> {
  const { engine, asked, ruling, files } = seen;
  const { record } = asked;
  const found = (problems: readonly Problem[]): GateCheckAnswer => ({ result: createProblemResult(check, problems) });
  if (STACK_CHECK_KINDS[check] !== undefined) return joinStackRuns(check, seen);
  if (check === "drift") return answerDriftCheck(seen);
  if (!files) return { result: createUnknownResult(check, NO_BASE_COMMIT) };
  if (check === "tags") return found(findTagProblems(record.id, files, seen.known));
  if (check === "criteria") return { result: judgeCriteria(seen) };
  if (check === "shortcuts") return found(findShortcutProblems(files, ruling.stacks));
  if (check === "tests-kept") return found([...findLostTestProblems(seen.all), ...(await findUnrunTests(seen))]);
  if (check === "bite") return { result: await createMutationResult(engine, ruling, record.id) };
  return checkNewTestsFail(engine, { check, record, ruling, files, tried: seen.ran?.tried ?? [] });
}

/** A test that ran and passed must name each criterion. If no test could run, the result is unknown. */
function judgeCriteria({ asked: { record, criteria }, cases, ran }: GateCheckContext): GateCheckResult {
  const spec = record.id;
  const tried = ran?.tried ?? [];
  const named = new Set(cases.map((each) => each.criterion));
  const isNamed = criteria.every((criterion) => named.has(formatTagName({ spec, criterion })));
  if (isNamed && criteria.length > 0 && !tried.some(({ report }) => report !== undefined))
    return createUnknownResult("criteria", "Tests name every criterion, but none could be run.");
  return createProblemResult("criteria", findCriteriaProblems({ spec, criteria, cases, tried }));
}

/** Gives no result if no requirement was ever accepted. */
async function answerDriftCheck({ engine, asked }: GateCheckContext): Promise<GateCheckAnswer> {
  const found = await findDriftProblems(engine, asked.record);
  if (found === "nothing accepted") return {};
  return {
    result: found === "no base" ? createUnknownResult("drift", NO_BASE_COMMIT) : createProblemResult("drift", found),
  };
}

async function findUnrunTests({ engine, asked, ruling, all, ran }: GateCheckContext): Promise<Problem[]> {
  const base = asked.record.base_commit;
  if (!ruling.rules || base === undefined) return [];
  return findUnrunTestProblems(engine, { base, rules: ruling.rules, files: all, tried: ran?.tried ?? [] });
}

const createProblemResult = (check: string, problems: readonly Problem[]): GateCheckResult => ({
  check,
  status: problems.length === 0 ? "passed" : "failed",
  problems,
});

const createUnknownResult = (check: string, reason: string): GateCheckResult => ({
  check,
  status: "unknown",
  problems: [],
  reason,
});

/** Joins the runs of all stacks: one failed or unknown run decides. */
function joinStackRuns(check: CommandCheck, { ruling, files, ran }: GateCheckContext): GateCheckAnswer {
  const kind = STACK_CHECK_KINDS[check];
  const isThere = ruling.stacks.some((stack) => stack.checks.some((each) => each.kind === kind));
  if (OPTIONAL_CHECKS.has(check) && !isThere) return {};
  if (!ruling.rules) return { result: createUnknownResult(check, ruling.refused ?? "Nothing may be run.") };
  const tried = (ran?.tried ?? []).filter((each) => each.name === check || isTestedByCoverage(check, each));
  const stacks = ruling.rules.definitions.stacks;
  // A stack without changes needs no tool.
  const isTouched = (stack: PlannedCheck["stack"]): boolean =>
    stacks.length === 1 || !files || files.some(({ path }) => findFileStack(path, stacks) === stack);
  const bare = stacks.filter(
    (stack) =>
      isTouched(stack) &&
      !tried.some((each) => each.stack === stack) &&
      !isCoveredElsewhere(stack, kind, ran?.tried ?? []),
  );
  const failed = tried.flatMap(({ outcome }) => (outcome.status === "failed" ? outcome.problems : []));
  if (failed.length > 0) return { result: createProblemResult(check, failed) };
  const doubts = [
    ...ruling.rules.definitions.problems,
    ...tried.flatMap(({ outcome }) => (outcome.status === "unknown" ? [outcome.reason ?? ""] : [])),
    ...bare.map((stack) => describeMissingTool(stack, kind)),
  ];
  const isAll = stacks.length > 0 && bare.length === 0 && ruling.rules.definitions.problems.length === 0;
  if (check === "coverage" && isAll) return { result: judgeCoverage(tried, files, ruling) };
  if (doubts.length > 0 && !OPTIONAL_CHECKS.has(check)) return { result: createUnknownResult(check, doubts.join(" ")) };
  if (stacks.length === 0)
    return { result: createUnknownResult(check, "No stack was found whose checks could be run: tenon stack") };
  return { result: createProblemResult(check, []) };
}

const isTestedByCoverage = (check: CommandCheck, { check: run }: FinishedCheck): boolean =>
  check === "tests" && hasTestReport(run);

/** If the compiler reports type errors, the build answers for both checks. */
function isCoveredElsewhere(
  { instead, directory }: PlannedCheck["stack"],
  kind: CheckKind | undefined,
  tried: readonly FinishedCheck[],
): boolean {
  const other = kind && instead[kind];
  if (other === undefined) return false;
  return (
    other === "test" ||
    other === "build" ||
    tried.some((each) => each.stack.directory === directory && each.check.kind === other)
  );
}

function describeMissingTool(
  { directory, missing: list, profile }: PlannedCheck["stack"],
  kind: CheckKind | undefined,
): string {
  const how = list.find((each) => each.kind === kind)?.how ?? "No tool of that kind was found.";
  return `${directory === "." ? profile : `${directory} (${profile})`}: ${how}`;
}

function judgeCoverage(
  tried: readonly FinishedCheck[],
  files: GateCheckContext["files"],
  ruling: CheckRuling,
): GateCheckResult {
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

function createStaticReceipts(results: readonly GateCheckResult[], told: readonly CheckReceipt[]): CheckReceipt[] {
  return results
    .filter(({ check, status }) => !told.some((each) => each.check === check) && status !== "unknown")
    .map(({ check, status }) => ({ check, status: status === "passed" ? "passed" : "failed" }));
}
