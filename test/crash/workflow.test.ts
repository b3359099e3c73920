import fs from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { git, temporaryFolder } from "../kit/folder.ts";
import { freezeTenon } from "../kit/frozen.ts";
import { hook } from "./hook.ts";
import type { Injector, Point, Run } from "./injector.ts";
import { hasStrace, strace } from "./strace.ts";
import { isFull, sample, seed, takeMain } from "./tier.ts";
import { judgeKilledProcess, judgeEndedProcess } from "./process-verdict.ts";
import { judgeWorkflow, readForeignFiles, stateOf, type State, type WorkflowExpectation } from "./workflow-oracle.ts";
import { NEXT, prepareRepository, realHouse, WORKFLOW_SCENARIOS, type WorkflowScenario } from "./workflow-scenario.ts";

const SIDE_BY_SIDE = 2;
const STRIKES = 2;

/** A repository prepared once, and struck in fresh copies. */
async function strikeAll(scenario: WorkflowScenario, injector: Injector): Promise<string[]> {
  using folder = temporaryFolder();
  const [prepared, home] = [join(folder.path, "prepared"), join(folder.path, "home")];
  fs.mkdirSync(home);
  const words = await prepareRepository(scenario, prepared);
  let copies = 0;
  const copy = (): string => {
    const root = join(folder.path, `copy-${++copies}`);
    fs.cpSync(prepared, root, { recursive: true, verbatimSymlinks: true });
    // Sessions know where they are at work, so a copy has to be told where it is.
    using ledger = new DatabaseSync(join(root, ".git/tenon/ledger.db"));
    ledger.prepare("UPDATE kept SET body = replace(body, ?, ?)").run(prepared, root);
    return root;
  };
  const runIn = (root: string): Run => ({ words: [...words, "--json"], root, home, isWide: true });
  const rehearse = async (...commands: (readonly string[])[]): Promise<State> => {
    const root = copy();
    using house = realHouse(root);
    for (const command of commands) {
      const { code, err } = await house.run(...command, "--json");
      if (code !== 0) throw new Error(`tenon ${command.join(" ")}: ${err}`);
    }
    return stateOf(root);
  };
  const expected: WorkflowExpectation = {
    scenario,
    words,
    others: readForeignFiles(prepared),
    before: await rehearse(NEXT),
    after: await rehearse(words, NEXT),
    repeated: await rehearse(NEXT, words),
  };
  await injector.points(runIn(copy()));
  const points = await injector.points(runIn(copy()));
  const todo = chosen(points);
  process.stdout.write(`${scenario.name}: ${todo.length} of ${points.length} points\n`);
  const wrong: string[] = [];
  const worker = async (): Promise<void> => {
    for (let point = todo.shift(); point; point = todo.shift()) {
      const { call, k, label } = point;
      const run = runIn(copy());
      const struck = await injector.strike(run, point, "SIGKILL");
      // A blow that is meant for the program may fall on the git that it runs: then it lives and has to say so.
      const told = struck.signal === "SIGKILL" ? judgeKilledProcess(struck) : judgeEndedProcess(struck);
      const found =
        typeof told === "string" ? await judgeWorkflow(run.root, expected, told, injector === strace) : [told.wrong];
      wrong.push(...found.map((text) => `at ${call} ${k} (${label}): ${text}`));
      fs.rmSync(run.root, { recursive: true });
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  const left = fs.readdirSync(home).filter((name) => name.startsWith("tenon-"));
  return [...wrong, ...left.map((name) => `left among the temporary files: ${name}`)];
}

function chosen(points: readonly Point[]): Point[] {
  if (isFull) return [...points];
  const writes = points.filter(({ isWrite }) => isWrite);
  return sample(writes, Math.ceil(writes.length / STRIKES));
}

const INJECTORS = hasStrace() && isFull ? [hook, strace] : [hook];

describe.for(INJECTORS)(`kill -9 by $name (TENON_SEED=${seed})`, (injector) => {
  test.for(takeMain(WORKFLOW_SCENARIOS, 3))("$name", { timeout: 3_600_000 }, async (scenario) => {
    expect(await strikeAll(scenario, injector)).toEqual([]);
  });
});

/** What stands in git's way after a crash, and what takes it away. */
const OBSTACLES: readonly (readonly [name: string, put: (root: string) => void, remove: (root: string) => void])[] = [
  [
    "the lock of a dead git",
    (root) => fs.writeFileSync(join(root, ".git/index.lock"), ""),
    (root) => fs.rmSync(join(root, ".git/index.lock")),
  ],
  [
    "a merge that a person started since",
    (root) => fs.writeFileSync(join(root, ".git/MERGE_HEAD"), git(root, "rev-parse", "side")),
    (root) => fs.rmSync(join(root, ".git/MERGE_HEAD")),
  ],
];

test.each(OBSTACLES)("does not finish a rollback over %s, and finishes it afterwards", async (_, obstruct, clear) => {
  const [scenario] = WORKFLOW_SCENARIOS;
  if (!scenario) throw new Error("There is no scenario.");
  using folder = temporaryFolder();
  const root = join(folder.path, "work");
  const words = await prepareRepository(scenario, root);
  const frozen = await freezeTenon(words, { cwd: root, env: { TENON_MEMORY: "off" } }, "renameSync .*src/login.ts$");
  frozen.process.kill("SIGKILL");
  await frozen.ended;
  obstruct(root);
  const before = [await stateOf(root), readForeignFiles(root)];
  using house = realHouse(root);
  // It stops its own workflow, with what is in the way; those of others go on.
  const { code, err } = await house.run("workflow", "snapshot", "AUTH-001", "--json");
  const [note = "", fault = "{}"] = err.trimEnd().split("\n");
  expect([code, (JSON.parse(fault) as { error: { code: string } }).error.code]).toEqual([1, "store.claimed"]);
  expect(note).toMatch(/^note: An unfinished rollback of AUTH-001 is still not finished\./);
  expect((await house.run("workflow", "status")).code).toBe(0);
  expect([await stateOf(root), readForeignFiles(root)]).toEqual(before);
  clear(root);
  expect((await house.run(...NEXT)).code).toBe(0);
  const { files, events } = await stateOf(root);
  expect([files["file src/login.ts"], events.slice(-2)]).toEqual([
    '644 "1\\n"',
    ["workflow.rolled-back AUTH-001", "workflow.abandoned UI-001"],
  ]);
});
