import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import { findFileStack } from "#code/model/scan/test-files.ts";
import { classifyTestFailure } from "../../model/report/failure-reason.ts";
import type { LoadFailure } from "../../model/report/test-report.ts";
import { canReportFile } from "../../model/report/read-test-report.ts";
import { type ChosenTest, type FolderStack, findTestCheck, isChoiceGuessed } from "../../model/stack/stack-check.ts";
import type { TrustedChecks } from "./load-trusted-checks.ts";
import { type FinishedCheck, findTestOutcomes, type PlannedCheck, runCheck } from "./run-check.ts";
import { runCheckOnWork, type WorkRunEngine } from "./run-on-work.ts";

export interface ChosenTestRun {
  readonly root: string;
  readonly stacks: readonly FolderStack[];
  readonly tests: readonly ChosenTest[];
  readonly rules: TrustedChecks;
  readonly name: string;
  readonly note?: string;
  readonly remove?: (paths: readonly string[]) => Promise<void>;
}

/** Runs some tests of each stack that leaves a report. Runners that cannot choose run all their tests. */
export async function runTestFiles(engine: WorkRunEngine, request: ChosenTestRun): Promise<FinishedCheck[]> {
  const { stacks, tests, note = "" } = request;
  const finished: FinishedCheck[] = [];
  for (const stack of stacks) {
    const check = findTestCheck(stack);
    const own = tests.filter(({ file }) => findFileStack(file, stacks) === stack);
    if (!check || own.length === 0) continue;
    engine.progress.tell(`${check.tool} ${note}`.trim());
    finished.push(...(await runStackTests(engine, request, { name: request.name, stack, check }, own)));
  }
  return finished;
}

async function runStackTests(
  engine: WorkRunEngine,
  { root, rules, remove }: ChosenTestRun,
  planned: PlannedCheck,
  own: readonly ChosenTest[],
): Promise<FinishedCheck[]> {
  const run: TestRunner = async (chosen) => {
    const ended =
      root === engine.root
        ? await runCheckOnWork(engine, planned, rules, chosen)
        : await runCheck(engine, root, planned, rules.passes, chosen);
    throwIfCancelled(engine.progress);
    return ended;
  };
  const finished = await runUntilAllLoad(engine, planned, own, run, remove);
  if (!isChoiceGuessed(planned.check) || own.every((test) => isTestReported(finished, test))) return finished;
  return [...finished.filter(({ report }) => report), await run()];
}

type TestRunner = (chosen?: readonly ChosenTest[]) => Promise<FinishedCheck>;

/** One file that does not load can keep the runner from running or reporting the others. */
async function runUntilAllLoad(
  engine: WorkRunEngine,
  planned: PlannedCheck,
  own: readonly ChosenTest[],
  run: TestRunner,
  remove: ChosenTestRun["remove"],
): Promise<FinishedCheck[]> {
  const finished = [await run(own)];
  for (let left = own; ;) {
    const last = finished.at(-1);
    const hidden = last ? findHiddenTests([last], left) : [];
    const files = [...new Set(left.map(({ file }) => file))];
    if (hidden.length === 0 || files.length === 1) return finished;
    const broken = files.filter((path) => last?.report?.failures.some(({ file }) => file === path));
    if (remove && broken.length > 0) {
      await remove(broken);
      left = hidden;
      finished.push(await blameRemovedFiles(engine, await run(left), last?.report?.failures ?? [], broken));
      continue;
    }
    if (!planned.check.only) return finished;
    // AVA does not name files, and some runners end without a report.
    finished.pop();
    for (const path of files) finished.push(await run(left.filter(({ file }) => file === path)));
    return finished;
  }
}

const isTestReported = (runs: readonly FinishedCheck[], { file, name }: ChosenTest): boolean =>
  runs.some(
    (run) => findTestOutcomes(run, name, [file]).length > 0 || run.report?.failures.some((each) => each.file === file),
  );

/** A test may need a helper from a file that was removed. Then it fails for the reason of that file. */
async function blameRemovedFiles(
  { source }: WorkRunEngine,
  finished: FinishedCheck,
  earlier: readonly LoadFailure[],
  removed: readonly string[],
): Promise<FinishedCheck> {
  const { report, check } = finished;
  const format = check.report?.format;
  if (!report || !format || report.failures.length === 0) return finished;
  const texts = await Promise.all(
    removed.map(async (path) => ({ path, words: new Set((await source.text(path))?.match(/[\w$]+/g)) })),
  );
  const failures = report.failures.map((failure) => {
    const { symbol } = classifyTestFailure(format, failure);
    const name = symbol?.split(/[/.:\\]+/).findLast((part) => part !== "");
    const holder = texts.find(({ words }) => name !== undefined && words.has(name));
    const reason = earlier.find(({ file }) => file === holder?.path);
    return reason ? { ...failure, message: reason.message } : failure;
  });
  return { ...finished, report: { ...report, failures } };
}

/** Tests whose file no report names. */
export const findHiddenTests = <T extends ChosenTest>(runs: readonly FinishedCheck[], tests: readonly T[]): T[] =>
  tests.filter(({ file: path }) =>
    runs.every(({ report, check }) => {
      const format = check.report?.format;
      const told = report ? [...report.tests, ...report.failures].map(({ file }) => file) : [];
      return !format || told.includes("") || !told.some((file) => canReportFile(format, file, path));
    }),
  );

/** Runs of different files of one stack as one. Without a report if one of them has none. */
export function joinTestRuns(runs: readonly FinishedCheck[]): Pick<FinishedCheck, "report" | "check"> | undefined {
  const [first] = runs;
  const reports = runs.flatMap(({ report }) => report ?? []);
  if (!first || reports.length < runs.length) return first && { check: first.check, report: undefined };
  const report = {
    tests: reports.flatMap(({ tests }) => tests),
    failures: reports.flatMap(({ failures }) => failures),
  };
  return { check: first.check, report };
}
