import { expect, test } from "vitest";
import { projectStand } from "../gate/project.ts";
import { TINY } from "../gate/tiny.ts";
import { cutsOf, doWork, type Given } from "./agents.ts";
import { manage } from "./roadmap-calls.ts";
import { roadmapStand } from "./stand.ts";

test("warns in a run and a forecast that no test can run, before agents start", async () => {
  using stand = await projectStand(TINY);
  await manage(stand, "create", { features: [{ name: "alpha", description: "It answers" }] });
  for (const input of [{}, { plan: true }]) {
    const { notes } = (await manage(stand, "run", input)) as { notes: string[] };
    expect(notes[0]).toMatch(/^Before you start agents: no feature can pass its gate\. .*tenon trust$/);
  }
  await stand.trust();
  const { notes, next } = (await manage(stand, "run")) as { notes: string[]; next: { operation: string }[] };
  expect([notes, next.map(({ operation }) => operation)]).toEqual([[], ["roadmap.next"]]);
});

test.each([
  [
    "no program of its test command",
    "argv: [node, tools/test.mjs",
    "argv: [nowhere-installed, tools/test.mjs",
    /nowhere-installed/,
  ],
  ["no report of its tests", /^ *report: .*\n/m, "", /writes no report.*Add `report` to sdd\/stacks\/tiny\.yaml\./],
])("warns in a run that a project has %s, before agents start", async (_, from, to, said) => {
  const profile = TINY["sdd/stacks/tiny.yaml"] ?? "";
  using stand = await projectStand({ ...TINY, "sdd/stacks/tiny.yaml": profile.replace(from, to) });
  await stand.trust();
  await manage(stand, "create", { features: [{ name: "alpha", description: "It answers" }] });
  const { notes } = (await manage(stand, "run")) as { notes: string[] };
  expect(notes[0]).toMatch(/^Before you start agents: no feature can pass its gate\. /);
  expect(notes[0]).toMatch(said);
});

test("forecasts by the cost of earlier runs", async () => {
  using stand = await roadmapStand();
  await stand.roadmap([{ name: "alpha" }, { name: "beta" }, { name: "gamma" }]);
  const forecast = async (): Promise<number> => {
    const { forecast: waves } = (await manage(stand, "run", { plan: true })) as {
      forecast: { tokens: { best: number } }[];
    };
    return waves[0]?.tokens.best ?? 0;
  };
  const cuts = cutsOf({ alpha: ["A"], beta: ["A"], gamma: ["A"] });
  const before = await forecast();
  const estimates: number[] = [];
  for (const given of (await stand.next()).actions) {
    const { estimate = 0 } = given as Given & { estimate?: number };
    estimates.push(estimate);
    await stand.report(given.id, { ...doWork(stand, cuts, given), tokens: estimate / 2 });
  }
  const left = before - estimates.reduce((sum, each) => sum + each, 0);
  expect(estimates).toHaveLength(3);
  expect(Math.abs((await forecast()) - left / 2)).toBeLessThan(50);
});
