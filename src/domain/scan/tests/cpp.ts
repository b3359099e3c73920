import type { CodeScan, ScanSpan } from "../look.ts";
import { findInnermostSpans, pairEnclosingSpans } from "../nesting.ts";
import { parseStringLiteral, createTestCase, type TestCase } from "./test-case.ts";

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
