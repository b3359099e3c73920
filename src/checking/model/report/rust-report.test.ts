import { expect, test } from "vitest";
import { readCargoProgram, orderCargoSources } from "./rust-report.ts";

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
].flatMap((told) => readCargoProgram(told) ?? []);

test("programs run by package, then by kind, then by name", () => {
  expect(orderCargoSources(executables, 8)).toEqual([
    "zeta/src/lib.rs",
    "zeta/tests/t10.rs",
    "zeta/tests/t2.rs",
    "mid/src/lib.rs",
    "mid/src/bin/b.rs",
    "mid/tests/t2.rs",
  ]);
});

test("a program that tells nothing leaves none to be told from another", () => {
  expect(orderCargoSources(executables, 7)).toBeUndefined();
});

test.each([
  ["what is not built for tests", { ...built("a#0.1.0", "bin", "a", "a.rs"), profile: { test: false } }],
  ["what is no program", { ...built("a#0.1.0", "lib", "a", "a.rs"), executable: null }],
  ["another line", { reason: "build-finished", success: true }],
])("%s holds no tests", (_, told) => {
  expect(readCargoProgram(told)).toBeUndefined();
});
