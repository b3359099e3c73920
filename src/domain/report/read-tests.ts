import { getPathFolder } from "../stack/folder.ts";
import { readGo } from "./go.ts";
import { readJavascript } from "./javascript.ts";
import { readJunit } from "./junit.ts";
import { readLibtest } from "./libtest.ts";
import { type Place, type Reading, tooLarge } from "./reading.ts";
import type { TestFormat, TestReport } from "./tests.ts";

const READERS: Readonly<Record<TestFormat, (text: string, place: Place) => Reading<TestReport>>> = {
  "vitest-json": readJavascript,
  "jest-json": readJavascript,
  "junit-xml": readJunit,
  "go-json": readGo,
  "libtest-json": readLibtest,
};

const LONGEST_NAME = 1_000;

export function readTests(format: TestFormat, text: string, place: Place): Reading<TestReport> {
  const problem = tooLarge(text);
  if (problem !== undefined) return { problem };
  const read = READERS[format](text, place);
  if ("problem" in read) return read;
  const { tests, failures } = read.value;
  return {
    value: {
      tests: tests.map((test) => ({ ...test, file: bounded(test.file), name: bounded(test.name) })),
      failures: failures.map((failure) => ({ ...failure, file: bounded(failure.file) })),
    },
  };
}

const bounded = (name: string): string => name.slice(0, LONGEST_NAME).toWellFormed();

/**
 * Whether a test reported under `file` may be written in `path`. Most runners name the file. Go names the folder of the
 * package. Rust names the root of a program, which holds all modules below it, or a folder.
 */
export function mayHold(format: TestFormat, file: string, path: string): boolean {
  if (file === path) return true;
  if (format === "go-json") return file === getPathFolder(path);
  if (format !== "libtest-json") return false;
  if (!file.endsWith(".rs")) return file === "." || path.startsWith(`${file}/`);
  const root = /^(.*\/)?(?:lib|main|mod)\.rs$/.exec(file);
  return root !== null && path.startsWith(root[1] ?? "") && path.endsWith(".rs");
}
