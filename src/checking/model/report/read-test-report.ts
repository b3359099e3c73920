import { getPathFolder } from "#kernel/model/folder-path.ts";
import { readGoReport } from "./go-report.ts";
import { readJunitReport } from "./junit-report.ts";
import { readRustReport } from "./rust-report.ts";
import {
  type RunLocation,
  type ReportReading,
  checkReportSize,
  type TestFormat,
  type TestReport,
  formatReportedFile,
  isReportObject,
  cleanRunnerMessage,
  readDuration,
  parseReportJson,
  readOptionalText,
  checkTestCount,
  type LoadFailure,
  type TestOutcome,
} from "./test-report.ts";

const TEST_REPORT_READERS: Readonly<
  Record<TestFormat, (text: string, place: RunLocation) => ReportReading<TestReport>>
> = {
  "vitest-json": readJavascriptReport,
  "jest-json": readJavascriptReport,
  "junit-xml": readJunitReport,
  "go-json": readGoReport,
  "libtest-json": readRustReport,
};

const MAX_REPORTED_NAME = 1_000;

export function readTestReport(format: TestFormat, text: string, place: RunLocation): ReportReading<TestReport> {
  const problem = checkReportSize(text);
  if (problem !== undefined) return { problem };
  const read = TEST_REPORT_READERS[format](text, place);
  if ("problem" in read) return read;
  const { tests, failures } = read.value;
  return {
    value: {
      tests: tests.map((test) => ({ ...test, file: limitReportedName(test.file), name: limitReportedName(test.name) })),
      failures: failures.map((failure) => ({ ...failure, file: limitReportedName(failure.file) })),
    },
  };
}

const limitReportedName = (name: string): string => name.slice(0, MAX_REPORTED_NAME).toWellFormed();

/**
 * Whether a test reported under `file` may be written in `path`. Most runners name the file. Go names the folder of the
 * package. Rust names the root of a program, which holds all modules below it, or a folder.
 */
export function canReportFile(format: TestFormat, file: string, path: string): boolean {
  if (file === path) return true;
  if (format === "go-json") return file === getPathFolder(path);
  if (format !== "libtest-json") return false;
  if (!file.endsWith(".rs")) return file === "." || path.startsWith(`${file}/`);
  const root = /^(.*\/)?(?:lib|main|mod)\.rs$/.exec(file);
  return root !== null && path.startsWith(root[1] ?? "") && path.endsWith(".rs");
}

const JAVASCRIPT_TEST_STATUS: ReadonlyMap<unknown, TestOutcome["status"]> = new Map([
  ["passed", "passed"],
  ["failed", "failed"],
  ["skipped", "skipped"],
  ["pending", "skipped"],
  ["todo", "skipped"],
  ["disabled", "skipped"],
]);

/** vitest and jest write the same JSON. */
function readJavascriptReport(text: string, place: RunLocation): ReportReading<TestReport> {
  const results = parseReportJson(text)?.["testResults"];
  if (!Array.isArray(results)) return { problem: "The report is no whole JSON object with `testResults`." };
  const tests: TestOutcome[] = [];
  const failures: LoadFailure[] = [];
  for (const result of results as unknown[]) {
    const read = readJavascriptFile(result, place);
    if (typeof read === "string") return { problem: read };
    tests.push(...read.tests);
    failures.push(...read.failures);
    const problem = checkTestCount(tests.length);
    if (problem !== undefined) return { problem };
  }
  return { value: { tests, failures } };
}

function readJavascriptFile(result: unknown, place: RunLocation): TestReport | string {
  if (!isReportObject(result)) return "One of `testResults` is no object.";
  const { name, assertionResults, status, message } = result;
  if (typeof name !== "string" || !Array.isArray(assertionResults)) {
    return "One of `testResults` has no `name` or no `assertionResults`.";
  }
  const file = formatReportedFile(place, name);
  const tests: TestOutcome[] = [];
  for (const assertion of assertionResults as unknown[]) {
    const test = readJavascriptTest(assertion, file, place);
    if (typeof test === "string") return test;
    tests.push(test);
  }
  const isBroken = status === "failed" && !tests.some((test) => test.status === "failed");
  const failures = isBroken
    ? [{ file, message: cleanRunnerMessage(place, stripJestHeading(readOptionalText(message) ?? "")) }]
    : [];
  return { tests, failures };
}

function readJavascriptTest(assertion: unknown, file: string, place: RunLocation): TestOutcome | string {
  if (!isReportObject(assertion)) return `A test of ${file} is no object.`;
  const { title, ancestorTitles, duration, failureMessages } = assertion;
  const status = JAVASCRIPT_TEST_STATUS.get(assertion["status"]);
  if (typeof title !== "string" || status === undefined) return `A test of ${file} has no title or an unknown status.`;
  const said = Array.isArray(failureMessages) ? failureMessages.filter((one) => typeof one === "string") : [];
  return {
    file,
    name: [...readAncestorTitles(ancestorTitles), title].join(" > "),
    status,
    ...readDuration(duration),
    ...(status === "failed" ? { message: cleanRunnerMessage(place, said.join("\n\n")) } : {}),
  };
}

const readAncestorTitles = (titles: unknown): string[] =>
  Array.isArray(titles) ? titles.filter((one) => typeof one === "string") : [];

/** Jest puts a heading above a load error and indents the rest. */
function stripJestHeading(message: string): string {
  const said = /^\s*● Test suite failed to run\s*\n([^]*)$/.exec(message)?.[1];
  return said === undefined ? message : said.replace(/^ {4}/gm, "");
}
