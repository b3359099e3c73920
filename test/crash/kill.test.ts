import { describe, expect, test } from "vitest";
import { openArena } from "./arena.ts";
import { type Injector, isDecisive, type Point } from "./injector.ts";
import { INJECTORS } from "./injectors.ts";
import { type Scenario, SCENARIOS } from "./scenario.ts";
import { isFull, sample, seed, takeMain } from "./tier.ts";
import { judgeKilledProcess } from "./process-verdict.ts";

const [BEST] = INJECTORS;
const STRIDE = 16;
/** Every scenario writes the same way. One is struck at each call that makes a write lasting, the others at a few. */
const DECISIVE_STRIDE = 4;

describe.for(INJECTORS)(`kill -9 by $name (TENON_SEED=${seed})`, (injector) => {
  test.for(injector === BEST ? SCENARIOS : takeMain(SCENARIOS, 2))("$name", { timeout: 600_000 }, async (scenario) => {
    using arena = await openArena(scenario, injector);
    const strikes = chosen(arena.points, injector, scenario).map((point) => ({ point, blow: "SIGKILL" as const }));
    process.stdout.write(`${scenario.name}: ${strikes.length} of ${arena.points.length} points\n`);
    expect(await arena.strikeAll(strikes, judgeKilledProcess)).toEqual([]);
  });
});

/** Calls that change nothing matter only in the full tier, and so does all that the best injector has struck already. */
function chosen(points: readonly Point[], injector: Injector, scenario: Scenario): Point[] {
  if (isFull) return [...points];
  const writes = points.filter(({ isWrite }) => isWrite);
  if (injector !== BEST) return sample(writes, STRIDE);
  const rest = writes.filter((point) => !isDecisive(point));
  const decisive = writes.filter(isDecisive);
  return [...(scenario === SCENARIOS[0] ? decisive : sample(decisive, DECISIVE_STRIDE)), ...sample(rest, STRIDE * 2)];
}
