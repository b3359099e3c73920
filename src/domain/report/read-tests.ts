import { getPathFolder } from "../stack/folder.ts";
import { readGoReport } from "./go.ts";
import { readJavascriptReport } from "./javascript.ts";
import { readJunitReport } from "./junit.ts";
import { readRustReport } from "./libtest.ts";
import { type RunLocation, type ReportReading, checkReportSize } from "./reading.ts";
import type { TestFormat, TestReport } from "./tests.ts";

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
