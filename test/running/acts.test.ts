import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listProblems, listProcessesBelow, type RunPlan, runStand } from "./run-stand.ts";

const WHAT = "Add a function that halves a number";
const WORK = "work/add-a-function-that-halves-a-number";
const CODE = "export const half = (n) => n / 2;\n";
const TEST = 'import { half } from "../src/half.mjs";\n\ntest("halves", () => same(half(4), 2));\n';
const FILES = { "src/half.mjs": CODE, "tests/half.mjs": TEST };
const DONE = { complete: true, landed: 1, failed: [], waiting: [] };

const play = (acts: RunPlan["acts"], work: RunPlan["work"] = [FILES, FILES, FILES]) =>
  runStand({ groups: {}, work, acts: (acts ?? []).map((act) => ({ action: "work", ...act })) });

test("a silent agent is ended with its children, and its session is continued", async () => {
  using stand = await play([
    { start: 1, act: "silence" },
    { start: 1, act: "children" },
  ]);
  const { notices, ...output } = await stand.start({ work: WHAT }, { first: WORK, silence_s: 8 });
  expect(output).toMatchObject(DONE);
  expect(listProblems(notices)).toEqual([expect.stringMatching(/^The agent printed nothing for .+ and was ended\.$/)]);
  expect(notices.filter(({ event }) => event === "resumed")).toMatchObject([{ action: WORK }]);
  expect(listProcessesBelow(stand.root)).toEqual([]);
});

test("an agent that never ends is ended at its time limit, although it prints", async () => {
  using stand = await play([{ start: 1, act: "busy" }]);
  const { notices, ...output } = await stand.start({ work: WHAT }, { first: WORK, timeout_s: 10 });
  expect(output).toMatchObject(DONE);
  expect(listProblems(notices)).toEqual([expect.stringMatching(/^The agent took longer than .+ and was ended\.$/)]);
});

test("an agent that crashes is continued once, then started again with what happened", async () => {
  using stand = await play([
    { start: 1, act: "crash" },
    { start: 2, act: "crash" },
  ]);
  const { notices, ...output } = await stand.start({ work: WHAT });
  expect(output).toMatchObject(DONE);
  const problem = expect.stringMatching(/^The agent failed/) as unknown;
  expect(listProblems(notices)).toEqual([problem, problem]);
  const starts = stand.starts().filter((line) => !line.includes("done"));
  expect(starts.map((line) => line.split(" ").at(-1))).toEqual(["fresh", "resumed", "fresh"]);
});

test("an agent that crashes whenever it starts fails, and nothing of it lands", async () => {
  using stand = await play([{ act: "crash" }]);
  const { notices: _, ...output } = await stand.start({ work: WHAT });
  expect(output).toMatchObject({ complete: false, landed: 0, failed: [WORK] });
  expect(stand.countStarts()).toBe(4);
  expect(stand.has("src/half.mjs")).toBe(false);
  expect(stand.git("status", "--porcelain")).toBe("");
});

test("children of an agent that never end are ended with it", async () => {
  using stand = await play([{ act: "children" }]);
  const { notices: _, ...output } = await stand.start({ work: WHAT });
  expect(output).toMatchObject(DONE);
  const [pid = ""] = fs.readFileSync(join(stand.home, "children.log"), "utf8").split("\n");
  expect([pid !== "", fs.existsSync(`/proc/${pid}/cwd`)]).toEqual([true, false]);
});

const LONG_CODE = `${CODE}${"// A line that makes the change larger than a quick one.\n".repeat(60)}`;
const FOLDER = "sdd/changes/*";
const DOCUMENTS = {
  [`${FOLDER}/describe.md`]: "# Halve a number\n\nCallers halve numbers by hand today. A function does it for them.\n",
  [`${FOLDER}/context-check.md`]:
    "# Context check\n\n## Findings\n\n- No decision speaks against it.\n\n## Impact\n\nPatch: a new file.\n",
  [`${FOLDER}/tasks.md`]: "# Tasks\n\n- TASK-001: Add half, in src/half.mjs\n  Check: the test `halves`\n",
  [`${FOLDER}/verify.md`]: "# Verify\n\n## Evidence\n\n- TASK-001: `node tools/test.mjs`: exit 0, 2 passed\n",
};

test("work that outgrows a quick change lands with the documents of its size", async () => {
  const tests = { "tests/half.mjs": TEST.replace("half(4), 2", "half(4), 3") };
  // Two results that are wrong as well: growing does not count as a third one.
  const work = [
    { "src/half.mjs": LONG_CODE, "tests/half.mjs": TEST },
    { ...DOCUMENTS, ...tests },
    tests,
    { "tests/half.mjs": TEST },
  ];
  using stand = await play([], work);
  const { notices, ...output } = await stand.start({ work: WHAT });
  expect(output).toMatchObject(DONE);
  const [first = "", ...others] = listProblems(notices);
  expect(first).toContain("It has outgrown quick since it started: ");
  expect(listProblems(notices).join("\n")).toMatch(/It is a small change.+File: sdd\/changes\/[\w-]+\/tasks\.md/s);
  expect(others.length).toBeGreaterThan(0);
  const files = stand.git("show", "--name-only", "--format=", "HEAD").trim().split("\n");
  expect(files.some((path) => /^sdd\/history\/[^/]+\/tasks\.md$/.test(path))).toBe(true);
  expect(stand.read("src/half.mjs")).toBe(LONG_CODE);
});

test("a huge difference is no quick change, and its agent is told which documents to write", async () => {
  const huge = `${CODE}${`// ${"x".repeat(99)}\n`.repeat(50_000)}`;
  using stand = await play([], [{ ...FILES, "src/half.mjs": huge }]);
  const { notices, ...output } = await stand.start({ work: WHAT });
  expect(output).toMatchObject({ complete: false, landed: 0, failed: [WORK], waiting: [] });
  const [first, second, ...others] = listProblems(notices);
  expect(first).toContain("It has outgrown quick since it started: 50004 lines");
  expect(second).toMatch(/^It is a large change, and these documents are not written yet\.\n\n.+design\.md/s);
  expect(others).toHaveLength(3);
  expect(stand.has("src/half.mjs")).toBe(false);
});

test("an agent that prints without an end keeps a short transcript", async () => {
  using stand = await play([{ act: "flood" }]);
  const { notices: _, ...output } = await stand.start({ work: WHAT });
  expect(output).toMatchObject(DONE);
  const folder = join(stand.root, ".sdd/runs", output.run, WORK.replace("/", "_"));
  const sizes = fs.readdirSync(folder).map((name) => fs.statSync(join(folder, name)).size);
  expect(Math.max(...sizes)).toBeLessThan(2.1 * 1024 * 1024);
  expect(fs.readFileSync(join(folder, "1.jsonl"), "utf8")).not.toContain("AKIA4TEN0NTESTKEY777");
});

test("a disk that is full when the agent ends holds its work back, and the next run lands it", async () => {
  using stand = await play([]);
  const { notices: _, ...output } = await stand.start({ work: WHAT }, { isFull: true });
  expect(output.waiting).toEqual([
    { action: WORK, why: expect.stringMatching(/The disk or the quota is full .*Free some space \(df -h\)/) },
  ]);
  expect(await stand.start({ work: WHAT })).toMatchObject(DONE);
  expect(stand.countStarts()).toBe(1);
});

test("without free disk space no worktree is made, and the run says what to do", async () => {
  using stand = await play([]);
  const { notices: _, ...output } = await stand.start({ work: WHAT }, { freeBytes: 100 * 1024 * 1024 });
  expect(output.waiting).toEqual([{ action: WORK, why: "The disk is almost full. Free some space: df -h" }]);
  expect(fs.existsSync(join(stand.root, ".sdd/worktrees"))).toBe(false);
  expect(await stand.start({ work: WHAT })).toMatchObject(DONE);
});
