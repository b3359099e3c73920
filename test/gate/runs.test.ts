import { expect, test } from "vitest";
import { LOGIN, TINY, tinyStand } from "./tiny.ts";

/** Writes a line for every run of a tool. */
const counting = (tool: string): Readonly<Record<string, string>> => {
  const path = `tools/${tool}.mjs`;
  const note = `import { appendFileSync } from "node:fs";\nappendFileSync("runs.log", "${tool} ");\n`;
  return { [path]: note + (TINY[path] ?? "") };
};
const COUNTED = { ...counting("test"), ...counting("lint"), ...counting("format") };

/** In the order of the alphabet: checks that only read run at the same time. */
const listRuns = (it: { read(path: string): string }): string =>
  it.read("runs.log").trim().split(" ").toSorted().join(" ");

test("runs no check twice on the same files, and runs it again after an edit", async () => {
  using it = await tinyStand({ files: COUNTED });
  it.write("src/login.mjs", LOGIN);
  const first = await it.gate();
  expect([first.open, listRuns(it)]).toEqual([[], "format lint test"]);
  const again = await it.gate();
  const took = again["took"] as { check: string; reused?: boolean }[];
  expect([again.passed, listRuns(it)]).toEqual([true, "format lint test"]);
  expect(took.map(({ check, reused }) => `${check} ${reused ?? false}`)).toEqual([
    "tests true",
    "lint true",
    "format true",
    "mutation-check true",
  ]);
  // The gate of the next stage has the same files.
  expect((await it.advance("AUTH-001", { stage: "implement" })).passed).toBe(true);
  await it.gate();
  expect(listRuns(it)).toBe("format lint test");
  it.write("src/login.mjs", `${LOGIN}export const more = 1;\n`);
  await it.gate();
  // This gate asks for tests alone.
  expect(listRuns(it)).toBe("format lint test test");
});

test("runs no check twice that fails only as it did before the work", async () => {
  using it = await tinyStand({ files: { ...COUNTED, "src/old.mjs": 'export const old = eval("1");\n' } });
  it.write("src/login.mjs", LOGIN);
  const first = await it.gate();
  const runs = listRuns(it);
  const again = await it.gate();
  expect([first.open, again.open, listRuns(it)]).toEqual([[], [], runs]);
  expect(again.notes).toEqual(first.notes);
  expect(again.notes).toEqual([expect.stringMatching(/^Already failing without this work: lint: old\.mjs/)]);
});

test("does not repeat a check that is usually fast and now hangs", async () => {
  using it = await tinyStand();
  it.write("src/login.mjs", LOGIN);
  expect((await it.gate()).open).toEqual([]);
  it.write("src/login.mjs", `${LOGIN}export const more = 1;\n`);
  it.days("silent", "silent");
  const { open } = await it.gate();
  expect([open.slice(0, 2), it.waits]).toEqual([
    [
      "format: format printed nothing for 3 s and was stopped.",
      expect.stringMatching(/^format: It usually takes \d+ s\. Look for a loop or a wait that never ends/),
    ],
    [],
  ]);
});

test("counts the tests of a coverage run in the next gate on the same files", async () => {
  const profile = TINY["sdd/stacks/tiny.yaml"]?.replace(
    "  - kind: lint",
    `  - kind: coverage
    tool: cover
    argv: [node, tools/cover.mjs, "{report}", "{coverage}"]
    report: { format: vitest-json }
    coverage: { format: lcov }
$&`,
  );
  const lines = Array.from({ length: 40 }, (_, i) => `DA:${i + 1},1`).join("\\n");
  const cover = `import { appendFileSync, writeFileSync } from "node:fs";
appendFileSync("runs.log", "cover ");
writeFileSync(process.argv[3], "SF:src/login.mjs\\n${lines}\\nend_of_record\\n");
await import("./test.mjs");
`;
  const files = { ...COUNTED, "sdd/stacks/tiny.yaml": profile ?? "", "tools/cover.mjs": cover };
  using it = await tinyStand({ files });
  it.write("src/login.mjs", LOGIN);
  expect([(await it.gate()).open, listRuns(it)]).toEqual([[], "cover format lint test"]);
  expect((await it.advance("AUTH-001", { stage: "implement" })).passed).toBe(true);
  const { checks = [] } = await it.gate();
  expect([checks.find(({ check }) => check === "tests")?.status, listRuns(it)]).toEqual([
    "passed",
    "cover format lint test",
  ]);
});

test("counts the tests if the coverage tool cannot run", async () => {
  const profile = TINY["sdd/stacks/tiny.yaml"]?.replace(
    "  - kind: lint",
    `  - kind: coverage
    tool: cover
    argv: [node, tools/cover.mjs, "{report}", "{coverage}"]
    report: { format: vitest-json }
    coverage: { format: lcov }
$&`,
  );
  const cover = 'console.error("error: unrecognized arguments: --cov");\nprocess.exit(4);\n';
  using it = await tinyStand({ files: { "sdd/stacks/tiny.yaml": profile ?? "", "tools/cover.mjs": cover } });
  it.write("src/login.mjs", LOGIN);
  const gate = await it.gate();
  const status = Object.fromEntries((gate.checks ?? []).map((each) => [each.check, each.status]));
  expect([gate.open, status["tests"], status["coverage"]]).toEqual([[], "passed", "waived"]);
  it.write("src/add.mjs", "export const add = (a, b) => a - b;\n");
  expect((await it.gate()).open).toContain("tests: tests/add.mjs: adds: Error: expect(-1) is not 3");
});

// Without the work, the new test does not load, so that no report names it.
test.each([
  ["runs the classes of the new tests alone", "login", [""]],
  ["runs all tests if a class name differs from its file", "other", ["", "adds"]],
])("%s", async (_, known, expected) => {
  const profile = TINY["sdd/stacks/tiny.yaml"]?.replace(
    'argv: [node, tools/test.mjs, "{report}"]',
    '$&\n    only: [node, tools/test.mjs, "{report}", "--classes={classes:,}"]',
  );
  const runner = TINY["tools/test.mjs"]?.replace(
    'readdirSync("tests")',
    `$&.filter((file) => process.argv.length < 4 || (file === "login.mjs" && process.argv[3] === "--classes=${known}"))`,
  );
  using it = await tinyStand({ files: { "sdd/stacks/tiny.yaml": profile ?? "", "tools/test.mjs": runner ?? "" } });
  it.write("src/login.mjs", LOGIN);
  expect((await it.gate()).open).toEqual([]);
  const receipt = JSON.parse(it.read("sdd/receipts/AUTH-001.jsonl").trim().split("\n").at(-1) ?? "{}") as {
    checks: { check: string; tests?: { name: string }[] }[];
  };
  const seen = receipt.checks.filter(({ check }) => check === "tests-seen-to-fail");
  expect(seen.map(({ tests = [] }) => tests.map(({ name }) => name).join(", "))).toEqual(expected);
});
