import type { CheckReceipt } from "#checking/model/gate/receipt-chain.ts";
import { BREAKING_ROUNDS } from "#checking/model/mutation/mutation-check.ts";
import { type ChosenTest, describeMissingTool, listBorrowedFolders } from "#checking/model/stack/stack-check.ts";
import { runChecksWithRetries } from "#checking/operations/gate/check-retries.ts";
import type { CheckRuling, TrustedChecks } from "#checking/operations/gate/load-trusted-checks.ts";
import { loadCheckRuling } from "#checking/operations/gate/load-trusted-checks.ts";
import {
  type FinishedCheck,
  hasPassedTest,
  listFilesChangedMeanwhile,
  type PlannedCheck,
  runCheck,
  runExclusively,
} from "#checking/operations/gate/run-check.ts";
import { runTestFiles } from "#checking/operations/gate/run-test-files.ts";
import { breakCode } from "#checking/operations/gate/broken-code.ts";
import { describeAbsentTools, readGateReadiness } from "#checking/operations/stack/gate-readiness.ts";
import { findFileStack, isTestFile } from "#code/model/scan/test-files.ts";
import { compareTrustedSurfaces, createTrustedSurface } from "#checking/model/stack/trusted-surface.ts";
import type { TemporaryCheckout } from "#git/operations/ports/git-files.ts";
import { formatShortList } from "#kernel/model/text-format.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import type { TestFacts } from "../../model/lead/lead-state.ts";
import type { RoadmapEngine } from "../engine.ts";

export interface FeatureTestRun extends TestFacts {
  readonly status: "passed" | "failed" | "unknown" | "waived";
  readonly tried: readonly FinishedCheck[];
  readonly receipts: readonly CheckReceipt[];
  readonly mayLackCriteria: boolean;
  readonly moved: readonly string[];
  /** Tests of criteria with the feature's code broken, and those that passed so without it. Absent if not tried. */
  readonly withBrokenCode?: readonly FinishedCheck[];
  readonly withoutCode?: readonly FinishedCheck[];
  /** The file tree and rules of the run. No tree outside git, or if files changed meanwhile. */
  readonly tree?: string;
  readonly rules?: string;
  readonly base?: string;
}

/** Runs the tests of the stacks that own these files, as far as the user trusts the commands. */
export async function runFeatureTests(engine: RoadmapEngine, files: readonly string[]): Promise<FeatureTestRun> {
  const run = await planFeatureTests(engine, files);
  if ("status" in run) return run;
  const { ruling, rules, planned, doubts, known } = run;
  const runAll = () => runPlannedTests(engine, ruling, rules, planned, doubts);
  return { ...(await runExclusively(engine, () => engine.worktrees.reuse(runAll))), ...known };
}

/** Plans the test checks of the stacks that own these files, or gives the reason why none can run. */
async function planFeatureTests(engine: RoadmapEngine, files: readonly string[]) {
  const base = await engine.source.head();
  const ruling = await loadCheckRuling(engine, base);
  const { rules } = ruling;
  const mayLackCriteria = ruling.gates.waived["criteria"] !== undefined;
  const known = { mayLackCriteria, ...(base === undefined ? {} : { base }) };
  if (!rules) return { ...createUnknownTestRun(ruling, ruling.refused ?? "No command may run."), ...known };
  const { stacks: all, problems } = rules.definitions;
  const own = new Set(files.flatMap((path) => findFileStack(path, all) ?? []));
  // Without a match, tests every stack.
  const stacks = own.size === 0 ? all : all.filter((stack) => own.has(stack));
  const planned = stacks.flatMap((stack): PlannedCheck[] =>
    stack.checks.filter(({ kind }) => kind === "test").map((check) => ({ name: "tests", stack, check })),
  );
  const bare = stacks.filter(({ checks }) => !checks.some(({ kind }) => kind === "test"));
  const lacking = bare.map((stack) => describeMissingTool(stack, "test", "No tool that runs tests was found."));
  const doubts = [...problems, ...lacking];
  if (planned.length === 0) {
    const reason = doubts.join(" ") || "No stack with runnable tests was found: tenon stack";
    return { ...createUnknownTestRun(ruling, reason), ...known };
  }
  return { ruling, rules, planned, doubts, known };
}

/** Why no feature could pass its gate here. Runs nothing. */
export async function listTestObstacles(engine: RoadmapEngine): Promise<string[]> {
  if (!(await engine.stacks.definitions())) return [];
  const run = await planFeatureTests(engine, []);
  if ("status" in run) return run.status === "waived" ? [] : run.problems.map(({ problem }) => problem);
  const { absent } = await readGateReadiness(engine);
  const tools = absent
    .filter(({ kinds }) => kinds.includes("test"))
    .map((tool) => ({ ...tool, kinds: ["test" as const] }));
  const mute = run.known.mayLackCriteria ? [] : run.planned.filter(({ check }) => !check.report);
  return [
    ...run.doubts,
    ...describeAbsentTools(tools),
    ...mute.map(
      ({ stack: { profile } }) =>
        `The test command of ${profile} writes no report, so no test can show a criterion. Add \`report\` to sdd/stacks/${profile}.yaml.`,
    ),
  ];
}

interface CommittedPaths {
  /** Files and folders of the commit. Everything else is as in the checked-out commit. */
  readonly paths: readonly string[];
  /** Files of unfinished work, which the commit leaves out on purpose. */
  readonly unfinished: readonly string[];
  /** Tests of criteria, which must be seen to fail. */
  readonly proof?: readonly ChosenTest[];
}

const MAX_TRANSIENT_RETRIES = 2;

/** Runs the tests on exactly what will be committed, in a checkout of its own. Undefined before the first commit. */
export async function testCleanCheckout(
  engine: RoadmapEngine,
  files: readonly string[],
  { paths, unfinished, proof }: CommittedPaths,
): Promise<FeatureTestRun | undefined> {
  const head = await engine.source.head();
  if (head === undefined || !(await engine.snapshots.isPossible())) return undefined;
  const run = await planFeatureTests(engine, files);
  if ("status" in run) return run;
  const { ruling, rules, planned, doubts, known } = run;
  const { snapshots, worktrees } = engine;
  const isMeant = (path: string): boolean =>
    paths.some((own) => (own.endsWith("/") ? path.startsWith(own) : path === own));
  const changed = await snapshots.between(head, await snapshots.tree());
  const left = changed.filter(({ path }) => !path.startsWith("sdd/") && !isMeant(path));
  const { commit } = await snapshots.without(left, head);
  const tree = await snapshots.sourceTreeOf(commit);
  const { stacks } = rules.definitions;
  const tried: FinishedCheck[] = [];
  let broken: BrokenCodeRuns = {};
  {
    await using lent = await worktrees.lend({ commit, over: [], linked: listBorrowedFolders(stacks) });
    for (const each of planned) {
      tried.push(await runWithRetries(engine, lent.root, each, rules.passes));
      throwIfCancelled(engine.progress);
    }
    const code = files.filter((path) => !isTestFile(path, stacks));
    const isAsked = code.length > 0 && ruling.gates.waived["tests-seen-to-fail"] === undefined;
    if (proof && isAsked && tried.every(({ outcome }) => outcome.status === "passed"))
      broken = await runWithBrokenCode(engine, lent, { rules, code, proof, tried });
  }
  const judged = judgeTestRuns(ruling, tried, doubts);
  const ran = {
    tried,
    moved: [],
    receipts: tried.map(({ receipt }) => receipt),
    rules: rules.hash,
    tree,
    ...known,
    ...broken,
  };
  const strange = left.map(({ path }) => path).filter((path) => !unfinished.includes(path));
  if (judged.status !== "failed" || strange.length === 0) return { ...ran, ...judged };
  // Files that no feature owns may be what the tests need. Then building again would not help.
  const here = await runExclusively(engine, () => runPlannedTests(engine, ruling, rules, planned, doubts));
  if (here.status !== "passed") return { ...ran, ...judged };
  const names = strange.slice(0, 10).join(", ");
  const problem = `The tests pass here, but not from a clean checkout. These files differ from the last commit and belong to no feature: ${names}. Commit those that the work needs, and report again.`;
  return { ...ran, status: "unknown", problems: [{ problem }, ...judged.problems] };
}

type BrokenCodeRuns = Pick<FeatureTestRun, "withoutCode" | "withBrokenCode">;

/** Broken code may loop without end, so these runs get this many times of what the suite took. */
const BROKEN_CODE_PATIENCE = 3;
const LEAST_LIMIT_S = 10;

/** Only the tests of criteria run again. The suite is the slow part of a gate. */
async function runWithBrokenCode(
  engine: RoadmapEngine,
  lent: TemporaryCheckout,
  { rules, code, proof, tried }: BrokenCodeRequest,
): Promise<BrokenCodeRuns> {
  const usual = Math.max(0, ...tried.map(({ receipt }) => receipt.ms ?? 0)) / 1_000;
  const limit = Math.max(LEAST_LIMIT_S, Math.ceil(usual * BROKEN_CODE_PATIENCE));
  const stacks = rules.definitions.stacks.map((stack) => ({
    ...stack,
    checks: stack.checks.map((check) => ({ ...check, timeout_s: Math.min(check.timeout_s, limit) })),
  }));
  const runOnly = (tests: readonly ChosenTest[]): Promise<FinishedCheck[]> =>
    runTestFiles(engine, { root: lent.root, stacks, tests, rules, name: "tests" });
  const damaged = code.map((path) => ({ path }));
  const broken = await breakCode(engine, lent, damaged, BREAKING_ROUNDS.flat());
  if (broken.length === 0) {
    await lent.remove(code);
    return { withoutCode: await runOnly(proof) };
  }
  // Files in which nothing can be broken are absent instead.
  await lent.remove(code.filter((path) => !broken.includes(path)));
  const withBrokenCode = await runOnly(proof);
  const survivors = proof.filter((test) => hasPassedTest(withBrokenCode, test));
  if (survivors.length === 0) return { withBrokenCode };
  await lent.remove(code);
  return { withBrokenCode, withoutCode: await runOnly(survivors) };
}

interface BrokenCodeRequest {
  readonly rules: TrustedChecks;
  readonly code: readonly string[];
  readonly proof: readonly ChosenTest[];
  readonly tried: readonly FinishedCheck[];
}

/** Not one whose commands the user has not trusted: a commit may change what the tests run. */
export async function testCommit(
  engine: RoadmapEngine,
  files: readonly string[],
  commit: string,
): Promise<Pick<FeatureTestRun, "status" | "problems">> {
  const run = await planFeatureTests(engine, files);
  if ("status" in run) return run;
  const { ruling, rules, planned, doubts } = run;
  const own = await engine.stacks.definitions(commit);
  const [before, after] = [rules.definitions, own ?? rules.definitions].map((each) =>
    createTrustedSurface(each, engine.digest),
  );
  if (before && after && before.hash !== after.hash) {
    const changed = formatShortList(compareTrustedSurfaces(before, after).files.changed, 5);
    const why = `The commit changes what the tests run${changed === "" ? "" : ` (${changed})`}. Review it: git show ${commit}. To accept it: git cherry-pick ${commit} && tenon trust`;
    return { status: "unknown", problems: [{ problem: why }] };
  }
  await using lent = await engine.worktrees.lend({
    commit,
    over: [],
    linked: listBorrowedFolders(rules.definitions.stacks),
  });
  const tried: FinishedCheck[] = [];
  for (const each of planned) {
    tried.push(await runWithRetries(engine, lent.root, each, rules.passes));
    throwIfCancelled(engine.progress);
  }
  return judgeTestRuns(ruling, tried, doubts);
}

async function runWithRetries(engine: RoadmapEngine, root: string, each: PlannedCheck, passes: readonly string[]) {
  let finished = await runCheck(engine, root, each, passes);
  for (let retry = 0; retry < MAX_TRANSIENT_RETRIES && finished.outcome.failure === "transient"; retry++)
    finished = await runCheck(engine, root, each, passes);
  return finished;
}

type PlannedTestRun = Omit<FeatureTestRun, "base" | "mayLackCriteria">;

async function runPlannedTests(
  engine: RoadmapEngine,
  ruling: CheckRuling,
  rules: TrustedChecks,
  planned: readonly PlannedCheck[],
  doubts: readonly string[],
): Promise<PlannedTestRun> {
  const { tried, tree } = await runChecksWithRetries(engine, { rules, planned });
  const moved = await listFilesChangedMeanwhile(engine, tree);
  const receipts = tried.map(({ receipt }) => receipt);
  const ran = { tried, moved, receipts, rules: rules.hash, ...(tree && moved.length === 0 ? { tree } : {}) };
  return { ...ran, ...judgeTestRuns(ruling, tried, doubts) };
}

function judgeTestRuns(
  ruling: CheckRuling,
  tried: readonly FinishedCheck[],
  doubts: readonly string[],
): Pick<PlannedTestRun, "status" | "problems"> {
  const failed = tried.flatMap(({ outcome }) => (outcome.status === "failed" ? outcome.problems : []));
  if (failed.length > 0) return { status: "failed", problems: failed };
  const unknown = tried.flatMap(({ outcome }) => (outcome.status === "unknown" ? [outcome.reason ?? ""] : []));
  const open = [...doubts, ...unknown];
  if (open.length === 0) return { status: "passed", problems: [] };
  const { status, problems } = createUnknownTestRun(ruling, open.join(" "));
  return { status, problems };
}

/** Unknown does not pass unless the settings waive the tests. */
function createUnknownTestRun({ gates }: CheckRuling, reason: string): PlannedTestRun {
  const waiver = gates.waived["tests"];
  const problems = [{ problem: waiver ?? reason }];
  return { status: waiver === undefined ? "unknown" : "waived", problems, tried: [], receipts: [], moved: [] };
}
