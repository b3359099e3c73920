import type { Call, Definition, Look, Span } from "../look.ts";
import { innermost, nested } from "../nesting.ts";
import { literal, type Mark, testCase, type TestCase } from "./test-case.ts";

/** PHPUnit cases by name, attribute or doc comment, and Pest cases by call. */
export function phpTests(look: Look): TestCase[] {
  return [...methods(look), ...declared(look)].toSorted((one, other) => one.line - other.line);
}

const SKIPS = /^(?:\$this->|self::|static::)markTest(?:Skipped|Incomplete)$/;

function methods(look: Look): TestCase[] {
  const docs = new Set(look.comments.filter(({ text }) => /@test\b/.test(text)).map(({ lastLine }) => lastLine + 1));
  const skips = look.calls.filter(({ text, isConditional }) => SKIPS.test(text) && !isConditional);
  const skipped = new Set(innermost(skips, look.definitions).values());
  return nested(look.definitions).flatMap(({ one, around }) => {
    const owner = around.findLast(({ kind }) => kind === "class");
    if (one.kind !== "function" || owner === undefined || !isTest(one, owner, docs)) return [];
    return [testCase([owner.text, one.text], one, skipped.has(one) ? "skipped" : undefined)];
  });
}

const isTest = ({ text, marks, line }: Definition, owner: Definition, docs: ReadonlySet<number>): boolean =>
  (text.startsWith("test") && /(?:Test|TestCase)$/.test(owner.text)) ||
  marks.some((mark) => /^#\[(?:.*[\\,\s])?Test\b/.test(mark)) ||
  docs.has(line);

interface Declared extends Span {
  readonly name: string;
  readonly isSuite: boolean;
}

/** `it('adds', …)->skip()`: a chained call starts at the same offset as its test. */
function declared(look: Look): TestCase[] {
  const parts = look.calls.flatMap((call: Call): Declared[] => {
    const name = /^(?:it|test|describe)$/.test(call.text) ? literal(call.argument) : undefined;
    return name === undefined ? [] : [{ ...call, name, isSuite: call.text === "describe" }];
  });
  const marks = new Map(look.calls.flatMap(({ text, start }) => markOf(text).map((mark) => [start, mark] as const)));
  return nested(parts).flatMap(({ one, around }) => {
    if (one.isSuite) return [];
    const all = [...around.filter(({ isSuite }) => isSuite), one];
    const mark = all.map(({ start }) => marks.get(start)).find((each) => each !== undefined);
    const names = all.map(({ name }) => name);
    return [testCase(names, one, mark)];
  });
}

const markOf = (text: string): Mark[] =>
  /->(?:skip|todo)$/.test(text) ? ["skipped"] : text.endsWith("->only") ? ["only"] : [];
