import * as z from "zod/mini";
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
  cleanRunnerMessage,
  createTestOutcome,
  lenient,
  replaceInvalid,
  parseReportJson,
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
const MAX_REPORTED_TESTS = 100_000;

export function readTestReport(format: TestFormat, text: string, place: RunLocation): ReportReading<TestReport> {
  const problem = checkReportSize(text);
  if (problem !== undefined) return { problem };
  const read = TEST_REPORT_READERS[format](text, place);
  if ("problem" in read) return read;
  const { tests, failures } = read.value;
  if (tests.length > MAX_REPORTED_TESTS)
    return { problem: `The report tells of more than ${MAX_REPORTED_TESTS.toLocaleString("en")} tests.` };
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

const JAVASCRIPT_STATUS = {
  passed: "passed",
  failed: "failed",
  skipped: "skipped",
  pending: "skipped",
  todo: "skipped",
  disabled: "skipped",
} as const;

const textArray = replaceInvalid(z.array(z.string()), []);
const JavascriptTests = z.array(
  z.object({
    title: z.string(),
    status: z.enum(Object.keys(JAVASCRIPT_STATUS) as (keyof typeof JAVASCRIPT_STATUS)[]),
    ancestorTitles: textArray,
    duration: lenient(z.number()),
    failureMessages: textArray,
  }),
);
const JavascriptFile = z.object({
  name: z.string(),
  status: lenient(z.string()),
  message: lenient(z.string()),
  assertionResults: z.array(z.unknown()),
});
const JavascriptReport = z.object({ testResults: z.array(z.unknown()) });

/** vitest and jest write the same JSON. */
function readJavascriptReport(text: string, place: RunLocation): ReportReading<TestReport> {
  const report = parseReportJson(text, JavascriptReport);
  if (!report) return { problem: "The report is no whole JSON object with `testResults`." };
  const tests: TestOutcome[] = [];
  const failures: LoadFailure[] = [];
  for (const result of report.testResults) {
    const { data, error } = z.safeParse(JavascriptFile, result);
    if (!data) {
      const isObject = error.issues.some(({ path }) => path.length > 0);
      return {
        problem: `One of \`testResults\` ${isObject ? "has no `name` or no `assertionResults`" : "is no object"}.`,
      };
    }
    const file = formatReportedFile(place, data.name);
    const cases = z.safeParse(JavascriptTests, data.assertionResults);
    if (!cases.success) {
      const isObject = cases.error.issues[0]?.path.length === 2;
      return { problem: `A test of ${file} ${isObject ? "has no title or an unknown status" : "is no object"}.` };
    }
    const isBroken = data.status === "failed" && !cases.data.some(({ status }) => status === "failed");
    if (isBroken) failures.push({ file, message: cleanRunnerMessage(place, stripJestHeading(data.message ?? "")) });
    for (const { title, status, ancestorTitles, duration, failureMessages } of cases.data) {
      const name = [...ancestorTitles, title].join(" > ");
      const said = failureMessages.join("\n\n");
      tests.push(createTestOutcome(place, { file, name, status: JAVASCRIPT_STATUS[status], ms: duration, said }));
    }
  }
  return { value: { tests, failures } };
}

/** Jest puts a heading above a load error and indents the rest. */
function stripJestHeading(message: string): string {
  const said = /^\s*● Test suite failed to run\s*\n([^]*)$/.exec(message)?.[1];
  return said === undefined ? message : said.replace(/^ {4}/gm, "");
}
