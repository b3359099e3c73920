import { type Outcome, outcomeOf } from "#domain/gate/outcome.ts";
import type { CheckReceipt } from "#domain/gate/receipt.ts";
import type { Coverage } from "#domain/report/coverage.ts";
import { goModule } from "#domain/report/go.ts";
import { readCoverage } from "#domain/report/read-coverage.ts";
import type { Place } from "#domain/report/reading.ts";
import { isOf } from "#domain/gate/evidence.ts";
import { mayHold, readTests } from "#domain/report/read-tests.ts";
import type { TestOutcome, TestReport } from "#domain/report/tests.ts";
import type { StackCheck, FolderStack } from "#domain/stack/check.ts";
import { fillCommandPlaceholders } from "#domain/stack/fill.ts";
import { joinFolderAndPath } from "#domain/stack/folder.ts";
import type { Engine } from "../../engine.ts";
import type { CommandResult, ScratchFolder, StoredCommandOutput } from "../../ports/runner.ts";

export interface Planned {
  readonly name: string;
  readonly stack: FolderStack;
  readonly check: StackCheck;
}

export interface Tried extends Planned {
  readonly outcome: Outcome;
  readonly report?: TestReport;
  readonly coverage?: Coverage;
  readonly receipt: CheckReceipt;
}

const LARGEST_REPORT = 64 * 1024 * 1024;
/** File names that runners choose when they are given a folder. */
const COVERAGE_FILES = ["coverage", "coverage/coverage-final.json", "coverage/lcov.info"];

export type Trying = Pick<Engine, "root" | "runner" | "scratch" | "progress" | "source">;

/** Two runs in one folder would see each other's files. Another worktree has its own. */
export const alone = <T>({ store, checkout }: Pick<Engine, "store" | "checkout">, work: () => Promise<T>): Promise<T> =>
  store.exclusively(`run of checks in ${checkout}`, work);

export async function tryCheck(
  engine: Trying,
  root: string,
  planned: Planned,
  passes: readonly string[],
): Promise<Tried> {
  const { check, stack } = planned;
  await using scratch = await engine.scratch();
  const [report, coverage] = [`${scratch.folder}/report`, `${scratch.folder}/coverage`];
  const filled = fillCommandPlaceholders(check.run, variablesIn(root, engine.root, check), {
    report,
    coverage,
    files: [],
  });
  engine.progress.tell(check.tool);
  const ended = await engine.runner.run({
    ...filled,
    root,
    folder: folderOf(root, stack),
    timeout_s: check.timeout_s,
    silence_s: check.silence_s,
    passes,
    progress: (line) => engine.progress.tell(`${check.tool}: ${line}`),
    cancelled: engine.progress.cancelled,
  });
  try {
    const module = goModule((await engine.source.text(joinFolderAndPath(stack.directory, "go.mod"))) ?? "");
    return await whatCame(
      planned,
      { folder: folderOf(root, stack), directory: stack.directory, module },
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
const variablesIn = (root: string, own: string, { variables }: StackCheck): StackCheck["variables"] =>
  root === own ? variables : { ...variables, CARGO_TARGET_DIR: `${root}/target` };

const folderOf = (root: string, { directory }: Pick<FolderStack, "directory">): string =>
  directory === "." ? root : `${root}/${directory}`;

async function whatCame(
  planned: Planned,
  where: Place,
  ended: CommandResult & Pick<StoredCommandOutput, "text">,
  scratch: ScratchFolder,
): Promise<Tried> {
  const { name, check, stack } = planned;
  const reported =
    check.report?.from === "output" ? await ended.text(LARGEST_REPORT) : await scratch.text(["report"], LARGEST_REPORT);
  const read = check.report && reported !== undefined ? readTests(check.report.format, reported, where) : undefined;
  const { how, code, signal, why, ms, output } = ended;
  const outcome = outcomeOf(
    check,
    { how, ...(code === undefined ? {} : { code }), ...(signal ? { signal } : {}), ...(why ? { why } : {}), ...output },
    read && ("value" in read ? read.value : read),
  );
  const report = read && "value" in read ? read.value : undefined;
  const covered = check.coverage ? await scratch.text(COVERAGE_FILES, LARGEST_REPORT) : undefined;
  const coverage =
    check.coverage && covered !== undefined ? readCoverage(check.coverage.format, covered, where) : undefined;
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
      argv: argvOf(check),
      ...(code === undefined ? {} : { exit: code }),
      ms,
      ...(report ? { tests: listed(report) } : {}),
      output_hash: output.hash,
    },
  };
}

/** Every run of the test must pass, in its own file. */
export function isGreen(
  tried: readonly Tried[],
  { file, name }: { readonly file: string; readonly name: string },
): boolean {
  const outcomes = tried.flatMap(({ report, check }) => {
    const format = check.report?.format;
    const isIt = (told: TestOutcome): boolean =>
      format !== undefined && mayHold(format, told.file, file) && isOf(name, told.name);
    return (report?.tests ?? []).filter(isIt);
  });
  return outcomes.length > 0 && outcomes.every(({ status }) => status === "passed");
}

/** People read receipts, and they are kept forever: a long list is cut, with tests that did not pass first. */
const MOST_TESTS = 100;
const LONGEST_NAME = 200;
const listed = ({ tests }: TestReport): NonNullable<CheckReceipt["tests"]> =>
  [...tests.filter(({ status }) => status !== "passed"), ...tests.filter(({ status }) => status === "passed")]
    .slice(0, MOST_TESTS)
    .map(({ file, name, status }) => ({ file, name: name.slice(0, LONGEST_NAME), status }));

/** The command before placeholders are filled in: it is written to the receipt and used to find the check again. */
export const argvOf = ({ run }: StackCheck): readonly string[] => ("shell" in run ? ["sh", "-c", run.shell] : run.argv);

/** Returns whether the fix exited by itself. */
export async function tryFix(
  engine: Trying,
  root: string,
  { stack, check }: Planned,
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
    folder: folderOf(root, stack),
    timeout_s: check.timeout_s,
    silence_s: check.silence_s,
    passes,
    cancelled: engine.progress.cancelled,
  });
  await ended.forget();
  return ended.how === "exited";
}
