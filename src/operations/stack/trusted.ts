import { formatCount } from "#domain/count.ts";
import type { Definitions } from "#domain/stack/definitions.ts";
import { differenceOf, isIdle, type SurfaceDifference, surfaceOf, type TrustedSurface } from "#domain/stack/surface.ts";
import type { Engine } from "../engine.ts";

export interface Allowed {
  readonly definitions: Definitions;
  readonly surface: TrustedSurface;
  /** True if they come from the base commit, because the working copy is not trusted. */
  readonly isFromBase: boolean;
  /** Differences of the working copy that do not apply, one per line. */
  readonly changed: readonly string[];
  readonly passes: readonly string[];
}

export interface Refused {
  readonly refused: {
    readonly surface: TrustedSurface;
    readonly difference: SurfaceDifference;
    readonly why: string;
  };
}

const NOTHING: TrustedSurface = { hash: "", commands: [], settings: [], files: [] };
const MOST_NAMED = 5;

/**
 * Decides which definitions a gate may use. Those of the working copy count once the user trusts them. Until then those
 * of the base commit count, with the tool rules and settings of the working copy, if the user trusts that combination.
 * A waiver is part of both surfaces, so it cannot bypass trust.
 */
export async function whetherTrusted(
  engine: Pick<Engine, "trust" | "digest">,
  {
    working,
    base,
  }: {
    readonly working: Definitions;
    /** With the tool rules and settings of the working files; called only if needed. */
    readonly base: () => Promise<Definitions | undefined>;
  },
): Promise<Allowed | Refused> {
  const granted = await engine.trust.granted();
  const digest = (text: string): string => engine.digest(text);
  const surface = surfaceOf(working, digest);
  const allows = (asked: TrustedSurface): boolean =>
    asked.hash === engine.trust.given || asked.hash === granted?.surface.hash;
  const passesFor = (asked: TrustedSurface): readonly string[] =>
    asked.hash === granted?.surface.hash ? granted.passes : [];
  const asItIs = (): Allowed => ({
    definitions: working,
    surface,
    isFromBase: false,
    changed: [],
    passes: passesFor(surface),
  });
  if (allows(surface)) return asItIs();
  const older = await base();
  const olderSurface = older && surfaceOf(older, digest);
  // Nothing runs and nothing is waived, before or now, so there is nothing to approve.
  if (isIdle(surface) && isIdle(olderSurface ?? surface)) return asItIs();
  if (older && olderSurface && allows(olderSurface)) {
    const changed = linesOf(differenceOf(olderSurface, surface));
    return { definitions: older, surface: olderSurface, isFromBase: true, changed, passes: passesFor(olderSurface) };
  }
  const difference = differenceOf(granted?.surface ?? NOTHING, surface);
  return { refused: { surface, difference, why: whyNot(difference, granted?.at, engine.trust.given) } };
}

export function linesOf({ commands, settings, files }: SurfaceDifference): string[] {
  const added = [...commands.added, ...settings.added, ...files.added];
  const removed = [...commands.removed, ...settings.removed, ...files.removed];
  return [
    ...added.map((line) => `+ ${line}`),
    ...removed.map((line) => `- ${line}`),
    ...files.changed.map((line) => `~ ${line}`),
  ];
}

function whyNot(difference: SurfaceDifference, since: string | undefined, given: string | undefined): string {
  if (given !== undefined) return "What would be run here has another hash than the one given with --trust.";
  if (since === undefined) return "Nobody has trusted on this machine what would be run here.";
  const { commands, settings, files } = difference;
  const names = [...files.changed, ...files.added, ...files.removed];
  const said = [
    ...names.slice(0, MOST_NAMED),
    ...(names.length > MOST_NAMED ? [formatCount(names.length - MOST_NAMED, "more file")] : []),
    ...counted(commands.added.length + commands.removed.length, "command"),
    ...counted(settings.added.length + settings.removed.length, "gate setting"),
  ];
  return `What would be run here has changed since it was trusted, ${since}: ${said.join(", ") || "how results are told"}.`;
}

const counted = (number: number, noun: string): string[] => (number === 0 ? [] : [formatCount(number, noun)]);
