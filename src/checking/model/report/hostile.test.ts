import fc from "fast-check";
import fs from "node:fs";
import { expect, test } from "vitest";
import { COVERAGE_FORMATS, resolveReportedPath, TEST_FORMATS, type TestFormat } from "./test-report.ts";
import { readCoverageReport } from "./coverage-report.ts";
import { canReportFile, readTestReport } from "./read-test-report.ts";
import { classifyTestFailure } from "./failure-reason.ts";

const place = { folder: "/repository", directory: ".", module: "example.com/accounts" };
const RECORDED: readonly (readonly [string, TestFormat])[] = [
  ["vitest.json", "vitest-json"],
  ["jest.json", "jest-json"],
  ["pytest.xml", "junit-xml"],
  ["go.jsonl", "go-json"],
  ["libtest.jsonl", "libtest-json"],
  ["libtest-exit.jsonl", "libtest-json"],
  ["cargo-missing.jsonl", "libtest-json"],
];
const recorded = (name: string): string => fs.readFileSync(`test/fixtures/recorded/${name}`, "utf8").trimEnd();

/** Reads it, and all that may be asked of what was read. The names of the tests that passed, or the problem. */
function read(format: TestFormat, text: string): string[] | string {
  const told = readTestReport(format, text, place);
  if ("problem" in told) return told.problem;
  for (const failure of [...told.value.tests, ...told.value.failures]) classifyTestFailure(format, failure);
  return told.value.tests.filter(({ status }) => status === "passed").map(({ name }) => name);
}

test.each(RECORDED.filter(([, format]) => !["go-json", "libtest-json"].includes(format)))(
  "reports a problem for %s, cut anywhere",
  (name, format) => {
    const text = recorded(name);
    const cuts = Array.from({ length: 400 }, (_, at) => Math.floor((at * text.length) / 400));
    expect(cuts.map((cut) => read(format, text.slice(0, cut))).filter((told) => typeof told !== "string")).toEqual([]);
  },
);

test.each(RECORDED)("counts no more passed tests in %s, cut anywhere", (name, format) => {
  const text = recorded(name);
  const whole = new Set(read(format, text));
  fc.assert(
    fc.property(fc.nat(text.length), (cut) => {
      const told = read(format, text.slice(0, cut));
      const passed = typeof told === "string" ? [] : told;
      expect(passed.filter((one) => !whole.has(one))).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

/** Puts a value in the place of some other one. */
function replaced(text: string, at: number, value: string): string {
  const values = [...text.matchAll(/"(?:[^"\\]|\\.)*"|\d+(?:\.\d+)?|true|false|null/g)];
  const chosen = values[at % values.length];
  return chosen ? text.slice(0, chosen.index) + value + text.slice(chosen.index + chosen[0].length) : text;
}

test.each(RECORDED)("accepts or rejects %s with any value replaced, and throws nothing", (name, format) => {
  const text = recorded(name);
  const keys = fc.constantFrom(
    '"__proto__"',
    '"constructor"',
    '"toString"',
    '"\\ud800"',
    '"../../../x"',
    "1e309",
    "-1",
  );
  fc.assert(
    fc.property(fc.nat(), fc.oneof(fc.json(), keys), (at, value) => {
      expect(() => read(format, replaced(text, at, value))).not.toThrow();
    }),
    { numRuns: 300 },
  );
});

test("accepts or rejects any input, and throws nothing", () => {
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    fc.array(fc.json()).map((lines) => lines.join("\n")),
    fc.string().map((said) => `<testsuite><testcase name="${said}"><failure>${said}`),
  );
  fc.assert(
    fc.property(text, (said) => {
      for (const format of TEST_FORMATS) expect(() => read(format, said)).not.toThrow();
      for (const format of COVERAGE_FORMATS) expect(() => readCoverageReport(format, said, place)).not.toThrow();
    }),
    { numRuns: 500 },
  );
});

const MEGABYTE = 1024 * 1024;
const suites = (json: string): string =>
  `{"testResults":[{"name":"a","status":"failed","message":"","assertionResults":${json}}]}`;

test.each<[string, TestFormat, string, string[] | string]>([
  ["50 MB", "vitest-json", suites("[]").padEnd(50 * MEGABYTE), "The report is larger than 32 MB."],
  ["50 MB of elements", "junit-xml", "<a>".repeat(17 * MEGABYTE), "The report is larger than 32 MB."],
  [
    "deep JSON",
    "vitest-json",
    suites("[".repeat(100_000)),
    "The report is not a complete JSON object with `testResults`.",
  ],
  [
    "deep JSON that closes",
    "vitest-json",
    suites("[".repeat(10_000) + "]".repeat(10_000)),
    "A test of a is not an object.",
  ],
  ["another JSON", "jest-json", "{}", "The report is not a complete JSON object with `testResults`."],
  ["results without a test", "jest-json", '{"testResults":[null]}', "One of `testResults` is not an object."],
  [
    "a file without tests",
    "jest-json",
    '{"testResults":[{"name":1}]}',
    "One of `testResults` has no `name` or no `assertionResults`.",
  ],
  [
    "an unknown status",
    "jest-json",
    suites('[{"title":"x","status":"ok"}]'),
    "A test of a has no title or an unknown status.",
  ],
  [
    "too many tests",
    "jest-json",
    suites(`[${'{"title":"x","status":"passed"},'.repeat(100_001).slice(0, -1)}]`),
    "The report has more than 100,000 tests.",
  ],
  ["other XML", "junit-xml", "<html/>", "The XML is not a JUnit report."],
  [
    "an entity bomb",
    "junit-xml",
    '<!DOCTYPE x [<!ENTITY a "&b;">]><testsuite/>',
    "The XML declares a document type, which Tenon does not read.",
  ],
  ["no event", "go-json", "ok\n", "The output holds no event of go test -json."],
  ["half an event", "go-json", '{"Action":"start","Pack', "Line 1 is not a complete event of go test -json."],
  [
    "a package without an end",
    "go-json",
    '{"Action":"start","Package":"p"}\n',
    "The output is cut off: package p never ended.",
  ],
  ["no line", "libtest-json", "running 3 tests\n", "The output holds no line of cargo's or libtest's JSON."],
  [
    "a build in progress",
    "libtest-json",
    '{"reason":"compiler-artifact"}\n',
    "The output is cut off: cargo was still building.",
  ],
  [
    "a printed line that imitates the harness",
    "libtest-json",
    recorded("libtest-exit.jsonl").replace(
      '{"type": "suite", "event": "ok"',
      '{"type":"test","name":"ghost","event":"ok"}\n$&',
    ),
    "A suite counts 1 passed, 0 failed and 0 ignored tests, but the report lists 2 passed, 0 failed and 0 ignored.",
  ],
])("%s", (_, format, text, expected) => {
  expect(read(format, text)).toEqual(expected);
});

test("reads many failed subtests and long output in one pass", () => {
  const lines = Array.from({ length: 20_000 }, (_, at) =>
    ["run", "fail"]
      .map((Action) => JSON.stringify({ Action, Package: "p", Test: `T${at % 100}/${"s/".repeat(30)}${at}` }))
      .join("\n"),
  );
  const long = JSON.stringify({
    Action: "output",
    Package: "p",
    Test: `T0/${"s/".repeat(30)}0`,
    Output: "\n".repeat(MEGABYTE),
  });
  const told = readTestReport("go-json", [...lines, long, '{"Action":"fail","Package":"p"}'].join("\n"), place);
  expect("value" in told && told.value.tests.length).toBe(20_000);
});

const NOISE = "noise\n".repeat(10_000);

test.each<[TestFormat, readonly object[], string]>([
  [
    "go-json",
    [
      { Action: "run", Package: "p", Test: "T" },
      { Action: "output", Package: "p", Test: "T", Output: NOISE },
      { Action: "output", Package: "p", Test: "T", Output: "panic: boom\n" },
      { Action: "fail", Package: "p", Test: "T" },
      { Action: "fail", Package: "p" },
    ],
    "panic: boom",
  ],
  [
    "libtest-json",
    [
      { type: "suite", event: "started", test_count: 1 },
      { type: "test", event: "failed", name: "t", stdout: `${NOISE}\nthread 't' (7) panicked at a.rs:1:2:\nboom\n` },
      { type: "suite", event: "failed", passed: 0, failed: 1, ignored: 0 },
    ],
    "panicked at a.rs:1:2:\nboom",
  ],
])("%s: earlier output of a test does not hide why it failed", (format, events, expected) => {
  const told = readTestReport(format, events.map((event) => JSON.stringify(event)).join("\n"), place);
  expect("value" in told && told.value.tests.map(({ message }) => message)).toEqual([expected]);
});

test("removes colours and folders of the machine from messages, and limits their length", () => {
  const said = JSON.stringify([
    { title: "x", status: "failed", failureMessages: [`\u001b[31m/repository/a.ts\u001b[0m ${"x".repeat(9_000)}`] },
  ]);
  const told = readTestReport("vitest-json", suites(said), place);
  expect("value" in told && told.value.tests[0]?.message).toBe(`a.ts ${"x".repeat(1_995)}`);
});

test.each([
  [".", "src/a.ts", "src/a.ts"],
  [".", "/repository/src/a.ts", "src/a.ts"],
  [".", "file:///repository/src/a.ts", "src/a.ts"],
  [".", "/repository-other/a.ts", undefined],
  [".", "../a.ts", undefined],
  [".", "./x/../a.ts", "a.ts"],
  ["web", "src/a.ts", "web/src/a.ts"],
  ["web", "/repository/web/a.ts", "web/a.ts"],
  ["web", "/repository/lib/a.ts", "lib/a.ts"],
  ["web", "../../a.ts", undefined],
])("in %s, reads %s as %s", (directory, reported, expected) => {
  const folder = directory === "." ? "/repository" : `/repository/${directory}`;
  expect(resolveReportedPath({ folder, directory }, reported)).toBe(expected);
});

test.each([
  ["C:\\repository\\src\\a.ts", "src/a.ts"],
  ["C:/repository/src/a.ts", "src/a.ts"],
  ["file:///C:/repository/src/a.ts", "src/a.ts"],
  ["src\\a.ts", "web/src/a.ts"],
  ["D:\\repository\\src\\a.ts", undefined],
])("on Windows, reads %s as %s", (reported, expected) => {
  expect(resolveReportedPath({ folder: "C:\\repository/web", directory: "web" }, reported)).toBe(expected);
});

test.each<[TestFormat, string, string, boolean]>([
  ["vitest-json", "a.test.ts", "a.test.ts", true],
  ["vitest-json", "a", "a/b.test.ts", false],
  ["go-json", "account", "account/user_test.go", true],
  ["go-json", "account", "account/deep/user_test.go", false],
  ["go-json", ".", "main_test.go", true],
  ["libtest-json", "src/lib.rs", "src/user.rs", true],
  ["libtest-json", "tests/user.rs", "tests/other.rs", false],
  ["libtest-json", "tests/it/main.rs", "tests/it/user.rs", true],
  ["libtest-json", "src/lib.rs", "tests/user.rs", false],
  ["libtest-json", "api", "api/tests/user.rs", true],
  ["libtest-json", "api", "web/tests/user.rs", false],
])("%s: finds a test of %s written in %s: %s", (format, file, path, expected) => {
  expect(canReportFile(format, file, path)).toBe(expected);
});
