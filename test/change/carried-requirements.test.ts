import { afterEach, beforeEach, expect, test } from "vitest";
import * as stand from "./stand.ts";

const ADDED = "### ADDED\n\n- FR-002: The sum shall double.";
const { EVIDENCE, createSpec } = stand;

let it: stand.ChangeStand;
beforeEach(async () => {
  it = stand.openChangeStand({ "sdd/requirements.md": stand.REQUIREMENTS });
  await it.trust();
});
afterEach(() => it[Symbol.dispose]());

/** A medium enhancement up to its last stage. */
const begin = (requirements: string): Promise<void> =>
  it.begin("enhancement", "medium", [stand.PROPOSAL, stand.CONTEXT, createSpec(requirements), stand.TASKS]);
const say = (answer: stand.ChangeAnswer): string => (answer.problems ?? []).map(({ problem }) => problem).join("\n");

test("keeps the last stage open without code, without a test, or with a test that does not run for a requirement", async () => {
  await begin(ADDED);
  it.write("src/twice.mjs", "export const twice = (a) => a * 2;\n");
  expect(say(await it.verify())).toContain("requirements: FR-002 is added, but no code carries it.");
  it.write("src/twice.mjs", stand.CODE_FOR("FR-002"));
  expect(say(await it.verify())).toContain("requirements: FR-002 is added, but no test carries it.");
  it.write("tests/twice.mjs", `if (!globalThis) {\n${stand.TEST_FOR("FR-002").replace(/^import.*\n/, "")}}\n`);
  expect(say(await it.verify())).toContain("no test that carries it ran and passed: tests/twice.mjs.");
  it.write("src/empty.mjs", "// @spec FR-002\n");
  it.write("tests/twice.mjs", stand.TEST_FOR("FR-002"));
  expect(await it.verify()).toMatchObject({ passed: true });
  expect(await it.archive()).toMatchObject({ passed: true, merged: [{ id: "FR-002", how: "applied" }] });
  expect(it.read("sdd/requirements.md")).toContain("- **FR-002**: The sum shall double.");
  it.commit("Done");
  expect(await it.ci()).toEqual({ code: 0, findings: "" });
});

test("accepts a test that passes without the change only with a reason", async () => {
  await begin(ADDED);
  it.write("src/twice.mjs", stand.CODE_FOR("FR-002"));
  it.write("tests/twice.mjs", '// @spec FR-002\ntest("doubles", () => same(2, 2));\n');
  expect(say(await it.verify())).toContain("tests/twice.mjs: doubles checks nothing: it also passes with broken code.");
  const allowed = "// @spec FR-002\n// tenon-allow: doubling was there, and is only written down now\n";
  it.write("tests/twice.mjs", `${allowed}test("doubles", () => same(2, 2));\n`);
  expect(await it.verify()).toMatchObject({ passed: true });
});

test("accepts a quality that held before the change", async () => {
  await begin("### ADDED\n\n- NFR-001: A sum shall take less than 1 s.");
  it.write("src/twice.mjs", stand.CODE_FOR("NFR-001"));
  const steps = "const start = Date.now();\n  twice(2);\n  same(Date.now() - start < 1000, true);";
  const imported = 'import { twice } from "../src/twice.mjs";\n\n';
  it.write("tests/twice.mjs", `${imported}// @spec NFR-001\ntest("is fast", () => {\n  ${steps}\n});\n`);
  expect(await it.verify()).toMatchObject({ passed: true });
});

test("requires a change to the code or test of a modified requirement", async () => {
  it.write("src/add.mjs", "/** @spec FR-001 */\nexport const add = (a, b) => a + b;\n");
  it.write("tests/add.mjs", `// @spec FR-001\n${it.read("tests/add.mjs")}`);
  it.commit("Tag");
  await begin("### MODIFIED\n\n- FR-001: The sum shall add fast.");
  it.write("src/more.mjs", "export const more = 1;\n");
  expect(say(await it.verify())).toContain(
    "FR-001 is modified, but nothing that carries it changed: src/add.mjs, tests/add.mjs.",
  );
  it.write("src/add.mjs", "/** @spec FR-001 */\nexport const add = (a, b) => b + a;\n");
  expect(await it.verify()).toMatchObject({ passed: true });
});

test("passes with a requirement that the user accepts without code, and ci shows that nothing proves it", async () => {
  await begin(ADDED);
  it.write("src/add.mjs", "export const add = (a, b) => b + a;\n");
  expect(say(await it.verify(`${EVIDENCE}- FR-002: not in code\n`))).toContain("no code carries it");
  const stated = `${EVIDENCE}- FR-002: not in code: a person doubles by hand\n`;
  expect(await it.verify(stated)).toMatchObject({ passed: true });
  expect(await it.archive()).toMatchObject({ passed: true });
  it.commit("Done");
  const { code, findings } = await it.ci();
  expect(code).toBe(1);
  expect(findings).toContain("add-right/not-in-code");
});

test("does not report an acceptance that the user proved, and keeps the stage open after a rejection", async () => {
  using own = stand.openChangeStand({
    "sdd/requirements.md": stand.REQUIREMENTS,
    "sdd/config.yaml": `${it.read("sdd/config.yaml")}approvals: proven\n`,
  });
  await own.trust();
  it[Symbol.dispose]();
  it = own;
  await begin(ADDED);
  own.write("src/add.mjs", "export const add = (a, b) => b + a;\nexport const sum = (a, b, c) => a + b + c;\n");
  own.write("tests/sum.mjs", 'import { sum } from "../src/add.mjs";\n\ntest("sums", () => same(sum(1, 2, 4), 7));\n');
  const stated = `${EVIDENCE}- FR-002: not in code: a person doubles by hand\n`;
  expect(await own.verify(stated)).toMatchObject({ passed: false, user_question: { id: "add-right/not-in-code" } });
  await own.house.type("approve", "add-right/not-in-code", "--reject", "--reason", "Code it");
  expect(say(await own.verify(stated))).toContain("Code it");
  const other = `${EVIDENCE}- FR-002: not in code: the bank doubles the amount\n`;
  expect(await own.verify(other)).toMatchObject({ passed: false });
  await own.house.type("approve", "add-right/not-in-code");
  expect(await own.verify(other)).toMatchObject({ passed: true });
  expect(await own.archive()).toMatchObject({ passed: true });
  own.commit("Done");
  expect(await own.ci()).toEqual({ code: 0, findings: "" });
});

test("archiving leaves out a requirement whose code is missing", async () => {
  await begin(ADDED);
  it.write("src/twice.mjs", stand.CODE_FOR("FR-002"));
  it.write("tests/twice.mjs", stand.TEST_FOR("FR-002"));
  expect(await it.verify()).toMatchObject({ passed: true });
  it.remove("src/twice.mjs");
  const refused = await it.archive();
  expect(refused).toMatchObject({ code: 3, passed: false, merged: [] });
  expect(JSON.stringify(refused)).toContain("FR-002 is added, but no code carries it.");
  expect(it.read("sdd/requirements.md")).toBe(stand.REQUIREMENTS);
});

test("ci reports a requirement of an archived change whose code is missing", async () => {
  await begin(ADDED);
  it.write("src/twice.mjs", stand.CODE_FOR("FR-002"));
  it.write("tests/twice.mjs", stand.TEST_FOR("FR-002"));
  await it.verify();
  await it.archive();
  it.commit("Done");
  it.write("tests/twice.mjs", stand.TEST_FOR("FR-002").replace("// @spec FR-002\n", ""));
  const { code, findings } = await it.ci();
  expect(code).toBe(1);
  expect(findings).toContain("trace uncarried: add-right: FR-002 is added, but no test carries it.");
});
