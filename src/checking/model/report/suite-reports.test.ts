import fs from "node:fs";
import { expect, test } from "vitest";
import { canReportFile, readTestReports } from "./read-test-report.ts";
import type { LoadFailure, TestFormat, TestOutcome } from "./test-report.ts";
import { classifyTestFailure } from "./failure-reason.ts";
import { isSameTestName } from "../gate/test-evidence.ts";

const place = { folder: "/repository", directory: "." };

const readRecorded = (name: string): string => fs.readFileSync(`test/fixtures/recorded/${name}`, "utf8");

function describeReport(format: TestFormat, texts: readonly string[], output = ""): string[] {
  const read = readTestReports(format, texts, output, place);
  if (read === undefined) return ["no report"];
  if ("problem" in read) return [read.problem];
  const why = (failure: TestOutcome | LoadFailure): string => {
    const { reason, symbol } = classifyTestFailure(format, failure);
    return symbol === undefined ? reason : `${reason} ${symbol}`;
  };
  return [
    ...read.value.tests.map(
      ({ file, name, status, ...one }) =>
        `${status} ${file}: ${name}${status === "failed" ? ` (${why({ file, name, status, ...one })})` : ""}`,
    ),
    ...read.value.failures.map((one) => `did not load ${one.file} (${why(one)})`),
  ];
}

// Written by the real runners, with the folder in which they ran replaced and long traces cut. Only dotnet.trx is
// written by hand, after the schema: no .NET SDK was at hand.
test.each<[string, TestFormat, string[]]>([
  [
    "surefire.xml",
    "junit-java",
    [
      "failed app.UserTest: UserTest > breaks (error)",
      "passed app.UserTest: UserTest > hasInitials",
      "passed app.UserTest: UserTest > each[1]",
      "failed app.UserTest: UserTest > each[2] (assertion)",
      "failed app.UserTest: UserTest > fails (assertion)",
      "skipped app.UserTest: UserTest > skipped",
      "failed app.UserTest: UserTest > Inner > inside (error)",
    ],
  ],
  [
    "phpunit.xml",
    "phpunit-xml",
    [
      "passed tests/UserTest.php: UserTest > testInitials",
      "failed tests/UserTest.php: UserTest > testDots (assertion)",
      "failed tests/UserTest.php: UserTest > testBreaks (missing-symbol greeting)",
      "failed tests/UserTest.php: UserTest > testMisses (missing-symbol Greeting)",
      "failed tests/UserTest.php: UserTest > testFunction (missing-symbol greet)",
      "skipped tests/UserTest.php: UserTest > testSkips",
      "passed tests/UserTest.php: UserTest > testEach[#0]",
      'failed tests/UserTest.php: UserTest > testEach["second"] (assertion)',
      "failed tests/UserTest.php: UserTest > testThrows (error)",
      "failed tests/UserTest.php: UserTest > testExpects (assertion)",
    ],
  ],
  [
    "rspec.json",
    "rspec-json",
    [
      "passed spec/user_spec.rb: User knows a",
      "failed spec/user_spec.rb: User knows b (assertion)",
      "passed spec/user_spec.rb: User#initials takes first letters",
      "failed spec/user_spec.rb: User#initials puts dots (assertion)",
      "passed spec/user_spec.rb: User#initials is expected to be a kind of User",
      "failed spec/user_spec.rb: User#initials breaks (missing-symbol greeting)",
      "failed spec/user_spec.rb: User#initials misses (missing-symbol Greeting)",
      "skipped spec/user_spec.rb: User#initials is skipped",
      "skipped spec/user_spec.rb: User#initials not yet",
    ],
  ],
  ["rspec-load.json", "rspec-json", ["did not load spec/broken_spec.rb (missing-symbol greeting)"]],
  [
    "minitest.txt",
    "minitest",
    [
      "failed User::#initials: User > #initials > takes first letters (assertion)",
      "failed UserTest: UserTest > test_breaks (missing-symbol greeting)",
      "failed UserTest: UserTest > test_misses (missing-symbol Greeting)",
      "failed UserTest: UserTest > test_dots (assertion)",
      "passed UserTest: UserTest > test_initials",
      "skipped UserTest: UserTest > test_skips",
    ],
  ],
  [
    "dotnet.trx",
    "trx",
    [
      "passed Accounts.Tests.UserTests: UserTests > HasInitials",
      "failed Accounts.Tests.UserTests: UserTests > PutsDots (assertion)",
      "failed Accounts.Tests.UserTests: UserTests > Breaks (error)",
      "skipped Accounts.Tests.UserTests: UserTests > Later",
      'passed Accounts.Tests.UserTests: UserTests > Each[name: "a0"]',
      "passed Accounts.Tests.UserTests+Inner: UserTests > Inner > Inside",
    ],
  ],
])("reads %s", (name, format, expected) => {
  expect(describeReport(format, [readRecorded(name)])).toEqual(expected);
});

test.each(["maven-compile.txt", "gradle-compile.txt"])("reports files that the compiler rejects in %s", (name) => {
  expect(describeReport("junit-java", [], readRecorded(name))).toEqual([
    "did not load src/test/java/app/UserTest.java (missing-symbol greeting)",
  ]);
});

test("reports the file that Ruby cannot load, which ends minitest without a summary", () => {
  expect(describeReport("minitest", [""], readRecorded("minitest-load.txt"))).toEqual([
    "did not load test/test_user.rb (missing-symbol greeting)",
  ]);
});

test("joins the reports of several modules, and fails if one cannot be read", () => {
  const module = (name: string) => `<testsuite name="x"><testcase name="works" classname="${name}"/></testsuite>`;
  expect(describeReport("junit-java", [module("a.ATest"), module("b.BTest")])).toEqual([
    "passed a.ATest: ATest > works",
    "passed b.BTest: BTest > works",
  ]);
  expect(describeReport("junit-java", [module("a.ATest"), "<testsuite"])).toEqual(["The XML is cut off."]);
  expect(describeReport("junit-java", [])).toEqual(["no report"]);
});

test.each<[TestFormat, string, string, boolean]>([
  ["junit-java", "app.UserTest", "src/test/java/app/UserTest.java", true],
  ["junit-java", "app.UserTest", "core/src/test/java/other/app/UserTest.java", true],
  ["junit-java", "app.UserTest", "src/test/java/app/OtherUserTest.java", false],
  ["junit-java", "app.UserTest", "src/test/java/lib/UserTest.java", false],
  ["junit-java", "src/test/java/app/UserTest.java", "src/test/java/app/UserTest.java", true],
  ["trx", "Accounts.Tests.UserTests", "tests/UserTests.cs", true],
  ["minitest", "UserTest", "test/test_user.rb", true],
  ["minitest", "UserTest", "test/user.py", false],
  ["phpunit-xml", "tests/UserTest.php", "tests/OtherTest.php", false],
])("with %s, reports %s for %s: %s", (format, file, path, expected) => {
  expect(canReportFile(format, file, path)).toBe(expected);
});

test.each([
  ["User > #initials > takes first letters", "User#initials takes first letters", true],
  ["User > when empty > is blank", "User when empty is blank", true],
  ["Shop::User > .find > knows", "Shop::User.find knows", true],
  ["User > knows #{one}", "User knows a", true],
  ["User > #initials > takes letters", "User#initials takes first letters", false],
  ["UserTest > test_dots", "Shop::UserTest > test_dots", true],
  ["UserTest > each", "UserTest > each[1]", true],
  ["UserTest > testEach", 'UserTest > testEach["second"]', true],
  ["UserTest > dots", "OtherUserTest > dots", false],
])("the test %s is reported as %s: %s", (written, reported, expected) => {
  expect(isSameTestName(written, reported)).toBe(expected);
});

test("minitest's counts expose a line that a test printed itself", () => {
  const output =
    "UserTest#test_a = 0.00 s = F\nUserTest#test_b = 0.00 s = .\n\n1 runs, 1 assertions, 1 failures, 0 errors, 0 skips\n";
  expect(describeReport("minitest", [output])).toEqual(["Minitest counts 1 runs, but the output names 2 tests."]);
});

test("reads a minitest result that follows the test's own output", () => {
  const output = "UserTest#test_a = hello\n0.01 s = .\n\n1 runs, 1 assertions, 0 failures, 0 errors, 0 skips\n";
  expect(describeReport("minitest", [output])).toEqual(["passed UserTest: UserTest > test_a"]);
});

test("reads a failed assertion of tap 16, which names its own type in the place", () => {
  const output = `TAP version 13
# Subtest: test/a.js
    # Subtest: is safe
        not ok 1 - should be equivalent
          ---
          diff: |
            -"zzz"
            +"a"
          at:
            line: 8
            file: test/a.js
            type: Test
          ...
        1..1
    not ok 1 - is safe # time=212.874ms
    1..1
not ok 1 - test/a.js # time=260.398ms
1..1
`;
  expect(describeReport("tap", [output])).toEqual([
    "failed test/a.js: is safe (assertion)",
    "failed test/a.js: is safe > should be equivalent (assertion)",
  ]);
});

test("reads a file that a Rake task of its own cannot load", () => {
  const output = `rake aborted!
LoadError: cannot load such file -- /repository/lib/twice
/repository/test/twice_test.rb:2:in \`require_relative'
/repository/Rakefile:3:in \`block in <top (required)>'
Tasks: TOP => test
`;
  expect(describeReport("minitest", [output], output)).toEqual([
    "did not load test/twice_test.rb (missing-symbol lib/twice)",
  ]);
});

test.each(["/repository/node_modules/supertest/lib/test.js:308:13", "/elsewhere/node_modules/expect.js/index.js:3:1"])(
  "counts a failure in %s as an assertion, also without the repository's folder in front",
  (frame) => {
    const message = `Error: expected "Link" of "</a>", got "</b>"\n    at Context.<anonymous> (test/a.js:43:8)\n----\n    at ${frame}`;
    const assertionResults = [{ title: "links", ancestorTitles: [], status: "failed", failureMessages: [message] }];
    const text = JSON.stringify({ testResults: [{ name: "/repository/test/a.js", status: "", assertionResults }] });
    expect(describeReport("jest-json", [text])).toEqual(["failed test/a.js: links (assertion)"]);
  },
);
