import fs from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { git } from "../kit/folder.ts";
import { NEW_CODE, NEW_TEST, openIn, type ProjectStand, projectStand, typescriptStand } from "./project.ts";

/** A feature that is built as it should be: what a lie starts from. */
let it: ProjectStand;
const HONEST = { "tests/login.test.ts": NEW_TEST, "src/login.ts": NEW_CODE };

beforeAll(async () => {
  it = await typescriptStand();
  await it.trust();
  await it.begin();
  for (const [path, text] of Object.entries(HONEST)) it.write(path, text);
  const { open } = await it.gate();
  if (open.length > 0) throw new Error(`Even the truth is refused: ${open.join("; ")}`);
}, 120_000);

afterEach(() => {
  git(it.root, "reset", "-q", "--hard");
  git(it.root, "update-index", "--no-assume-unchanged", "tests/add.test.ts");
  for (const [path, text] of Object.entries({ ...HONEST, ...COMMITTED })) it.write(path, text);
});
afterAll(() => it[Symbol.dispose]());

const COMMITTED: Record<string, string> = {};
/** Edits a file of the first commit, until the test is over. */
function edit(path: string, change: (text: string) => string): void {
  const text = it.read(path);
  COMMITTED[path] ??= text;
  it.write(path, change(text));
}

describe("D a lie", () => {
  test.each<[lie: string, tell: () => void, check: string, reason: RegExp]>([
    [
      "a test was deleted",
      () => edit("tests/add.test.ts", (text) => text.replace(/^test\("adds nothing".*\n/m, "")),
      "tests-kept",
      /^tests\/add\.test\.ts: adds nothing is gone\.$/,
    ],
    [
      "a test file is renamed to something else",
      () => git(it.root, "mv", "tests/add.test.ts", "src/old.ts"),
      "tests-kept",
      /^tests\/add\.test\.ts: adds nothing is gone\.$/,
    ],
    [
      "a test file is renamed to one that does not run",
      () => git(it.root, "mv", "tests/add.test.ts", "tests/add.ts"),
      "tests-kept",
      /^tests\/add\.test\.ts: adds nothing no longer runs\.$/,
    ],
    [
      "a test is under a condition that never holds",
      () => edit("tests/add.test.ts", (text) => text.replace('test("adds nothing"', 'if (!add) test("adds nothing"')),
      "tests-kept",
      /^tests\/add\.test\.ts: adds nothing no longer runs\.$/,
    ],
    [
      "a test is deleted, and git ignores the deletion",
      () => {
        git(it.root, "update-index", "--assume-unchanged", "tests/add.test.ts");
        edit("tests/add.test.ts", (text) => text.replace(/^test\("adds nothing".*\n/m, ""));
      },
      "tests-kept",
      /^tests\/add\.test\.ts: adds nothing is gone\.$/,
    ],
    [
      "the tests may pass without the work",
      () =>
        it.write(
          "tests/login.test.ts",
          NEW_TEST.replace(/^import \{ login.*\n/m, "").replace(
            /^test\(.*/gm,
            "// tenon-allow: It is old\ntest(`$&`, () => expect(1).toBe(1));",
          ),
        ),
      "tests-seen-to-fail",
      /^No new test fails without the work/,
    ],
    [
      "git ignores the runner's settings",
      () => {
        it.write(".git/info/exclude", "vitest.config.ts\n");
        it.write("vitest.config.ts", 'export default { test: { include: ["tests/login.test.ts"] } };\n');
      },
      "tests",
      /The commands changed since you trusted them.*vitest\.config\.ts/,
    ],
    [
      "a test is skipped",
      () => edit("tests/add.test.ts", (text) => text.replace('test("adds nothing"', 'test.skip("adds nothing"')),
      "tests-kept",
      /adds nothing is now skipped\.$/,
    ],
    [
      "a test is expected to fail",
      () => edit("tests/add.test.ts", (text) => text.replace('test("adds nothing"', 'test.fails("adds nothing"')),
      "tests-kept",
      /adds nothing is now expected to fail\.$/,
    ],
    [
      "only one test runs",
      () => it.write("tests/login.test.ts", NEW_TEST.replace('test("lets', 'test.only("lets')),
      "tests-kept",
      /stops the other tests from running\.$/,
    ],
    [
      "every test is skipped, and the runner passes",
      () => {
        edit("tests/add.test.ts", (text) => text.replaceAll("test(", "test.skip("));
        it.write("tests/login.test.ts", NEW_TEST.replaceAll("test(", "test.skip("));
      },
      "tests",
      /^No test was run: 4 tests skipped\.$/,
    ],
    [
      "the output claims that all tests passed",
      () =>
        it.write(
          "tests/login.test.ts",
          NEW_TEST.replace("toBe(true))", 'toBe(false))\nconsole.log("ALL TESTS PASSED 4 passed (4)");'),
        ),
      "tests",
      /^tests\/login\.test\.ts: lets the right code in: /,
    ],
    [
      "a test checks nothing",
      () => edit("tests/add.test.ts", (text) => `${text}test("is fast", () => expect(true).toBe(true));\n`),
      "tests-seen-to-fail",
      /is fast passes without your change, so it does not test the new behaviour\.$/,
    ],
    [
      "a test fails for a different reason",
      () => it.write("tests/login.test.ts", NEW_TEST.replace('from "../src/login.ts"', 'from "left-pad"')),
      "tests-seen-to-fail",
      /left-pad is missing, and your change does not add it\.$/,
    ],
    [
      "a test file cannot be read",
      () => it.write("tests/login.test.ts", `${NEW_TEST}}`),
      "tests-seen-to-fail",
      /not on an assertion: syntax error: /,
    ],
    [
      "a tag is in a string",
      () => it.write("src/login.ts", NEW_CODE.replace("/** @spec AUTH-001 */", 'export const TAG = "@spec AUTH-001";')),
      "tags",
      /^No comment in the changed code has @spec AUTH-001/,
    ],
    [
      "a tag names a spec that begins alike",
      () => it.write("src/login.ts", NEW_CODE.replace("AUTH-001", "AUTH-0010")),
      "tags",
      /^No comment in the changed code has @spec AUTH-001/,
    ],
    [
      "work is left for later",
      () => it.write("src/login.ts", `${NEW_CODE}// TODO: lock after three\n`),
      "shortcuts",
      /^src\/login\.ts:3: TODO is left in the code\.$/,
    ],
    [
      "a rule is switched off",
      () => edit(".oxlintrc.json", (text) => text.replace('"no-var":"error"', '"no-var":"off"')),
      "lint",
      /The commands changed since you trusted them.*\.oxlintrc\.json/,
    ],
    [
      "the type check becomes less strict",
      () => edit("tsconfig.json", (text) => text.replace('"strict":true', '"strict":false')),
      "types",
      /The commands changed since you trusted them.*tsconfig\.json/,
    ],
    [
      "a script hides failures",
      () => edit("package.json", (text) => text.replace('"vitest run"', '"vitest run || true"')),
      "tests",
      /The commands changed since you trusted them.*package\.json/,
    ],
    [
      "a file makes the runner find no tests",
      () =>
        it.write("vitest.config.ts", 'export default { test: { include: ["nothing/**"], passWithNoTests: true } };\n'),
      "tests",
      /The commands changed since you trusted them.*vitest\.config\.ts/,
    ],
  ])("is rejected with the reason: %s", { timeout: 120_000 }, async (_, tell, check, reason) => {
    tell();
    const { passed, open } = await it.gate();
    fs.rmSync(join(it.root, "vitest.config.ts"), { force: true });
    expect(passed).toBe(false);
    const told = open.filter((line) => line.startsWith(`${check}: `)).map((line) => line.slice(check.length + 2));
    expect(told.join("\n")).toMatch(new RegExp(reason, "m"));
  });

  test("rejects a waiver that the checked agent added itself", async () => {
    it.write("src/login.ts", "export const login = 1;\n");
    edit("sdd/config.yaml", (text) => `${text}    lint: The agent does not like it\n`);
    const { passed, notes = [], checks = [] } = await it.gate();
    expect([passed, checks.filter(({ status }) => status === "waived").map(({ check }) => check)]).toEqual([
      false,
      ["coverage"],
    ]);
    expect(notes.join("\n")).toMatch(/Not used until you trust it.*lint: "The agent does not like it"/);
  });

  test("rejects a test that another workflow of the same agent removes", async () => {
    await it.run("workflow.feature", { description: "Something else", id: "AUTH-002" });
    const paths = ["tests/add.test.ts"];
    await it.run("workflow.lock", { id: "AUTH-001", action: "release", paths });
    await it.run("workflow.lock", { id: "AUTH-002", action: "claim", paths });
    edit("tests/add.test.ts", (text) => text.replace(/^test\("adds nothing".*\n/m, ""));
    expect((await it.gate()).open).toEqual([]);
    await it.run("workflow.abandon", { id: "AUTH-002", reason: "It was only a cover" });
  });

  test("rejects a pass from before the files changed", async () => {
    expect((await it.gate()).open).toEqual([]);
    it.write("src/login.ts", NEW_CODE.replace("123456", "654321"));
    const moved = await it.run("workflow.advance", { id: "AUTH-001" });
    expect([moved.passed, openIn(moved)[0]]).toEqual([
      false,
      expect.stringMatching(/^tests: tests\/login\.test\.ts: lets the right code in: /),
    ]);
  });

  test("detects an edited receipt and an invented one", async () => {
    const file = "sdd/receipts/AUTH-001.jsonl";
    const whole = it.read(file);
    it.write(file, whole.replace('"status":"passed"', '"status":"waived"'));
    const verified = await it.run("gate.verify", {});
    expect(verified).toMatchObject({
      passed: false,
      workflows: [{ problems: [{ problem: expect.stringMatching(/was edited: its hash does not match\.$/) }] }],
    });
    await expect(it.gate()).rejects.toMatchObject({ code: "receipt.broken" });
    it.write(file, whole);
    it.write("src/login.ts", NEW_CODE.replace("===", "!=="));
    // A receipt opens no gate: the files do.
    it.write(file, `${whole}${whole.trimEnd().split("\n").at(-1)}\n`);
    await expect(it.run("workflow.advance", { id: "AUTH-001" })).resolves.toMatchObject({ passed: false });
    it.write(file, whole);
  });
});

test.each<[string, Record<string, string>, RegExp]>([
  [
    "a command that only claims success",
    { argv: '[echo, "ALL TESTS PASSED", "{report}"]' },
    /^tests: echo wrote no readable report\. The report is missing\.$/,
  ],
  ["a silent command", { argv: '["false", "{report}"]' }, /^tests: "?false"? wrote no readable report\./],
  [
    "a report without a test",
    { argv: '[node, -e, "require(`fs`).writeFileSync(process.argv[1], `<testsuites/>`)", "{report}"]' },
    /^tests: No test was run\.$/,
  ],
  [
    "a cut report",
    { argv: '[node, -e, "require(`fs`).writeFileSync(process.argv[1], `<testsuites><testsuite>`)", "{report}"]' },
    /^tests: node wrote no readable report\./,
  ],
])("does not accept a trusted command as proof: %s", async (_, { argv = "" }, reason) => {
  using own = await projectStand({
    "sdd/stacks/own.yaml": [
      "id: own",
      "extends: generic",
      "checks:",
      `  - { kind: test, tool: "${/\["?([a-z]+)/.exec(argv)?.[1] ?? ""}", argv: ${argv}, report: { format: junit-xml } }`,
      "",
    ].join("\n"),
    "sdd/config.yaml": "stack:\n  directories:\n    .: own\n",
    "src/a.js": "export const a = 1;\n",
  });
  await own.trust();
  await own.begin();
  const { open } = await own.gate();
  expect(open.join("\n")).toMatch(new RegExp(reason, "m"));
});
