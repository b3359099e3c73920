import type { ScannedDefinition, CodeScan } from "../look.ts";
import { findInnermostSpans, pairEnclosingSpans } from "../nesting.ts";
import { type TestMark, createTestCase, type TestCase } from "./test-case.ts";

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
