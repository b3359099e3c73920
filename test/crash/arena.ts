import fs from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../kit/folder.ts";
import { type Blow, type Injector, type Point, type Run, type Struck, samePoint } from "./injector.ts";
import { judge, type Told } from "./oracle.ts";
import { rehearse } from "./rehearsal.ts";
import type { Scenario } from "./scenario.ts";

/** Strikes at once: as many as the smallest machine that we care for has cores. */
const SIDE_BY_SIDE = 2;
const TRIES = 25;

export interface Strike {
  readonly point: Point;
  readonly blow: Blow;
}

/** A workspace prepared once, and struck in fresh copies. */
export interface Arena extends Disposable {
  readonly points: readonly Point[];
  /** Strikes once; the workspace is left as the strike left it. */
  strike(strike: Strike): Promise<{ readonly run: Run; readonly struck: Struck }>;
  /** Strikes everywhere it is told to and gives what is wrong, each with the strike that showed it. */
  strikeAll(strikes: readonly Strike[], toldBy: (struck: Struck) => Told): Promise<string[]>;
}

export async function openArena(scenario: Scenario, injector: Injector): Promise<Arena> {
  const folder = temporaryFolder();
  const home = join(folder.path, "home");
  fs.mkdirSync(home);
  const runIn = (root: string): Run => ({ words: [...scenario.words, "--json"], root, home });
  const { expected, copy } = await rehearse(scenario, folder.path, (root) => injector.points(runIn(root)));
  // Only now is the compile cache full, and the calls are those that all later runs will make.
  const points = await injector.points(runIn(copy()));

  const strike: Arena["strike"] = async ({ point, blow }) => {
    let aim = point;
    for (let tries = 1; ; tries++) {
      const run = runIn(copy());
      const struck = await injector.strike(run, aim, blow);
      if (struck.hit === point.label) return { run, struck };
      if (tries === TRIES) throw new Error(`A strike at ${point.label} went to ${struck.hit ?? "nothing"}.`);
      // The run that was counted made a call more or less than others do: count another one.
      aim = samePoint(point, points, await injector.points(runIn(copy()), point.call)) ?? aim;
    }
  };

  return {
    points,
    strike,
    async strikeAll(strikes, toldBy) {
      const left = [...strikes];
      const wrong: string[] = [];
      const worker = async (): Promise<void> => {
        for (let next = left.shift(); next; next = left.shift()) {
          const { point, blow } = next;
          const { run, struck } = await strike(next);
          const told = toldBy(struck);
          const found = typeof told === "string" ? await judge(run.root, expected, told) : [told.wrong];
          wrong.push(...found.map((text) => `${blow} at ${point.call} ${point.k} (${point.label}): ${text}`));
          fs.rmSync(run.root, { recursive: true });
        }
      };
      await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
      return wrong;
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
