import fs from "node:fs";
import { expect, test } from "vitest";
import { readTestReport } from "./read-test-report.ts";
import type { LoadFailure, TestFormat, TestOutcome } from "./test-report.ts";
import { classifyTestFailure } from "./failure-reason.ts";

const place = { folder: "/repository", directory: ".", module: "example.com/accounts" };

const recorded = (name: string): string => fs.readFileSync(`test/fixtures/recorded/${name}`, "utf8");

function told(format: TestFormat, text: string): string[] {
  const read = readTestReport(format, text, place);
  if ("problem" in read) return [read.problem];
  const why = (failure: TestOutcome | LoadFailure): string => {
    const { reason, symbol } = classifyTestFailure(format, failure);
    return symbol === undefined ? reason : `${reason} ${symbol}`;
  };
  return [
    ...read.value.tests.map(
      (one) => `${one.status} ${one.file}: ${one.name}${one.status === "failed" ? ` (${why(one)})` : ""}`,
    ),
    ...read.value.failures.map((one) => `did not load ${one.file} (${why(one)})`),
  ];
}

// What the real runners wrote, with the folder in which they ran replaced and long traces cut.
test.each<[string, TestFormat, string[]]>([
  // Version 1 leaves out the name of an error.
  [
    "vitest-1.json",
    "vitest-json",
    [
      "failed tests/a.test.ts: outer > expects (assertion)",
      "failed tests/a.test.ts: outer > expects an object (assertion)",
      "failed tests/a.test.ts: outer > expects with a message (assertion)",
      "failed tests/a.test.ts: outer > expects words (assertion)",
      "failed tests/a.test.ts: outer > expects a throw (assertion)",
      "failed tests/a.test.ts: outer > expects a call (assertion)",
      "failed tests/a.test.ts: outer > expects a rejection (assertion)",
      "failed tests/a.test.ts: outer > compares (assertion)",
      "failed tests/a.test.ts: outer > compares deeply (assertion)",
      "failed tests/a.test.ts: outer > claims (assertion)",
      "failed tests/a.test.ts: outer > wants a throw (assertion)",
      "failed tests/a.test.ts: outer > asserts (assertion)",
      "failed tests/a.test.ts: outer > matches a snapshot (assertion)",
      "failed tests/a.test.ts: outer > counts (assertion)",
      "failed tests/a.test.ts: outer > fails (error)",
      "failed tests/a.test.ts: outer > breaks (error)",
      "failed tests/a.test.ts: outer > refuses its input (error)",
      "failed tests/a.test.ts: outer > reads nothing (error)",
      "failed tests/a.test.ts: outer > calls what is missing (missing-symbol later)",
    ],
  ],
  [
    "vitest.json",
    "vitest-json",
    [
      "failed tests/x/a-assert.test.ts: outer > inner > expects (assertion)",
      "failed tests/x/a-assert.test.ts: outer > inner > asserts (assertion)",
      "failed tests/x/a-assert.test.ts: outer > inner > throws (error)",
      "failed tests/x/a-assert.test.ts: outer > inner > ref (missing-symbol absent)",
      "skipped tests/x/a-assert.test.ts: outer > inner > skipped",
      "skipped tests/x/a-assert.test.ts: outer > inner > todo",
      "passed tests/x/a-assert.test.ts: outer > inner > fails as expected",
      "failed tests/x/a-assert.test.ts: outer > inner > times out (error)",
      "failed tests/x/a-assert.test.ts: outer > inner > async rejects (assertion)",
      "failed tests/x/a-assert.test.ts: outer > inner > reads of undefined (error)",
      "failed tests/x/a-assert.test.ts: outer > inner > not found element (assertion)",
      "failed tests/x/a-assert.test.ts: outer > inner > dynamic import (missing-symbol /src/nope)",
      "failed tests/x/b-noname.test.ts: calls what is not exported (missing-symbol difference)",
      "failed tests/x/b-noname.test.ts: calls a member (missing-symbol product)",
      "failed tests/x/b-noname.test.ts: calls a member of an object (missing-symbol holder.total)",
      "failed tests/x/b-noname.test.ts: constructs (missing-symbol difference)",
      "skipped tests/x/h-hook.test.ts: never runs",
      "passed tests/x/j-unhandled.test.tsx: leaves something behind",
      "failed tests/x/j-unhandled.test.tsx: renders what is not there (missing-symbol)",
      "passed tests/x/k-unhandled.test.ts: leaves something behind",
      "failed tests/x/k-unhandled.test.ts: fails twice (assertion)",
      "failed tests/x/k-unhandled.test.ts: snapshot (assertion)",
      "failed tests/x/k-unhandled.test.ts: unreachable (assertion)",
      "failed tests/x/k-unhandled.test.ts: assertions (assertion)",
      "passed tests/x/l-unhandled.test.ts: leaves something behind",
      "did not load tests/x/c-nomodule.test.ts (missing-symbol ../../src/thing)",
      "did not load tests/x/c2-nopackage.test.ts (missing-symbol lodash-nope)",
      "did not load tests/x/d-syntax.test.ts (syntax)",
      "did not load tests/x/e-syntax-elsewhere.test.ts (syntax)",
      "did not load tests/x/f-throws-at-load.test.ts (error)",
      "did not load tests/x/g-empty.test.ts (error)",
      "did not load tests/x/h-hook.test.ts (error)",
      "did not load tests/x/i-topcall.test.ts (missing-symbol difference)",
    ],
  ],
  [
    "jest.json",
    "jest-json",
    [
      "failed t/a.test.js: outer > inner > expects (assertion)",
      "failed t/a.test.js: outer > inner > asserts (assertion)",
      "failed t/a.test.js: outer > inner > throws (error)",
      "failed t/a.test.js: outer > inner > ref (missing-symbol absent)",
      "skipped t/a.test.js: outer > inner > skipped",
      "skipped t/a.test.js: outer > inner > todo",
      "failed t/a.test.js: outer > inner > times out (error)",
      "failed t/a.test.js: outer > inner > calls what is not exported (missing-symbol difference)",
      "failed t/a.test.js: outer > inner > calls a member (missing-symbol holder.total)",
      "failed t/a.test.js: outer > inner > constructs (missing-symbol difference)",
      "failed t/a.test.js: outer > inner > reads of undefined (error)",
      "passed t/a.test.js: outer > inner > passes",
      "failed t/i.test.js: never runs (error)",
      "did not load t/c.test.js (missing-symbol ../src/thing)",
      "did not load t/d.test.js (syntax)",
      "did not load t/e.test.js (syntax)",
      "did not load t/f.test.js (error)",
      "did not load t/g.test.js (missing-symbol difference)",
      "did not load t/h.test.js (error)",
    ],
  ],
  [
    "node.xml",
    "junit-xml",
    [
      "failed test/a.test.mjs: outer > inner > asserts (assertion)",
      "failed test/a.test.mjs: outer > inner > raises (error)",
      "skipped test/a.test.mjs: outer > inner > is skipped",
      "skipped test/a.test.mjs: outer > inner > is to do",
      "passed test/a.test.mjs: outer > inner > passes & <more>",
      "passed test/a.test.mjs: outer > has parts > a part",
      "passed test/a.test.mjs: at the top",
      "failed test/b.test.mjs: test/b.test.mjs (error)",
      "failed test/c.test.mjs: test/c.test.mjs (error)",
    ],
  ],
  [
    "pytest.xml",
    "junit-xml",
    [
      "failed tests/test_a.py: test_asserts (assertion)",
      "failed tests/test_a.py: test_asserts_plain (assertion)",
      "failed tests/test_a.py: test_raises (error)",
      "failed tests/test_a.py: test_did_not_raise (assertion)",
      "failed tests/test_a.py: test_fail (assertion)",
      "failed tests/test_a.py: test_name (missing-symbol absent)",
      "failed tests/test_a.py: test_attribute (missing-symbol subtract)",
      "failed tests/test_a.py: test_object_attribute (missing-symbol nope)",
      "failed tests/test_a.py: test_import_inside (missing-symbol subtract)",
      "failed tests/test_a.py: test_module_inside (missing-symbol nowhere)",
      "failed tests/test_a.py: test_keyword (error)",
      "skipped tests/test_a.py: test_skipped",
      "skipped tests/test_a.py: test_xfails",
      "passed tests/test_a.py: test_xpasses",
      "failed tests/test_a.py: test_xpasses_strict (error)",
      "failed tests/test_a.py: test_setup (error)",
      "failed tests/test_a.py: test_teardown (error)",
      "failed tests/test_a.py: test_no_fixture (error)",
      "failed tests/test_a.py: TestC > TestD > test_deep (assertion)",
      "failed tests/test_a.py: test_control (assertion)",
      "passed tests/test_user_routes.py: test_a_user_is_found_by_number",
      "passed tests/test_user_routes.py: test_a_number_that_nobody_has_is_not_found[0]",
      "passed tests/test_user_routes.py: test_a_number_that_nobody_has_is_not_found[99]",
      "passed tests/test_user_routes.py: TestWhatIsNoNumber > test_is_refused",
      "did not load tests/test_b.py (missing-symbol subtract)",
      "did not load tests/test_c.py (missing-symbol nowhere)",
      "did not load tests/test_c2.py (missing-symbol routers.absent)",
      "did not load tests/test_d.py (syntax)",
      "did not load tests/test_d2.py (syntax)",
      "did not load tests/test_e.py (syntax)",
      "did not load tests/test_f.py (error)",
      "did not load tests/test_g.py (missing-symbol nope)",
      "did not load tests/test_h.py (missing-symbol absent_name)",
    ],
  ],
  [
    "go.jsonl",
    "go-json",
    [
      "passed account: TestNewUser",
      "passed account: TestNewUserWithoutName",
      "passed account: TestInitials",
      "passed account: TestInitials > Ada_Lovelace",
      "passed account: TestInitials > plato",
      "failed assertf: TestFails (assertion)",
      "failed assertf: TestSub (assertion)",
      "failed assertf: TestSub > one (assertion)",
      "passed assertf: TestSub > two",
      "passed assertf: TestSub > two > deep",
      "skipped assertf: TestSkipped",
      "failed assertf: TestPanics (error)",
      "failed exits: TestX (assertion)",
      "failed forge: TestX (assertion)",
      "did not load nopkg/a_test.go (missing-symbol example.com/accounts/absent)",
      "did not load nopkg2/a_test.go (missing-symbol github.com/x/absent)",
      "did not load syn/a_test.go (syntax)",
      "did not load dep (error)",
      "did not load depu (error)",
      "did not load initp (error)",
      "did not load pkgmember/a_test.go (missing-symbol account.Nope)",
      "did not load typ/a_test.go (error)",
      "did not load undefinedf/a_test.go (missing-symbol Missing)",
      "did not load vetf/a_test.go (error)",
    ],
  ],
  [
    "libtest.jsonl",
    "libtest-json",
    [
      "passed src/lib.rs: user > tests > initials_are_capital_letters",
      "passed src/bin/tool.rs: in_bin",
      "failed tests/assertf.rs: fails (assertion)",
      "failed tests/assertf.rs: panics (error)",
      "failed tests/assertf.rs: plain (assertion)",
      "failed tests/assertf.rs: result (error)",
      "failed tests/assertf.rs: should (assertion)",
      "failed tests/assertf.rs: should2 (assertion)",
      "skipped tests/assertf.rs: skipped",
      "failed tests/assertf.rs: todo_left (error)",
      "failed tests/assertf.rs: unwraps (error)",
      "passed tests/user.rs: a_name_loses_the_spaces_around_it",
      "passed tests/user.rs: a_user_needs_a_name",
      "failed src/user.rs: user::User::initials (line 37) (assertion)",
    ],
  ],
  [
    "libtest-exit.jsonl",
    "libtest-json",
    [
      "passed src/lib.rs: user > tests > initials_are_capital_letters",
      "passed src/bin/tool.rs: in_bin",
      "passed tests/user.rs: a_name_loses_the_spaces_around_it",
      "passed tests/user.rs: a_user_needs_a_name",
      "failed tests/zexit.rs: a (error)",
    ],
  ],
  ["cargo-missing.jsonl", "libtest-json", ["did not load tests/missing.rs (missing-symbol Absent)"]],
  ["cargo-member.jsonl", "libtest-json", ["did not load tests/missing.rs (missing-symbol greet)"]],
  ["cargo-nofile.jsonl", "libtest-json", ["did not load tests/missing.rs (missing-symbol nofile)"]],
  ["cargo-types.jsonl", "libtest-json", ["did not load tests/missing.rs (error)"]],
  ["cargo-syntax.jsonl", "libtest-json", ["did not load src/lib.rs (syntax)"]],
])("reads the report of %s, with the reason for each failure", (name, format, expected) => {
  expect(told(format, recorded(name))).toEqual(expected);
});

// Under --doctest-modules, pytest reports a file that it collects twice as one case with two errors.
test("separates the errors of a file that pytest could not collect twice", () => {
  const error = `<error message="collection failure">test_a.py:2: in &lt;module&gt;\nE   AttributeError: no b</error>`;
  const text = `<testsuites><testsuite><testcase classname="" name="test_a" file="test_a.py">${error}${error}</testcase></testsuite></testsuites>`;
  const read = readTestReport("junit-xml", text, place);
  expect("value" in read && read.value.failures).toEqual([
    { file: "test_a.py", message: "AttributeError: no b\nAttributeError: no b" },
  ]);
});
