import { describe, expect, test } from "vitest";
import { canCutPower, FILE_SYSTEMS } from "./loop-disk.ts";
import { measureKills, measurePowerCuts } from "./power-cut.ts";

/** A sample of what `npm run test:faults` measures. */
describe.for(FILE_SYSTEMS.filter(canCutPower))("a power cut on %s", (system) => {
  test("loses no acknowledged write and leaves no empty ref", async () => {
    const { lost, acknowledged } = await measurePowerCuts(system, 2);
    expect([lost, acknowledged > 0]).toEqual([[], true]);
  });
});

test("a killed server loses no acknowledged write and leaves no empty ref", async () => {
  const { lost, acknowledged } = await measureKills(2);
  expect([lost, acknowledged > 0]).toEqual([[], true]);
});
