import fs from "node:fs";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { chance, isFull, seed } from "../kit/chance.ts";
import { finished } from "../kit/process.ts";
import { createWavePlan, listLandingProblems, REAL_CLOCK, type RunPlan, type RunStand, runStand } from "./run-stand.ts";

const WORKER = fileURLToPath(new URL("./run-worker.ts", import.meta.url));
const CHILDREN = [{ action: "build-", act: "children" }];
const GROUPS = isFull ? { "tide-model": ["A", "B"], alarm: ["A"] } : { "tide-model": ["A"] };
const SMALL = { groups: GROUPS, acts: CHILDREN };
/** The long form kills hundreds of processes. */
const LIMIT = { timeout: isFull ? 7_200_000 : 900_000 };

/** Milliseconds until a process is killed, or a list of the writes at which it was. */
interface Strikes {
  readonly after_ms?: number | undefined;
  readonly list?: string;
  readonly isForEachAction?: boolean;
}

/** The output of a run that ended; undefined if it was killed. The tests of the branch pass either way. */
async function runUntil(stand: RunStand, { after_ms, list = "", isForEachAction = false }: Strikes): Promise<unknown> {
  const words = [stand.root, stand.bin, stand.dataFolder, list, isForEachAction ? "yes" : ""];
  const child = spawn(process.execPath, ["--conditions=tenon-source", WORKER, ...words], { stdio: "pipe" });
  // From the moment that the run begins: a busy machine takes seconds to start a process.
  let timer: NodeJS.Timeout | undefined;
  if (after_ms !== undefined)
    child.stderr.once("data", () => (timer = setTimeout(() => child.kill("SIGKILL"), after_ms)));
  const { code, signal, out, err } = await finished(child);
  clearTimeout(timer);
  if (signal !== "SIGKILL" && code !== 0) throw new Error(err);
  stand.assertTestsPass();
  return signal === "SIGKILL" ? undefined : (JSON.parse(out) as unknown);
}

/** How often it was killed. */
async function expectAllLands(stand: RunStand, plan: RunPlan, strike: (kills: number) => Strikes): Promise<number> {
  let output: unknown;
  let kills = -1;
  for (; output === undefined; kills++) output = await runUntil(stand, strike(kills + 1));
  expect(output).toMatchObject({ complete: true, waiting: [], questions: [] });
  expect(listLandingProblems(stand, plan)).toEqual([]);
  return kills;
}

/** Every write of a run, and each of them for each action in the long form. */
test(
  "loses no work and lands none twice in a run that is killed inside and after each kind of write",
  LIMIT,
  async () => {
    using stand = await runStand(SMALL);
    const list = join(stand.home, "strikes.log");
    fs.writeFileSync(list, "");
    const kills = await expectAllLands(stand, SMALL, () => ({ list, isForEachAction: isFull }));
    const struck = fs.readFileSync(list, "utf8").trim().split("\n");
    expect(struck).toHaveLength(kills);
    const kinds = new Set(struck.map((line) => line.split(" ").slice(0, 2).join(" ")));
    const states = ["assigned", "started", "spent", "ended", "committed", "queued", "merging", "landed", "finished"];
    for (const state of states)
      expect([...kinds]).toEqual(expect.arrayContaining([`in run.${state}`, `after run.${state}`]));
  },
);

test("loses no work and lands none twice in a run that is killed at random moments", LIMIT, async () => {
  const random = chance(seed);
  const most = isFull ? 200 : 3;
  const range = isFull ? 6000 : 20_000;
  let kills = 0;
  // A run is over after some kills, and the next ones strike another run.
  do {
    using stand = await runStand(SMALL);
    const before = kills;
    kills += await expectAllLands(stand, SMALL, (done) => ({
      after_ms: before + done < most ? random(range) : undefined,
    }));
    if (isFull) process.stdout.write(`${kills} kills\n`);
  } while (isFull && kills < most);
  expect(kills).toBeGreaterThan(0);
});

test.runIf(isFull)("lands 20 features of 5 waves with four agents at once", LIMIT, async () => {
  const plan = createWavePlan(5, 4);
  using stand = await runStand(plan, {}, { clock: REAL_CLOCK });
  const { notices: _, ...output } = await stand.start({ agent: "claude=2,codex=1,gemini=1" });
  expect(output).toMatchObject({ complete: true, waiting: [], failed: [] });
  expect(listLandingProblems(stand, plan)).toEqual([]);
  stand.assertTestsPass();
});
