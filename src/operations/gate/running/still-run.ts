import { isSameTestName } from "#domain/gate/evidence.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import { sanitizeText } from "#domain/quote.ts";
import { canReportFile } from "#domain/report/read-tests.ts";
import type { TestReport } from "#domain/report/tests.ts";
import { findTestCases } from "#domain/scan/test-cases.ts";
import { findFileStack } from "#domain/scan/test-files.ts";
import type { StackCheck } from "#domain/stack/check.ts";
import type { Engine } from "../../engine.ts";
import { throwIfCancelled } from "../../ports/runner.ts";
import type { ChangedFile } from "./changed.ts";
import type { TrustedChecks } from "./rules.ts";
import { listBorrowedFolders } from "./seeing.ts";
import { type FinishedCheck, runCheck } from "./trying.ts";

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
  engine: Pick<Engine, "root" | "runner" | "scratch" | "progress" | "source" | "worktrees">,
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
