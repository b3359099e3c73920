import type { LocatedProblem } from "../change/change-inspection.ts";
import type { PlanningEngine } from "../engine.ts";
import { parseListedSpec } from "./spec-files.ts";
import type { SpecListing } from "./list-specs.ts";

export async function inspectSpecFiles(
  engine: Pick<PlanningEngine, "yaml" | "digest">,
  { specs, strays }: SpecListing,
): Promise<LocatedProblem[]> {
  const readings = await Promise.all(specs.map((spec) => parseListedSpec(engine, spec)));
  const found = readings.flatMap(({ path, problems }) =>
    problems.map(({ problem, line }) => ({ path, problem, line })),
  );
  return [...strays, ...found];
}
