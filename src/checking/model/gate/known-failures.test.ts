import { expect, test } from "vitest";
import { listTestFailures } from "./check-outcome.ts";
import { compareFailures, describeFailureReason, listFailureLines } from "./known-failures.ts";

const compareLines = (before: string, now: string) =>
  compareFailures(
    listFailureLines(now, "/repo/project"),
    listFailureLines(before, "/tmp/base").map(({ key }) => key),
  );

const fresh = (before: string, now: string): string[] => compareLines(before, now).fresh.map(({ problem }) => problem);

test("reports nothing new for a linter that changes the order, the folder or the timing of its report", () => {
  const before = "/tmp/base/a.ts:3:1: no-var\n/tmp/base/b.ts:9:1: no-eval\n\n2 problems (1.2s)\n";
  const now = "/repo/project/b.ts:14:1: no-eval\n/repo/project/a.ts:3:1: no-var\n\n2 problems (350ms)\n";
  expect(compareLines(before, now)).toEqual({
    fresh: [],
    already: ["b.ts:14:1: no-eval", "a.ts:3:1: no-var", "2 problems (350ms)"],
  });
});

test.each([
  ["a relative path", "../../repo/project/node_modules/a/index.d.ts(2,1): error TS1005: no\n"],
  ["an absolute path", "/repo/project/node_modules/a/index.d.ts(2,1): error TS1005: no\n"],
])("reports no new finding in a package that the base borrows, though %s names the working folder", (_, line) => {
  const before = listFailureLines(line, "/tmp/base", "/repo/project").map(({ key }) => key);
  const now = listFailureLines("node_modules/a/index.d.ts(2,1): error TS1005: no\n", "/repo/project");
  expect(compareFailures(now, before).fresh).toEqual([]);
});

test("a package manager's own lines are not findings", () => {
  const output =
    "npm warn Unknown user config\n\n> ini@3.0.1 lint\n> eslint **/*.js\n\nyarn run v1.22.22\n$ eslint .\na.js: bad\nnpm error code 1\n";
  expect(listFailureLines(output, "/repo").map(({ problem }) => problem)).toEqual(["a.js: bad"]);
});

test("the steps that Cargo names are not findings", () => {
  const before = "   Compiling semver v1.0.26 (/tmp/base)\nerror: this is wrong\n";
  const now =
    "    Checking semver v1.0.26 (/repo/project)\nerror: this is wrong\nwarning: build failed, waiting for other jobs to finish...\nerror: could not compile `semver` (lib test)\n";
  expect(compareLines(before, now)).toEqual({ fresh: [], already: ["error: this is wrong"] });
});

test.each([
  [
    "a second finding of the same kind in a file",
    "a.ts:3: no-var\n",
    "a.ts:3: no-var\na.ts:9: no-var\n",
    "a.ts:9: no-var",
  ],
  ["the same finding in another file", "a.ts:3: no-var\n", "b.ts:3: no-var\n", "b.ts:3: no-var"],
  ["another rule", "a.ts(3,1): error TS2322: no\n", "a.ts(3,1): error TS2307: no\n", "a.ts(3,1): error TS2307: no"],
  ["another name", "a.ts:3: x1 is unused\n", "a.ts:3: x2 is unused\n", "a.ts:3: x2 is unused"],
  ["a file below its own heading", "a.ts\n  3:1  error\n", "a.ts\n  3:1  error\nb.ts\n  1:1  error\n", "b.ts"],
])("%s is new", (_, before, now, expected) => {
  expect(fresh(before, now)).toContain(expected);
});

test.each([
  [
    "ruff",
    "F401 `os` imported but unused\n --> a.py:1:8\n  |\n1 | import os\n  |        ^^\n2 | import sys\n  |\nhelp: Remove it\n",
    "F401 `os` imported but unused\n --> a.py:1:8\n  |\n1 | import os\n  |        ^^\n2 | import json\n3 | import sys\n  |\nhelp: Remove it\n",
  ],
  [
    "oxlint",
    "  x eslint(no-var): Unexpected var\n   ╭─[a.ts:2:1]\n 1 │ const a = 1;\n 2 │ var b = 2;\n   · ───\n 3 │ const c = 3;\n   ╰────\n",
    "  x eslint(no-var): Unexpected var\n   ╭─[a.ts:2:1]\n 1 │ const a = 10;\n 2 │ var b = 2;\n   · ───\n 3 │ const d = 3;\n   ╰────\n",
  ],
  [
    "clippy",
    "error: unused variable: `x`\n --> src/lib.rs:2:9\n  |\n2 |     let x = 1;\n  |         ^ help: remove it\n",
    "error: unused variable: `x`\n --> src/lib.rs:4:9\n  |\n4 |     let x = more();\n  |         ^ help: remove it\n",
  ],
])("an edit of code that %s quotes around an old finding is not a new finding", (_, before, now) => {
  expect(fresh(before, now)).toEqual([]);
  expect(fresh(before, now + now)).not.toEqual([]);
});

test("numbered rows without a pointer are findings, not quotes", () => {
  expect(fresh("3 | a.ts | no-var\n", "3 | a.ts | no-var\n9 | b.ts | no-eval\n")).toEqual(["9 | b.ts | no-eval"]);
});

const report = (root: string, name: string, message: string) =>
  listTestFailures({ tests: [{ file: "tests/a.ts", name, status: "failed", message }], failures: [] }, (failure) =>
    describeFailureReason("vitest-json", failure, root),
  );
const isNew = (before: readonly [string, string], now: readonly [string, string]): boolean =>
  compareFailures(
    report("/repo/project", ...now),
    report("/tmp/base", ...before).map(({ key }) => key),
  ).fresh.length > 0;

test.each([
  [
    "with another value",
    ["is old", "AssertionError: expected 1 to be 2"],
    ["is old", "AssertionError: expected 3 to be 2"],
    false,
  ],
  [
    "at the same missing file",
    ["is old", "Error: ENOENT /tmp/base/x"],
    ["is old", "Error: ENOENT /repo/project/x"],
    false,
  ],
  [
    "for another reason",
    ["is old", "Error: ENOENT /tmp/base/x"],
    ["is old", "AssertionError: expected 3 to be 2"],
    true,
  ],
  ["with another error", ["is old", "Error: no database"], ["is old", "TypeError: login is not a function"], true],
  [
    "under another name",
    ["is old", "AssertionError: expected 1 to be 2"],
    ["is new", "AssertionError: expected 1 to be 2"],
    true,
  ],
] as const)("a test that fails %s is new: %#", (_, before, now, expected) => {
  expect(isNew(before, now)).toBe(expected);
});

test("reports a file that fails to load for a new reason as new", () => {
  const load = (root: string, message: string) =>
    listTestFailures({ tests: [], failures: [{ file: "tests/a.ts", message }] }, (failure) =>
      describeFailureReason("vitest-json", failure, root),
    );
  const before = load("/tmp/base", "Cannot find module '/tmp/base/src/mfa.ts'").map(({ key }) => key);
  const again = load("/repo/project", "Cannot find module '/repo/project/src/mfa.ts'");
  const other = load("/repo/project", "Cannot find module '/repo/project/src/cart.ts'");
  expect([again, other].map((now) => compareFailures(now, before).fresh.length)).toEqual([0, 1]);
});

test("a line that names the folder itself is the same failure in a temporary checkout", () => {
  expect(fresh("    Checking itoa v1.0.14 (/tmp/base)\n", "    Checking itoa v1.0.14 (/repo/project)\n")).toEqual([]);
});
