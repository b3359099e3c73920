import type { LedgerSpace, LockedStoreTree } from "#store/operations/ports/store.ts";
import {
  type TestEvidence,
  judgeTestEvidence,
  type NewTestCase,
  type FailedNewTest,
  isSameTest,
} from "../../model/gate/test-evidence.ts";
import { createProblemResult, createUnknownResult } from "../../model/gate/check-outcome.ts";
import type { CheckReceipt } from "../../model/gate/receipt-chain.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { canReportFile } from "../../model/report/read-test-report.ts";
import { classifyTestFailure } from "../../model/report/failure-reason.ts";
import type { CodeScan } from "#code/model/scan/code-scan.ts";
import { findTestCases } from "#code/model/scan/test-cases.ts";
import { findFileStack } from "#code/model/scan/test-files.ts";
import { readAllowanceReason } from "#code/model/scan/code-shortcuts.ts";
import { type FolderStack, findTestCheck } from "../../model/stack/stack-check.ts";
import { joinFolderAndPath, resolveFolderPath } from "#kernel/model/folder-path.ts";
import type { CheckingEngine } from "../engine.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import type { ChangedFile } from "./static-checks.ts";
import type { TrustedChecks, CheckRuling } from "./load-trusted-checks.ts";
import { runCheck, hasPassedTest, findTestOutcomes, type FinishedCheck } from "./run-check.ts";
import { findTargetTests } from "../../model/mutation/criterion-code.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { GateCheckResult, WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import type { CommandCheck } from "#kernel/model/workspace-config.ts";
import type { WorkflowDraft } from "#planning/operations/workflow/workflow-runtime.ts";

type BaseRunEngine = Pick<CheckingEngine, "root" | "runner" | "scratch" | "progress" | "source" | "worktrees">;

interface BaseRunRequest {
  readonly base: string;
  readonly rules: TrustedChecks;
  readonly files: readonly ChangedFile[];
}

export interface BaseRunResult extends TestEvidence {
  readonly receipts: readonly CheckReceipt[];
  /** New tests in the same file as the code under test, which therefore cannot be left out. */
  readonly inline: readonly NewTestCase[];
  readonly unseen: readonly string[];
}

/**
 * A new test with the text that it depends on: its whole file, or only the test itself for an inline test. An edited
 * test needs new evidence.
 */
export interface NewTestText extends NewTestCase {
  readonly text: string;
}

/** Runs the new tests on the files of the base commit and reports which fail there, and why. */
export async function runNewTestsOnBase(
  engine: BaseRunEngine,
  { base, rules, files }: BaseRunRequest,
): Promise<BaseRunResult> {
  const { stacks } = rules.definitions;
  const over = files.filter(({ isTest }) => isTest).map(({ path }) => path);
  const { apart = [], inline = [] } = Object.groupBy(findNewTests(files), ({ file }) =>
    over.includes(file) ? "apart" : "inline",
  );
  const used = selectStacks(stacks, apart);
  const seen = await runTestsOnBase(engine, { base, rules }, used, over, [
    "seen-to-fail",
    "without the implementation",
  ]);
  const judged = seen.map((each) =>
    judgeNewTests(
      apart.filter(({ file }) => findFileStack(file, stacks) === each.stack),
      each,
      files,
    ),
  );
  return {
    red: judged.flatMap(({ red }) => red),
    problems: judged.flatMap(({ problems }) => problems),
    receipts: seen.map(({ receipt }) => receipt),
    inline,
    unseen: [
      ...used
        .filter((stack) => !findTestCheck(stack))
        .map(({ directory }) => `In ${directory} no tests leave a report, so none can be seen to fail.`),
      ...seen
        .filter(({ report }) => !report)
        .map(({ outcome: { reason, problems } }) => {
          const why = reason ?? problems.map(({ problem }) => problem).join(" ");
          return `Without the implementation the tests could not be run: ${why}`;
        }),
    ],
  };
}

const selectStacks = (
  stacks: readonly FolderStack[],
  tests: readonly { readonly file: string }[],
): readonly FolderStack[] => stacks.filter((stack) => tests.some(({ file }) => findFileStack(file, stacks) === stack));

/** Tests stacks in a temporary checkout of the base commit, with some files of the work and all settings of tools. */
async function runTestsOnBase(
  engine: BaseRunEngine,
  { base, rules }: Omit<BaseRunRequest, "files">,
  used: readonly FolderStack[],
  over: readonly string[],
  [name, note]: readonly [name: string, note: string],
): Promise<FinishedCheck[]> {
  if (used.length === 0) return [];
  const { stacks, control } = rules.definitions;
  await using lent = await engine.worktrees.lend({
    commit: base,
    over: [...over, ...control.map(({ path }) => path)],
    linked: listBorrowedFolders(stacks),
  });
  const finished: FinishedCheck[] = [];
  for (const stack of used) {
    const check = findTestCheck(stack);
    if (!check) continue;
    engine.progress.tell(`${check.tool} ${note}`);
    finished.push(await runCheck(engine, lent.root, { name, stack, check }, rules.passes));
    throwIfCancelled(engine.progress);
  }
  return finished;
}

export function judgeNewTests(
  cases: readonly NewTestCase[],
  { report, check }: FinishedCheck,
  files: readonly ChangedFile[],
): TestEvidence {
  const format = check.report?.format;
  if (!report || !format) return { red: [], problems: [] };
  return judgeTestEvidence({
    cases,
    report,
    whyFailed: (failed) => classifyTestFailure(format, failed),
    mayHold: (told, file) => canReportFile(format, told, file),
    isBrought: createAddedSymbolPredicate(files),
  });
}

export function findNewTests(files: readonly ChangedFile[]): NewTestText[] {
  return files.flatMap(({ path, look, before, isTest, text = "" }) => {
    if (!look) return [];
    const known = new Set(before ? findTestCases(before).map(({ name }) => name) : []);
    const lines = text.split("\n");
    return findTestCases(look)
      .filter(({ name }) => !known.has(name))
      .map(({ name, line, lastLine }) => ({
        file: path,
        name,
        line,
        text: isTest ? text : lines.slice(line - 1, lastLine).join("\n"),
        allowed: findPassAllowance(look, line, lastLine),
      }));
  });
}

const findPassAllowance = ({ comments }: CodeScan, from: number, to: number): string | undefined =>
  comments
    .filter(({ line, lastLine }) => line >= from - 1 && lastLine <= to)
    .map(({ text }) => readAllowanceReason(text))
    .find((reason) => reason !== undefined);

/** Whether the work adds the missing symbol: a file of that name or a word in an added line. */
function createAddedSymbolPredicate(files: readonly ChangedFile[]): (symbol: string) => boolean {
  const code = files.filter(({ isTest }) => !isTest);
  return (symbol) => {
    const last = symbol
      .replace(/\.(?:[cm]?[jt]sx?|py|go|rs)$/, "")
      .split(/[/.:\\]+/)
      .findLast((part) => part !== "");
    if (last === undefined) return false;
    // Before any code exists, every missing symbol in the user's own code counts as part of the work.
    if (code.length === 0) return /^\.{0,2}\//.test(symbol) || /^[\w$.:]+$/.test(symbol);
    const word = new RegExp(`(?<![\\w$])${last.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w$])`);
    return code.some(({ path, change }) => word.test(path) || change.added.some(({ text }) => word.test(text)));
  };
}

/** Relative to the workspace. A package of a monorepo also borrows from parent folders. */
export function listBorrowedFolders(stacks: readonly FolderStack[]): string[] {
  const folders = stacks.flatMap(({ directory, borrowed }) =>
    borrowed.flatMap((folder) => resolveFolderPath(joinFolderAndPath(directory, folder)) ?? []),
  );
  return [...new Set(folders)];
}

export interface NewTestEvidence {
  readonly cases: readonly NewTestText[];
  readonly red: readonly FailedNewTest[];
}

interface FailFirstRequest {
  readonly check: CommandCheck;
  readonly record: WorkflowRecord;
  readonly ruling: CheckRuling;
  readonly files: readonly ChangedFile[];
  readonly tried: readonly FinishedCheck[];
}

interface FailFirstAnswer {
  readonly result: GateCheckResult;
  readonly receipts?: readonly CheckReceipt[];
  readonly seen?: NewTestEvidence | undefined;
}

/** New tests must fail without the work and pass with it. For a bugfix one such test that names the bug is enough. */
export async function checkNewTestsFail(
  engine: CheckingEngine,
  { check, record, ruling, files, tried }: FailFirstRequest,
): Promise<FailFirstAnswer> {
  const { rules, refused = "" } = ruling;
  const { id, base_commit: base } = record;
  const refuse = (reason: string): FailFirstAnswer => ({ result: createUnknownResult(check, reason) });
  if (!rules || base === undefined) return refuse(rules ? "There is no commit that the work began at." : refused);
  const isBug = record.kind === "bugfix";
  const all = findNewTests(files);
  const isTold = rules.definitions.stacks.some((stack) => findTestCheck(stack) !== undefined);
  if (all.length === 0 && !isTold) return refuse("No tests here leave a report, so none can be seen to fail.");
  const cases = isBug ? all.filter((each) => isTestTagged(files, each, id)) : all;
  const known = await loadRecordedFailures(engine, id, cases);
  const isKnown = (each: NewTestCase): boolean => known.some((one) => isSameTest(one, each));
  const isEnough = isBug
    ? cases.some(isKnown)
    : known.length > 0 && cases.every((each) => each.allowed !== undefined || isKnown(each));
  // Earlier evidence for the same text is still valid.
  const now = isEnough ? undefined : await runNewTestsOnBase(engine, { base, rules, files });
  if (now && now.unseen.length > 0) return refuse(now.unseen.join(" "));
  const red = [...known, ...(now?.red ?? [])];
  const result = createProblemResult(check, [
    ...(isBug ? findBugTestProblems(cases, red, now, id) : findFeatureTestProblems(cases, red, now)),
    ...findStillFailingTests(
      cases.filter((each) => red.some((one) => isSameTest(one, each))),
      tried,
    ),
  ]);
  const status = result.status === "passed" ? "passed" : "failed";
  return {
    result,
    receipts: (now?.receipts ?? []).map((each) => ({ ...each, check, status, on: base })),
    seen: now && { cases: all, red: now.red },
  };
}

function findBugTestProblems(
  cases: readonly NewTestCase[],
  red: readonly FailedNewTest[],
  now: BaseRunResult | undefined,
  id: string,
): readonly Problem[] {
  if (cases.length === 0)
    return [{ problem: `No new test names the bug: write one that shows it, with @spec ${id} in a comment.` }];
  if (cases.some((each) => red.some((one) => isSameTest(one, each)))) return [];
  return now && now.problems.length > 0 ? now.problems : cases.map(createUnseenProblem);
}

function findFeatureTestProblems(
  cases: readonly NewTestCase[],
  red: readonly FailedNewTest[],
  now: BaseRunResult | undefined,
): readonly Problem[] {
  if (cases.length === 0)
    return [{ problem: "No new test was found in the changed code: what is new has to be tested." }];
  const unseen = (now?.inline ?? []).filter(
    (each) => each.allowed === undefined && !red.some((one) => isSameTest(one, each)),
  );
  const problems = [...(now?.problems ?? []), ...unseen.map(createUnseenProblem)];
  return problems.length > 0 || red.length > 0 ? problems : [{ problem: ALL_TESTS_ALLOWED }];
}

const ALL_TESTS_ALLOWED = "No new test fails without the work: each is allowed to pass, so none tests what is new.";

const createUnseenProblem = ({ file, name, line }: NewTestCase): Problem => ({
  problem: `${file}: ${sanitizeText(name, 200)} was never seen to fail: run sdd_evidence before the code is there.`,
  line,
});

/** The tag may be in the test, directly above it, or apply to the whole file. */
function isTestTagged(files: readonly ChangedFile[], { file, name }: NewTestCase, spec: string): boolean {
  const found = files.find(({ path }) => path === file);
  if (!found?.look) return false;
  const targets = findTargetTests(file, found.look, { spec }, found.isTest);
  return targets.some((target) => target.name === undefined || target.name === name);
}

function findStillFailingTests(cases: readonly NewTestCase[], tried: readonly FinishedCheck[]): Problem[] {
  if (tried.every(({ report }) => report === undefined)) return [];
  return cases
    .filter((each) => !hasPassedTest(tried, each))
    .map(({ file, name }) => ({ problem: `${file}: ${sanitizeText(name, 200)} does not pass with the work either.` }));
}

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

/**
 * Finds tests that kept their name but no longer run: moved under a condition, into an unused function, or into a file
 * that the runner ignores. The base commit is tested only if a test is missing from the current report.
 */
export async function findUnrunTestProblems(
  engine: BaseRunEngine,
  { base, rules, files }: BaseRunRequest,
  tried: readonly FinishedCheck[],
): Promise<Problem[]> {
  if (!tried.some(({ report }) => report)) return [];
  const paths = files.map(({ path }) => path);
  const quiet = listKeptTests(files).filter(({ name }) => !tried.some((each) => hasTestRun(each, name, paths)));
  const { stacks } = rules.definitions;
  const used = selectStacks(stacks, quiet);
  const finished = await runTestsOnBase(engine, { base, rules }, used, [], ["tests-kept", "as it was before"]);
  return finished.flatMap((before) =>
    quiet
      .filter(({ file, name }) => findFileStack(file, stacks) === before.stack && hasTestRun(before, name, [file]))
      .map(({ file, name }) => ({ problem: `${file}: ${sanitizeText(name, 200)} is not run any more.` })),
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

const hasTestRun = (finished: FinishedCheck, wanted: string, files: readonly string[]): boolean =>
  findTestOutcomes(finished, wanted, files).some(({ status }) => status !== "skipped");
