import type { LedgerSpace, LockedStoreTree } from "#store/operations/ports/store.ts";
import type { TestEvidence, NewTestCase, FailedNewTest } from "../../model/gate/test-evidence.ts";
import { judgeTestEvidence, isSameTest } from "../../model/gate/test-evidence.ts";
import { describeLostTest } from "../../model/gate/gate-fixes.ts";
import { createProblemResult, createUnknownResult } from "../../model/gate/check-outcome.ts";
import type { CheckReceipt } from "../../model/gate/receipt-chain.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { canReportFile } from "../../model/report/read-test-report.ts";
import { classifyTestFailure } from "../../model/report/failure-reason.ts";
import type { CodeScan } from "#code/model/scan/code-scan.ts";
import { findTestCases, type TestComparison } from "#code/model/scan/test-cases.ts";
import { findFileStack } from "#code/model/scan/test-files.ts";
import {
  type ChosenTest,
  type FolderStack,
  findTestCheck,
  listBorrowedFolders,
} from "../../model/stack/stack-check.ts";
import type { CheckingEngine } from "../engine.ts";
import type { LostTestFinding } from "./kept-tests.ts";
import { chooseProvingTests, findNewTests, type NewTestText } from "./new-tests.ts";
import type { ChangedFile } from "./static-checks.ts";
import type { TrustedChecks, CheckRuling } from "./load-trusted-checks.ts";
import { hasPassedTest, findTestOutcomes, type FinishedCheck } from "./run-check.ts";
import type { TestReport } from "../../model/report/test-report.ts";
import type { WorkRunEngine } from "./run-on-work.ts";
import { findHiddenTests, joinTestRuns, runTestFiles } from "./run-test-files.ts";
import { formatShortList, sanitizeText } from "#kernel/model/text-format.ts";
import type { GateAllowance } from "#planning/model/workflow/workflow-record.ts";
import type { CommandCheck } from "#kernel/model/workspace-config.ts";
import type { WorkflowDraft } from "#planning/operations/workflow/workflow-runtime.ts";

export interface BaseRunRequest {
  readonly base: string;
  readonly rules: TrustedChecks;
  readonly files: readonly ChangedFile[];
  /** Default: all new tests. */
  readonly tests?: readonly NewTestText[] | undefined;
  /** Files beside the tests that the checkout takes from the work. */
  readonly others?: readonly string[];
}

export interface BaseRunResult extends TestEvidence {
  readonly receipts: readonly CheckReceipt[];
  /** New tests in the same file as the code under test, which therefore cannot be left out. */
  readonly inline: readonly NewTestCase[];
  readonly unseen: readonly string[];
  /** The runs, if the work has no code yet: then the working files are those without the work. */
  readonly onWorkingFiles: readonly FinishedCheck[] | undefined;
}

/** Runs the new tests on the files of the base commit and reports which fail there, and why. */
export async function runNewTestsOnBase(
  engine: WorkRunEngine,
  { base, rules, files, tests = findNewTests(files), others = [] }: BaseRunRequest,
): Promise<BaseRunResult> {
  const { stacks } = rules.definitions;
  const over = [...others, ...files.filter(({ isTest }) => isTest).map(({ path }) => path)];
  const { apart = [], inline = [] } = Object.groupBy(tests, ({ file }) => (over.includes(file) ? "apart" : "inline"));
  const used = stacks.filter((stack) => apart.some(({ file }) => findFileStack(file, stacks) === stack));
  const hasCode = files.some(({ isTest }) => !isTest);
  const [name, note] = ["seen-to-fail", "without the work"];
  const direct = hasCode
    ? undefined
    : await runTestFiles(engine, { root: engine.root, stacks: used, tests: apart, rules, name });
  const leaks: string[] = [];
  // In a checkout, a test file that does not load can be set aside.
  const seen =
    direct && findHiddenTests(direct, apart).length === 0
      ? direct
      : await runTestsOnBase(engine, { base, rules, used, over, tests: apart }, name, note, leaks);
  const judged = [...Map.groupBy(seen, ({ stack }) => stack)].map(([stack, runs]) => {
    const own = apart.filter(({ file }) => findFileStack(file, stacks) === stack);
    return judgeNewTests(own, joinTestRuns(runs), files);
  });
  const unreported = used
    .filter((stack) => !findTestCheck(stack))
    .map(({ directory }) => `In ${directory} no tests write a report, so Tenon cannot see them fail.`);
  const unread = seen
    .filter(({ report }) => !report)
    .map(({ outcome: { reason, problems } }) => {
      const why = reason ?? problems.map(({ problem }) => problem).join(" ");
      return `Without the implementation the tests could not run: ${why}`;
    });
  return {
    red: leaks.length > 0 ? [] : judged.flatMap(({ red }) => red),
    passing: leaks.length > 0 ? [] : judged.flatMap(({ passing }) => passing),
    problems: leaks.length > 0 ? [] : judged.flatMap(({ problems }) => problems),
    receipts: seen.map(({ receipt }) => receipt),
    inline,
    unseen: [...leaks, ...unreported, ...unread],
    onWorkingFiles: direct,
  };
}

/** Tests stacks in a temporary checkout of the base commit, with some files of the work and all settings of tools. */
export async function runTestsOnBase(
  engine: WorkRunEngine,
  {
    base,
    rules,
    used,
    over,
    tests,
  }: Omit<BaseRunRequest, "files" | "tests"> & {
    readonly used: readonly FolderStack[];
    readonly over: readonly string[];
    readonly tests: readonly ChosenTest[];
  },
  name: string,
  note: string,
  unseen: string[] = [],
): Promise<FinishedCheck[]> {
  if (used.length === 0) return [];
  const { stacks, control } = rules.definitions;
  await using lent = await engine.worktrees.lend({
    commit: base,
    over: [...over, ...control.map(({ path }) => path)],
    linked: listBorrowedFolders(stacks),
  });
  // Awaited here, because the checkout is removed on return.
  if (lent.leaks.length > 0) unseen.push(describePackageLeak(lent.leaks));
  const remove = async (paths: readonly string[]): Promise<void> => lent.remove(paths);
  return await runTestFiles(engine, { root: lent.root, stacks: used, tests, rules, name, note, remove });
}

const describePackageLeak = (folders: readonly string[]): string =>
  `${formatShortList(folders, 3)} was changed, and tests import it as built in a folder that git ignores, so they prove nothing. Move the new code aside, build, run \`tenon evidence\`, and put it back.`;

export function judgeNewTests(
  cases: readonly NewTestCase[],
  finished: Pick<FinishedCheck, "report" | "check"> | undefined,
  files: readonly ChangedFile[],
): TestEvidence {
  const { report, check } = finished ?? {};
  const format = check?.report?.format;
  if (!report || !format) return { red: [], passing: [], problems: [] };
  const code = files.filter(({ isTest }) => !isTest);
  return judgeTestEvidence({
    cases,
    report,
    whyFailed: (failed) => classifyTestFailure(format, failed),
    mayHold: (told, file) => canReportFile(format, told, file),
    isBrought: (symbol) => isSymbolAdded(symbol, code),
    isRaisedInCode: ({ message }) => isRaisedIn(message ?? "", files),
  });
}

const FRAME = /(?:^|[\s("'`]|file:\/\/)((?:[\w@-][\w.@-]*\/)*[\w@-][\w.@-]*\.\w+)(?::|", line )\d+/gm;
const FOREIGN_FRAME =
  /(?:^|\/)(?:node_modules|site-packages|vendor|internal)\/|(?:^|[/._-])(?:tests?|specs?)(?:[/._-]|$)/i;

/** Whether a frame of the error is in code that the work changes. Before any code exists, in any code of the user. */
function isRaisedIn(message: string, files: readonly ChangedFile[]): boolean {
  const code = files.filter(({ isTest }) => !isTest).map(({ path }) => path);
  const tests = files.filter(({ isTest }) => isTest).map(({ path }) => path);
  const frames = [...message.matchAll(FRAME)].map(([, path = ""]) => path);
  return frames.some((path) =>
    code.length > 0 ? code.includes(path) : !tests.includes(path) && path.includes("/") && !FOREIGN_FRAME.test(path),
  );
}

/** Whether the work adds the missing symbol: a file of that name or a word in an added line. */
function isSymbolAdded(symbol: string, code: readonly ChangedFile[]): boolean {
  const last = symbol
    .replace(/\.(?:[cm]?[jt]sx?|py|go|rs|rb|php|java|cs)$/, "")
    .split(/[/.:\\]+/)
    .findLast((part) => part !== "");
  if (last === undefined) return false;
  // Before any code exists, every missing symbol in the user's own code counts as part of the work.
  if (code.length === 0) return /^\.{0,2}\/|^[\w$.:]+$|\/.*\.[cm]?[jt]sx?$/.test(symbol);
  const word = new RegExp(`(?<![\\w$])${last.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w$])`);
  return code.some(({ path, change }) => word.test(path) || change.added.some(({ text }) => word.test(text)));
}

interface TestedWork {
  readonly id: string;
  readonly isFix: boolean;
  readonly tag: string | undefined;
  readonly base: string;
  /** Changed files that are not code. */
  readonly others: readonly string[];
}

export interface NewTestEvidence {
  readonly cases: readonly NewTestText[];
  readonly red: readonly FailedNewTest[];
}

/** For a fix one such test is enough; for a bugfix it names the bug with `tag`. */
export async function checkNewTestsFail(
  engine: CheckingEngine,
  check: CommandCheck,
  { id, isFix, tag, base, others }: TestedWork,
  { rules, refused = "" }: CheckRuling,
  files: readonly ChangedFile[],
  tried: readonly FinishedCheck[],
) {
  const refuse = (reason: string) => ({ result: createUnknownResult(check, reason), receipts: [], seen: undefined });
  if (!rules) return refuse(refused);
  const { cases, isExtended } = chooseProvingTests(files, tag);
  const all = isExtended ? cases : findNewTests(files);
  const isTold = rules.definitions.stacks.some((stack) => findTestCheck(stack) !== undefined);
  if (all.length === 0 && !isTold) return refuse("No tests here write a report, so Tenon cannot see them fail.");
  const known = await loadRecordedFailures(engine, id, cases);
  const isKnown = (each: NewTestCase): boolean => known.some((one) => isSameTest(one, each));
  const isEnough =
    isFix || isExtended
      ? cases.some(isKnown)
      : known.length > 0 && cases.every((each) => each.allowed !== undefined || isKnown(each));
  // Earlier evidence for the same text is still valid.
  const now = isEnough
    ? undefined
    : await runNewTestsOnBase(engine, { base, rules, files, tests: all, others: isExtended ? others : [] });
  if (now && now.unseen.length > 0) return refuse(now.unseen.join(" "));
  const red = [...known, ...(now?.red ?? [])];
  const isRed = (each: NewTestCase): boolean => red.some((one) => isSameTest(one, each));
  const isReported = tried.some(({ report }) => report !== undefined);
  const [proving, ran] = isExtended ? [cases.filter(isRed), undefined] : [cases, now];
  const unseen = findUnseenTestProblems(proving, isRed, ran, { isFix, tag });
  const broken = cases
    .filter((each) => isReported && isRed(each) && !hasPassedTest(tried, each))
    .map(({ file, name }) => ({ problem: `${file}: ${sanitizeText(name, 200)} does not pass with the work either.` }));
  const allowed = cases.flatMap((each): GateAllowance[] => {
    const { file, name, allowed: reason } = each;
    if (reason === undefined || isRed(each)) return [];
    return [{ what: `${file}: ${sanitizeText(name, 200)} may pass without the work`, reason }];
  });
  const result = createProblemResult(check, [...unseen, ...broken], allowed);
  const status = result.status === "passed" ? ("passed" as const) : ("failed" as const);
  return {
    result,
    receipts: (now?.receipts ?? []).map((each) => ({ ...each, check, status, on: base })),
    seen: now && { cases: all, red: now.red },
  };
}

/** A fix needs one test that fails without the work; of a feature every new test must. */
function findUnseenTestProblems(
  cases: readonly NewTestCase[],
  isRed: (each: NewTestCase) => boolean,
  now: BaseRunResult | undefined,
  { isFix, tag }: Pick<TestedWork, "isFix" | "tag">,
): readonly Problem[] {
  const untested =
    tag === undefined
      ? `No new test was found in the changed code: add ${isFix ? "one that fails without the fix" : "a test for the new behaviour"}.`
      : `No new test names the bug: write one that fails because of it, with @spec ${tag} in a comment.`;
  if (cases.length === 0) return [{ problem: untested }];
  const found = now?.problems ?? [];
  if (isFix) {
    if (cases.some(isRed)) return [];
    return found.length > 0 ? found : cases.map(createUnseenProblem);
  }
  const unseen = (now?.inline ?? []).filter((each) => each.allowed === undefined && !isRed(each));
  const problems = [...found, ...unseen.map(createUnseenProblem)];
  return problems.length > 0 || cases.some(isRed)
    ? problems
    : [{ problem: "No new test fails without the work: each is allowed to pass, so none tests the new behaviour." }];
}

const createUnseenProblem = ({ file, name, line }: NewTestCase): Problem => ({
  problem: `${file}: ${sanitizeText(name, 200)} was never seen to fail: run sdd_evidence before you write the code.`,
  line,
});

/** `text` is the hash of the test's text: a changed text is a new test. */
interface RecordedFailure extends FailedNewTest {
  readonly text: string;
  readonly at: string;
}

const EVIDENCE_SPACE: LedgerSpace<readonly RecordedFailure[]> = { name: "evidence" };

export async function loadRecordedFailures(
  { store, digest }: Pick<CheckingEngine, "store" | "digest">,
  workflow: string,
  cases: readonly NewTestText[],
): Promise<FailedNewTest[]> {
  const known = await store.read((tree) => tree.kept(EVIDENCE_SPACE).get(workflow) ?? []);
  return cases.flatMap((each) => {
    const found = known.find((one) => isSameTest(one, each) && one.text === digest(each.text));
    return found ? [{ file: each.file, name: each.name, why: found.why }] : [];
  });
}

export function recordTestFailures(
  { draft, tree }: { readonly draft: WorkflowDraft; readonly tree: LockedStoreTree },
  { digest }: Pick<CheckingEngine, "digest">,
  workflow: string,
  { cases, red }: NewTestEvidence,
): void {
  const before = tree.kept(EVIDENCE_SPACE).get(workflow) ?? [];
  const value = cases.flatMap((each): RecordedFailure[] => {
    const text = digest(each.text);
    const seen = red.find((one) => isSameTest(one, each));
    const known = before.find((one) => isSameTest(one, each) && one.text === text);
    return seen ? [{ file: each.file, name: each.name, text, why: seen.why, at: draft.at }] : known ? [known] : [];
  });
  draft.keep({ space: EVIDENCE_SPACE.name, key: workflow, value });
}

/** Moved under a condition, into an unused function, or into a file that the runner ignores. */
export async function findUnrunTestProblems(
  engine: WorkRunEngine,
  { base, rules, files }: BaseRunRequest,
  comparison: TestComparison,
  tried: readonly FinishedCheck[],
): Promise<LostTestFinding[]> {
  // A file that cannot be loaded may stop every test, and fails the run already.
  const isStopped = (report: TestReport): boolean => report.tests.length === 0 && report.failures.length > 0;
  if (!tried.some(({ report }) => report && !isStopped(report))) return [];
  const { stacks } = rules.definitions;
  const paths = files.map(({ path }) => path);
  const hasRun = (finished: FinishedCheck, name: string, where: readonly string[]): boolean =>
    findTestOutcomes(finished, name, where).some(({ status }) => status !== "skipped");
  const kept = [
    ...listKeptTests(files).map((test) => ({ ...test, now: test.name })),
    ...comparison.moved.map(({ from, to }) => ({ file: from.path, name: from.name, now: to.name })),
  ];
  const quiet = kept.filter(({ now }) => !tried.some((each) => hasRun(each, now, paths)));
  const used = stacks.filter((stack) => quiet.some(({ file }) => findFileStack(file, stacks) === stack));
  const finished = await runTestsOnBase(
    engine,
    { base, rules, used, over: [], tests: quiet },
    "tests-kept",
    "as it was before",
  );
  return finished.flatMap((before) =>
    quiet
      .filter(({ file, name }) => findFileStack(file, stacks) === before.stack && hasRun(before, name, [file]))
      .map(({ file, name }) => ({ file, name, problem: describeLostTest(file, name, "unrun") })),
  );
}

/** Tests that counted before and still do by their source. Removed and marked tests are reported elsewhere. */
function listKeptTests(files: readonly ChangedFile[]): { readonly file: string; readonly name: string }[] {
  const listCounting = (look: CodeScan | undefined): string[] =>
    (look ? findTestCases(look) : []).filter(({ mark }) => mark === undefined).map(({ name }) => name);
  const now = new Set(files.filter(({ isTest }) => isTest).flatMap(({ look }) => listCounting(look)));
  return files
    .filter(({ wasTest }) => wasTest)
    .flatMap(({ path, change, before }) =>
      listCounting(before)
        .filter((name) => now.has(name))
        .map((name) => ({ file: change.from ?? path, name })),
    );
}
