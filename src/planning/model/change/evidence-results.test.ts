import { expect, test } from "vitest";
import { parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { findReportedFailures } from "./evidence-results.ts";

const listFailedLines = (text: string): number[] =>
  findReportedFailures(parseProseLines(text)).map(({ number }) => number);

test.each([
  "- TASK-001: `npm test`: exit 0, 14 passed, 0 failed",
  "- TASK-001: `node --test` failed before the fix with exit 1 (1 failed), as it should",
  "- TASK-001: red first: `npm test`: exit 1, 1 failed",
  "- TASK-001: `npm test` without the fix: exit code 1, 1 failing",
  "- TASK-001: `npm test` exits with 1 without the change and exits with 0 with it",
  "| TASK-001 | `npm test` | exit 1 before, exit 0 after |",
  "Seen to fail first (1 failed), then passes.",
  "- TASK-001: 1 failed, now 3 passed",
  "- TASK-001: stash the fix, run: exit 1 (AssertionError). Restore.",
  "- TASK-001: reproduced the bug on main: 1 failed",
  "- Left open: 2 failing tests in legacy/ that failed before my change too",
  "- TASK-001: `curl -f /missing`: exit 22, as wanted",
  "- TASK-001: pass 2 fail 0",
  "- TASK-001: tests 4, passed: 4 failed: 0",
  "- TASK-001: wrote the test, `npm test`: exit 1, 1 failed\n- TASK-002: `npm test`: exit 0, 2 passed",
  "- Left open: Windows is not done",
])("reads no failure in %j", (text) => {
  expect(listFailedLines(text)).toEqual([]);
});

test.each([
  "- TASK-001: npm test: exit 1, 2 failed; it does not work",
  "- TASK-001: `npm test`: exit 1",
  "- TASK-001: 3 tests fail after the fix",
  "- TASK-001: still fails",
  "- TASK-001: It does not work yet.",
  "- TASK-001: not done",
  "- TASK-001: exit 0 before, exit 1 after",
  "Result: FAIL",
  "## Verdict: failed",
  "- TASK-001: `npm test`: exit 1, 1 failed\n- TASK-002: `npm run lint`: exit 0",
])("reads a failure in %j", (text) => {
  expect(listFailedLines(text)).toEqual([1]);
});
