import { Fault } from "#kernel/model/fault.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import type { CheckDefinitions, SurfaceDifference, TrustedSurface } from "../../model/stack/trusted-surface.ts";
import { compareTrustedSurfaces, isIdleSurface, createTrustedSurface } from "../../model/stack/trusted-surface.ts";
import { type Config, DEFAULT_CONFIG } from "#kernel/model/workspace-config.ts";
import type { CheckingEngine } from "../engine.ts";

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
export const TRUST_NEEDED = "Ask the user to review them: tenon trust";

type TrustEngine = Pick<CheckingEngine, "stacks" | "trust" | "digest">;

/** Uses the definitions of the commit that the work began at, so that the work cannot weaken its own gate. */
export async function loadCheckRuling(engine: TrustEngine, base: string | undefined): Promise<CheckRuling> {
  const working = await engine.stacks.definitions();
  if (!working) throw new RangeError("No commands are defined.");
  const before = base === undefined ? undefined : await engine.stacks.definitions(base);
  const may = await findTrustedDefinitions(engine, working, async () =>
    base === undefined ? undefined : engine.stacks.onWorkingFiles(base),
  );
  if ("refused" in may) {
    // Untrusted settings waive nothing.
    const { gates } = before ?? DEFAULT_CONFIG;
    return { refused: `${may.refused.why} ${TRUST_NEEDED}`, gates, stacks: working.stacks, changed: [] };
  }
  const { definitions, surface, passes, isFromBase, changed } = may;
  const { digest } = engine;
  const since =
    before && compareTrustedSurfaces(createTrustedSurface(before, digest), createTrustedSurface(working, digest));
  return {
    rules: { definitions, hash: surface.hash, passes },
    gates: definitions.gates,
    stacks: definitions.stacks,
    changed: isFromBase
      ? [
          ...working.problems.map((problem) => `Not used: ${sanitizeText(problem, 500)}`),
          ...changed.map((line) => `Not used until you trust it (tenon trust): ${line}`),
        ]
      : (since ? formatSurfaceDifference(since) : []).map(
          (line) => `Changed since the work began, and trusted: ${line}`,
        ),
  };
}

export async function requireTrustedChecks(
  engine: TrustEngine,
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

interface AllowedDefinitions extends Pick<TrustedChecks, "definitions" | "passes"> {
  readonly surface: TrustedSurface;
  /** True if they come from the base commit, because the working copy is not trusted. */
  readonly isFromBase: boolean;
  /** Differences of the working copy that do not apply, one per line. */
  readonly changed: readonly string[];
}

const EMPTY_SURFACE: TrustedSurface = { hash: "", commands: [], settings: [], files: [] };
const MOST_NAMED_FILES = 5;

/**
 * The working copy's count once the user trusts them. Until then the base commit's count, with the tool rules of the
 * working copy if the user trusts that combination.
 */
export async function findTrustedDefinitions(
  engine: Pick<CheckingEngine, "trust" | "digest">,
  working: CheckDefinitions,
  /** Those of the base commit, with the tool rules and settings of the working files; called only if needed. */
  base: () => Promise<CheckDefinitions | undefined>,
): Promise<AllowedDefinitions | { refused: { surface: TrustedSurface; difference: SurfaceDifference; why: string } }> {
  const granted = await engine.trust.granted();
  const { digest } = engine;
  const surface = createTrustedSurface(working, digest);
  const allows = (asked: TrustedSurface): boolean =>
    asked.hash === engine.trust.given || asked.hash === granted?.surface.hash;
  const passesFor = (asked: TrustedSurface): readonly string[] =>
    asked.hash === granted?.surface.hash ? granted.passes : [];
  const asItIs = { definitions: working, surface, isFromBase: false, changed: [], passes: passesFor(surface) };
  if (allows(surface)) return asItIs;
  const older = await base();
  const olderSurface = older && createTrustedSurface(older, digest);
  // Nothing runs and nothing is waived, before or now, so there is nothing to approve.
  if (isIdleSurface(surface) && isIdleSurface(olderSurface ?? surface)) return asItIs;
  if (older && olderSurface && allows(olderSurface)) {
    const changed = formatSurfaceDifference(compareTrustedSurfaces(olderSurface, surface));
    return { definitions: older, surface: olderSurface, isFromBase: true, changed, passes: passesFor(olderSurface) };
  }
  const difference = compareTrustedSurfaces(granted?.surface ?? EMPTY_SURFACE, surface);
  return { refused: { surface, difference, why: explainMissingTrust(difference, granted?.at, engine.trust.given) } };
}

function formatSurfaceDifference({ commands, settings, files }: SurfaceDifference): string[] {
  const added = [...commands.added, ...settings.added, ...files.added];
  const removed = [...commands.removed, ...settings.removed, ...files.removed];
  return [
    ...added.map((line) => `+ ${line}`),
    ...removed.map((line) => `- ${line}`),
    ...files.changed.map((line) => `~ ${line}`),
  ];
}

function explainMissingTrust(
  difference: SurfaceDifference,
  since: string | undefined,
  given: string | undefined,
): string {
  if (given !== undefined) return "The commands do not match the hash given with --trust.";
  if (since === undefined) return "You have not trusted the commands of this repository on this machine.";
  const { commands, settings, files } = difference;
  const names = [...files.changed, ...files.added, ...files.removed];
  const counts: [number, string][] = [
    [names.length - MOST_NAMED_FILES, "more file"],
    [commands.added.length + commands.removed.length, "command"],
    [settings.added.length + settings.removed.length, "gate setting"],
  ];
  const said = [
    ...names.slice(0, MOST_NAMED_FILES),
    ...counts.flatMap(([number, noun]) => (number > 0 ? [formatCount(number, noun)] : [])),
  ];
  return `The commands changed since you trusted them, ${since}: ${said.join(", ") || "how results are reported"}.`;
}
