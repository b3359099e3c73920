import type { ScannedCall, CodeScan } from "../look.ts";
import { findInnermostSpans, pairEnclosingSpans } from "../nesting.ts";
import { parseStringLiteral, type TestMark, createTestCase, type TestCase } from "./test-case.ts";

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
