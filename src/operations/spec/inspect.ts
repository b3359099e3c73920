import type { LocatedProblem } from "../change/inspect.ts";
import type { Engine } from "../engine.ts";
import { parseListedSpec } from "./read.ts";
import type { SpecListing } from "./shelf.ts";

export async function inspectSpecFiles(
  engine: Pick<Engine, "yaml" | "digest">,
  { specs, strays }: SpecListing,
): Promise<LocatedProblem[]> {
  const readings = await Promise.all(specs.map((spec) => parseListedSpec(engine, spec)));
  const found = readings.flatMap(({ path, problems }) =>
    problems.map(({ problem, line }) => ({ path, problem, line })),
  );
  return [...strays, ...found];
}
