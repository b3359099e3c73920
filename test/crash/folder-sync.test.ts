import { expect, test } from "vitest";
import { openArena } from "./arena.ts";
import { NEXT_WRITE, SCENARIOS } from "./scenario.ts";
import { hasStrace, strace } from "./strace.ts";
import { isFull } from "./tier.ts";

const isFolderSync = (label: string): boolean =>
  /^f(?:data)?sync (?:\.|sdd\S*)$/.test(label) && !label.endsWith(".tmp");

/** Killed between a rename and the sync of its folder, a write can be seen but would not survive a power cut. */
test.skipIf(!hasStrace()).for(isFull ? SCENARIOS : SCENARIOS.slice(-1))(
  "syncs the remaining folders when it finishes $name",
  { timeout: 600_000 },
  async (scenario) => {
    using arena = await openArena(scenario, strace);
    const forgotten: string[] = [];
    const syncs = arena.points.filter(({ label }) => isFolderSync(label));
    for (const point of syncs) {
      const { run } = await arena.strike({ point, blow: "SIGKILL" });
      const calls = await strace.points({ ...run, words: NEXT_WRITE });
      if (!calls.some(({ label }) => label === point.label)) forgotten.push(point.label);
    }
    expect({ syncs: syncs.length > 0, forgotten }).toEqual({ syncs: true, forgotten: [] });
  },
);
