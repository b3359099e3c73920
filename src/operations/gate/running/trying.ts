import { type CheckOutcome, judgeCheckRun } from "#domain/gate/outcome.ts";
import type { CheckReceipt } from "#domain/gate/receipt.ts";
import type { LineCoverage } from "#domain/report/coverage.ts";
import { readGoModulePath } from "#domain/report/go.ts";
import { readCoverageReport } from "#domain/report/read-coverage.ts";
import type { RunLocation } from "#domain/report/reading.ts";
import { isSameTestName } from "#domain/gate/evidence.ts";
import { canReportFile, readTestReport } from "#domain/report/read-tests.ts";
import type { TestOutcome, TestReport } from "#domain/report/tests.ts";
import type { StackCheck, FolderStack } from "#domain/stack/check.ts";
import { fillCommandPlaceholders } from "#domain/stack/fill.ts";
import { joinFolderAndPath } from "#domain/stack/folder.ts";
import type { Engine } from "../../engine.ts";
import type { CommandResult, ScratchFolder, StoredCommandOutput } from "../../ports/runner.ts";

export interface PlannedCheck {
  readonly name: string;
  readonly stack: FolderStack;
  readonly check: StackCheck;
}

export interface FinishedCheck extends PlannedCheck {
  readonly outcome: CheckOutcome;
  readonly report?: TestReport;
  readonly coverage?: LineCoverage;
  readonly receipt: CheckReceipt;
}

const MAX_REPORT_FILE_BYTES = 64 * 1024 * 1024;
/** File names that runners choose when they are given a folder. */
const COVERAGE_FILES = ["coverage", "coverage/coverage-final.json", "coverage/lcov.info"];

export type CheckRunEngine = Pick<Engine, "root" | "runner" | "scratch" | "progress" | "source">;

/** Two runs in one folder would see each other's files. Another worktree has its own. */
export const runExclusively = <T>(
  { store, checkout }: Pick<Engine, "store" | "checkout">,
  work: () => Promise<T>,
): Promise<T> => store.exclusively(`run of checks in ${checkout}`, work);

export async function runCheck(
  engine: CheckRunEngine,
  root: string,
  planned: PlannedCheck,
  passes: readonly string[],
): Promise<FinishedCheck> {
  const { check, stack } = planned;
  await using scratch = await engine.scratch();
  const [report, coverage] = [`${scratch.folder}/report`, `${scratch.folder}/coverage`];
  const filled = fillCommandPlaceholders(check.run, createCheckVariables(root, engine.root, check), {
    report,
    coverage,
    files: [],
  });
  engine.progress.tell(check.tool);
  const ended = await engine.runner.run({
    ...filled,
    root,
    folder: getStackFolder(root, stack),
    timeout_s: check.timeout_s,
    silence_s: check.silence_s,
    passes,
    progress: (line) => engine.progress.tell(`${check.tool}: ${line}`),
    cancelled: engine.progress.cancelled,
  });
  try {
    const module = readGoModulePath((await engine.source.text(joinFolderAndPath(stack.directory, "go.mod"))) ?? "");
    return await readCheckResult(
      planned,
      { folder: getStackFolder(root, stack), directory: stack.directory, module },
      ended,
      scratch,
    );
  } finally {
    await ended.forget();
  }
}

/**
 * Cargo cannot distinguish two copies of a project that build into the same folder, and would test one with the build
 * of the other. A temporary checkout therefore builds inside itself.
 */
const createCheckVariables = (root: string, own: string, { variables }: StackCheck): StackCheck["variables"] =>
  root === own ? variables : { ...variables, CARGO_TARGET_DIR: `${root}/target` };

const getStackFolder = (root: string, { directory }: Pick<FolderStack, "directory">): string =>
  directory === "." ? root : `${root}/${directory}`;

async function readCheckResult(
  planned: PlannedCheck,
  where: RunLocation,
  ended: CommandResult & Pick<StoredCommandOutput, "text">,
  scratch: ScratchFolder,
): Promise<FinishedCheck> {
  const { name, check, stack } = planned;
  const reported =
    check.report?.from === "output"
      ? await ended.text(MAX_REPORT_FILE_BYTES)
      : await scratch.text(["report"], MAX_REPORT_FILE_BYTES);
  const read =
    check.report && reported !== undefined ? readTestReport(check.report.format, reported, where) : undefined;
  const { how, code, signal, why, ms, output } = ended;
  const outcome = judgeCheckRun(
    check,
    { how, ...(code === undefined ? {} : { code }), ...(signal ? { signal } : {}), ...(why ? { why } : {}), ...output },
    read && ("value" in read ? read.value : read),
  );
  const report = read && "value" in read ? read.value : undefined;
  const covered = check.coverage ? await scratch.text(COVERAGE_FILES, MAX_REPORT_FILE_BYTES) : undefined;
  const coverage =
    check.coverage && covered !== undefined ? readCoverageReport(check.coverage.format, covered, where) : undefined;
  return {
    ...planned,
    outcome,
    ...(report ? { report } : {}),
    ...(coverage && "value" in coverage ? { coverage: coverage.value } : {}),
    receipt: {
      check: name,
      status: outcome.status === "passed" ? "passed" : "failed",
      directory: stack.directory,
      tool: check.tool,
      argv: formatCheckCommand(check),
      ...(code === undefined ? {} : { exit: code }),
      ms,
      ...(report ? { tests: listReceiptTests(report) } : {}),
      output_hash: output.hash,
    },
  };
}

/** Every run of the test must pass, in its own file. */
export function hasPassedTest(
  tried: readonly FinishedCheck[],
  { file, name }: { readonly file: string; readonly name: string },
): boolean {
  const outcomes = tried.flatMap(({ report, check }) => {
    const format = check.report?.format;
    const isIt = (told: TestOutcome): boolean =>
      format !== undefined && canReportFile(format, told.file, file) && isSameTestName(name, told.name);
    return (report?.tests ?? []).filter(isIt);
  });
  return outcomes.length > 0 && outcomes.every(({ status }) => status === "passed");
}

/** People read receipts, and they are kept forever: a long list is cut, with tests that did not pass first. */
const MAX_RECEIPT_TESTS = 100;
const MAX_RECEIPT_TEST_NAME = 200;
const listReceiptTests = ({ tests }: TestReport): NonNullable<CheckReceipt["tests"]> =>
  [...tests.filter(({ status }) => status !== "passed"), ...tests.filter(({ status }) => status === "passed")]
    .slice(0, MAX_RECEIPT_TESTS)
    .map(({ file, name, status }) => ({ file, name: name.slice(0, MAX_RECEIPT_TEST_NAME), status }));

/** The command before placeholders are filled in: it is written to the receipt and used to find the check again. */
export const formatCheckCommand = ({ run }: StackCheck): readonly string[] =>
  "shell" in run ? ["sh", "-c", run.shell] : run.argv;

/** Returns whether the fix exited by itself. */
export async function runCheckFix(
  engine: CheckRunEngine,
  root: string,
  { stack, check }: PlannedCheck,
  files: readonly string[],
  passes: readonly string[],
): Promise<boolean> {
  if (!check.fix || files.length === 0) return false;
  const filled = fillCommandPlaceholders(check.fix, check.variables, { report: "", coverage: "", files });
  engine.progress.tell(
    `${check.tool}: mending ${files.map((file) => joinFolderAndPath(stack.directory, file)).join(", ")}`,
  );
  const ended = await engine.runner.run({
    ...filled,
    root,
    folder: getStackFolder(root, stack),
    timeout_s: check.timeout_s,
    silence_s: check.silence_s,
    passes,
    cancelled: engine.progress.cancelled,
  });
  await ended.forget();
  return ended.how === "exited";
}
