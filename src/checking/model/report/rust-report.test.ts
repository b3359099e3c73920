import { expect, test } from "vitest";
import { readRustReport } from "./event-reports.ts";

/** As cargo tells of it once it is built. */
const built = (id: string, kind: string, name: string, source: string, doctest = false): Record<string, unknown> => ({
  reason: "compiler-artifact",
  package_id: `path+file:///repository/${id}`,
  target: { kind: [kind], name, src_path: source, doctest },
  profile: { test: true },
  executable: `/repository/target/${name}`,
});

// A workspace as cargo 1.95 built and ran it: the folder `zeta` holds the package `aaa-first`.
const executables = [
  built("mid#0.1.0", "test", "t2", "mid/tests/t2.rs"),
  built("zeta#aaa-first@0.1.0", "test", "t2", "zeta/tests/t2.rs"),
  built("zeta#aaa-first@0.1.0", "test", "t10", "zeta/tests/t10.rs"),
  built("mid#0.1.0", "bin", "b", "mid/src/bin/b.rs"),
  built("mid#0.1.0", "lib", "mid", "mid/src/lib.rs", true),
  built("zeta#aaa-first@0.1.0", "lib", "aaa_first", "zeta/src/lib.rs", true),
];

/** The files of the tests when each suite runs one test. */
function listTestFiles(programs: readonly object[], suites: number): unknown {
  const suite = (_: unknown, at: number): object[] => [
    { type: "suite", event: "started" },
    { type: "test", event: "ok", name: `t${at}` },
    { type: "suite", event: "ok", passed: 1, failed: 0, ignored: 0 },
  ];
  const lines = [
    ...programs,
    { reason: "build-finished", success: true },
    ...Array.from({ length: suites }, suite).flat(),
  ];
  const read = readRustReport(lines.map((line) => JSON.stringify(line)).join("\n"), {
    folder: "/repository",
    directory: ".",
  });
  return "value" in read ? read.value.tests.map(({ file }) => file) : read.problem;
}

test("runs programs by package, then by kind, then by name, and doctests last", () => {
  expect(listTestFiles(executables, 8)).toEqual([
    "zeta/src/lib.rs",
    "zeta/tests/t10.rs",
    "zeta/tests/t2.rs",
    "mid/src/lib.rs",
    "mid/src/bin/b.rs",
    "mid/tests/t2.rs",
    ".",
    ".",
  ]);
});

test("names no file if a program reports no suite", () => {
  expect(listTestFiles(executables, 7)).toEqual(Array.from({ length: 7 }, () => "."));
});

test("names the file of a single program", () => {
  expect(listTestFiles([built("a#0.1.0", "bin", "a", "a.rs")], 1)).toEqual(["a.rs"]);
});

test.each([
  ["a target that is not built for tests", { ...built("a#0.1.0", "bin", "a", "a.rs"), profile: { test: false } }],
  ["a line without a program", { ...built("a#0.1.0", "lib", "a", "a.rs"), executable: null }],
  ["another line", { reason: "build-finished", success: true }],
])("%s holds no tests", (_, told) => {
  expect(listTestFiles([told], 1)).toEqual(["."]);
});
