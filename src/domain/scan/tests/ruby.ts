import type { CodeScan, ScanSpan } from "../look.ts";
import { findInnermostSpans, pairEnclosingSpans } from "../nesting.ts";
import { parseStringLiteral, type TestMark, createTestCase, type TestCase } from "./test-case.ts";

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
