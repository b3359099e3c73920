import type { Look } from "../look.ts";
import { nested } from "../nesting.ts";
import { testCase, type TestCase } from "./test-case.ts";

interface Marks {
  readonly test: RegExp;
  readonly skipped: RegExp;
}

/** `@Test`, `@org.junit.Test`, `@ParameterizedTest`; `@Disabled`, `@Ignore`, TestNG's `enabled = false`. */
const JAVA: Marks = {
  test: /^@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property)\b/,
  skipped: /^@(?:\w+\.)*(?:Disabled|Ignore)\b|^@(?:\w+\.)*Test\([^)]*\benabled\s*=\s*false\b/,
};

/** xUnit, NUnit and MSTest: `[Fact]`, `[Theory, Trait("a", "b")]`, `[Test]`, `[TestMethod]`. */
const CSHARP: Marks = {
  test: /(?:^\[|,)\s*(?:\w+\.)*(?:Fact|Theory|Test|TestCase|TestCaseSource|TestMethod|DataTestMethod)(?:Attribute)?\s*(?=[\],(])/,
  skipped: /\bSkip\s*=|(?:^\[|,)\s*(?:\w+\.)*(?:Ignore|Explicit)(?:Attribute)?\s*(?=[\],(])/,
};

export const javaTests = (look: Look): TestCase[] => marked(look, JAVA);
export const csharpTests = (look: Look): TestCase[] => marked(look, CSHARP);

function marked(look: Look, { test, skipped }: Marks): TestCase[] {
  return nested(look.definitions).flatMap(({ one, around }) => {
    if (one.kind !== "function" || !one.marks.some((mark) => test.test(mark))) return [];
    const all = [...around.filter(({ kind }) => kind === "class"), one];
    const isSkipped = all.some(({ marks }) => marks.some((mark) => skipped.test(mark)));
    const names = all.map(({ text }) => text);
    return [testCase(names, one, isSkipped ? "skipped" : undefined)];
  });
}
