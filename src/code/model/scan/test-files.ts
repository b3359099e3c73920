import { getPathFolder, isFolderWithin, getPathBelowFolder } from "#kernel/model/folder-path.ts";
import { matchesPathGlob } from "#kernel/model/path-glob.ts";
import type { CodeScan, ScanSpan } from "./code-scan.ts";

type StackFileGlobs = Readonly<{ directory: string; test_files: readonly string[]; source_files: readonly string[] }>;

export const isTestFile = (path: string, stacks: readonly StackFileGlobs[]): boolean =>
  matchesStackGlobs(path, stacks, "test_files");

export const isSourceFile = (path: string, stacks: readonly StackFileGlobs[]): boolean =>
  matchesStackGlobs(path, stacks, "source_files") && !isTestFile(path, stacks);

function matchesStackGlobs(path: string, stacks: readonly StackFileGlobs[], kind: "test_files" | "source_files") {
  const stack = findFileStack(path, stacks);
  if (stack === undefined) return false;
  const inside = getPathBelowFolder(stack.directory, path) ?? path;
  return stack[kind].some((glob) => matchesPathGlob(glob, inside));
}

/** The stack of the innermost folder around the file. */
export function findFileStack<T extends Pick<StackFileGlobs, "directory">>(path: string, stacks: readonly T[]) {
  return stacks
    .filter(({ directory }) => isFolderWithin(getPathFolder(path), directory))
    .toSorted((one, other) => countFolderDepth(other.directory) - countFolderDepth(one.directory))[0];
}

const countFolderDepth = (directory: string): number => (directory === "." ? 0 : directory.split("/").length);

/** Test code inside a source file, such as Rust's `#[cfg(test)]` modules. */
export function findTestSections(look: CodeScan): readonly ScanSpan[] {
  if (look.language !== "rust") return [];
  return look.definitions.filter(
    ({ marks }) => marks.some((mark) => /^#!?\[cfg\((?:test|all\(test\b.*)\)\]/.test(mark)) || marks.some(isRustTest),
  );
}

/** `#[test]`, `#[tokio::test]`, `#[rstest]`. */
export const isRustTest = (mark: string): boolean => /^#\[(?:\w+::)*(?:test|rstest|test_case)\b/.test(mark);

export const isTestLine = (parts: readonly Pick<ScanSpan, "line" | "lastLine">[], line: number): boolean =>
  parts.some((part) => line >= part.line && line <= part.lastLine);

const TEST_FOLDER_PATTERN =
  /(?:^|\/)(?:tests?|Tests?|__tests__|e2e|(?:unit|integration|functional|acceptance|smoke|e2e)[-_]?tests?|[\w.]+\.(?:\w+)?Tests?|\w*[a-z]Tests?)\//;

/** Ruby keeps its tests in `spec`. In other languages a folder of that name counts only at the top level. */
const SPEC_FOLDER_PATTERN = /(?:^|\/)spec\/(?:.*\/)?[^/]+\.rb$|^spec\/(?:.*\/)?[^/]+\.[cm]?[jt]sx?$/;

const TEST_NAME_PATTERNS: readonly RegExp[] = [
  // session.test.ts, login.e2e-spec.ts, button.cy.ts
  /\.(?:test|tests|spec|e2e|e2e-spec|cy|test-d)\.\w+$/,
  // session_test.go, session_test.py, list_unittest.cc, parser_tests.rs
  /_(?:unit)?tests?\.\w+$/,
  /-test\.[cm]?[jt]sx?$/,
  /_spec\.(?:rb|lua|cr)$/,
  // test_session.py, test_list.c
  /(?:^|\/)test_[^/]+\.(?:py|rb|php|lua|exs|c|cc|cpp|cxx)$/,
  /(?:^|\/)(?:conftest|tests)\.py$|(?:^|\/)tests\.rs$|^test\.(?:[cm]?[jt]s|py)$/,
  // SessionTest.java, SessionTests.cs, SessionIT.java, SessionTest.php, ListTest.cpp
  /[A-Za-z0-9](?:Tests?|TestCase)\.\w+$/,
  /[A-Za-z0-9]Specs?\.(?:java|kt|scala|groovy|php|swift|hs)$|[A-Za-z0-9]IT(?:Case)?\.(?:java|kt)$/,
];

const TEST_DATA_FOLDER =
  /(?:^|\/)(?:testdata|test[-_]data|fixtures?|__fixtures__|__mocks__|__snapshots__)\/|(?:^|\/)src\/test\/resources\//;
const NON_CODE_EXTENSION = /\.(?:json|ya?ml|toml|md|txt|snap|csv|html?|xml)$/;

/** Test data is neither product code nor a test. */
export const isTestData = (path: string): boolean => TEST_DATA_FOLDER.test(path);

/** Judges by the path alone, for any language. */
export function isTestPath(path: string): boolean {
  if (isTestData(path)) return false;
  return (
    TEST_FOLDER_PATTERN.test(path) ||
    SPEC_FOLDER_PATTERN.test(path) ||
    (!NON_CODE_EXTENSION.test(path) && TEST_NAME_PATTERNS.some((name) => name.test(path)))
  );
}
