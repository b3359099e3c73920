import fc from "fast-check";
import { expect, test } from "vitest";
import type { TestReport } from "../report/test-report.ts";
import type { FailureReason } from "../report/failure-reason.ts";
import { judgeTestEvidence, isSameTestName, type NewTestCase } from "./test-evidence.ts";

const FILE = "tests/login.test.ts";
const newCase = (more: Partial<NewTestCase> = {}): NewTestCase => ({ file: FILE, name: "refuses", line: 3, ...more });
const ran = (status: "passed" | "failed" | "skipped", message = "", file = FILE): TestReport => ({
  tests: [{ file, name: "login > refuses", status, message }],
  failures: [],
});
const unloaded = (message: string, file = FILE): TestReport => ({ tests: [], failures: [{ file, message }] });
/** The message says it, as the readers of real reports find out. */
const whyFailed = ({ message = "" }: { readonly message?: string | undefined }): FailureReason => {
  const [reason = "", symbol] = message.split(" ");
  return { reason: reason as FailureReason["reason"], ...(symbol ? { symbol } : {}) };
};
const mayHold = (told: string, file: string): boolean => file === told || file.startsWith(`${told}/`);
const see = (cases: NewTestCase[], report: TestReport) =>
  judgeTestEvidence({
    cases,
    report,
    whyFailed,
    mayHold,
    isBrought: (symbol) => symbol === "./login",
    isRaisedInCode: ({ message = "" }) => message.includes("src/login.ts"),
  });

test.each<[string, NewTestCase, TestReport, string]>([
  ["an assertion", newCase(), ran("failed", "assertion"), "red: assertion"],
  ["an error of the code", newCase(), ran("failed", "error src/login.ts:3"), "red: error"],
  ["a module that the work adds", newCase(), unloaded("missing-symbol ./login"), "red: missing-symbol"],
  [
    "a failure that its package reports",
    newCase({ file: "login/login_test.go" }),
    unloaded("missing-symbol ./login", "login"),
    "red: missing-symbol",
  ],
  [
    "a library that is not installed",
    newCase(),
    unloaded("missing-symbol lodash"),
    `${FILE}: refuses failed without your change, but not on an assertion: lodash is missing, and your change does not add it.`,
  ],
  [
    "a syntax error",
    newCase(),
    unloaded("syntax"),
    `${FILE}: refuses failed without your change, but not on an assertion: syntax error: syntax`,
  ],
  [
    "another error",
    newCase(),
    ran("failed", "error"),
    `${FILE}: refuses failed without your change, but not on an assertion: error`,
  ],
  [
    "a test that passes",
    newCase(),
    ran("passed"),
    `${FILE}: refuses passes without your change, so it does not test the new behaviour.`,
  ],
  ["a test that may pass", newCase({ allowed: "it guards what was there" }), ran("passed"), ""],
  ["a skipped test", newCase(), ran("skipped"), `${FILE}: refuses is skipped, so it proves nothing.`],
  [
    "a test that was not run",
    newCase({ name: "other" }),
    ran("failed", "assertion"),
    `${FILE}: other is not in the test report of the run without your change. It has "login > refuses".`,
  ],
  [
    "the failure of another file",
    newCase(),
    unloaded("missing-symbol ./login", "tests/other.test.ts"),
    `${FILE}: refuses is not in the test report of the run without your change. tests/other.test.ts does not load, so fix that file first: missing-symbol ./login`,
  ],
])("%s", (_, each, report, expected) => {
  const { red, problems } = see([each], report);
  expect([...red.map(({ why }) => `red: ${why}`), ...problems.map(({ problem }) => problem)].join()).toBe(expected);
});

test.each([
  ["refuses", "refuses", true],
  ["refuses", "login > refuses", true],
  ["refuses", "login > never refuses", false],
  ["refuses", "login > unrefuses", false],
  ["refuses", "refuses all", false],
  ["adds %i and %i", "sums > adds 1 and 22", true],
  ["adds %i and %i", "sums > adds 1", false],
  ["adds $a", "adds 3", true],
  ["test_get", "TestUser.test_get[1-a]", true],
  ["TestLogin", "TestLogin/refuses", false],
  ["refuses", "TestLogin/refuses", true],
  ["TestLogin > refuses a blank", "TestLogin > refuses_a_blank", true],
  ["TestLogin > refuses a blank", "TestLogin > refuses_a_space", false],
  ["refuses", "tests::refuses", true],
  ["100%", "100%", true],
])("reports the case %s as %s: %s", (template, name, expected) => {
  expect(isSameTestName(template, name)).toBe(expected);
});

test("finds a test name of any form in a suite of any form", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string(), (name, suite) => {
      fc.pre(!/[%$[\]]/.test(name));
      expect(isSameTestName(name, `${suite} > ${name}`)).toBe(true);
    }),
  );
});
