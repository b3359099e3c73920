import { Fault } from "#kernel/model/fault.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import {
  type CheckDefinitions,
  compareTrustedSurfaces,
  createTrustedSurface,
} from "../../model/stack/trusted-surface.ts";
import { type Config, DEFAULT_CONFIG } from "#kernel/model/workspace-config.ts";
import type { CheckingEngine } from "../engine.ts";
import { formatSurfaceDifference, findTrustedDefinitions } from "../stack/trusted-definitions.ts";

export interface TrustedChecks {
  readonly definitions: CheckDefinitions;
  readonly hash: string;
  readonly passes: readonly string[];
}

export interface CheckRuling {
  readonly rules?: TrustedChecks;
  readonly refused?: string;
  readonly gates: Config["gates"];
  /** Locations of code and tests. Reading them runs nothing, so they need no trust. */
  readonly stacks: CheckDefinitions["stacks"];
  readonly changed: readonly string[];
}

/** Ends every message about untrusted checks. */
export const TRUST_NEEDED = "The user has to look and type: tenon trust";

/** Uses the definitions of the commit that the work began at, so that the work cannot weaken its own gate. */
export async function loadCheckRuling(
  engine: Pick<CheckingEngine, "stacks" | "trust" | "digest">,
  base: string | undefined,
): Promise<CheckRuling> {
  const working = await engine.stacks.definitions();
  if (!working) throw new RangeError("The working files have no definitions.");
  const before = base === undefined ? undefined : await engine.stacks.definitions(base);
  const may = await findTrustedDefinitions(engine, {
    working,
    base: async () => (base === undefined ? undefined : engine.stacks.onWorkingFiles(base)),
  });
  if ("refused" in may) {
    return {
      refused: `${may.refused.why} ${TRUST_NEEDED}`,
      // Untrusted settings waive nothing.
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
      : listDefinitionChanges(engine, before, working).map(
          (line) => `Changed since the work began, and trusted: ${line}`,
        ),
  };
}

function listDefinitionChanges(
  { digest }: Pick<CheckingEngine, "digest">,
  before: CheckDefinitions | undefined,
  now: CheckDefinitions,
): string[] {
  if (!before) return [];
  return formatSurfaceDifference(
    compareTrustedSurfaces(createTrustedSurface(before, digest), createTrustedSurface(now, digest)),
  );
}

export async function requireTrustedChecks(
  engine: Parameters<typeof loadCheckRuling>[0],
  asked: string,
  base: string | undefined,
): Promise<TrustedChecks> {
  const { rules, refused } = await loadCheckRuling(engine, base);
  if (rules) return rules;
  throw new Fault("trust.needed", {
    what: `The tests of ${asked} were not run.`,
    why: refused ?? "Nothing of this repository is trusted.",
    fix: "Ask the user to type: tenon trust",
  });
}
