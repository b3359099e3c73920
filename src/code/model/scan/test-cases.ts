import { type CodeScan, type ScanSpan, findInnermostSpans, pairEnclosingSpans, type ScannedCall } from "./code-scan.ts";
import { isRustTest } from "./test-files.ts";

const TEST_CASE_READERS: Readonly<Partial<Record<string, (look: CodeScan) => TestCase[]>>> = {
  javascript: findJavascriptTests,
  typescript: findJavascriptTests,
  tsx: findJavascriptTests,
  python: findPytestCases,
  go: findGoTests,
  rust: findRustTests,
  java: (look) => findAnnotatedTests(look, JAVA_TEST_ANNOTATIONS),
  csharp: (look) => findAnnotatedTests(look, CSHARP_TEST_ANNOTATIONS),
  ruby: findRubyTests,
  php: findPhpTests,
  c: (look) =>
    look.definitions
      .filter(({ kind, text }) => kind === "function" && /^test_\w/.test(text))
      .map((one) => createTestCase([one])),
  cpp: findCppTests,
};

export const findTestCases = (look: CodeScan): TestCase[] => TEST_CASE_READERS[look.language]?.(look) ?? [];

/** A file at one point in time; without a scan it does not exist. */
type ScannedTestFile = Readonly<{ path: string; look: CodeScan | undefined; text?: string | undefined }>;

type LocatedTest = TestCase & Readonly<{ path: string; body: string | undefined }>;
type LostTest = Readonly<{ path: string; name: string; line: number; how: "removed" | TestMark }>;

export interface TestComparison {
  readonly lost: readonly LostTest[];
  /** Tests whose code is the same under a different name, or in a different file. */
  readonly moved: readonly { readonly from: LocatedTest; readonly to: LocatedTest }[];
  /** Tests under the same name whose code changed. */
  readonly edited: readonly { readonly from: LocatedTest; readonly to: LocatedTest }[];
}

/**
 * A moved or renamed test is kept. A new mark counts as a loss, and so does a test that would be the only one to run.
 */
export function compareTestFiles(
  before: readonly ScannedTestFile[],
  after: readonly ScannedTestFile[],
): TestComparison {
  const now = new Set(locateTestCases(after));
  const found = locateTestCases(before).map((from) => ({ from, to: undefined as LocatedTest | undefined }));
  for (const isSame of TEST_MATCHERS)
    for (const pair of found.filter(({ to }) => to === undefined)) {
      pair.to = [...now].find((test) => isSame(pair.from, test));
      if (pair.to) now.delete(pair.to);
    }
  const lost = found.flatMap(({ from, to }): LostTest[] => {
    const { path, name, line, mark } = from;
    if (to === undefined) return [{ path, name, line, how: "removed" }];
    return to.mark === undefined || to.mark === mark ? [] : [{ path: to.path, name, line: to.line, how: to.mark }];
  });
  const lone = [...now].filter(({ mark }) => mark === "only");
  return {
    lost: [...lost, ...lone.map(({ path, name, line }): LostTest => ({ path, name, line, how: "only" }))],
    moved: found.flatMap(({ from, to }) =>
      to !== undefined && hasSameBody(from, to) && !isSameTestCase(from, to) ? [{ from, to }] : [],
    ),
    edited: found.flatMap(({ from, to }) => (to !== undefined && !hasSameBody(from, to) ? [{ from, to }] : [])),
  };
}

const isSameTestCase = (one: LocatedTest, other: LocatedTest): boolean =>
  one.name === other.name && one.path === other.path;
const hasSameBody = (one: LocatedTest, other: LocatedTest): boolean =>
  one.body !== undefined && one.body === other.body;
/** The surest match comes first. */
const TEST_MATCHERS = [isSameTestCase, (one: LocatedTest, { name }: LocatedTest) => one.name === name, hasSameBody];

const locateTestCases = (files: readonly ScannedTestFile[]): LocatedTest[] =>
  files.flatMap(({ path, look, text }) =>
    (look ? findTestCases(look) : []).map((test) => ({ path, ...test, body: readTestBody(test, text) })),
  );

function readTestBody({ name, line, lastLine }: TestCase, text: string | undefined): string | undefined {
  const own = name.split(" > ").at(-1) ?? "";
  return text
    ?.split("\n")
    .slice(line - 1, lastLine)
    .join("\n")
    .replace(own, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** The name includes the suites: `login > rejects a wrong password`. A mark is `.skip`, `#[ignore]` or `t.Skip`. */
export type TestCase = Readonly<{ name: string; line: number; lastLine: number; mark?: TestMark }>;

type TestMark = "skipped" | "only" | "expected-to-fail";

type TestPart = ScanSpan & Readonly<{ isSuite?: boolean; mark?: TestMark | undefined }>;

/** The last part is the test, the others are the suites around it. The first mark counts. */
function createTestCase(parts: readonly TestPart[], mark?: TestMark): TestCase {
  const { line = 0, lastLine = 0 } = parts.at(-1) ?? {};
  const found = parts.map((part) => part.mark).find((each) => each !== undefined) ?? mark;
  const name = parts.map(({ text }) => text).join(" > ");
  return { name, line, lastLine, ...(found === undefined ? {} : { mark: found }) };
}

const markSkipped = (isSkipped: boolean): TestMark | undefined => (isSkipped ? "skipped" : undefined);

/** The innermost parts around calls that match and are always run. */
function findSkippedParts<Part extends ScanSpan>(look: CodeScan, call: RegExp, parts: readonly Part[]): Set<Part> {
  const calls = look.calls.filter(({ text, isConditional }) => call.test(text) && !isConditional);
  return new Set(findInnermostSpans(calls, parts).values());
}

/** Calls whose function matches and whose first argument is a string, under the name in that string. */
const listNamedCalls = (look: CodeScan, call: RegExp): TestPart[] =>
  look.calls.flatMap((each) => {
    const name = call.test(each.text) ? parseStringLiteral(each.argument) : undefined;
    return name === undefined ? [] : [{ ...each, text: name }];
  });

const sortByStart = <Part extends ScanSpan>(parts: readonly Part[]): Part[] =>
  parts.toSorted((one, other) => one.start - other.start);

const listTestsInSuites = (parts: readonly TestPart[]): TestPart[][] =>
  pairEnclosingSpans(parts).flatMap(({ one, around }) =>
    one.isSuite ? [] : [[...around.filter(({ isSuite }) => isSuite), one]],
  );

function parseStringLiteral(code: string | undefined): string | undefined {
  const match = /^(["'`])([\s\S]*)\1$/.exec(code ?? "");
  if (match === null) return undefined;
  const [, quote, inner = ""] = match;
  return quote === "`" ? inner : inner.replace(/\\(.)/g, "$1");
}

const CPP_TEST_CALL = /^(?:TEST_CASE|SCENARIO|SECTION|SUBCASE|GIVEN|WHEN|THEN)$/;

/** GoogleTest and Boost cases by macro; Catch2 and doctest cases by call, with their sections. */
function findCppTests(look: CodeScan): TestCase[] {
  const macros = look.definitions.filter(({ marks }) => marks.some((mark) => /TEST/.test(mark)));
  const parts = sortByStart([...macros, ...listNamedCalls(look, CPP_TEST_CALL)]);
  const skipped = findSkippedParts(look, /^(?:GTEST_SKIP|SKIP)$/, parts);
  return pairEnclosingSpans(parts).map(({ one, around }) => {
    const all = [...around, one];
    const isSkipped = all.some((each) => skipped.has(each) || /(?:^|\.)DISABLED_/.test(each.text));
    return createTestCase(all, markSkipped(isSkipped));
  });
}

function findGoTests(look: CodeScan): TestCase[] {
  const isLeftOut = look.comments.some(({ text }) => /^\/\/(?:go:build|\s*\+build)\s+ignore\b/.test(text));
  const functions = look.definitions.filter(({ kind }) => kind === "function");
  const named = sortByStart<TestPart>([...functions, ...listNamedCalls(look, /^\w+\.Run$/)]);
  const skipped = findSkippedParts(look, /^\w+\.Skip(?:f|Now)?$/, named);
  return pairEnclosingSpans(named).flatMap(({ one, around }) => {
    const all = [...around, one];
    if (!/^(?:Test|Fuzz|Example)(?![a-z])/.test(all[0]?.text ?? "")) return [];
    return [createTestCase(all, markSkipped(isLeftOut || all.some((each) => skipped.has(each))))];
  });
}

const JS_TEST_CALL =
  /^(?:(?:t|tap)\.(?=test))?(x|f)?(describe|suite|context|it|test|specify)((?:\.\w+(?:\((?:true|false)?\))?)*)$/;
/** `it.each` alone only creates the function that takes the name. */
const JS_TEST_MODIFIERS =
  /^(?:\.(?:skip|only|todo|fails|failing|fixme|concurrent|sequential|parallel|serial|shuffle|describe)|\.(?:each|for|skipIf|runIf)\((?:true|false)?\))*$/;

/** Covers vitest, jest, mocha, AVA, tap, Playwright and Node's test runner. */
function findJavascriptTests(look: CodeScan): TestCase[] {
  const declared = look.calls.flatMap(readJsTestDeclaration);
  const skips = look.calls.filter(
    (call) => JS_SKIP_CALL.test(call.text) && !call.isConditional && readJsTestDeclaration(call).length === 0,
  );
  const skipped = new Set(findInnermostSpans(skips, declared).values());
  return listTestsInSuites(declared).map((parts) =>
    createTestCase(parts, markSkipped(parts.slice(-1).some((one) => skipped.has(one)))),
  );
}

/** Calls inside a test: `t.skip()`, `ctx.skip()`, Playwright's `test.skip()`. */
const JS_SKIP_CALL = /^(?:t|ctx|context|task|this|test)\.(?:skip|todo|fixme)$/;

function readJsTestDeclaration(call: ScannedCall): TestPart[] {
  const match = JS_TEST_CALL.exec(call.text);
  if (match === null || call.argument === undefined) return [];
  const [, letter = "", word = "", ways = ""] = match;
  const text = parseStringLiteral(call.argument);
  // `t` may also be a regular expression.
  if (text === undefined && /^t(?:ap)?\./.test(call.text)) return [];
  const name = text ?? call.argument;
  // `test.skip(true)` inside a test does not declare a test.
  if (!JS_TEST_MODIFIERS.test(ways) || /^(?:true|false)$/.test(name)) return [];
  const isSuite = /^(?:describe|suite|context)$/.test(word) || ways.includes(".describe");
  return [{ ...call, text: name, isSuite, mark: readJsTestMark(letter, ways, call.options ?? "") }];
}

function readJsTestMark(letter: string, ways: string, options: string): TestMark | undefined {
  if (letter === "x" || /\.(?:skip\b|todo\b|fixme\b|skipIf\(true\)|runIf\(false\))/.test(ways)) return "skipped";
  if (/\b(?:skip|todo)["']?\s*:\s*(?!\s|false\b|undefined\b|null\b)/.test(options)) return "skipped";
  if (letter === "f" || /\.only\b/.test(ways) || /\bonly["']?\s*:\s*true\b/.test(options)) return "only";
  return /\.(?:fails|failing)\b/.test(ways) || /\bfails["']?\s*:\s*true\b/.test(options)
    ? "expected-to-fail"
    : undefined;
}

/** `@Test`, `@org.junit.Test`, `@ParameterizedTest`; `@Disabled`, `@Ignore`, TestNG's `enabled = false`. */
const JAVA_TEST_ANNOTATIONS = {
  test: /^@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property)\b/,
  skipped: /^@(?:\w+\.)*(?:Disabled|Ignore)\b|^@(?:\w+\.)*Test\([^)]*\benabled\s*=\s*false\b/,
};

/** xUnit, NUnit and MSTest: `[Fact]`, `[Theory, Trait("a", "b")]`, `[Test]`, `[TestMethod]`. */
const CSHARP_TEST_ANNOTATIONS = {
  test: /(?:^\[|,)\s*(?:\w+\.)*(?:Fact|Theory|Test|TestCase|TestCaseSource|TestMethod|DataTestMethod)(?:Attribute)?\s*(?=[\],(])/,
  skipped: /\bSkip\s*=|(?:^\[|,)\s*(?:\w+\.)*(?:Ignore|Explicit)(?:Attribute)?\s*(?=[\],(])/,
};

function findAnnotatedTests(look: CodeScan, { test, skipped }: Record<"test" | "skipped", RegExp>): TestCase[] {
  return pairEnclosingSpans(look.definitions).flatMap(({ one, around }) => {
    if (one.kind !== "function" || !one.marks.some((mark) => test.test(mark))) return [];
    const all = [...around.filter(({ kind }) => kind === "class"), one];
    return [createTestCase(all, markSkipped(all.some(({ marks }) => marks.some((mark) => skipped.test(mark)))))];
  });
}

const PHP_SKIP_CALL = /^(?:\$this->|self::|static::)markTest(?:Skipped|Incomplete)$/;

/** PHPUnit cases by name, attribute or doc comment, and Pest cases by call. */
function findPhpTests(look: CodeScan): TestCase[] {
  const docs = new Set(look.comments.filter(({ text }) => /@test\b/.test(text)).map(({ lastLine }) => lastLine + 1));
  const skipped = findSkippedParts(look, PHP_SKIP_CALL, look.definitions);
  const methods = pairEnclosingSpans(look.definitions).flatMap(({ one, around }) => {
    const owner = around.findLast(({ kind }) => kind === "class");
    if (one.kind !== "function" || owner === undefined) return [];
    const isTest =
      (one.text.startsWith("test") && /(?:Test|TestCase)$/.test(owner.text)) ||
      one.marks.some((mark) => /^#\[(?:.*[\\,\s])?Test\b/.test(mark)) ||
      docs.has(one.line);
    return isTest ? [createTestCase([owner, one], markSkipped(skipped.has(one)))] : [];
  });
  // `it('adds', …)->skip()`: a chained call starts at the same offset as its test.
  const marks = new Map<number, TestMark>();
  for (const { text, start } of look.calls)
    if (/->(?:skip|todo|only)$/.test(text)) marks.set(start, text.endsWith("->only") ? "only" : "skipped");
  const parts = [
    ...listNamedCalls(look, /^(?:it|test)$/),
    ...listNamedCalls(look, /^describe$/).map((part) => ({ ...part, isSuite: true })),
  ].map((part) => ({ ...part, mark: marks.get(part.start) }));
  const cases = listTestsInSuites(sortByStart(parts)).map((all) => createTestCase(all));
  return [...methods, ...cases].toSorted((one, other) => one.line - other.line);
}

/** Also inside the code: `pytestmark = pytest.mark.skip`, `__test__ = False`, an unconditional `pytest.skip()`. */
function findPytestCases(look: CodeScan): TestCase[] {
  const assigned = look.signs.flatMap((sign) => {
    const isOff = /^__test__\s*=\s*False/.test(sign.text);
    const own = sign.text.startsWith("pytestmark") ? readPythonMark([sign.text]) : undefined;
    const mark = isOff ? "skipped" : own;
    return sign.kind !== "assignment" || mark === undefined ? [] : [{ ...sign, mark }];
  });
  const called = look.calls.flatMap((call) => {
    const mark = call.isConditional ? undefined : PYTHON_MARK_CALLS[call.text];
    return mark === undefined ? [] : [{ ...call, mark }];
  });
  const inner = sortByStart<ScanSpan & { mark: TestMark }>([...assigned, ...called]);
  const where = findInnermostSpans(inner, look.definitions);
  const innerMarks = new Map([...where].map(([said, definition]) => [definition, said.mark]));
  const moduleMark = inner.find((said) => !where.has(said))?.mark;
  return pairEnclosingSpans(look.definitions).flatMap(({ one, around }) => {
    if (one.kind !== "function" || !one.text.startsWith("test")) return [];
    if (!around.every(({ kind, text }) => kind === "class" && PYTHON_SUITE_NAME.test(text))) return [];
    const marks = [one, ...around].flatMap((each) => [readPythonMark(each.marks), innerMarks.get(each)]);
    return [
      createTestCase(
        [...around, one],
        [...marks, moduleMark].find((each) => each !== undefined),
      ),
    ];
  });
}

const PYTHON_SUITE_NAME = /^Test|(?:Tests?|TestCase|Case|Spec)$/;

const PYTHON_SKIP_MARK =
  /(?:^@|\bmark\.|\bunittest\.)skip\b|\b(?:skipif|skipIf)\(\s*(?:True|1)\b|\bskipUnless\(\s*(?:False|0)\b/;
const PYTHON_XFAIL_MARK = /\b(?:mark\.xfail|expectedFailure)\b/;

function readPythonMark(marks: readonly string[]): TestMark | undefined {
  if (marks.some((mark) => PYTHON_SKIP_MARK.test(mark))) return "skipped";
  return marks.some((mark) => PYTHON_XFAIL_MARK.test(mark)) ? "expected-to-fail" : undefined;
}

const PYTHON_MARK_CALLS: Readonly<Partial<Record<string, TestMark>>> = {
  "pytest.skip": "skipped",
  "self.skipTest": "skipped",
  "pytest.xfail": "expected-to-fail",
};

const RUBY_TEST_CALL = /^(?:RSpec\.)?([xf]?)(describe|context|feature|it|specify|example|scenario|test|should)$/;

const RUBY_SUITE_NAME = /(?:Test|TestCase|Spec)$|^Test/;

function findRubyTests(look: CodeScan): TestCase[] {
  const calls = look.calls.flatMap((call): TestPart[] => {
    const [, letter, word = ""] = RUBY_TEST_CALL.exec(call.text) ?? [];
    const isSuite = /^(?:describe|context|feature)$/.test(word);
    const text = parseStringLiteral(call.argument) ?? (isSuite ? call.argument : undefined);
    if (letter === undefined || text === undefined) return [];
    return [{ ...call, text, isSuite, mark: letter === "x" ? "skipped" : letter === "f" ? "only" : undefined }];
  });
  const methods = pairEnclosingSpans(look.definitions).flatMap(({ one, around }): TestPart[] => {
    const isSuite = one.kind === "class" && RUBY_SUITE_NAME.test(one.text);
    const owner = around.findLast(({ kind }) => kind === "class");
    const isCase = one.kind === "function" && one.text.startsWith("test_") && RUBY_SUITE_NAME.test(owner?.text ?? "");
    return isSuite || isCase ? [{ ...one, isSuite }] : [];
  });
  const parts = sortByStart([...calls, ...methods]);
  const skipped = findSkippedParts(look, /^(?:skip|pending)$/, parts);
  return listTestsInSuites(parts).map((all) =>
    createTestCase(all.map((part) => ({ ...part, mark: part.mark ?? markSkipped(skipped.has(part)) }))),
  );
}

function findRustTests(look: CodeScan): TestCase[] {
  return pairEnclosingSpans(look.definitions).flatMap(({ one, around }) => {
    if (one.kind !== "function" || !one.marks.some(isRustTest)) return [];
    const all = [...around.filter(({ kind }) => kind === "module"), one];
    const isSkipped = all.some(({ marks }) => marks.some((mark) => RUST_DISABLED_MARK.test(mark)));
    return [createTestCase(all, markSkipped(isSkipped))];
  });
}

/** Ignored, or not compiled for tests. */
const RUST_DISABLED_MARK = /^#\[ignore\b|^#!?\[cfg\((?:any\(\)|not\(test\)|false)\)\]/;
