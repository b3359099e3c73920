import type { CodeScan } from "./code-scan.ts";
import {
  findCppTests,
  findCTests,
  findGoTests,
  findJavascriptTests,
  findCsharpTests,
  findJavaTests,
  findPhpTests,
  findPytestCases,
  findRubyTests,
  findRustTests,
  type TestMark,
  type TestCase,
} from "./test-case-readers.ts";

const TEST_CASE_READERS: Readonly<Partial<Record<string, (look: CodeScan) => TestCase[]>>> = {
  javascript: findJavascriptTests,
  typescript: findJavascriptTests,
  tsx: findJavascriptTests,
  python: findPytestCases,
  go: findGoTests,
  rust: findRustTests,
  java: findJavaTests,
  csharp: findCsharpTests,
  ruby: findRubyTests,
  php: findPhpTests,
  c: findCTests,
  cpp: findCppTests,
};

export const findTestCases = (look: CodeScan): TestCase[] => TEST_CASE_READERS[look.language]?.(look) ?? [];

/** A file at one point in time; without a scan it does not exist. */
export interface ScannedTestFile {
  readonly path: string;
  readonly look: CodeScan | undefined;
}

export interface LostTest {
  readonly path: string;
  readonly name: string;
  readonly line: number;
  readonly how: "removed" | TestMark;
}

/**
 * Compares the tests of files. A test that moved to another of these files under the same name is kept. A new mark
 * counts as a loss, and so does a new test that would be the only one to run.
 */
export function findLostTests(before: readonly ScannedTestFile[], after: readonly ScannedTestFile[]): LostTest[] {
  const left = Map.groupBy(locateTestCases(after), ({ test }) => test.name);
  const lost = locateTestCases(before).flatMap((old): LostTest[] => {
    const same = left.get(old.test.name) ?? [];
    const at = same.findIndex(({ path }) => path === old.path);
    const [now] = same.splice(Math.max(at, 0), 1);
    if (now === undefined) return [{ path: old.path, name: old.test.name, line: old.test.line, how: "removed" }];
    const { mark } = now.test;
    return mark === undefined || mark === old.test.mark ? [] : [createLostTest(now, mark)];
  });
  const fresh = [...left.values()].flat().filter(({ test }) => test.mark === "only");
  return [...lost, ...fresh.map((now) => createLostTest(now, "only"))];
}

interface LocatedTest {
  readonly path: string;
  readonly test: TestCase;
}

const locateTestCases = (files: readonly ScannedTestFile[]): LocatedTest[] =>
  files.flatMap(({ path, look }) => (look === undefined ? [] : findTestCases(look).map((test) => ({ path, test }))));

const createLostTest = ({ path, test }: LocatedTest, how: TestMark): LostTest => ({
  path,
  name: test.name,
  line: test.line,
  how,
});
