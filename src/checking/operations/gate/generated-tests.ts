import { canReportFile } from "../../model/report/read-test-report.ts";
import { isSameTestName } from "../../model/gate/test-evidence.ts";
import { findFileStack } from "#code/model/scan/test-files.ts";
import { findTestCases } from "#code/model/scan/test-cases.ts";
import { formatCount, formatShortList, sanitizeText } from "#kernel/model/text-format.ts";
import type { LostTestFinding } from "./kept-tests.ts";
import type { FinishedCheck } from "./run-check.ts";
import type { WorkRunEngine } from "./run-on-work.ts";
import { type BaseRunRequest, runTestsOnBase } from "./run-tests-on-base.ts";
import type { ChangedFile } from "./static-checks.ts";

const MOST_SHOWN_TESTS = 3;

/** The source does not name such tests, so its earlier version runs too, and tests are compared by name. */
export async function findLostGeneratedTests(
  engine: WorkRunEngine,
  { base, rules, files }: BaseRunRequest,
  tried: readonly FinishedCheck[],
): Promise<LostTestFinding[]> {
  if (!tried.some(({ report }) => report)) return [];
  const { stacks } = rules.definitions;
  const changed = files.filter((file) => mayGenerateTests(file, tried)).map(({ path, change }) => change.from ?? path);
  const used = stacks.filter((stack) => changed.some((path) => findFileStack(path, stacks) === stack));
  const tests = changed.map((file) => ({ file, name: "" }));
  const finished = await runTestsOnBase(
    engine,
    { base, rules, used, over: [], tests },
    "tests-kept",
    "as it was before",
  );
  const now = tried.flatMap(({ report }) => report?.tests ?? []).filter(({ status }) => status !== "skipped");
  return changed.flatMap((file): LostTestFinding[] => {
    const lost = finished
      .filter(({ stack }) => stack === findFileStack(file, stacks))
      .flatMap((before) => listFileTests(before, file))
      .filter(({ name, status }) => status === "passed" && !now.some((one) => isSameTestName(name, one.name)));
    const names = lost.map(({ name }) => sanitizeText(name, 100));
    const problem = `${file}: ${formatCount(lost.length, "test")} not run any more: ${formatShortList(names, MOST_SHOWN_TESTS)}.`;
    return lost.length > 0 ? [{ file, name: file, problem }] : [];
  });
}

/** A test file without readable tests that is deleted, or that tests are reported of. Others hold helpers. */
function mayGenerateTests({ path, change, wasTest, before }: ChangedFile, tried: readonly FinishedCheck[]): boolean {
  if (!wasTest || change.status === "added" || (before && findTestCases(before).length > 0)) return false;
  return change.status === "deleted" || tried.some((each) => listFileTests(each, path).length > 0);
}

function listFileTests({ report, check }: FinishedCheck, path: string) {
  const format = check.report?.format;
  return (report?.tests ?? []).filter(({ file }) => format && canReportFile(format, file, path));
}
