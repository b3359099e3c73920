import { spawn } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { refusal } from "../kit/fault.ts";
import { finished } from "../kit/process.ts";
import { listLandingProblems, listProcessesBelow, type RunStand, runStand } from "./run-stand.ts";

const WHAT = "Add a function that halves a number";
const WORK = "work/add-a-function-that-halves-a-number";
const FILES = {
  "src/half.mjs": "export const half = (n) => n / 2;\n",
  "tests/half.mjs": 'import { half } from "../src/half.mjs";\n\ntest("halves", () => same(half(4), 2));\n',
};
const LONG = { timeout: 120_000 };

const stop = (stand: RunStand, action: string) => stand.run("run.stop", { action });
const resume = (stand: RunStand, action: string) => stand.run("run.resume", { action });
const waitFor = (action: string) => ({ action, why: `You stopped it. To continue: tenon run resume ${action}` });

const hasStarted = (stand: RunStand, line: string): boolean =>
  fs.existsSync(join(stand.home, "starts.log")) && stand.starts().includes(line);
const readState = async (stand: RunStand, action: string) =>
  ((await stand.run("run.show", {}))["actions"] as readonly { action: string; state: string }[]).find(
    (each) => each.action === action,
  )?.state;

test("a stopped agent ends with its children, its files stay, and no run starts it until it is resumed", async () => {
  using stand = await runStand({
    groups: {},
    work: [FILES, FILES],
    acts: [
      { action: "work", start: 1, act: "children" },
      { action: "work", start: 1, act: "silence" },
    ],
  });
  const leading = stand.start({ work: WHAT });
  await expect.poll(() => fs.existsSync(join(stand.home, "children.log")), LONG).toBe(true);
  expect(await stop(stand, WORK)).toEqual({ action: WORK, worktree: `.sdd/worktrees/${WORK.replace("/", "_")}` });
  expect(listProcessesBelow(stand.root)).toEqual([]);
  expect(await leading).toMatchObject({ complete: false, landed: 0, failed: [], waiting: [waitFor(WORK)] });
  expect(await readState(stand, WORK)).toBe("stopped");
  expect(stand.git("worktree", "list").trim().split("\n")).toHaveLength(2);
  // Another run waits too.
  expect(await stand.start({ work: WHAT })).toMatchObject({ landed: 0, waiting: [waitFor(WORK)] });
  expect(stand.countStarts()).toBe(1);
  expect(await resume(stand, WORK)).toMatchObject({ action: WORK, work: WHAT });
  const { notices, ...output } = await stand.start({ work: WHAT });
  expect(output).toMatchObject({ complete: true, landed: 1, waiting: [] });
  expect(notices.map(({ event }) => event)).toContain("resumed");
  // Being stopped is no mistake of the agent.
  expect(notices.filter(({ event }) => event === "cut-off" || event === "rejected")).toEqual([]);
});

test("one agent of a run is stopped and resumed while the others go on", async () => {
  const plan = { groups: { "tide-model": ["A"], alarm: ["A"] } };
  const [tide, alarm] = ["tide-model/architect/1", "alarm/architect/1"];
  const acts = [tide, alarm].map((action) => ({ action, start: 1, act: "silence" }));
  using stand = await runStand({ ...plan, acts });
  const leading = stand.start();
  for (const action of [tide, alarm])
    await expect.poll(() => hasStarted(stand, `${action} 1 claude fresh`), LONG).toBe(true);
  await stop(stand, tide);
  await expect.poll(() => readState(stand, tide), LONG).toBe("stopped");
  const isAtWork = (action: string): boolean =>
    listProcessesBelow(join(stand.root, ".sdd/worktrees", action.replaceAll("/", "_"))).length > 0;
  expect([isAtWork(tide), isAtWork(alarm)]).toEqual([false, true]);
  expect(await resume(stand, tide)).toMatchObject({ isLed: true });
  await expect.poll(() => hasStarted(stand, `${tide} done 2`), LONG).toBe(true);
  await stop(stand, alarm);
  await resume(stand, alarm);
  const { notices: _, ...output } = await leading;
  expect(output).toMatchObject({ complete: true, failed: [], waiting: [] });
  expect(listLandingProblems(stand, plan)).toEqual([]);
});

test("an agent whose run was killed is stopped too, and a resumed run lands its work once", async () => {
  const plan = { groups: { "tide-model": ["A"] } };
  const action = "tide-model/architect/1";
  using stand = await runStand({ ...plan, acts: [{ action, start: 1, act: "silence" }] });
  const worker = fileURLToPath(new URL("./run-worker.ts", import.meta.url));
  const words = ["--conditions=tenon-source", worker, stand.root, stand.bin, stand.dataFolder];
  const child = spawn(process.execPath, words, { stdio: "pipe" });
  const ended = finished(child);
  await expect.poll(() => hasStarted(stand, `${action} 1 claude fresh`), LONG).toBe(true);
  child.kill("SIGKILL");
  await ended;
  await stop(stand, action);
  expect(listProcessesBelow(stand.root)).toEqual([]);
  expect(await stand.start()).toMatchObject({ complete: false, waiting: [waitFor(action)] });
  await resume(stand, action);
  expect(await stand.start()).toMatchObject({ complete: true, failed: [], waiting: [] });
  expect(listLandingProblems(stand, plan)).toEqual([]);
});

test("an action that no run has started cannot be stopped", async () => {
  using stand = await runStand({ groups: {} });
  expect(await refusal(stop(stand, "work/nothing"))).toMatchObject({
    code: "run.unknown-action",
    message: expect.stringContaining("No run has an agent for it."),
  });
});
