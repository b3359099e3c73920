import { expect, test } from "vitest";
import { measureChangedCoverage, readCoverageReport, readCoverageReports } from "./coverage-report.ts";
import type { CoverageFormat } from "./test-report.ts";

const place = { folder: "/repository/web", directory: "web", module: "example.com/web" };

function told(format: CoverageFormat, text: string, at: Parameters<typeof readCoverageReport>[2] = place): unknown {
  const read = readCoverageReport(format, text, at);
  if ("problem" in read) return read.problem;
  return Object.fromEntries([...read.value].map(([file, lines]) => [file, Object.fromEntries(lines)]));
}

const LCOV = "TN:\nSF:src/a.ts\nFN:6,f\nDA:7,7\nDA:8,0\nLF:2\nend_of_record\n";

test.each<[string, CoverageFormat, string, unknown]>([
  ["lcov", "lcov", LCOV, { "web/src/a.ts": { 7: true, 8: false } }],
  [
    "lines that one of two runs executed",
    "lcov",
    `${LCOV}${LCOV.replace("8,0", "8,1")}`,
    { "web/src/a.ts": { 7: true, 8: true } },
  ],
  ["an absolute path", "lcov", LCOV.replace("src", "/repository/lib"), { "lib/a.ts": { 7: true, 8: false } }],
  ["a path beside the stack", "lcov", LCOV.replace("src", "../lib"), { "lib/a.ts": { 7: true, 8: false } }],
  ["a file outside", "lcov", LCOV.replace("src", "/elsewhere"), {}],
  [
    "istanbul, by the first line of statements",
    "istanbul-json",
    JSON.stringify({
      "/repository/web/src/a.ts": {
        statementMap: {
          "0": { start: { line: 3 }, end: { line: 5 } },
          "1": { start: { line: 4 } },
          "2": { start: { line: 4 } },
        },
        s: { "0": 2, "1": 0, "2": 1 },
      },
    }),
    { "web/src/a.ts": { 3: true, 4: true } },
  ],
  [
    "coverage.py",
    "coverage-py-json",
    '{"files":{"src/a.py":{"executed_lines":[1,3],"missing_lines":[4]}}}',
    { "web/src/a.py": { 1: true, 3: true, 4: false } },
  ],
  [
    "Go's blocks",
    "go-cover",
    "mode: set\nexample.com/web/a/b.go:3.5,4.10 2 1\nexample.com/web/a/b.go:4.10,6.3 1 0\nexample.com/other/c.go:1.1,2.2 1 1\n",
    { "web/a/b.go": { 3: true, 4: true, 5: false, 6: false } },
  ],
  ["an lcov file that ends early", "lcov", LCOV.slice(0, -14), "The coverage report is cut off."],
  ["an lcov file with a broken line", "lcov", "SF:a\nDA:x,1\n", "Line 2 is not a line of lcov."],
  ["a record inside a record", "lcov", "SF:a\nSF:b\n", "Line 2 starts a file before the last one ended."],
  ["lines without a file", "lcov", "DA:1,1\n", "Line 1 is not a line of lcov."],
  ["an incomplete JSON text", "istanbul-json", '{"a":', "The coverage is not a complete JSON object."],
  ["another JSON", "istanbul-json", '{"a":{"s":{}}}', "The coverage is not istanbul's."],
  [
    "counts inherited from a prototype",
    "istanbul-json",
    '{"a":{"s":{},"statementMap":{"toString":{"start":{"line":1}}}}}',
    "The coverage is not istanbul's.",
  ],
  ["a list", "coverage-py-json", "[]", "The coverage is not a complete JSON object with `files`."],
  [
    "invalid lines",
    "coverage-py-json",
    '{"files":{"a":{"executed_lines":["x"],"missing_lines":[]}}}',
    "The coverage report has a line that is not a number.",
  ],
  ["no mode", "go-cover", "example.com/web/a.go:1.1,2.2 1 1\n", "Line 1 is not a line of a Go cover profile."],
  [
    "a huge block",
    "go-cover",
    "mode: set\nexample.com/web/a.go:1.1,9999999.2 1 1\n",
    "Line 2 has a block that is too long.",
  ],
  [
    "too many lines",
    "go-cover",
    `mode: set\n${"example.com/web/a.go:1.1,50000.2 1 1\n".repeat(41)}`,
    "The coverage report has too many lines.",
  ],
  ["a report that is far too large", "lcov", " ".repeat(33 * 1024 * 1024), "The report is larger than 32 MB."],
])("coverage: %s", (_, format, text, expected) => {
  expect(told(format, text)).toEqual(expected);
});

test("cannot read Go's coverage without the module", () => {
  expect(told("go-cover", "mode: set\n", { folder: "/repository", directory: "." })).toBe(
    "Go's coverage names packages, and the module in go.mod is not known.",
  );
});

const coverage = new Map([
  [
    "a.ts",
    new Map([
      [1, true],
      [2, false],
      [4, true],
    ]),
  ],
  [
    "a.go",
    new Map([
      [1, false],
      [2, false],
      [3, false],
      [4, false],
    ]),
  ],
]);

test.each([
  ["nothing", {}, { covered: 0, coverable: 0, percent: 100, uncovered: [] }],
  ["lines that cannot be executed", { "a.ts": { 3: "}" } }, { covered: 0, coverable: 0, percent: 100, uncovered: [] }],
  [
    "known lines",
    { "a.ts": { 4: "x", 2: "y", 1: "z", 3: "// no" } },
    { covered: 2, coverable: 3, percent: 66.6, uncovered: [{ file: "a.ts", lines: [2], isUnknown: false }] },
  ],
  [
    "a file that the coverage does not contain",
    { "b.ts": { 1: "x();", 2: "", 3: "  }", 4: "// why", 5: " * more", 6: "#private = 1;", 7: "*x = 1;" } },
    { covered: 0, coverable: 3, percent: 0, uncovered: [{ file: "b.ts", lines: [1, 6, 7], isUnknown: true }] },
  ],
  [
    "comments inside a block of Go",
    { "a.go": { 1: "x()", 2: "// why", 3: "", 4: "}" } },
    { covered: 0, coverable: 1, percent: 0, uncovered: [{ file: "a.go", lines: [1], isUnknown: false }] },
  ],
])("counts the changed lines: %s", (_, changed, expected) => {
  const lines = new Map(
    Object.entries(changed).map(([file, texts]) => [
      file,
      new Map(Object.entries(texts as Record<string, string>).map(([line, text]) => [Number(line), text])),
    ]),
  );
  expect(measureChangedCoverage(coverage, lines)).toEqual(expected);
});

test("does not round a share up to a threshold that it does not reach", () => {
  const known = new Map([["a", new Map(Array.from({ length: 10_000 }, (_, at) => [at + 1, at < 8_999] as const))]]);
  const changed = new Map([["a", new Map(Array.from({ length: 10_000 }, (_, at) => [at + 1, "x"] as const))]]);
  expect(measureChangedCoverage(known, changed).percent).toBe(89.9);
});

test("joins JaCoCo's reports of modules, each below its own source folder", () => {
  const report = (name: string, covered: number) =>
    `<?xml version="1.0"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd"><report name="x"><package name="app"><sourcefile name="${name}"><line nr="3" mi="1" ci="${covered}"/></sourcefile></package></report>`;
  const reports = [
    { path: "core/target/site/jacoco/jacoco.xml", text: report("User.java", 2) },
    { path: "target/site/jacoco/jacoco.xml", text: report("Main.java", 0) },
  ];
  const read = readCoverageReports("jacoco-xml", reports, { folder: "/repository", directory: "." });
  expect(read?.get("core/src/main/java/app/User.java")).toEqual(new Map([[3, true]]));
  expect(read?.get("src/main/java/app/Main.java")).toEqual(new Map([[3, false]]));
  expect(readCoverageReports("jacoco-xml", [], { folder: "/repository", directory: "." })).toBeUndefined();
});

test("reads the lines of SimpleCov and Clover", () => {
  const here = { folder: "/repository", directory: "." };
  const simplecov = JSON.stringify({ RSpec: { coverage: { "/repository/lib/a.rb": { lines: [null, 1, 0] } } } });
  expect(readCoverageReports("simplecov-json", [{ path: "", text: simplecov }], here)).toEqual(
    new Map([
      [
        "lib/a.rb",
        new Map([
          [2, true],
          [3, false],
        ]),
      ],
    ]),
  );
  const clover =
    '<coverage><project><file name="/repository/src/A.php"><line num="4" type="method" count="1"/><line num="5" type="stmt" count="0"/></file></project></coverage>';
  expect(readCoverageReports("clover-xml", [{ path: "", text: clover }], here)).toEqual(
    new Map([["src/A.php", new Map([[5, false]])]]),
  );
});
