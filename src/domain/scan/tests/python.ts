import type { Definition, Look } from "../look.ts";
import { innermost, nested } from "../nesting.ts";
import { type Mark, testCase, type TestCase } from "./test-case.ts";

export function pythonTests(look: Look): TestCase[] {
  const { ofModule, of } = saidInside(look);
  return nested(look.definitions).flatMap(({ one, around }) => {
    if (one.kind !== "function" || !one.text.startsWith("test")) return [];
    if (!around.every(({ kind, text }) => kind === "class" && IS_SUITE.test(text))) return [];
    const marks = [one, ...around].flatMap((each) => [markOf(each.marks), of.get(each)]);
    const mark = [...marks, ofModule].find((each) => each !== undefined);
    return [
      testCase(
        [...around, one].map(({ text }) => text),
        one,
        mark,
      ),
    ];
  });
}

const IS_SUITE = /^Test|(?:Tests?|TestCase|Case|Spec)$/;

const SKIPPED =
  /(?:^@|\bmark\.|\bunittest\.)skip\b|\b(?:skipif|skipIf)\(\s*(?:True|1)\b|\bskipUnless\(\s*(?:False|0)\b/;
const FAILS = /\b(?:mark\.xfail|expectedFailure)\b/;

function markOf(marks: readonly string[]): Mark | undefined {
  if (marks.some((mark) => SKIPPED.test(mark))) return "skipped";
  return marks.some((mark) => FAILS.test(mark)) ? "expected-to-fail" : undefined;
}

/**
 * Marks inside the code: `pytestmark = pytest.mark.skip`, `__test__ = False`, or an unconditional `pytest.skip()`, for
 * a function, a class or the module.
 */
function saidInside(look: Look): { ofModule: Mark | undefined; of: ReadonlyMap<Definition, Mark> } {
  const telling = [
    ...look.signs.flatMap((sign) => {
      const mark = sign.kind === "assignment" ? assigned(sign.text) : undefined;
      return mark === undefined ? [] : [{ ...sign, mark }];
    }),
    ...look.calls.flatMap((call) => {
      const mark = call.isConditional ? undefined : CALLED[call.text];
      return mark === undefined ? [] : [{ ...call, mark }];
    }),
  ].toSorted((one, other) => one.start - other.start);
  const where = innermost(telling, look.definitions);
  const of = new Map([...where].map(([said, definition]) => [definition, said.mark]));
  return { ofModule: telling.find((said) => !where.has(said))?.mark, of };
}

const CALLED: Readonly<Partial<Record<string, Mark>>> = {
  "pytest.skip": "skipped",
  "self.skipTest": "skipped",
  "pytest.xfail": "expected-to-fail",
};

const assigned = (text: string): Mark | undefined =>
  /^__test__\s*=\s*False/.test(text) ? "skipped" : text.startsWith("pytestmark") ? markOf([text]) : undefined;
