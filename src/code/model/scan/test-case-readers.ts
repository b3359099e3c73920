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

function createTestCase(
  names: readonly string[],
  { line, lastLine }: { readonly line: number; readonly lastLine: number },
  mark: TestMark | undefined,
): TestCase {
  return { name: names.join(SUITE_SEPARATOR), line, lastLine, ...(mark === undefined ? {} : { mark }) };
}

function parseStringLiteral(code: string | undefined): string | undefined {
  const match = /^(["'`])([\s\S]*)\1$/.exec(code ?? "");
  if (match === null) return undefined;
  const [, quote, inner = ""] = match;
  return quote === "`" ? inner : inner.replace(/\\(.)/g, "$1");
}

/** GoogleTest and Boost cases by macro; Catch2 and doctest cases by call, with their sections. */
export function findCppTests(look: CodeScan): TestCase[] {
  const parts = [...findMacroTests(look), ...findCppTestCalls(look)].toSorted((one, other) => one.start - other.start);
  const skips = look.calls.filter(({ text, isConditional }) => /^(?:GTEST_SKIP|SKIP)$/.test(text) && !isConditional);
  const skipped = new Set(findInnermostSpans(skips, parts).values());
  return pairEnclosingSpans(parts).map(({ one, around }) => {
    const all = [...around, one];
    const isSkipped = all.some((each) => skipped.has(each) || /(?:^|\.)DISABLED_/.test(each.text));
    const names = all.map(({ text }) => text);
    return createTestCase(names, one, isSkipped ? "skipped" : undefined);
  });
}

export const findCTests = (look: CodeScan): TestCase[] =>
  look.definitions
    .filter(({ kind, text }) => kind === "function" && /^test_\w/.test(text))
    .map((one) => createTestCase([one.text], one, undefined));

const findMacroTests = (look: CodeScan): ScanSpan[] =>
  look.definitions.filter(({ marks }) => marks.some((mark) => /TEST/.test(mark)));

const CPP_TEST_CALL = /^(?:TEST_CASE|SCENARIO|SECTION|SUBCASE|GIVEN|WHEN|THEN)$/;

function findCppTestCalls(look: CodeScan): ScanSpan[] {
  return look.calls.flatMap((call) => {
    const name = CPP_TEST_CALL.test(call.text) ? parseStringLiteral(call.argument) : undefined;
    return name === undefined ? [] : [{ ...call, text: name }];
  });
}

export function findGoTests(look: CodeScan): TestCase[] {
  const isLeftOut = look.comments.some(({ text }) => /^\/\/(?:go:build|\s*\+build)\s+ignore\b/.test(text));
  const skips = look.calls.filter(({ text, isConditional }) => /^\w+\.Skip(?:f|Now)?$/.test(text) && !isConditional);
  const named = [...listGoFunctions(look), ...listGoSubtests(look)].toSorted((one, other) => one.start - other.start);
  const skipped = new Set(findInnermostSpans(skips, named).values());
  return pairEnclosingSpans(named).flatMap(({ one, around }) => {
    const all = [...around, one];
    if (!/^(?:Test|Fuzz|Example)(?![a-z])/.test(all[0]?.text ?? "")) return [];
    const isSkipped = isLeftOut || all.some((each) => skipped.has(each));
    return [
      createTestCase(
        all.map(({ text }) => text),
        one,
        isSkipped ? "skipped" : undefined,
      ),
    ];
  });
}

const listGoFunctions = (look: CodeScan): ScanSpan[] => look.definitions.filter(({ kind }) => kind === "function");

function listGoSubtests(look: CodeScan): ScanSpan[] {
  return look.calls.flatMap((call) => {
    const name = /^\w+\.Run$/.test(call.text) ? parseStringLiteral(call.argument) : undefined;
    return name === undefined ? [] : [{ ...call, text: name }];
  });
}

const JS_TEST_CALL = /^(x|f)?(describe|suite|context|it|test|specify)((?:\.\w+(?:\((?:true|false)?\))?)*)$/;
/** `it.each` alone only creates the function that takes the name. */
const JS_TEST_MODIFIERS =
  /^(?:\.(?:skip|only|todo|fails|failing|fixme|concurrent|sequential|parallel|serial|shuffle|describe)|\.(?:each|for|skipIf|runIf)\((?:true|false)?\))*$/;

interface DeclaredJsTest extends ScannedCall {
  readonly name: string;
  readonly isSuite: boolean;
  readonly mark: TestMark | undefined;
}

/** Covers vitest, jest, mocha, Playwright and Node's test runner. */
export function findJavascriptTests(look: CodeScan): TestCase[] {
  const declared = look.calls.flatMap(readJsTestDeclaration);
  const skips = look.calls.filter(
    (call) => JS_SKIP_CALL.test(call.text) && !call.isConditional && !isJsTestDeclaration(call),
  );
  const skipped = new Set(findInnermostSpans(skips, declared).values());
  return pairEnclosingSpans(declared).flatMap(({ one, around }) => {
    if (one.isSuite) return [];
    const suites = around.filter(({ isSuite }) => isSuite);
    const mark = [...suites, one].map((each) => each.mark).find((each) => each !== undefined);
    const names = [...suites, one].map(({ name }) => name);
    return [createTestCase(names, one, mark ?? (skipped.has(one) ? "skipped" : undefined))];
  });
}

/** Calls inside a test: `t.skip()`, `ctx.skip()`, Playwright's `test.skip()`. */
const JS_SKIP_CALL = /^(?:t|ctx|context|task|this|test)\.(?:skip|todo|fixme)$/;
const isJsTestDeclaration = (call: ScannedCall): boolean => readJsTestDeclaration(call).length > 0;

function readJsTestDeclaration(call: ScannedCall): DeclaredJsTest[] {
  const match = JS_TEST_CALL.exec(call.text);
  if (match === null || call.argument === undefined) return [];
  const [, letter = "", word = "", ways = ""] = match;
  const name = parseStringLiteral(call.argument) ?? call.argument;
  // `test.skip(true)` inside a test does not declare a test.
  if (!JS_TEST_MODIFIERS.test(ways) || /^(?:true|false)$/.test(name)) return [];
  const isSuite = /^(?:describe|suite|context)$/.test(word) || ways.includes(".describe");
  return [{ ...call, name, isSuite, mark: readJsTestMark(letter, ways, call.options ?? "") }];
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
    const isSkipped = all.some(({ marks }) => marks.some((mark) => skipped.test(mark)));
    const names = all.map(({ text }) => text);
    return [createTestCase(names, one, isSkipped ? "skipped" : undefined)];
  });
}

/** PHPUnit cases by name, attribute or doc comment, and Pest cases by call. */
export function findPhpTests(look: CodeScan): TestCase[] {
  return [...findPhpTestMethods(look), ...findPestTests(look)].toSorted((one, other) => one.line - other.line);
}

const PHP_SKIP_CALL = /^(?:\$this->|self::|static::)markTest(?:Skipped|Incomplete)$/;

function findPhpTestMethods(look: CodeScan): TestCase[] {
  const docs = new Set(look.comments.filter(({ text }) => /@test\b/.test(text)).map(({ lastLine }) => lastLine + 1));
  const skips = look.calls.filter(({ text, isConditional }) => PHP_SKIP_CALL.test(text) && !isConditional);
  const skipped = new Set(findInnermostSpans(skips, look.definitions).values());
  return pairEnclosingSpans(look.definitions).flatMap(({ one, around }) => {
    const owner = around.findLast(({ kind }) => kind === "class");
    if (one.kind !== "function" || owner === undefined || !isPhpTestMethod(one, owner, docs)) return [];
    return [createTestCase([owner.text, one.text], one, skipped.has(one) ? "skipped" : undefined)];
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

interface DeclaredPestTest extends ScanSpan {
  readonly name: string;
  readonly isSuite: boolean;
}

/** `it('adds', …)->skip()`: a chained call starts at the same offset as its test. */
function findPestTests(look: CodeScan): TestCase[] {
  const parts = look.calls.flatMap((call: ScannedCall): DeclaredPestTest[] => {
    const name = /^(?:it|test|describe)$/.test(call.text) ? parseStringLiteral(call.argument) : undefined;
    return name === undefined ? [] : [{ ...call, name, isSuite: call.text === "describe" }];
  });
  const marks = new Map(
    look.calls.flatMap(({ text, start }) => readPestMark(text).map((mark) => [start, mark] as const)),
  );
  return pairEnclosingSpans(parts).flatMap(({ one, around }) => {
    if (one.isSuite) return [];
    const all = [...around.filter(({ isSuite }) => isSuite), one];
    const mark = all.map(({ start }) => marks.get(start)).find((each) => each !== undefined);
    const names = all.map(({ name }) => name);
    return [createTestCase(names, one, mark)];
  });
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
    return [
      createTestCase(
        [...around, one].map(({ text }) => text),
        one,
        mark,
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

/**
 * Marks inside the code: `pytestmark = pytest.mark.skip`, `__test__ = False`, or an unconditional `pytest.skip()`, for
 * a function, a class or the module.
 */
function findInnerPythonMarks(look: CodeScan): {
  ofModule: TestMark | undefined;
  of: ReadonlyMap<ScannedDefinition, TestMark>;
} {
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

interface RubyTestPart extends ScanSpan {
  readonly name: string;
  readonly isSuite: boolean;
  readonly mark: TestMark | undefined;
}

export function findRubyTests(look: CodeScan): TestCase[] {
  const parts = [...findRubyTestCalls(look), ...findRubyTestMethods(look)].toSorted(
    (one, other) => one.start - other.start,
  );
  const skips = look.calls.filter(({ text, isConditional }) => /^(?:skip|pending)$/.test(text) && !isConditional);
  const skipped = new Set(findInnermostSpans(skips, parts).values());
  return pairEnclosingSpans(parts).flatMap(({ one, around }) => {
    if (one.isSuite) return [];
    const all = [...around.filter(({ isSuite }) => isSuite), one];
    const mark = all.map((each) => each.mark ?? (skipped.has(each) ? "skipped" : undefined)).find(Boolean);
    const names = all.map(({ name }) => name);
    return [createTestCase(names, one, mark)];
  });
}

function findRubyTestCalls(look: CodeScan): RubyTestPart[] {
  return look.calls.flatMap((call): RubyTestPart[] => {
    const [, letter, word = ""] = RUBY_TEST_CALL.exec(call.text) ?? [];
    const isSuite = RUBY_SUITE_CALL.test(word);
    const name = parseStringLiteral(call.argument) ?? (isSuite ? call.argument : undefined);
    if (letter === undefined || name === undefined) return [];
    return [{ ...call, name, isSuite, mark: letter === "x" ? "skipped" : letter === "f" ? "only" : undefined }];
  });
}

function findRubyTestMethods(look: CodeScan): RubyTestPart[] {
  return pairEnclosingSpans(look.definitions).flatMap(({ one, around }): RubyTestPart[] => {
    const isSuite = one.kind === "class" && RUBY_SUITE_NAME.test(one.text);
    const owner = around.findLast(({ kind }) => kind === "class");
    const isCase = one.kind === "function" && one.text.startsWith("test_") && RUBY_SUITE_NAME.test(owner?.text ?? "");
    return isSuite || isCase ? [{ ...one, name: one.text, isSuite, mark: undefined }] : [];
  });
}

const RUBY_SUITE_NAME = /(?:Test|TestCase|Spec)$|^Test/;

export function findRustTests(look: CodeScan): TestCase[] {
  return pairEnclosingSpans(look.definitions).flatMap(({ one, around }) => {
    if (one.kind !== "function" || !one.marks.some(isRustTest)) return [];
    const all = [...around.filter(({ kind }) => kind === "module"), one];
    const isSkipped = all.some(({ marks }) => marks.some((mark) => RUST_DISABLED_MARK.test(mark)));
    return [
      createTestCase(
        all.map(({ text }) => text),
        one,
        isSkipped ? "skipped" : undefined,
      ),
    ];
  });
}

/** Ignored, or not compiled for tests. */
const RUST_DISABLED_MARK = /^#\[ignore\b|^#!?\[cfg\((?:any\(\)|not\(test\)|false)\)\]/;
