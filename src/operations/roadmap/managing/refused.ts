import { Fault } from "#domain/fault.ts";
import type { Applied } from "#domain/roadmap/lead/event.ts";

/** A command that the Lead does not take, as it takes what follows from the records alone, is told why. */
export function takeApplied(applied: readonly Applied[]): void {
  const problems = applied.flatMap((each) => (each.kind === "refused" ? each.problems : []));
  if (problems.length === 0) return;
  throw new Fault("roadmap.refused", {
    what: "Nothing was begun.",
    why: problems.map(({ problem }) => problem).join(" "),
    fix: { operation: "roadmap.manage", input: { action: "show" } },
  });
}
