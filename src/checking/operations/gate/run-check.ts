import { type CheckOutcome, judgeCheckRun, type GateAttempt, planNextRetry } from "../../model/gate/check-outcome.ts";
import type { CheckReceipt } from "../../model/gate/receipt-chain.ts";
import type { LineCoverage, TestReport } from "../../model/report/test-report.ts";
import { readGoModulePath } from "../../model/report/go-report.ts";
import { readCoverageReport } from "../../model/report/coverage-report.ts";
import { isSameTestName } from "../../model/gate/test-evidence.ts";
import { canReportFile, readTestReport } from "../../model/report/read-test-report.ts";
import { type StackCheck, type FolderStack, fillCommandPlaceholders } from "../../model/stack/stack-check.ts";
import { joinFolderAndPath, getPathBelowFolder } from "#kernel/model/folder-path.ts";
import type { CheckingEngine } from "../engine.ts";
import type { CommandRunner, ScratchFolder } from "#kernel/operations/ports/runner.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import { isSourceFile, isTestFile } from "#code/model/scan/test-files.ts";
import { findLockConflicts } from "#planning/model/workflow/file-locks.ts";
import type { WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import {
  dropSnapshotRefs,
  storeSnapshot,
  takeWorkflowSnapshot,
  writeWithSnapshots,
} from "#planning/operations/workflow/workflow-snapshots.ts";
import { type WorkRuntime, loadWorkRuntime } from "#planning/operations/workflow/workflow-runtime.ts";
import { writeWorkflow } from "#planning/operations/workflow/workflow-writes.ts";
import type { TrustedChecks } from "./load-trusted-checks.ts";

export interface PlannedCheck {
  readonly name: string;
  readonly stack: FolderStack;
  readonly check: StackCheck;
}

export interface FinishedCheck extends PlannedCheck {
  readonly outcome: CheckOutcome;
  readonly report?: TestReport | undefined;
  readonly coverage?: LineCoverage | undefined;
  readonly receipt: CheckReceipt;
}

const MAX_REPORT_FILE_BYTES = 64 * 1024 * 1024;
/** File names that runners choose when they are given a folder. */
const COVERAGE_FILES = ["coverage", "coverage/coverage-final.json", "coverage/lcov.info"];

type CheckRunEngine = Pick<CheckingEngine, "root" | "runner" | "scratch" | "progress" | "source">;

/** Two runs in one folder would see each other's files. Another worktree has its own. */
export const runExclusively = <T>(
  { store, checkout }: Pick<CheckingEngine, "store" | "checkout">,
  work: () => Promise<T>,
): Promise<T> => store.exclusively(`run of checks in ${checkout}`, work);

export async function runCheck(
  engine: CheckRunEngine,
  root: string,
  planned: PlannedCheck,
  passes: readonly string[],
): Promise<FinishedCheck> {
  const { check } = planned;
  await using scratch = await engine.scratch();
  // Cargo cannot distinguish two copies of a project that build into the same folder, and would test one with the build
  // of the other. A temporary checkout therefore builds inside itself.
  const variables = root === engine.root ? check.variables : { ...check.variables, CARGO_TARGET_DIR: `${root}/target` };
  const [report, coverage] = [`${scratch.folder}/report`, `${scratch.folder}/coverage`];
  engine.progress.tell(check.tool);
  const filled = fillCommandPlaceholders(check.run, variables, { report, coverage, files: [] });
  const ended = await runCommand(engine, root, planned, filled, passes);
  try {
    return await readCheckResult(engine, root, planned, ended, scratch);
  } finally {
    await ended.forget();
  }
}

/** Returns whether the fix exited by itself. */
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
  engine.progress.tell(`${check.tool}: mending ${paths}`);
  const filled = fillCommandPlaceholders(check.fix, check.variables, { report: "", coverage: "", files });
  const ended = await runCommand(engine, root, planned, filled, passes);
  await ended.forget();
  return ended.how === "exited";
}

const runCommand = (
  { runner, progress }: CheckRunEngine,
  root: string,
  { check, stack }: PlannedCheck,
  command: ReturnType<typeof fillCommandPlaceholders>,
  passes: readonly string[],
): ReturnType<CommandRunner["run"]> =>
  runner.run({
    ...command,
    root,
    folder: getStackFolder(root, stack),
    timeout_s: check.timeout_s,
    silence_s: check.silence_s,
    passes,
    progress: (line) => progress.tell(`${check.tool}: ${line}`),
    cancelled: progress.cancelled,
  });

const getStackFolder = (root: string, { directory }: FolderStack): string =>
  directory === "." ? root : `${root}/${directory}`;

async function readCheckResult(
  { source }: CheckRunEngine,
  root: string,
  planned: PlannedCheck,
  ended: Awaited<ReturnType<CommandRunner["run"]>>,
  scratch: ScratchFolder,
): Promise<FinishedCheck> {
  const { name, check, stack } = planned;
  const { directory } = stack;
  const isGo = check.report?.format === "go-json" || check.coverage?.format === "go-cover";
  const manifest = isGo ? await source.text(joinFolderAndPath(directory, "go.mod")) : undefined;
  const place = { folder: getStackFolder(root, stack), directory, module: readGoModulePath(manifest ?? "") };
  const text = !check.report
    ? undefined
    : check.report.from === "output"
      ? await ended.text(MAX_REPORT_FILE_BYTES)
      : await scratch.text(["report"], MAX_REPORT_FILE_BYTES);
  const read = check.report && text !== undefined ? readTestReport(check.report.format, text, place) : undefined;
  const report = read && "value" in read ? read.value : undefined;
  const covered = check.coverage && (await scratch.text(COVERAGE_FILES, MAX_REPORT_FILE_BYTES));
  const coverage =
    check.coverage && covered !== undefined ? readCoverageReport(check.coverage.format, covered, place) : undefined;
  const { output, ...run } = ended;
  const outcome = judgeCheckRun(check, { ...run, ...output }, read && "problem" in read ? read : report);
  return {
    ...planned,
    outcome,
    report,
    coverage: coverage && "value" in coverage ? coverage.value : undefined,
    receipt: {
      check: name,
      status: outcome.status === "passed" ? "passed" : "failed",
      directory,
      tool: check.tool,
      argv: formatCheckCommand(check),
      exit: run.code,
      ms: run.ms,
      tests: report && listReceiptTests(report),
      output_hash: output.hash,
    },
  };
}

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

interface RetryRequest {
  readonly rules: TrustedChecks;
  readonly planned: readonly PlannedCheck[];
  readonly mending?: FixPermission | undefined;
}

interface FixPermission {
  readonly record: WorkflowRecord;
  readonly session: string;
  readonly own: readonly string[];
}

export interface RetriedChecks {
  readonly tried: readonly FinishedCheck[];
  readonly attempts: readonly GateAttempt[];
  readonly tree?: string | undefined;
  readonly notes: readonly string[];
}

/** Retries checks that may pass after the tool's own fix or after a wait. */
export async function runChecksWithRetries(engine: CheckingEngine, asked: RetryRequest): Promise<RetriedChecks> {
  const { rules, planned } = asked;
  const attempts: GateAttempt[] = [];
  const notes: string[] = [];
  let tried: readonly FinishedCheck[] = [];
  let todo = planned;
  let tree: string | undefined;
  let left: string | undefined;
  let before = { waited_s: 0, fixed: [] as string[] };
  for (;;) {
    const start = await readSourceTree(engine);
    // A pass on other files does not count, so a change restarts all checks.
    if (start === undefined || start !== tree) todo = planned;
    tree = start;
    const fresh: FinishedCheck[] = [];
    for (const each of todo) {
      fresh.push(await runCheck(engine, engine.root, each, rules.passes));
      throwIfCancelled(engine.progress);
    }
    tried = planned.flatMap((each) => [...fresh, ...tried].find((one) => isSamePlannedCheck(one, each)) ?? []);
    const failed = tried.filter(({ outcome }) => outcome.status === "failed");
    attempts.push({ n: attempts.length + 1, ...before, failed: failed.map(summarizeFailedCheck) });
    const kinds = failed.map(({ outcome }) => outcome.failure ?? "real");
    const isUnknown = tried.some(({ outcome }) => outcome.status === "unknown");
    const wait = isUnknown ? undefined : planNextRetry(kinds, attempts.length, rules.definitions.gates.retry_all);
    if (wait === undefined) return { tried, attempts, notes, tree };
    engine.progress.tell(`trying again in ${wait} s: ${failed.map(({ check }) => check.tool).join(", ")}`);
    await engine.wait(wait * 1000, engine.progress.cancelled);
    throwIfCancelled(engine.progress);
    const mended = asked.mending && (await fixFailedChecks(engine, asked.mending, rules, failed, left));
    notes.push(...(mended?.notes ?? []));
    left = mended?.left;
    before = { waited_s: wait, fixed: mended?.tools ?? [] };
    todo = failed;
  }
}

const isSamePlannedCheck = (a: PlannedCheck, b: PlannedCheck): boolean =>
  a.name === b.name && a.stack === b.stack && a.check === b.check;

const summarizeFailedCheck = ({ name, outcome }: FinishedCheck): GateAttempt["failed"][number] => ({
  check: name,
  failure: outcome.failure ?? "real",
  said: outcome.problems[0]?.problem ?? outcome.reason ?? "",
});

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

interface FixResult {
  readonly tools: string[];
  readonly notes: readonly string[];
  /** The files after the fix. */
  readonly left?: string | undefined;
}

async function fixFailedChecks(
  engine: CheckingEngine,
  mending: FixPermission,
  rules: TrustedChecks,
  failed: readonly FinishedCheck[],
  left: string | undefined,
): Promise<FixResult> {
  const runtime = await engine.store.read(loadWorkRuntime);
  const fixes = failed.flatMap((each) => {
    const files = each.check.fix ? listFixableFiles(each, mending, rules, runtime) : [];
    return files.length > 0 ? [{ each, files }] : [];
  });
  if (fixes.length === 0) return { tools: [], notes: [], left };
  const { snapshots } = engine;
  const before = (await snapshots.isPossible()) ? await snapshots.tree() : undefined;
  // The state after an earlier fix needs no snapshot: the state before it is already saved.
  const n = before === undefined || before === left ? undefined : await saveSnapshotBeforeFix(engine, mending, runtime);
  const tools: string[] = [];
  for (const { each, files } of fixes) {
    if (await runCheckFix(engine, engine.root, each, files, rules.passes)) tools.push(each.check.tool);
  }
  if (before === undefined) return { tools, notes: [] };
  const after = await snapshots.tree();
  const changed = (await snapshots.between(before, after)).map(({ path }) => path);
  const allowed = new Set(
    fixes.flatMap(({ each, files }) => files.map((file) => joinFolderAndPath(each.stack.directory, file))),
  );
  const strange = changed.filter((path) => !allowed.has(path));
  const undo = n === undefined ? "." : `; ${mending.record.id} has snapshot ${n} of before.`;
  const notes = [
    ...(changed.length > 0 ? [`${tools.join(", ")} mended ${formatCount(changed.length, "file")}${undo}`] : []),
    ...(strange.length > 0 ? [`A fix changed more than it was given: ${strange.slice(0, 10).join(", ")}.`] : []),
  ];
  return { tools, notes, left: after };
}

async function saveSnapshotBeforeFix(
  engine: CheckingEngine,
  { record, session }: FixPermission,
  runtime: WorkRuntime,
): Promise<number | undefined> {
  const snapshot = await takeWorkflowSnapshot(engine, runtime, record, "fix");
  const gone = await writeWithSnapshots(engine, [snapshot], () =>
    writeWorkflow(engine, { id: record.id, session }, (draft) => storeSnapshot(draft, snapshot)),
  );
  await dropSnapshotRefs(engine, gone);
  return snapshot?.n;
}

/** The work's own code below the folder of the check, relative to it, without files that other workflows lock. */
function listFixableFiles(
  { stack }: FinishedCheck,
  { own, record }: FixPermission,
  { definitions: { stacks } }: TrustedChecks,
  { locks }: WorkRuntime,
): string[] {
  const code = own.filter((path) => isSourceFile(path, stacks) || isTestFile(path, stacks));
  const held = new Set(findLockConflicts(code, record.id, locks).map(({ path }) => path));
  return code.flatMap((path) => (held.has(path) ? [] : (getPathBelowFolder(stack.directory, path) ?? [])));
}
