import { describe, expect, test } from "vitest";
import { openArena } from "./arena.ts";
import { type Injector, isDecisive, type Point } from "./injector.ts";
import { INJECTORS } from "./injectors.ts";
import { SCENARIOS } from "./scenario.ts";
import { isFull, sample, seed } from "./tier.ts";
import { toldByTheDead } from "./told.ts";

const [BEST] = INJECTORS;
const STRIDE = 16;

describe.for(INJECTORS)(`kill -9 by $name (TENON_SEED=${seed})`, (injector) => {
  test.for(SCENARIOS)("$name", { timeout: 600_000 }, async (scenario) => {
    using arena = await openArena(scenario, injector);
    const strikes = chosen(arena.points, injector).map((point) => ({ point, blow: "SIGKILL" as const }));
    process.stdout.write(`${scenario.name}: ${strikes.length} of ${arena.points.length} points\n`);
    expect(await arena.strikeAll(strikes, toldByTheDead)).toEqual([]);
  });
});

/** Calls that change nothing matter only in the full tier, and so does all that the best injector has struck already. */
function chosen(points: readonly Point[], injector: Injector): Point[] {
  if (isFull) return [...points];
  const writes = points.filter(({ isWrite }) => isWrite);
  if (injector !== BEST) return sample(writes, STRIDE);
  const rest = writes.filter((point) => !isDecisive(point));
  return [...writes.filter(isDecisive), ...sample(rest, STRIDE)];
}
