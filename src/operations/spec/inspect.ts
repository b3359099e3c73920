import type { LocatedProblem } from "../change/inspect.ts";
import type { Engine } from "../engine.ts";
import { readShelvedSpec } from "./read.ts";
import type { SpecShelf } from "./shelf.ts";

export async function inspectSpecDocuments(
  engine: Pick<Engine, "yaml" | "digest">,
  { specs, strays }: SpecShelf,
): Promise<LocatedProblem[]> {
  const readings = await Promise.all(specs.map((spec) => readShelvedSpec(engine, spec)));
  const found = readings.flatMap(({ path, problems }) =>
    problems.map(({ problem, line }) => ({ path, problem, line })),
  );
  return [...strays, ...found];
}
