import { expect, test } from "vitest";
import { LOGIN, tinyStand, WITH_VAR } from "./tiny.ts";
import { openIn, projectStand } from "./project.ts";

const RECEIPTS = "sdd/receipts/AUTH-001.jsonl";
const countReceipts = (text: string): number => text.trimEnd().split("\n").length;

test("a check without a gate fixes nothing and writes no receipt", async () => {
  using it = await tinyStand();
  it.write("src/login.mjs", WITH_VAR);
  const before = countReceipts(it.read(RECEIPTS));
  const looked = await it.run("workflow.advance", { id: "AUTH-001", check: true });
  expect([looked.passed, it.read("src/login.mjs"), it.has("fixed.log")]).toEqual([false, WITH_VAR, false]);
  it.write("src/login.mjs", LOGIN);
  const good = await it.run("workflow.advance", { id: "AUTH-001", check: true });
  expect([good.passed, countReceipts(it.read(RECEIPTS))]).toEqual([true, before]);
});

test("a second gate on the same files writes no receipt", async () => {
  using it = await tinyStand();
  it.write("src/login.mjs", LOGIN);
  const first = await it.gate();
  const count = countReceipts(it.read(RECEIPTS));
  const again = await it.gate();
  expect([first.passed, again.passed, countReceipts(it.read(RECEIPTS))]).toEqual([true, true, count]);
});

test("reports code that it cannot check", async () => {
  using it = await tinyStand();
  it.write("src/login.mjs", LOGIN);
  it.write("src/large.mjs", `// ${"x".repeat(1024 * 1024)}\n`);
  const { open } = await it.gate();
  expect(open).toContain("shortcuts: src/large.mjs cannot be checked: it is too large, or not UTF-8 text.");
});

test("does not accept a test of the same name in a different file as proof", async () => {
  using it = await tinyStand();
  it.write("src/login.mjs", LOGIN);
  it.write("tests/other.mjs", it.read("tests/login.mjs").replace(", true)", ", false)"));
  const { open } = await it.gate();
  expect(open.filter((line) => /tests\/other\.mjs: .* does not pass with the work either/.test(line))).not.toEqual([]);
  expect(open.filter((line) => /tests\/login\.mjs: .* does not pass with the work either/.test(line))).toEqual([]);
});

/** Two stacks whose lint is a small program; only one of them has it. */
const stack = (id: string, checks: string): string =>
  `id: ${id}\nextends: generic\noff: [test, lint, types]\n${checks}`;

test.each([
  ["without changes", "with/src/new.mjs", false],
  ["with changes", "without/src/new.mjs", true],
])("reports a missing check only for the folder that lacks it: %s", async (_, changed, isMissed) => {
  using it = await projectStand({
    "sdd/stacks/with.yaml": stack("with", 'checks:\n  - { kind: lint, tool: lint, argv: [node, -e, "0"] }\n'),
    "sdd/stacks/without.yaml": stack("without", ""),
    "sdd/config.yaml": "stack:\n  directories:\n    with: with\n    without: without\n",
    "with/src/a.mjs": "export const a = 1;\n",
    "without/src/a.mjs": "export const a = 1;\n",
  });
  await it.trust();
  await it.begin();
  it.write(changed, "// @spec AUTH-001\nexport const b = 1;\n");
  expect(openIn(await it.gate()).some((line) => line.startsWith("lint: "))).toBe(isMissed);
});

test("reports tests without a report as unknown, not as wrong", async () => {
  using it = await projectStand({ "src/a.sh": "echo a\n", Makefile: "test:\n\ttrue\n" });
  await it.trust();
  await it.begin();
  it.write("src/b.sh", "# @spec AUTH-001\necho b\n");
  const { checks = [] } = await it.gate();
  expect(checks.find(({ check }) => check === "tests-seen-to-fail")).toMatchObject({ status: "unknown" });
});
