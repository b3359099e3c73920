import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LOGIN, TINY, tinyStand, type TinyStand } from "./tiny.ts";
import type { Receipt } from "#checking/model/gate/receipt-chain.ts";

const ADD_TEST = 'import { add } from "../src/add.mjs";\n\ntest("adds", () => same(add(1, 2), 3));\n';

async function buildLogin(): Promise<TinyStand> {
  const it = await tinyStand();
  it.write("src/login.mjs", LOGIN);
  return it;
}

const readLastReceipt = (it: TinyStand): Receipt =>
  JSON.parse(it.read("sdd/receipts/AUTH-001.jsonl").trimEnd().split("\n").at(-1) ?? "") as Receipt;

test("accepts a renamed test without a reason, and shows its new name", async () => {
  using it = await buildLogin();
  it.write("tests/add.mjs", ADD_TEST.replace('"adds"', '"gives the sum"'));
  const gate = await it.gate();
  expect([gate.open, gate["notes"]]).toEqual([[], ['Renamed test: tests/add.mjs: "adds" is "gives the sum" now.']]);
});

test("accepts a moved test without a reason, and does not count it as new", async () => {
  using it = await buildLogin();
  fs.rmSync(join(it.root, "tests/add.mjs"));
  it.write("tests/sums.mjs", ADD_TEST);
  expect((await it.gate()).open).toEqual([]);
});

test("accepts a removed test with a reason, which the receipt and later gates keep", async () => {
  using it = await buildLogin();
  it.write("tests/add.mjs", "\n");
  expect((await it.gate()).open).toEqual(["tests-kept: tests/add.mjs: adds is gone."]);
  const tests_removed = [{ test: "adds", reason: "Nothing calls add any more" }];
  const gate = await it.run("gate.run", { id: "AUTH-001", tests_removed });
  expect([gate.passed, gate["notes"]]).toEqual([
    true,
    ["Allowed: tests/add.mjs: adds is gone: Nothing calls add any more"],
  ]);
  expect(readLastReceipt(it).checks.find(({ check }) => check === "tests-kept")).toEqual({
    check: "tests-kept",
    status: "passed",
    allowed: [{ what: "tests/add.mjs: adds is gone", reason: "Nothing calls add any more" }],
  });
  expect((await it.advance("AUTH-001", { stage: "implement" })).passed).toBe(true);
  expect((await it.gate()).open.filter((line) => line.startsWith("tests-kept"))).toEqual([]);
});

test("applies a reason to a whole file, and reports an unknown test name", async () => {
  using it = await buildLogin();
  it.write("tests/add.mjs", "\n");
  const answer = await it.run("gate.run", {
    id: "AUTH-001",
    tests_removed: [
      { test: "tests/add.mjs", reason: "add is gone" },
      { test: "subtracts", reason: "A slip" },
    ],
  });
  expect([answer.passed, answer["notes"]]).toEqual([
    true,
    [
      "Allowed: tests/add.mjs: adds is gone: add is gone",
      'tests_removed names "subtracts", but no test of that name was removed.',
    ],
  ]);
});

test.each([
  ["a removed test with a comment that names it", '// tenon-allow: "adds" is removed: nothing calls add\n', true],
  ["no removed test with a comment about something else", "// tenon-allow: this file is short\n", false],
  [
    "a skipped test with a comment above it",
    ADD_TEST.replace("test(", "// tenon-allow: flaky on CI\ntest.skip("),
    true,
  ],
  ["no skipped test without a reason", ADD_TEST.replace("test(", "// tenon-allow:\ntest.skip("), false],
])("tenon-allow accepts %s", async (_, text, isKept) => {
  using it = await buildLogin();
  it.write("tools/test.mjs", it.read("tools/test.mjs").replace("globalThis.same", "test.skip = () => {};\n$&"));
  await it.trust();
  it.write("tests/add.mjs", text);
  const { open } = await it.gate();
  expect(open.filter((line) => line.startsWith("tests-kept")).length === 0).toBe(isKept);
});

test("does not apply a reason to a test that keeps the others from running", async () => {
  using it = await buildLogin();
  it.write("tests/add.mjs", ADD_TEST.replace("test(", "test.only("));
  const tests_removed = [{ test: "adds", reason: "It is the one that matters" }];
  const answer = await it.run("gate.run", { id: "AUTH-001", tests_removed });
  expect(answer.passed).toBe(false);
});

const GENERATED = 'for (const n of [1, 2]) check("adds " + n, () => same(n + 1, 1 + n));\n';
/** The runner knows a function that declares tests, which the source of a test file does not show. */
const GENERATING = "globalThis.check = globalThis.test;\n";

test.each([
  ["a deleted file of generated tests", undefined, "tests/more.mjs: 2 tests not run any more: adds 1, adds 2."],
  ["a missing generated test", GENERATED.replace("[1, 2]", "[1]"), "tests/more.mjs: 1 test not run any more: adds 2."],
  ["no file that still generates its tests", GENERATED.replace("n + 1", "1 + n"), undefined],
])("reports %s", async (_, text, expected) => {
  const runner = TINY["tools/test.mjs"]?.replace("globalThis.same", `${GENERATING}$&`) ?? "";
  using it = await tinyStand({ files: { "tools/test.mjs": runner, "tests/more.mjs": GENERATED } });
  it.write("src/login.mjs", LOGIN);
  if (text === undefined) fs.rmSync(join(it.root, "tests/more.mjs"));
  else it.write("tests/more.mjs", text);
  expect((await it.gate()).open).toEqual(expected === undefined ? [] : [`tests-kept: ${expected}`]);
  if (expected === undefined) return;
  const tests_removed = [{ test: "tests/more.mjs", reason: "Nothing adds any more" }];
  expect((await it.run("gate.run", { id: "AUTH-001", tests_removed })).passed).toBe(true);
});

test("does not report a deleted helper without tests", async () => {
  using it = await tinyStand({ files: { "tests/helper.mjs": "export const helper = 1;\n" } });
  it.write("src/login.mjs", LOGIN);
  fs.rmSync(join(it.root, "tests/helper.mjs"));
  expect((await it.gate()).open).toEqual([]);
});

test("reports a file that stops the whole run, and not every test that did not run because of it", async () => {
  // As pytest does while it collects tests.
  const stopping = TINY["tools/test.mjs"]?.replace(
    "fs.writeFileSync(process",
    "const broken = testResults.filter(({ message }) => message);\nif (broken.length > 0) testResults.splice(0, testResults.length, ...broken);\nfs.writeFileSync(process",
  );
  using it = await tinyStand({ files: { "tools/test.mjs": stopping ?? "" } });
  it.write("src/login.mjs", LOGIN);
  it.write("tests/add.mjs", `// Sums.\n${ADD_TEST}`);
  it.write("tests/clock.mjs", 'import "./missing.mjs";\n');
  const { open } = await it.gate();
  expect(open.filter((line) => line.startsWith("tests: "))).toEqual([expect.stringContaining("tests/clock.mjs")]);
  expect(open.filter((line) => line.startsWith("tests-kept"))).toEqual([]);
});
