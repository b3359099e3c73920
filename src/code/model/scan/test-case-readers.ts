import {
  type CodeScan,
  type ScanSpan,
  findInnermostSpans,
  pairEnclosingSpans,
  type ScannedCall,
  type ScannedDefinition,
} from "./code-scan.ts";
import { isRustTest } from "./test-files.ts";

export interface TestCase {
  /** Includes the suites around it: `login > rejects a wrong password`. A computed name stays as written. */
  readonly name: string;
  readonly line: number;
  readonly lastLine: number;
  /** `.skip`, `@pytest.mark.skip`, `#[ignore]`, `t.Skip`; `.only` keeps others from running. */
  readonly mark?: TestMark;
}

export type TestMark = "skipped" | "only" | "expected-to-fail";

const SUITE_SEPARATOR = " > ";

/** A suite or test with its name in `text`. */
interface TestPart extends ScanSpan {
  readonly isSuite?: boolean;
  readonly mark?: TestMark | undefined;
}

/** The last part is the test, the others are the suites around it. The first mark counts. */
function createTestCase(parts: readonly TestPart[], mark?: TestMark): TestCase {
  const { line = 0, lastLine = 0 } = parts.at(-1) ?? {};
  const found = parts.map((part) => part.mark).find((each) => each !== undefined) ?? mark;
  const name = parts.map(({ text }) => text).join(SUITE_SEPARATOR);
  return { name, line, lastLine, ...(found === undefined ? {} : { mark: found }) };
}

const markSkipped = (isSkipped: boolean): TestMark | undefined => (isSkipped ? "skipped" : undefined);

/** The innermost parts around calls that match and are always run. */
const findSkippedParts = <Part extends ScanSpan>(look: CodeScan, call: RegExp, parts: readonly Part[]): Set<Part> =>
  new Set(
    findInnermostSpans(
      look.calls.filter(({ text, isConditional }) => call.test(text) && !isConditional),
      parts,
    ).values(),
  );

/** Calls whose function matches and whose first argument is a string, under the name in that string. */
const listNamedCalls = (look: CodeScan, call: RegExp): TestPart[] =>
  look.calls.flatMap((each) => {
    const name = call.test(each.text) ? parseStringLiteral(each.argument) : undefined;
    return name === undefined ? [] : [{ ...each, text: name }];
  });

const sortByStart = <Part extends ScanSpan>(parts: readonly Part[]): Part[] =>
  parts.toSorted((one, other) => one.start - other.start);

/** The tests among the parts, each with the suites around it. */
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
export function findCppTests(look: CodeScan): TestCase[] {
  const macros = look.definitions.filter(({ marks }) => marks.some((mark) => /TEST/.test(mark)));
  const parts = sortByStart([...macros, ...listNamedCalls(look, CPP_TEST_CALL)]);
  const skipped = findSkippedParts(look, /^(?:GTEST_SKIP|SKIP)$/, parts);
  return pairEnclosingSpans(parts).map(({ one, around }) => {
    const all = [...around, one];
    const isSkipped = all.some((each) => skipped.has(each) || /(?:^|\.)DISABLED_/.test(each.text));
    return createTestCase(all, markSkipped(isSkipped));
  });
}

export const findCTests = (look: CodeScan): TestCase[] =>
  look.definitions
    .filter(({ kind, text }) => kind === "function" && /^test_\w/.test(text))
    .map((one) => createTestCase([one]));

export function findGoTests(look: CodeScan): TestCase[] {
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

const JS_TEST_CALL = /^(x|f)?(describe|suite|context|it|test|specify)((?:\.\w+(?:\((?:true|false)?\))?)*)$/;
/** `it.each` alone only creates the function that takes the name. */
const JS_TEST_MODIFIERS =
  /^(?:\.(?:skip|only|todo|fails|failing|fixme|concurrent|sequential|parallel|serial|shuffle|describe)|\.(?:each|for|skipIf|runIf)\((?:true|false)?\))*$/;

/** Covers vitest, jest, mocha, Playwright and Node's test runner. */
export function findJavascriptTests(look: CodeScan): TestCase[] {
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
  const name = parseStringLiteral(call.argument) ?? call.argument;
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

interface TestAnnotations {
  readonly test: RegExp;
  readonly skipped: RegExp;
}

/** `@Test`, `@org.junit.Test`, `@ParameterizedTest`; `@Disabled`, `@Ignore`, TestNG's `enabled = false`. */
const JAVA_TEST_ANNOTATIONS: TestAnnotations = {
  test: /^@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property)\b/,
  skipped: /^@(?:\w+\.)*(?:Disabled|Ignore)\b|^@(?:\w+\.)*Test\([^)]*\benabled\s*=\s*false\b/,
};

/** xUnit, NUnit and MSTest: `[Fact]`, `[Theory, Trait("a", "b")]`, `[Test]`, `[TestMethod]`. */
const CSHARP_TEST_ANNOTATIONS: TestAnnotations = {
  test: /(?:^\[|,)\s*(?:\w+\.)*(?:Fact|Theory|Test|TestCase|TestCaseSource|TestMethod|DataTestMethod)(?:Attribute)?\s*(?=[\],(])/,
  skipped: /\bSkip\s*=|(?:^\[|,)\s*(?:\w+\.)*(?:Ignore|Explicit)(?:Attribute)?\s*(?=[\],(])/,
};

export const findJavaTests = (look: CodeScan): TestCase[] => findAnnotatedTests(look, JAVA_TEST_ANNOTATIONS);
export const findCsharpTests = (look: CodeScan): TestCase[] => findAnnotatedTests(look, CSHARP_TEST_ANNOTATIONS);

function findAnnotatedTests(look: CodeScan, { test, skipped }: TestAnnotations): TestCase[] {
  return pairEnclosingSpans(look.definitions).flatMap(({ one, around }) => {
    if (one.kind !== "function" || !one.marks.some((mark) => test.test(mark))) return [];
    const all = [...around.filter(({ kind }) => kind === "class"), one];
    return [createTestCase(all, markSkipped(all.some(({ marks }) => marks.some((mark) => skipped.test(mark)))))];
  });
}

/** PHPUnit cases by name, attribute or doc comment, and Pest cases by call. */
export function findPhpTests(look: CodeScan): TestCase[] {
  return [...findPhpTestMethods(look), ...findPestTests(look)].toSorted((one, other) => one.line - other.line);
}

const PHP_SKIP_CALL = /^(?:\$this->|self::|static::)markTest(?:Skipped|Incomplete)$/;

function findPhpTestMethods(look: CodeScan): TestCase[] {
  const docs = new Set(look.comments.filter(({ text }) => /@test\b/.test(text)).map(({ lastLine }) => lastLine + 1));
  const skipped = findSkippedParts(look, PHP_SKIP_CALL, look.definitions);
  return pairEnclosingSpans(look.definitions).flatMap(({ one, around }) => {
    const owner = around.findLast(({ kind }) => kind === "class");
    if (one.kind !== "function" || owner === undefined || !isPhpTestMethod(one, owner, docs)) return [];
    return [createTestCase([owner, one], markSkipped(skipped.has(one)))];
  });
}

const isPhpTestMethod = (
  { text, marks, line }: ScannedDefinition,
  owner: ScannedDefinition,
  docs: ReadonlySet<number>,
): boolean =>
  (text.startsWith("test") && /(?:Test|TestCase)$/.test(owner.text)) ||
  marks.some((mark) => /^#\[(?:.*[\\,\s])?Test\b/.test(mark)) ||
  docs.has(line);

/** `it('adds', …)->skip()`: a chained call starts at the same offset as its test. */
function findPestTests(look: CodeScan): TestCase[] {
  const marks = new Map(look.calls.flatMap(({ text, start }) => readPestMark(text).map((mark) => [start, mark])));
  const parts = [
    ...listNamedCalls(look, /^(?:it|test)$/),
    ...listNamedCalls(look, /^describe$/).map((part) => ({ ...part, isSuite: true })),
  ].map((part) => ({ ...part, mark: marks.get(part.start) }));
  return listTestsInSuites(sortByStart(parts)).map((all) => createTestCase(all));
}

const readPestMark = (text: string): TestMark[] =>
  /->(?:skip|todo)$/.test(text) ? ["skipped"] : text.endsWith("->only") ? ["only"] : [];

export function findPytestCases(look: CodeScan): TestCase[] {
  const { ofModule, of } = findInnerPythonMarks(look);
  return pairEnclosingSpans(look.definitions).flatMap(({ one, around }) => {
    if (one.kind !== "function" || !one.text.startsWith("test")) return [];
    if (!around.every(({ kind, text }) => kind === "class" && PYTHON_SUITE_NAME.test(text))) return [];
    const marks = [one, ...around].flatMap((each) => [readPythonMark(each.marks), of.get(each)]);
    const mark = [...marks, ofModule].find((each) => each !== undefined);
    return [createTestCase([...around, one], mark)];
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

/**
 * Marks inside the code: `pytestmark = pytest.mark.skip`, `__test__ = False`, or an unconditional `pytest.skip()`, for
 * a function, a class or the module.
 */
function findInnerPythonMarks(look: CodeScan) {
  const telling = [
    ...look.signs.flatMap((sign) => {
      const mark = sign.kind === "assignment" ? readAssignedPythonMark(sign.text) : undefined;
      return mark === undefined ? [] : [{ ...sign, mark }];
    }),
    ...look.calls.flatMap((call) => {
      const mark = call.isConditional ? undefined : PYTHON_MARK_CALLS[call.text];
      return mark === undefined ? [] : [{ ...call, mark }];
    }),
  ].toSorted((one, other) => one.start - other.start);
  const where = findInnermostSpans(telling, look.definitions);
  const of = new Map([...where].map(([said, definition]) => [definition, said.mark]));
  return { ofModule: telling.find((said) => !where.has(said))?.mark, of };
}

const PYTHON_MARK_CALLS: Readonly<Partial<Record<string, TestMark>>> = {
  "pytest.skip": "skipped",
  "self.skipTest": "skipped",
  "pytest.xfail": "expected-to-fail",
};

const readAssignedPythonMark = (text: string): TestMark | undefined =>
  /^__test__\s*=\s*False/.test(text) ? "skipped" : text.startsWith("pytestmark") ? readPythonMark([text]) : undefined;

const RUBY_TEST_CALL = /^(?:RSpec\.)?([xf]?)(describe|context|feature|it|specify|example|scenario|test|should)$/;
const RUBY_SUITE_CALL = /^(?:describe|context|feature)$/;

export function findRubyTests(look: CodeScan): TestCase[] {
  const parts = sortByStart([...findRubyTestCalls(look), ...findRubyTestMethods(look)]);
  const skipped = findSkippedParts(look, /^(?:skip|pending)$/, parts);
  return listTestsInSuites(parts).map((all) =>
    createTestCase(all.map((part) => ({ ...part, mark: part.mark ?? markSkipped(skipped.has(part)) }))),
  );
}

function findRubyTestCalls(look: CodeScan): TestPart[] {
  return look.calls.flatMap((call): TestPart[] => {
    const [, letter, word = ""] = RUBY_TEST_CALL.exec(call.text) ?? [];
    const isSuite = RUBY_SUITE_CALL.test(word);
    const text = parseStringLiteral(call.argument) ?? (isSuite ? call.argument : undefined);
    if (letter === undefined || text === undefined) return [];
    return [{ ...call, text, isSuite, mark: letter === "x" ? "skipped" : letter === "f" ? "only" : undefined }];
  });
}

function findRubyTestMethods(look: CodeScan): TestPart[] {
  return pairEnclosingSpans(look.definitions).flatMap(({ one, around }): TestPart[] => {
    const isSuite = one.kind === "class" && RUBY_SUITE_NAME.test(one.text);
    const owner = around.findLast(({ kind }) => kind === "class");
    const isCase = one.kind === "function" && one.text.startsWith("test_") && RUBY_SUITE_NAME.test(owner?.text ?? "");
    return isSuite || isCase ? [{ ...one, isSuite }] : [];
  });
}

const RUBY_SUITE_NAME = /(?:Test|TestCase|Spec)$|^Test/;

export function findRustTests(look: CodeScan): TestCase[] {
  return pairEnclosingSpans(look.definitions).flatMap(({ one, around }) => {
    if (one.kind !== "function" || !one.marks.some(isRustTest)) return [];
    const all = [...around.filter(({ kind }) => kind === "module"), one];
    const isSkipped = all.some(({ marks }) => marks.some((mark) => RUST_DISABLED_MARK.test(mark)));
    return [createTestCase(all, markSkipped(isSkipped))];
  });
}

/** Ignored, or not compiled for tests. */
const RUST_DISABLED_MARK = /^#\[ignore\b|^#!?\[cfg\((?:any\(\)|not\(test\)|false)\)\]/;
