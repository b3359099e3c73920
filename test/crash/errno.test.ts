import { describe, expect, test } from "vitest";
import { openArena, type Strike } from "./arena.ts";
import { type Blow, type Errno, isDecisive, type Point } from "./injector.ts";
import { INJECTORS } from "./injectors.ts";
import { type Scenario, SCENARIOS } from "./scenario.ts";
import { isFull, sample, seed } from "./tier.ts";
import { judgeEndedProcess } from "./process-verdict.ts";

const ERRORS: readonly Errno[] = ["ENOSPC", "EIO", "EACCES", "EROFS", "EDQUOT"];
const STRIDE = 40;
/** One scenario meets an error at each call that makes a write lasting, the others at a few. */
const DECISIVE_STRIDE = 4;

describe.for(INJECTORS.slice(0, 1))(`calls that fail, by $name (TENON_SEED=${seed})`, (injector) => {
  test.for(SCENARIOS)("$name", { timeout: 1_800_000 }, async (scenario) => {
    using arena = await openArena(scenario, injector);
    const strikes = chosen(arena.points, scenario);
    process.stdout.write(`${scenario.name}: ${strikes.length} failing calls\n`);
    expect(await arena.strikeAll(strikes, judgeEndedProcess)).toEqual([]);
  });
});

/** Every call with every error in the full tier; otherwise what makes a write lasting, and a sample of the rest. */
function chosen(points: readonly Point[], scenario: Scenario): Strike[] {
  const failing = points.filter(({ call }) => !/^(?:close|exit_group|exec|run)$/.test(call));
  if (isFull) return failing.flatMap((point) => ERRORS.flatMap((errno) => createStrikes(point, errno)));
  const rest = failing.filter((point) => !isDecisive(point));
  const decisive = failing.filter(isDecisive);
  const struck = scenario === SCENARIOS[0] ? decisive : sample(decisive, DECISIVE_STRIDE);
  return [...struck, ...sample(rest, STRIDE)].flatMap((point, i) =>
    createStrikes(point, ERRORS[(seed + i) % ERRORS.length] ?? "EIO").slice(-1),
  );
}

/** Once, and from then on; but a program that can open or write nothing any more could not even say so. */
function createStrikes(point: Point, errno: Errno): Strike[] {
  const blows: Blow[] = /^(?:open|write)/.test(point.call) ? [errno] : [errno, `${errno}+`];
  return blows.map((blow) => ({ point, blow }));
}
