import { Fault } from "#domain/fault.ts";
import { sanitizeText } from "#domain/quote.ts";
import type { CheckDefinitions } from "#domain/stack/definitions.ts";
import { compareTrustedSurfaces, createTrustedSurface } from "#domain/stack/surface.ts";
import { type Config, DEFAULT_CONFIG } from "#domain/workspace/config.ts";
import type { Engine } from "../../engine.ts";
import { formatSurfaceDifference, findTrustedDefinitions } from "../../stack/trusted.ts";

/** What a gate judges by, once it is known that it may run. */
export interface Rules {
  readonly definitions: CheckDefinitions;
  /** The hash of all that may run. */
  readonly hash: string;
  /** The user's own variables that checks may see. */
  readonly passes: readonly string[];
}

/** What a gate goes by: rules that may run, or why none may; and what may be done without. */
export interface Ruling {
  readonly rules?: Rules;
  readonly refused?: string;
  readonly gates: Config["gates"];
  /** Where code and tests lie; looking at them runs nothing. */
  readonly stacks: CheckDefinitions["stacks"];
  /** What somebody changed about the judging since the work began. */
  readonly changed: readonly string[];
}

/** Said of what would run and may not. */
export const LOOK_FIRST = "The user has to look and type: tenon trust";

/** From the commit that the work began at, so that nobody weakens the gate that they have to pass. */
export async function rulingFor(
  engine: Pick<Engine, "stacks" | "trust" | "digest">,
  base: string | undefined,
): Promise<Ruling> {
  const working = await engine.stacks.definitions();
  if (!working) throw new RangeError("The working files have no definitions.");
  const before = base === undefined ? undefined : await engine.stacks.definitions(base);
  const may = await findTrustedDefinitions(engine, {
    working,
    base: async () => (base === undefined ? undefined : engine.stacks.onWorkingFiles(base)),
  });
  if ("refused" in may) {
    return {
      refused: `${may.refused.why} ${LOOK_FIRST}`,
      // What nobody trusts waives nothing.
      gates: (before ?? DEFAULT_CONFIG).gates,
      stacks: working.stacks,
      changed: [],
    };
  }
  const { definitions, surface, passes, isFromBase, changed } = may;
  return {
    rules: { definitions, hash: surface.hash, passes },
    gates: definitions.gates,
    stacks: definitions.stacks,
    changed: isFromBase
      ? [
          ...working.problems.map((problem) => `Not gone by: ${sanitizeText(problem, 500)}`),
          ...changed.map((line) => `Not gone by until it is trusted (tenon trust): ${line}`),
        ]
      : changedSince(engine, before, working).map((line) => `Changed since the work began, and trusted: ${line}`),
  };
}

/** What decides how a gate judges and is not what it was, one a line. */
function changedSince(
  { digest }: Pick<Engine, "digest">,
  before: CheckDefinitions | undefined,
  now: CheckDefinitions,
): string[] {
  if (!before) return [];
  return formatSurfaceDifference(
    compareTrustedSurfaces(createTrustedSurface(before, digest), createTrustedSurface(now, digest)),
  );
}

/** The rules by which something is run at once; a fault where the user has not allowed it. */
export async function rulesOf(
  engine: Parameters<typeof rulingFor>[0],
  asked: string,
  base: string | undefined,
): Promise<Rules> {
  const { rules, refused } = await rulingFor(engine, base);
  if (rules) return rules;
  throw new Fault("trust.needed", {
    what: `The tests of ${asked} were not run.`,
    why: refused ?? "Nothing of this repository is trusted.",
    fix: "Ask the user to type: tenon trust",
  });
}
