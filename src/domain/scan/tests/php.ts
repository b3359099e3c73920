import type { ScannedCall, ScannedDefinition, CodeScan, ScanSpan } from "../look.ts";
import { findInnermostSpans, pairEnclosingSpans } from "../nesting.ts";
import { parseStringLiteral, type TestMark, createTestCase, type TestCase } from "./test-case.ts";

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
