import { type Cuts, doWork, type Given, type Said } from "./agents.ts";
import type { RoadmapStand } from "./stand.ts";

/** What somebody says of an action instead of doing it honestly; nothing where they do. */
export type Otherwise = (given: Given) => Said | undefined;

/** More rounds than anything here takes. */
const LONGEST = 80;

/** Lets agents do whatever is due until nothing is, and tells what was done in which order. */
export async function drive(
  stand: RoadmapStand,
  cuts: Cuts,
  otherwise: Otherwise = () => undefined,
): Promise<string[]> {
  const done: string[] = [];
  for (let round = 0; round < LONGEST; round++) {
    const { actions } = await stand.next({ limit: 20 });
    if (actions.length === 0) return done;
    for (const given of actions) {
      const said = otherwise(given) ?? doWork(stand, cuts, given);
      if (said["stop"]) return done;
      const { outcome, problems } = await stand.report(given.id, said);
      if (outcome !== "applied") throw new Error(`${given.id} is ${outcome}: ${JSON.stringify(problems)}`);
      done.push(given.id);
    }
  }
  throw new Error(`There is no end: ${done.join(", ")}.`);
}

/** Stops before the first action whose id ends so. */
export const before =
  (part: string): Otherwise =>
  ({ id }) =>
    id.includes(part) ? { stop: true } : undefined;
