import type { CodeScan } from "../look.ts";
import { pairEnclosingSpans } from "../nesting.ts";
import { createTestCase, type TestCase } from "./test-case.ts";

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
