import { expect, test } from "vitest";
import type { TestOutcome, TestReport } from "../report/test-report.ts";
import type { StackCheck } from "../stack/stack-check.ts";
import { judgeCheckRun, type CheckRun } from "./check-outcome.ts";

const check = (more: Partial<StackCheck>): StackCheck => ({
  kind: "lint",
  tool: "eslint",
  run: { argv: ["eslint", "."] },
  expect: "exit-zero",
  timeout_s: 60,
  silence_s: 30,
  ...more,
});
const run = (more: Partial<CheckRun>): CheckRun => ({ how: "exited", code: 0, bytes: 0, tail: "", ...more });
const tests = check({
  kind: "test",
  tool: "vitest",
  run: { argv: ["vitest", "run"] },
  report: { format: "vitest-json", from: "file" },
});
const outcome = (status: TestOutcome["status"], message?: string): TestOutcome => ({
  file: "a.test.ts",
  name: `login ${status}`,
  status,
  ...(message ? { message } : {}),
});
const report = (...list: TestOutcome[]): TestReport => ({ tests: list, failures: [] });

test.each<[string, Partial<StackCheck>, Partial<CheckRun>, string]>([
  ["exit zero", {}, {}, "passed"],
  ["another exit code", {}, { code: 2 }, "real: eslint exited with 2."],
  [
    "a fixable failure",
    { fix: { argv: ["eslint", "--fix", "{files}"] } },
    { code: 1 },
    "fixable: eslint exited with 1.",
  ],
  [
    "a shell without the program",
    { tool: "npm" },
    { code: 127, tail: "> lint\n> eslint .\n\nsh: 1: eslint: not found\n" },
    "unknown: npm could not start: eslint is not installed (exit code 127). Install what the project needs, then try again.",
  ],
  [
    "a shell that may not run the program",
    { tool: "npm", expect: "no-matches" },
    { code: 126, tail: "sh: line 1: ./lint.sh: Permission denied\n" },
    "unknown: npm could not start: ./lint.sh cannot be run (exit code 126). Install what the project needs, then try again.",
  ],
  [
    "npx that would install",
    { tool: "npm" },
    { code: 1, tail: 'npm error npx canceled due to missing packages and no YES option: ["prettier@3.0.0"]\n' },
    'unknown: npm could not start: npx would install "prettier@3.0.0". Install what the project needs, then try again.',
  ],
  ["no output where none is expected", { expect: "no-output" }, {}, "passed"],
  [
    "output where none is expected",
    { expect: "no-output" },
    { bytes: 4, tail: "a.go" },
    "real: eslint should print nothing, and printed something. | a.go",
  ],
  ["no output and a failure", { expect: "no-output" }, { code: 2 }, "real: eslint exited with 2."],
  ["nothing found", { expect: "no-matches" }, { code: 1 }, "passed"],
  ["something found", { expect: "no-matches" }, { code: 0, bytes: 3 }, "real: eslint found problems."],
  ["a search that broke", { expect: "no-matches" }, { code: 2 }, "real: eslint exited with 2."],
  [
    "a score",
    { expect: "min-score", min_score: 9 },
    { code: 4, tail: "rated at 9.25/10 (was 8/10)\n9.25/10" },
    "passed",
  ],
  [
    "a low score",
    { expect: "min-score", min_score: 9 },
    { tail: "8.99/10" },
    "real: eslint scored 8.99; the minimum is 9. | 8.99/10",
  ],
  ["no score", { expect: "min-score", min_score: 9 }, { tail: "" }, "real: eslint gave no score, and exited with 0."],
  [
    "a check that takes too long",
    {},
    { how: "timed-out" },
    "transient: eslint did not finish after 60 s and was stopped.",
  ],
  [
    "a check that is silent for too long",
    {},
    { how: "silent" },
    "transient: eslint printed nothing for 30 s and was stopped.",
  ],
  ["a signal", {}, { how: "signalled", signal: "SIGSEGV" }, "transient: eslint was ended by SIGSEGV."],
  [
    "a missing tool",
    {},
    { how: "not-found" },
    "unknown: eslint is not installed: eslint . could not start. Install what the project needs.",
  ],
  [
    "a tool that cannot start",
    {},
    { how: "not-started", why: "EACCES" },
    "unknown: eslint could not be started: EACCES",
  ],
  ["a cancelled check", {}, { how: "cancelled" }, "unknown: It was cancelled."],
])("%s", (_, more, ended, expected) => {
  expect(told(judgeCheckRun(check(more), run(ended)))).toBe(expected);
});

test.each<[string, StackCheck, Partial<CheckRun>, Parameters<typeof judgeCheckRun>[2], string]>([
  ["a passing test", tests, {}, report(outcome("passed"), outcome("skipped")), "passed"],
  ["no test at all", tests, {}, report(), "real: No test was run."],
  ["only skipped tests", tests, {}, report(outcome("skipped")), "real: No test was run: 1 test skipped."],
  [
    "no report",
    tests,
    { tail: "ALL TESTS PASSED" },
    undefined,
    "real: vitest wrote no readable report. The report is missing. | ALL TESTS PASSED",
  ],
  ["an incomplete report", tests, {}, { problem: "It is cut." }, "real: vitest wrote no readable report. It is cut."],
  [
    "a failure",
    tests,
    { code: 1 },
    report(outcome("passed"), outcome("failed", "\nexpected 1 to be 2\nat x")),
    "real: a.test.ts: login failed: expected 1 to be 2",
  ],
  [
    "a hidden failure",
    tests,
    {},
    report(outcome("failed")),
    "real: a.test.ts: login failed: failed | vitest still exited with 0: something hides its failures.",
  ],
  [
    "a file that does not load",
    tests,
    { code: 1 },
    { tests: [outcome("passed")], failures: [{ file: "b.test.ts", message: "no ./b" }] },
    "real: b.test.ts could not be tested: no ./b",
  ],
  [
    "an unexplained exit code",
    tests,
    { code: 1 },
    report(outcome("passed")),
    "real: vitest exited with 1, though no test failed.",
  ],
  [
    "a runner without output",
    check({ kind: "test", run: { argv: ["npm", "test"] } }),
    { tail: "ok" },
    undefined,
    "unknown: npm test writes no test report, so Tenon cannot tell which tests ran. " +
      "Configure one in sdd/stacks/<profile>.yaml (tenon stack names the profile): { extends: <profile>, checks: " +
      '[{ kind: test, tool: eslint, argv: [<program>, "{report}"], report: { format: junit-xml } }] }. ' +
      "Or waive it in sdd/config.yaml: gates: { waived: { tests: <why> } }. Then: tenon trust",
  ],
  [
    "a failure of a check without a report",
    check({ kind: "test", run: { argv: ["npm", "test"] } }),
    { code: 1, tail: "1 failed" },
    undefined,
    "real: eslint exited with 1. | 1 failed",
  ],
])("tests: %s", (_, each, ended, told_, expected) => {
  expect(told(judgeCheckRun(each, run(ended), told_))).toBe(expected);
});

test("shows the end of a long output without control characters", () => {
  const tail = Array.from({ length: 30 }, (_, i) => `\u001b[38;2;225;80;80;1mline\u001b[0m ${i}\u0007`).join("\n");
  const { problems } = judgeCheckRun(check({}), run({ code: 1, tail }));
  expect([problems.length, problems[1]?.problem, problems[2]?.problem]).toEqual([
    22,
    "(the last 20 of 30 lines)",
    "line 10\\u0007",
  ]);
});

function told({ status, failure, problems, reason }: ReturnType<typeof judgeCheckRun>): string {
  if (status === "passed") return status;
  return `${failure ?? status}: ${reason ?? problems.map(({ problem }) => problem).join(" | ")}`;
}
