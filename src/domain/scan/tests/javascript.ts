import type { Call, Look } from "../look.ts";
import { innermost, nested } from "../nesting.ts";
import { literal, type Mark, testCase, type TestCase } from "./test-case.ts";

const WORD = /^(x|f)?(describe|suite|context|it|test|specify)((?:\.\w+(?:\((?:true|false)?\))?)*)$/;
/** `it.each` alone only creates the function that takes the name. */
const WAYS =
  /^(?:\.(?:skip|only|todo|fails|failing|fixme|concurrent|sequential|parallel|serial|shuffle|describe)|\.(?:each|for|skipIf|runIf)\((?:true|false)?\))*$/;

interface Declared extends Call {
  readonly name: string;
  readonly isSuite: boolean;
  readonly mark: Mark | undefined;
}

/** Covers vitest, jest, mocha, Playwright and Node's test runner. */
export function javascriptTests(look: Look): TestCase[] {
  const declared = look.calls.flatMap(declaration);
  const skips = look.calls.filter((call) => SKIPS.test(call.text) && !call.isConditional && !isDeclared(call));
  const skipped = new Set(innermost(skips, declared).values());
  return nested(declared).flatMap(({ one, around }) => {
    if (one.isSuite) return [];
    const suites = around.filter(({ isSuite }) => isSuite);
    const mark = [...suites, one].map((each) => each.mark).find((each) => each !== undefined);
    const names = [...suites, one].map(({ name }) => name);
    return [testCase(names, one, mark ?? (skipped.has(one) ? "skipped" : undefined))];
  });
}

/** Calls inside a test: `t.skip()`, `ctx.skip()`, Playwright's `test.skip()`. */
const SKIPS = /^(?:t|ctx|context|task|this|test)\.(?:skip|todo|fixme)$/;
const isDeclared = (call: Call): boolean => declaration(call).length > 0;

function declaration(call: Call): Declared[] {
  const match = WORD.exec(call.text);
  if (match === null || call.argument === undefined) return [];
  const [, letter = "", word = "", ways = ""] = match;
  const name = literal(call.argument) ?? call.argument;
  // `test.skip(true)` inside a test does not declare a test.
  if (!WAYS.test(ways) || /^(?:true|false)$/.test(name)) return [];
  const isSuite = /^(?:describe|suite|context)$/.test(word) || ways.includes(".describe");
  return [{ ...call, name, isSuite, mark: markOf(letter, ways, call.options ?? "") }];
}

function markOf(letter: string, ways: string, options: string): Mark | undefined {
  if (letter === "x" || /\.(?:skip\b|todo\b|fixme\b|skipIf\(true\)|runIf\(false\))/.test(ways)) return "skipped";
  if (/\b(?:skip|todo)["']?\s*:\s*(?!\s|false\b|undefined\b|null\b)/.test(options)) return "skipped";
  if (letter === "f" || /\.only\b/.test(ways) || /\bonly["']?\s*:\s*true\b/.test(options)) return "only";
  return /\.(?:fails|failing)\b/.test(ways) || /\bfails["']?\s*:\s*true\b/.test(options)
    ? "expected-to-fail"
    : undefined;
}
