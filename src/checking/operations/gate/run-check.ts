import { type CheckOutcome, judgeCheckRun, listCheckFailures } from "../../model/gate/check-outcome.ts";
import type { CheckReceipt } from "../../model/gate/receipt-chain.ts";
import type { CommandResult, ScratchFolder } from "#kernel/operations/ports/runner.ts";
import {
  findLoadError,
  type ReportReading,
  type RunLocation,
  type TestReport,
} from "../../model/report/test-report.ts";
import { readGoModulePath } from "../../model/report/event-reports.ts";
import { readCoverageReports } from "../../model/report/coverage-report.ts";
import { isSameTestName } from "../../model/gate/test-evidence.ts";
import { canReportFile, readTestReports } from "../../model/report/read-test-report.ts";
import {
  type ChosenTest,
  type StackCheck,
  type FolderStack,
  fillCommandPlaceholders,
} from "../../model/stack/stack-check.ts";
import { joinFolderAndPath, getPathBelowFolder } from "#kernel/model/folder-path.ts";
import type { CheckingEngine } from "../engine.ts";
import { isolatePythonImports } from "./python-imports.ts";

export interface PlannedCheck {
  readonly name: string;
  readonly stack: FolderStack;
  readonly check: StackCheck;
}

export type FinishedCheck = Awaited<ReturnType<typeof runCheck>>;

const MAX_REPORT_FILE_BYTES = 64 * 1024 * 1024;
/** File names that runners choose when they are given a folder. */
const COVERAGE_FILES = ["coverage", "coverage/coverage-final.json", "coverage/lcov.info", "coverage.info"];

/** Only the end of a longer output is kept. */
const MAX_LISTED_OUTPUT_BYTES = 60_000;
const MAX_RECEIPT_TESTS = 100;
const MAX_RECEIPT_TEST_NAME = 200;

export type CheckRunEngine = Pick<CheckingEngine, "root" | "runner" | "scratch" | "progress" | "source" | "assets">;

/** Two runs in one folder would see each other's files. Another worktree has its own. */
export const runExclusively = <T>(
  { store, checkout }: Pick<CheckingEngine, "store" | "checkout">,
  work: () => Promise<T>,
): Promise<T> => store.exclusively(`run of checks in ${checkout}`, work);

/** Runs a check, or of a test check only the tests in `tests`, if the runner can. */
export async function runCheck(
  engine: CheckRunEngine,
  root: string,
  planned: PlannedCheck,
  passes: readonly string[],
  tests?: readonly ChosenTest[],
) {
  const { name, check, stack } = planned;
  const { directory } = stack;
  await using scratch = await engine.scratch();
  const { imports, variables } = await prepareVariables(engine, scratch, root, planned);
  const own = listTestsBelow(directory, tests ?? []);
  const command = own.length > 0 && check.only ? { argv: check.only } : check.run;
  const reporter = check.report?.reporter && (await placeOwnReporter(engine, scratch, check.report.reporter));
  const values = {
    report: `${scratch.folder}/report`,
    coverage: `${scratch.folder}/coverage`,
    reporter: reporter?.path,
    tests: own,
  };
  engine.progress.tell(check.tool);
  const filled = fillCommandPlaceholders(command, { ...variables, ...reporter?.variables }, values);
  const written = await scratch.watch(getStackFolder(root, stack), check.report?.at ?? []);
  const coveredFiles = await scratch.watch(getStackFolder(root, stack), check.coverage?.at ?? []);
  await using ended = await runCommand(engine, root, planned, passes, filled);
  const isGo = check.report?.format === "go-json" || check.coverage?.format === "go-cover";
  const manifest = isGo ? await engine.source.text(joinFolderAndPath(directory, "go.mod")) : undefined;
  const place = { folder: getStackFolder(root, stack), directory, module: readGoModulePath(manifest ?? "") };
  const { format } = check.report ?? {};
  const texts = await readReportTexts(scratch, ended, check.report, written);
  const chosen = new Set(tests?.map(({ file }) => file));
  const [alone] = chosen.size === 1 && check.only ? chosen : [];
  const read =
    format &&
    (readLoadFailure(ended, place, texts, alone) ??
      readTestReports(format, texts, ended.code === 0 ? "" : ended.output.tail, place));
  const leak = ended.how === "exited" ? await imports?.findLeak() : undefined;
  const report =
    read && "value" in read && leak === undefined
      ? completeReport(read.value, ended.output.tail, place, alone)
      : undefined;
  const coverage = check.coverage && (await readCoverage(scratch, check.coverage, coveredFiles, place));
  const { output: heard, ...run } = ended;
  const outcome: CheckOutcome =
    leak === undefined
      ? judgeCheckRun(check, { ...run, ...heard }, read && "problem" in read ? read : report)
      : { status: "unknown", problems: [], reason: leak };
  const receipt: CheckReceipt = {
    check: name,
    status: outcome.status === "passed" ? "passed" : "failed",
    directory,
    tool: check.tool,
    argv: formatCheckCommand(command),
    exit: run.code,
    ms: run.ms,
    tests: report && listReceiptTests(report),
    output_hash: heard.hash,
  };
  const hasLines = outcome.status === "failed" && format === undefined;
  const lines = hasLines ? ((await ended.text(MAX_REPORT_FILE_BYTES, "both")) ?? "") : "";
  const working = getStackFolder(engine.root, stack);
  const failures = listCheckFailures(check, outcome, report, lines, root, { ...place, working });
  return {
    ...planned,
    outcome,
    failures,
    hasAllLines: heard.bytes <= MAX_LISTED_OUTPUT_BYTES,
    report,
    coverage,
    receipt,
    /** Whether an earlier run on the same files counts in place of this one. */
    isReused: false,
    isHung: run.how === "timed-out" || run.how === "silent",
    /** Working files that it changed, which are restored. */
    edited: [] as readonly string[],
    notes: [] as readonly string[],
  };
}

async function readCoverage(
  scratch: ScratchFolder,
  { at, format }: NonNullable<StackCheck["coverage"]>,
  files: Awaited<ReturnType<ScratchFolder["watch"]>>,
  place: RunLocation,
) {
  const single = async () => [{ path: "", text: await scratch.text(COVERAGE_FILES, MAX_REPORT_FILE_BYTES) }];
  return readCoverageReports(format, at ? await files(MAX_REPORT_FILE_BYTES) : await single(), place);
}

/** A reporter of Tenon's own writes a file even where the runner's output would do. */
async function readReportTexts(
  scratch: ScratchFolder,
  ended: Pick<Awaited<ReturnType<typeof runCommand>>, "text">,
  { from, reporter }: Partial<NonNullable<StackCheck["report"]>> = {},
  written: Awaited<ReturnType<ScratchFolder["watch"]>>,
): Promise<readonly string[]> {
  const isFile = from === "file" || (from === "output" && reporter !== undefined);
  const single = isFile ? await scratch.text(["report"], MAX_REPORT_FILE_BYTES) : undefined;
  const said = from === "output" && single === undefined ? await ended.text(MAX_REPORT_FILE_BYTES) : single;
  if (said !== undefined) return [said];
  const many = from === "files" ? await written(MAX_REPORT_FILE_BYTES) : [];
  const folder = from === "file" ? await scratch.texts("report", MAX_REPORT_FILE_BYTES) : many;
  return folder.map(({ text }) => text);
}

const listTestsBelow = (directory: string, tests: readonly ChosenTest[]): ChosenTest[] =>
  tests.flatMap((test) => {
    const file = getPathBelowFolder(directory, test.file);
    return file === undefined ? [] : [{ ...test, file }];
  });

async function prepareVariables(
  engine: CheckRunEngine,
  scratch: ScratchFolder,
  root: string,
  { check: { kind, variables }, stack }: PlannedCheck,
) {
  if (root === engine.root) return { imports: undefined, variables };
  const mayImport = kind === "test" || kind === "coverage";
  const imports = mayImport ? await isolatePythonImports(engine, scratch, root, stack) : undefined;
  // Cargo cannot distinguish two copies of a project that build into the same folder, and would test one with the build
  // of the other. A temporary checkout therefore builds inside itself.
  return { imports, variables: { ...variables, CARGO_TARGET_DIR: `${root}/target`, ...imports?.variables } };
}

/** People read receipts, and they are kept forever: a long list is cut, with tests that did not pass first. */
const listReceiptTests = ({ tests }: TestReport) =>
  tests
    .toSorted((one, other) => Number(one.status === "passed") - Number(other.status === "passed"))
    .slice(0, MAX_RECEIPT_TESTS)
    .map((test) => ({ file: test.file, name: test.name.slice(0, MAX_RECEIPT_TEST_NAME), status: test.status }));

/** Minitest finds its plugins in the folders that Ruby loads from; other runners take it as an argument. */
async function placeOwnReporter(
  { assets }: Pick<CheckingEngine, "assets">,
  scratch: ScratchFolder,
  reporter: NonNullable<NonNullable<StackCheck["report"]>["reporter"]>,
): Promise<{ readonly path: string; readonly variables: Readonly<Record<string, string>> }> {
  const text = await assets.text(`reporters/${reporter}`);
  if (reporter !== "minitest") {
    const ending = reporter === "unittest" ? "py" : "cjs";
    return { path: await scratch.put(`tenon-${reporter}.${ending}`, text), variables: {} };
  }
  const path = await scratch.put("ruby/minitest/tenon_plugin.rb", text);
  return { path, variables: { RUBYLIB: `${scratch.folder}/ruby` } };
}

/** Some runners end without a report if they cannot load the file. Then their output has the reason. */
function readLoadFailure(
  { how, code, output }: Pick<CommandResult, "how" | "code" | "output">,
  place: RunLocation,
  texts: readonly string[],
  file: string | undefined,
): ReportReading<TestReport> | undefined {
  if (file === undefined || texts.length > 0 || how !== "exited" || code === 0) return undefined;
  const message = findLoadError(place, output.tail, file);
  return message === undefined ? undefined : { value: { tests: [], failures: [{ file, message }] } };
}

/** Fills in facts that runners leave out: the only file that ran, and the reason in the output. */
function completeReport(
  { tests, failures }: TestReport,
  tail: string,
  place: RunLocation,
  alone: string | undefined,
): TestReport {
  return {
    tests: tests.map((test) => (test.file === "" && alone !== undefined ? { ...test, file: alone } : test)),
    failures: failures.map(({ file, message }) => ({
      file,
      message: message === "" ? (findLoadError(place, tail, file) ?? "") : message,
    })),
  };
}

export async function runCheckFix(
  engine: CheckRunEngine,
  root: string,
  planned: PlannedCheck,
  files: readonly string[],
  passes: readonly string[],
): Promise<boolean> {
  const { check, stack } = planned;
  if (!check.fix || files.length === 0) return false;
  const paths = files.map((file) => joinFolderAndPath(stack.directory, file)).join(", ");
  engine.progress.tell(`${check.tool}: fixing ${paths}`);
  const filled = fillCommandPlaceholders(check.fix, check.variables, { report: "", coverage: "", files });
  await using ended = await runCommand(engine, root, planned, passes, filled);
  return ended.how === "exited";
}

async function runCommand(
  { runner, progress }: CheckRunEngine,
  root: string,
  { check, stack }: PlannedCheck,
  passes: readonly string[],
  command: ReturnType<typeof fillCommandPlaceholders>,
) {
  const { timeout_s, silence_s, tool } = check;
  const ended = await runner.run({
    ...command,
    root,
    folder: getStackFolder(root, stack),
    timeout_s,
    silence_s,
    passes,
    progress: (line) => progress.tell(`${tool}: ${line}`),
    cancelled: progress.cancelled,
  });
  return { ...ended, [Symbol.asyncDispose]: () => ended.forget() };
}

const getStackFolder = (root: string, { directory }: FolderStack): string =>
  directory === "." ? root : `${root}/${directory}`;

/** Every run of the test must pass, in its own file. */
export function hasPassedTest(
  tried: readonly FinishedCheck[],
  wanted: { readonly file: string; readonly name: string },
): boolean {
  const outcomes = tried.flatMap((each) => findTestOutcomes(each, wanted.name, [wanted.file]));
  return outcomes.length > 0 && outcomes.every(({ status }) => status === "passed");
}

export function findTestOutcomes(
  { report, check }: Pick<FinishedCheck, "report" | "check">,
  wanted: string,
  files: readonly string[],
): TestReport["tests"] {
  const format = check.report?.format;
  if (!report || !format) return [];
  return report.tests.filter(
    ({ file, name }) => isSameTestName(wanted, name) && files.some((path) => canReportFile(format, file, path)),
  );
}

/** The command before placeholders are filled in: it is written to the receipt and used to find the check again. */
export const formatCheckCommand = (run: StackCheck["run"]): readonly string[] =>
  "shell" in run ? ["sh", "-c", run.shell] : run.argv;

/** The hash of the working files without Tenon's own; undefined outside git. */
export const readSourceTree = async ({ snapshots }: Pick<CheckingEngine, "snapshots">): Promise<string | undefined> =>
  (await snapshots.isPossible()) ? snapshots.sourceTree() : undefined;

/** A check that writes files, or work in another session, leaves files that were not checked. */
export async function listFilesChangedMeanwhile(
  engine: Pick<CheckingEngine, "snapshots">,
  start: string | undefined,
): Promise<string[]> {
  const end = start === undefined ? undefined : await readSourceTree(engine);
  if (start === undefined || end === undefined || start === end) return [];
  return (await engine.snapshots.between(start, end)).map(({ path }) => path);
}
