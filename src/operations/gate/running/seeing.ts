import { type TestEvidence, judgeTestEvidence, type NewTestCase, type FailedNewTest } from "#domain/gate/evidence.ts";
import type { CheckReceipt } from "#domain/gate/receipt.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import { canReportFile } from "#domain/report/read-tests.ts";
import { classifyTestFailure } from "#domain/report/why.ts";
import type { CodeScan } from "#domain/scan/look.ts";
import { findTestCases } from "#domain/scan/test-cases.ts";
import { findFileStack } from "#domain/scan/test-files.ts";
import { readAllowanceReason } from "#domain/scan/shortcuts.ts";
import { type FolderStack, findTestCheck } from "#domain/stack/check.ts";
import { joinFolderAndPath } from "#domain/stack/folder.ts";
import type { Engine } from "../../engine.ts";
import { throwIfCancelled } from "../../ports/runner.ts";
import type { ChangedFile } from "./changed.ts";
import type { TrustedChecks } from "./rules.ts";
import { runCheck, type CheckRunEngine } from "./trying.ts";

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
  engine: CheckRunEngine & Pick<Engine, "worktrees">,
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
