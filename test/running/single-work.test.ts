import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import { refusal } from "../kit/fault.ts";
import { runStand } from "./run-stand.ts";

const CODE = "export const half = (n) => n / 2;\n";
const tests = (expected: number): string =>
  `import { half } from "../src/half.mjs";\n\ntest("halves", () => same(half(4), ${expected}));\n`;
const WHAT = "Add a function that halves a number";

test("an agent does a described piece of work, and it lands with its receipt", async () => {
  using stand = await runStand({
    groups: {},
    work: [{ "src/half.mjs": CODE, "tests/half.mjs": tests(3) }, { "tests/half.mjs": tests(2) }],
  });
  const { notices, ...output } = await stand.start({ work: WHAT });
  expect(output).toMatchObject({
    complete: true,
    landed: 1,
    failed: [],
    waiting: [],
    ended: "The work is done, and landed.",
  });
  const rejected = notices.filter(({ event }) => event === "rejected");
  expect(rejected).toMatchObject([{ problems: [expect.stringContaining("tests")] }]);
  expect(stand.read("src/half.mjs")).toBe(CODE);
  expect(stand.git("log", "-1", "--format=%s").trim()).toBe(WHAT);
  const files = stand.git("show", "--name-only", "--format=", "HEAD").trim().split("\n");
  expect(files).toEqual(expect.arrayContaining(["src/half.mjs", "tests/half.mjs"]));
  expect(files.some((path) => /^sdd\/history\/[^/]+\/receipts\.jsonl$/.test(path))).toBe(true);
  expect(stand.git("status", "--porcelain")).toBe("");
  expect(stand.git("worktree", "list").trim().split("\n")).toHaveLength(1);
});

test("work that its gate refuses three times does not land, and its worktree stays", async () => {
  using stand = await runStand({ groups: {}, work: [{ "src/half.mjs": CODE, "tests/half.mjs": tests(3) }] });
  const { notices: _, ...output } = await stand.start({ work: WHAT });
  expect(output).toMatchObject({ complete: false, landed: 0, failed: [expect.stringMatching(/^work\//)] });
  expect(fs.existsSync(join(stand.root, "src/half.mjs"))).toBe(false);
  expect(stand.git("worktree", "list").trim().split("\n")).toHaveLength(2);
  const name = "work_add-a-function-that-halves-a-number";
  const listLeft = async () =>
    ((await stand.run("workspace.doctor", {}))["checks"] as readonly { readonly check: string }[]).filter(
      ({ check }) => check === "worktrees",
    );
  expect(await listLeft()).toEqual([
    {
      check: "worktrees",
      ok: true,
      warning: true,
      found: expect.stringMatching(new RegExp(`^${name}: [\\d.]+ MB, .+ old, its work did not land$`)),
      fix: `git worktree remove --force .sdd/worktrees/${name}`,
    },
  ]);
  stand.git("worktree", "remove", "--force", `.sdd/worktrees/${name}`);
  expect(await listLeft()).toEqual([]);
});

test("tenon doctor does not list a worktree that the next run continues", async () => {
  using stand = await runStand({ groups: {}, work: [{ "src/half.mjs": CODE, "tests/half.mjs": tests(2) }] });
  stand.write("src/half.mjs", "// my notes\n");
  expect((await stand.start({ work: WHAT })).waiting).toHaveLength(1);
  const { checks } = await stand.run("workspace.doctor", {});
  expect((checks as readonly { check: string }[]).filter(({ check }) => check === "worktrees")).toEqual([]);
});

test("an agent that edits a record of the work is sent back", async () => {
  const forged = { "sdd/history/add-half/change.json": "{}", "src/half.mjs": CODE, "tests/half.mjs": tests(2) };
  using stand = await runStand({ groups: {}, work: [forged] });
  const { notices } = await stand.start({ work: WHAT });
  expect(notices.find(({ event }) => event === "rejected")).toMatchObject({
    problems: [expect.stringContaining("sdd/history/add-half/change.json")],
  });
});

test("an unknown id is refused with what is open, and flags of a roadmap are refused", async () => {
  using stand = await runStand({ groups: {} });
  expect(await refusal(stand.start({ work: "AUTH-001" }))).toMatchObject({
    code: "run.unknown-work",
    message: expect.stringContaining("Nothing is open."),
  });
  expect(await refusal(stand.start({ work: WHAT, until: "wave" }))).toMatchObject({ code: "run.not-ready" });
});

test("an agent fills in and builds an open change, which lands with its archive", async () => {
  using stand = await runStand({ groups: {} });
  const started = await stand.run("change.start", { type: "enhancement", size: "small", description: WHAT });
  const { id } = started["change"] as { readonly id: string };
  const folder = `sdd/changes/${id}`;
  const work = {
    "src/half.mjs": CODE,
    "tests/half.mjs": tests(2),
    [`${folder}/describe.md`]:
      "# Halve a number\n\nCallers halve numbers by hand today. A function does it for them.\n",
    [`${folder}/context-check.md`]:
      "# Context check\n\n## Findings\n\n- No decision speaks against it.\n\n## Impact\n\nPatch: a new file.\n",
    [`${folder}/tasks.md`]: "# Tasks\n\n- TASK-001: Add half, in src/half.mjs\n  Check: the test `halves`\n",
    [`${folder}/verify.md`]: "# Verify\n\n## Evidence\n\n- TASK-001: `node tools/test.mjs`: exit 0, 2 passed\n",
  };
  stand.plan({ work: [work] });
  expect(await refusal(stand.start({ work: id }))).toMatchObject({
    code: "run.not-ready",
    message: expect.stringContaining(`${folder}/describe.md`),
  });
  stand.commit("Start a change");
  const { notices: _, ...output } = await stand.start({ work: id });
  expect(output).toMatchObject({ complete: true, landed: 1, failed: [], waiting: [] });
  expect(stand.has(`sdd/history/${id}/verify.md`)).toBe(true);
  expect(stand.has(folder)).toBe(false);
  expect(stand.git("status", "--porcelain")).toBe("");
});

test("an agent builds a specified feature, and the user's approval ends it", async () => {
  using stand = await runStand({ groups: {} });
  await stand.begin();
  stand.commit("Specify a feature");
  stand.plan({
    work: [
      {
        "src/login.mjs": '// @spec AUTH-001\nexport const login = (code) => code === "123456";\n',
        "tests/login.mjs":
          'import { login } from "../src/login.mjs";\n\n// @spec AUTH-001.AC-1\ntest("lets the right code in", () => same(login("123456"), true));\n\n// @spec AUTH-001.AC-2\ntest("refuses another code", () => same(login("1"), false));\n',
        "README.md": "# Login\n\nAUTH-001: a code lets you in.\n",
      },
    ],
  });
  const { notices: _, ...output } = await stand.start({ work: "AUTH-001" });
  expect(output.waiting).toEqual([
    { action: "work/AUTH-001", why: expect.stringContaining("Answer, then run it again: tenon approve ") },
  ]);
  const origin = { ...stand.engine.origin, findAgentSign: async () => undefined };
  const approve = await loadCatalogueOperation("approval.answer");
  await approve.run({ ...stand.engine, origin }, { id: "AUTH-001", answer: "approve" });
  const { notices: __, ...second } = await stand.start({ work: "AUTH-001" });
  expect(second).toMatchObject({ complete: true, landed: 1, waiting: [] });
  expect(stand.has("src/login.mjs")).toBe(true);
});
