import type { LedgerSpace } from "#store/operations/ports/store.ts";
import {
  type TestEvidence,
  judgeTestEvidence,
  type NewTestCase,
  type FailedNewTest,
  isSameTestName,
} from "../../model/gate/test-evidence.ts";
import type { CheckReceipt } from "../../model/gate/receipt-chain.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { canReportFile } from "../../model/report/read-test-report.ts";
import { classifyTestFailure, type FailureReason } from "../../model/report/failure-reason.ts";
import type { CodeScan } from "#code/model/scan/code-scan.ts";
import { findTestCases } from "#code/model/scan/test-cases.ts";
import { findFileStack } from "#code/model/scan/test-files.ts";
import { readAllowanceReason } from "#code/model/scan/code-shortcuts.ts";
import { type FolderStack, findTestCheck, type StackCheck } from "../../model/stack/stack-check.ts";
import { joinFolderAndPath } from "#kernel/model/folder-path.ts";
import type { CheckingEngine } from "../engine.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import type { ChangedFile } from "./changed-code.ts";
import type { TrustedChecks, CheckRuling } from "./load-trusted-checks.ts";
import { runCheck, type CheckRunEngine, hasPassedTest, type FinishedCheck } from "./run-check.ts";
import { findTargetTests } from "../../model/mutation/criterion-code.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { GateCheckResult, WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import type { CommandCheck } from "#kernel/model/workspace-config.ts";
import type { WorkflowDraft } from "#planning/operations/workflow/workflow-runtime.ts";

import type { TestReport } from "../../model/report/test-report.ts";

export interface BaseRunRequest {
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
  engine: CheckRunEngine & Pick<CheckingEngine, "worktrees">,
  { base, rules, files }: BaseRunRequest,
): Promise<BaseRunResult> {
  const { stacks, control } = rules.definitions;
  const over = files.filter(({ isTest }) => isTest).map(({ path }) => path);
  const cases = findNewTests(files);
  const apart = cases.filter(({ file }) => over.includes(file));
  const inline = cases.filter(({ file }) => !over.includes(file));
  const used = stacks.filter((stack) => apart.some(({ file }) => findFileStack(file, stacks) === stack));
  if (used.length === 0) return { red: [], problems: [], receipts: [], inline, unseen: [] };
  await using lent = await engine.worktrees.lend({
    commit: base,
    over: [...over, ...control.map(({ path }) => path)],
    linked: [...new Set(stacks.flatMap(listBorrowedFolders))],
  });
  const all = {
    red: [] as FailedNewTest[],
    problems: [] as Problem[],
    receipts: [] as CheckReceipt[],
    unseen: [] as string[],
  };
  for (const stack of used) {
    const check = findTestCheck(stack);
    const format = check?.report?.format;
    if (!check || !format) {
      all.unseen.push(`In ${stack.directory} no tests leave a report, so none can be seen to fail.`);
      continue;
    }
    engine.progress.tell(`${check.tool} without the implementation`);
    const planned = { name: "seen-to-fail", stack, check };
    const { report, outcome, receipt } = await runCheck(engine, lent.root, planned, rules.passes);
    throwIfCancelled(engine.progress);
    all.receipts.push(receipt);
    const own = apart.filter(({ file }) => findFileStack(file, stacks) === stack);
    if (!report) {
      const why = outcome.reason ?? outcome.problems.map(({ problem }) => problem).join(" ");
      all.unseen.push(`Without the implementation the tests could not be run: ${why}`);
      continue;
    }
    const { red, problems } = judgeTestEvidence({
      cases: own,
      report,
      whyFailed: (failed) => classifyTestFailure(format, failed),
      mayHold: (told, file) => canReportFile(format, told, file),
      isBrought: createAddedSymbolPredicate(files),
    });
    all.red.push(...red);
    all.problems.push(...problems);
  }
  return { ...all, inline };
}

export function findNewTests(files: readonly ChangedFile[]): NewTestText[] {
  return files.flatMap(({ path, look, before, isTest, text = "" }) => {
    if (!look) return [];
    const known = new Set(before ? findTestCases(before).map(({ name }) => name) : []);
    const lines = text.split("\n");
    return findTestCases(look)
      .filter(({ name }) => !known.has(name))
      .map(({ name, line, lastLine }) => {
        const allowed = findPassAllowance(look, line, lastLine);
        const own = isTest ? text : lines.slice(line - 1, lastLine).join("\n");
        return { file: path, name, line, text: own, ...(allowed === undefined ? {} : { allowed }) };
      });
  });
}

function findPassAllowance({ comments }: CodeScan, from: number, to: number): string | undefined {
  return comments
    .filter(({ line, lastLine }) => line >= from - 1 && lastLine <= to)
    .map(({ text }) => readAllowanceReason(text))
    .find((reason) => reason !== undefined);
}

/** Whether the work adds the missing symbol: a file of that name or a word in an added line. */
export function createAddedSymbolPredicate(files: readonly ChangedFile[]): (symbol: string) => boolean {
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
export function listBorrowedFolders({ directory, borrowed }: FolderStack): string[] {
  return borrowed.flatMap((folder) => {
    const parts = joinFolderAndPath(directory, folder).split("/");
    const kept: string[] = [];
    for (const part of parts) {
      if (part !== "..") kept.push(part);
      else if (kept.pop() === undefined) return [];
    }
    return [kept.filter((part) => part !== ".").join("/")];
  });
}

interface FailFirstRequest {
  readonly check: CommandCheck;
  readonly record: WorkflowRecord;
  readonly ruling: CheckRuling;
  readonly files: readonly ChangedFile[];
  readonly tried: readonly FinishedCheck[];
}

export interface NewTestEvidence {
  readonly cases: readonly NewTestText[];
  readonly red: readonly FailedNewTest[];
}

interface FailFirstAnswer {
  readonly result: GateCheckResult;
  readonly receipts?: readonly CheckReceipt[];
  readonly seen?: NewTestEvidence;
}

/** New tests must fail without the work and pass with it. For a bugfix one such test that names the bug is enough. */
export async function checkNewTestsFail(
  engine: CheckingEngine,
  { check, record, ruling, files, tried }: FailFirstRequest,
): Promise<FailFirstAnswer> {
  const { rules, refused = "" } = ruling;
  const base = record.base_commit;
  const unknown = (reason: string): FailFirstAnswer => ({ result: { check, status: "unknown", problems: [], reason } });
  if (!rules || base === undefined) return unknown(rules ? "There is no commit that the work began at." : refused);
  const isBug = record.kind === "bugfix";
  const all = findNewTests(files);
  const isTold = rules.definitions.stacks.some((stack) => findTestCheck(stack) !== undefined);
  if (all.length === 0 && !isTold) return unknown("No tests here leave a report, so none can be seen to fail.");
  const cases = isBug ? all.filter((each) => isTestTagged(files, each, record.id)) : all;
  const known = await loadRecordedFailures(engine, record.id, cases);
  const isSeen = (red: readonly FailedNewTest[], { file, name }: NewTestCase): boolean =>
    red.some((each) => each.file === file && each.name === name);
  const isEnough = isBug
    ? cases.some((each) => isSeen(known, each))
    : known.length > 0 && cases.every((each) => each.allowed !== undefined || isSeen(known, each));
  // Earlier evidence for the same text is still valid.
  const now = isEnough ? undefined : await runNewTestsOnBase(engine, { base, rules, files });
  if (now && now.unseen.length > 0) return unknown(now.unseen.join(" "));
  const red = [...known, ...(now?.red ?? [])];
  const problems = [
    ...(isBug
      ? findBugTestProblems(cases, red, isSeen, now, record.id)
      : findFeatureTestProblems(cases, red, isSeen, now)),
    ...findStillFailingTests(
      cases.filter((each) => isSeen(red, each)),
      tried,
    ),
  ];
  const status = problems.length === 0 ? "passed" : "failed";
  return {
    result: { check, status, problems },
    receipts: (now?.receipts ?? []).map((each) => ({ ...each, check, status, on: base })),
    ...(now ? { seen: { cases: all, red: now.red } } : {}),
  };
}

type FailedTestPredicate = (red: readonly FailedNewTest[], each: NewTestCase) => boolean;

function findBugTestProblems(
  cases: readonly NewTestCase[],
  red: readonly FailedNewTest[],
  isSeen: FailedTestPredicate,
  now: BaseRunResult | undefined,
  id: string,
): Problem[] {
  if (cases.length === 0)
    return [{ problem: `No new test names the bug: write one that shows it, with @spec ${id} in a comment.` }];
  if (cases.some((each) => isSeen(red, each))) return [];
  return now && now.problems.length > 0 ? [...now.problems] : cases.map(createUnseenProblem);
}

function findFeatureTestProblems(
  cases: readonly NewTestCase[],
  red: readonly FailedNewTest[],
  isSeen: FailedTestPredicate,
  now: BaseRunResult | undefined,
): Problem[] {
  if (cases.length === 0)
    return [{ problem: "No new test was found in the changed code: what is new has to be tested." }];
  const inline = (now?.inline ?? []).filter((each) => each.allowed === undefined && !isSeen(red, each));
  const problems = [...(now?.problems ?? []), ...inline.map(createUnseenProblem)];
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

function findStillFailingTests(
  cases: readonly Pick<FailedNewTest, "file" | "name">[],
  tried: readonly FinishedCheck[],
): Problem[] {
  if (tried.every(({ report }) => report === undefined)) return [];
  return cases
    .filter((each) => !hasPassedTest(tried, each))
    .map(({ file, name }) => ({ problem: `${file}: ${sanitizeText(name, 200)} does not pass with the work either.` }));
}

/** `text` is the hash of the test's text: a changed text is a new test. */
export interface RecordedFailure {
  readonly file: string;
  readonly name: string;
  readonly text: string;
  readonly why: FailureReason["reason"];
  readonly at: string;
}

export const EVIDENCE_SPACE: LedgerSpace<readonly RecordedFailure[]> = { name: "evidence" };

export async function loadRecordedFailures(
  { store, digest }: Pick<CheckingEngine, "store" | "digest">,
  workflow: string,
  cases: readonly NewTestText[],
): Promise<FailedNewTest[]> {
  const known = await store.read((tree) => tree.kept(EVIDENCE_SPACE).get(workflow) ?? []);
  return cases.flatMap(({ file, name, text }) => {
    const hash = digest(text);
    const found = known.find((each) => each.file === file && each.name === name && each.text === hash);
    return found ? [{ file, name, why: found.why }] : [];
  });
}

export function recordTestFailures(
  draft: WorkflowDraft,
  { digest }: Pick<CheckingEngine, "digest">,
  workflow: string,
  cases: readonly NewTestText[],
  red: readonly FailedNewTest[],
  before: readonly RecordedFailure[],
): void {
  const now = cases.flatMap(({ file, name, text }): RecordedFailure[] => {
    const hash = digest(text);
    const seen = red.find((each) => each.file === file && each.name === name);
    const known = before.find((each) => each.file === file && each.name === name && each.text === hash);
    return seen ? [{ file, name, text: hash, why: seen.why, at: draft.at }] : known ? [known] : [];
  });
  draft.keep({ space: EVIDENCE_SPACE.name, key: workflow, value: now });
}

interface UnrunTestRequest {
  readonly base: string;
  readonly rules: TrustedChecks;
  readonly files: readonly ChangedFile[];
  readonly tried: readonly FinishedCheck[];
}

interface KeptTest {
  readonly file: string;
  readonly name: string;
}

/**
 * Finds tests that kept their name but no longer run: moved under a condition, into an unused function, or into a file
 * that the runner ignores. The base commit is tested only if a test is missing from the current report.
 */
export async function findUnrunTestProblems(
  engine: Pick<CheckingEngine, "root" | "runner" | "scratch" | "progress" | "source" | "worktrees">,
  { base, rules, files, tried }: UnrunTestRequest,
): Promise<Problem[]> {
  if (!tried.some(({ report }) => report)) return [];
  const paths = files.map(({ path }) => path);
  const quiet = listKeptTests(files).filter(({ name }) => !tried.some((each) => hasTestRun(each, name, paths)));
  const { stacks, control } = rules.definitions;
  const used = stacks.filter((stack) => quiet.some(({ file }) => findFileStack(file, stacks) === stack));
  if (used.length === 0) return [];
  await using lent = await engine.worktrees.lend({
    commit: base,
    over: control.map(({ path }) => path),
    linked: [...new Set(stacks.flatMap(listBorrowedFolders))],
  });
  const problems: Problem[] = [];
  for (const stack of used) {
    const check = stack.checks.find(({ kind, report }) => kind === "test" && report !== undefined);
    if (!check) continue;
    engine.progress.tell(`${check.tool} as it was before`);
    const before = await runCheck(engine, lent.root, { name: "tests-kept", stack, check }, rules.passes);
    throwIfCancelled(engine.progress);
    const lost = quiet.filter(
      ({ file, name }) => findFileStack(file, stacks) === stack && hasTestRun(before, name, [file]),
    );
    problems.push(
      ...lost.map(({ file, name }) => ({ problem: `${file}: ${sanitizeText(name, 200)} is not run any more.` })),
    );
  }
  return problems;
}

/** Tests that counted before and still do by their source. Removed and marked tests are reported elsewhere. */
function listKeptTests(files: readonly ChangedFile[]): KeptTest[] {
  const counting = ({ look }: Pick<ChangedFile, "look">): string[] =>
    (look ? findTestCases(look) : []).filter(({ mark }) => mark === undefined).map(({ name }) => name);
  const now = new Set(files.filter(({ isTest }) => isTest).flatMap(counting));
  return files.flatMap(({ path, change, before, wasTest }) =>
    before && wasTest
      ? counting({ look: before })
          .filter((name) => now.has(name))
          .map((name) => ({ file: change.from ?? path, name }))
      : [],
  );
}

function hasTestRun(
  { report, check }: { readonly report?: TestReport; readonly check: StackCheck },
  wanted: string,
  files: readonly string[],
): boolean {
  const format = check.report?.format;
  if (!report || !format) return false;
  return report.tests.some(
    ({ file, name, status }) =>
      status !== "skipped" && isSameTestName(wanted, name) && files.some((path) => canReportFile(format, file, path)),
  );
}
