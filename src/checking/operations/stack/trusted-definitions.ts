import { formatCount } from "#kernel/model/text-format.ts";
import {
  type CheckDefinitions,
  compareTrustedSurfaces,
  isIdleSurface,
  type SurfaceDifference,
  createTrustedSurface,
  type TrustedSurface,
} from "../../model/stack/trusted-surface.ts";
import type { CheckingEngine } from "../engine.ts";

export interface AllowedDefinitions {
  readonly definitions: CheckDefinitions;
  readonly surface: TrustedSurface;
  /** True if they come from the base commit, because the working copy is not trusted. */
  readonly isFromBase: boolean;
  /** Differences of the working copy that do not apply, one per line. */
  readonly changed: readonly string[];
  readonly passes: readonly string[];
}

export interface RejectedDefinitions {
  readonly refused: {
    readonly surface: TrustedSurface;
    readonly difference: SurfaceDifference;
    readonly why: string;
  };
}

const EMPTY_SURFACE: TrustedSurface = { hash: "", commands: [], settings: [], files: [] };
const MOST_NAMED_FILES = 5;

/**
 * Decides which definitions a gate may use. Those of the working copy count once the user trusts them. Until then those
 * of the base commit count, with the tool rules and settings of the working copy, if the user trusts that combination.
 * A waiver is part of both surfaces, so it cannot bypass trust.
 */
export async function findTrustedDefinitions(
  engine: Pick<CheckingEngine, "trust" | "digest">,
  {
    working,
    base,
  }: {
    readonly working: CheckDefinitions;
    /** With the tool rules and settings of the working files; called only if needed. */
    readonly base: () => Promise<CheckDefinitions | undefined>;
  },
): Promise<AllowedDefinitions | RejectedDefinitions> {
  const granted = await engine.trust.granted();
  const digest = (text: string): string => engine.digest(text);
  const surface = createTrustedSurface(working, digest);
  const allows = (asked: TrustedSurface): boolean =>
    asked.hash === engine.trust.given || asked.hash === granted?.surface.hash;
  const passesFor = (asked: TrustedSurface): readonly string[] =>
    asked.hash === granted?.surface.hash ? granted.passes : [];
  const asItIs = (): AllowedDefinitions => ({
    definitions: working,
    surface,
    isFromBase: false,
    changed: [],
    passes: passesFor(surface),
  });
  if (allows(surface)) return asItIs();
  const older = await base();
  const olderSurface = older && createTrustedSurface(older, digest);
  // Nothing runs and nothing is waived, before or now, so there is nothing to approve.
  if (isIdleSurface(surface) && isIdleSurface(olderSurface ?? surface)) return asItIs();
  if (older && olderSurface && allows(olderSurface)) {
    const changed = formatSurfaceDifference(compareTrustedSurfaces(olderSurface, surface));
    return { definitions: older, surface: olderSurface, isFromBase: true, changed, passes: passesFor(olderSurface) };
  }
  const difference = compareTrustedSurfaces(granted?.surface ?? EMPTY_SURFACE, surface);
  return { refused: { surface, difference, why: explainMissingTrust(difference, granted?.at, engine.trust.given) } };
}

export function formatSurfaceDifference({ commands, settings, files }: SurfaceDifference): string[] {
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
  if (given !== undefined) return "What would be run here has another hash than the one given with --trust.";
  if (since === undefined) return "Nobody has trusted on this machine what would be run here.";
  const { commands, settings, files } = difference;
  const names = [...files.changed, ...files.added, ...files.removed];
  const said = [
    ...names.slice(0, MOST_NAMED_FILES),
    ...(names.length > MOST_NAMED_FILES ? [formatCount(names.length - MOST_NAMED_FILES, "more file")] : []),
    ...formatNonzeroCount(commands.added.length + commands.removed.length, "command"),
    ...formatNonzeroCount(settings.added.length + settings.removed.length, "gate setting"),
  ];
  return `What would be run here has changed since it was trusted, ${since}: ${said.join(", ") || "how results are told"}.`;
}

const formatNonzeroCount = (number: number, noun: string): string[] =>
  number === 0 ? [] : [formatCount(number, noun)];
