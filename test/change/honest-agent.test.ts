import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { CHANGE_TYPES, DOCUMENTED_SIZES } from "#kernel/model/stages/change-stages.ts";
import { meetHonestAgent } from "../gate/honest-agent.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { TIDES } from "../kit/project.ts";
import { put } from "../kit/repository.ts";
import { type Stack, toolchainProblem } from "../kit/fixtures.ts";
import { GO, PYTHON, RUST } from "./driver-languages.ts";
import { CHINESE, type DriverHabits, HonestDriver, RUSSIAN } from "./honest-driver.ts";

vi.setConfig({ testTimeout: 600_000 });

const FLOWS = CHANGE_TYPES.flatMap((type) => DOCUMENTED_SIZES.map((size) => [type, size] as const));
const MOST_CALLS = { small: 6, quick: 2 };

async function playAllFlows(habits: DriverHabits) {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  await using driver = await HonestDriver.meet(repository.path, home.path, habits);
  for (const [n, [type, size]] of FLOWS.entries()) await driver.change(n, type, size);
  await driver.quick(FLOWS.length);
  return {
    findings: driver.listFindings(habits.decides ? {} : MOST_CALLS),
    played: driver.spent.size,
    archived: fs.readdirSync(join(repository.path, "sdd/history")).length,
  };
}

const CLEAN = { findings: [], played: FLOWS.length + 1, archived: FLOWS.length + 1 };

test.each<[string, DriverHabits]>([
  ["with a teammate's merge in the middle of each", { commits: true, merges: true }],
  ["with merges and without commits, beside the user's files", { merges: true, userFiles: true }],
  ["with a commit after each", { commits: true }],
  ["without any commit, beside the user's files", { userFiles: true }],
  ["with a decision at every stage", { commits: true, decides: true }],
  ["while the user commits after each stage", { commits: true, userCommits: true, userFiles: true }],
  ["in Chinese, with a decision at every stage", { decides: true, userCommits: true, words: CHINESE }],
  ["in Russian, with merges", { commits: true, merges: true, words: RUSSIAN }],
  ["with decisions and without commits, beside the user's files", { decides: true, userFiles: true }],
])("an honest agent completes all 12 flows and the quick lane, %s, without a rejection", async (_, habits) => {
  expect(await playAllFlows(habits)).toEqual(CLEAN);
});

const LANGUAGES: readonly (readonly [name: string, stack: Stack, habits: DriverHabits])[] = [
  ["Python", "python-fastapi", { commits: true, merges: true, userFiles: true, language: PYTHON }],
  ["Go", "go", { userFiles: true, decides: true, words: RUSSIAN, language: GO }],
  ["Rust", "rust", { commits: true, userCommits: true, language: RUST }],
];
describe.each(LANGUAGES)("in %s", (_, stack, habits) => {
  const problem = toolchainProblem(stack);
  test.skipIf(problem !== undefined)(
    `an honest agent completes all 12 flows without a rejection${problem ? ` (${problem})` : ""}`,
    async () => expect(await playAllFlows(habits)).toEqual(CLEAN),
  );
});

test.each(["guided", "expert"])(
  "an honest agent completes a project in %s mode and its change without a rejection",
  async (mode) => {
    using repository = temporaryRepository();
    using home = temporaryFolder();
    await using driver = await HonestDriver.meet(repository.path, home.path, { commits: true });
    await driver.tell("sdd_init_project", { ...TIDES.init, mode });
    await driver.tell("sdd_create_proposal", TIDES.propose);
    await driver.tell("sdd_generate_requirements", TIDES.specify);
    await driver.tell("sdd_create_business_rules", TIDES["business-rules"]);
    await driver.tell("sdd_clarify", {});
    await driver.tell("sdd_clarify", TIDES.clarify);
    await driver.tell("sdd_create_design", TIDES.design);
    await driver.tell("sdd_create_tasks", TIDES.tasks);
    await driver.tell("sdd_validate", TIDES.validate);
    await driver.change(1, "feature", "medium");
    await driver.quick(2);
    expect(driver.listFindings(MOST_CALLS)).toEqual([]);
    expect(fs.readFileSync(join(repository.path, "sdd/requirements.md"), "utf8")).toContain("**FR-003**");
  },
);

const HOOKED: Readonly<Record<string, string>> = {
  "package.json": '{ "name": "parts", "version": "1.0.0", "type": "module", "scripts": { "test": "node --test" } }\n',
  ".gitignore": ".sdd/\n",
  "test/first.test.js": 'import { test } from "node:test";\n\ntest("reads", () => undefined);\n',
};

test("takes the edits that a client's hooks report as the work of each change of a session", async () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  for (const [path, text] of Object.entries(HOOKED)) put(repository.path, path, text);
  git(repository.path, "add", "-A");
  git(repository.path, "commit", "-qm", "Begin");
  await using agent = await meetHonestAgent(repository.path, home.path);
  const ended: unknown[] = [];
  for (const n of [0, 1, 2]) {
    await agent.tell("sdd_quick", { description: `Part ${n} returns its number` });
    agent.edit(`src/part-${n}.js`, `export const part${n} = () => ${n};\n`);
    const imports = `import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { part${n} } from "../src/part-${n}.js";\n`;
    agent.edit(`test/part-${n}.test.js`, `${imports}\ntest("part ${n}", () => assert.equal(part${n}(), ${n}));\n`);
    put(repository.path, "notes.md", `The user is writing: ${n}.\n`);
    ended.push(await agent.tell("sdd_quick", { done: true }));
  }
  expect(agent.refused).toEqual([]);
  expect(ended).toEqual(
    [0, 1, 2].map(
      (n) => expect.objectContaining({ receipt: expect.stringContaining(`part-${n}-returns`) as string }) as object,
    ),
  );
});
