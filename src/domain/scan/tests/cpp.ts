import type { Look, Span } from "../look.ts";
import { innermost, nested } from "../nesting.ts";
import { literal, testCase, type TestCase } from "./test-case.ts";

/** GoogleTest and Boost cases by macro; Catch2 and doctest cases by call, with their sections. */
export function cppTests(look: Look): TestCase[] {
  const parts = [...macros(look), ...worded(look)].toSorted((one, other) => one.start - other.start);
  const skips = look.calls.filter(({ text, isConditional }) => /^(?:GTEST_SKIP|SKIP)$/.test(text) && !isConditional);
  const skipped = new Set(innermost(skips, parts).values());
  return nested(parts).map(({ one, around }) => {
    const all = [...around, one];
    const isSkipped = all.some((each) => skipped.has(each) || /(?:^|\.)DISABLED_/.test(each.text));
    const names = all.map(({ text }) => text);
    return testCase(names, one, isSkipped ? "skipped" : undefined);
  });
}

export const cTests = (look: Look): TestCase[] =>
  look.definitions
    .filter(({ kind, text }) => kind === "function" && /^test_\w/.test(text))
    .map((one) => testCase([one.text], one, undefined));

const macros = (look: Look): Span[] => look.definitions.filter(({ marks }) => marks.some((mark) => /TEST/.test(mark)));

const WORDS = /^(?:TEST_CASE|SCENARIO|SECTION|SUBCASE|GIVEN|WHEN|THEN)$/;

function worded(look: Look): Span[] {
  return look.calls.flatMap((call) => {
    const name = WORDS.test(call.text) ? literal(call.argument) : undefined;
    return name === undefined ? [] : [{ ...call, text: name }];
  });
}
