import { type KnownStack, suggestedPermissions } from "#domain/steering/prefill.ts";
import { BUILT_IN, type Profile } from "#domain/stack/profile/profile.ts";
import type { Engine } from "../engine.ts";
import type { StackSurvey } from "../ports/stacks.ts";
import { theProfile } from "../stack/detect.ts";

const MOST = 10;
const NONE = "none";

export interface Begun {
  readonly stacks: readonly KnownStack[];
  readonly permissions: readonly string[];
  readonly notes: readonly string[];
}

/** The named profile, otherwise the detected ones, the primary one first. */
export async function knownStacks({ stacks }: Pick<Engine, "stacks">, said: string | undefined): Promise<Begun> {
  if (said?.trim().toLowerCase() === NONE) return { stacks: [], permissions: [], notes: [] };
  const survey = await stacks.survey();
  const known = said === undefined ? detected(survey) : named(survey, said);
  // Only built-in profiles: a repository could put any command into its own.
  const [builtIn, own] = [known.filter(isBuiltIn), known.filter((stack) => !isBuiltIn(stack))];
  return {
    stacks: known,
    permissions: suggestedPermissions(builtIn),
    notes: own
      .filter(({ checks }) => checks.length > 0)
      .map(({ profile }) => `No permissions are suggested for ${profile.id}: the project wrote that profile itself.`),
  };
}

const isBuiltIn = ({ profile }: KnownStack): boolean => BUILT_IN.some((id) => id === profile.id);

function detected({ detections, definitions, profiles }: StackSurvey): KnownStack[] {
  return detections
    .filter(({ confidence }) => confidence > 0)
    .toSorted((a, b) => Number(b.isPrimary) - Number(a.isPrimary))
    .slice(0, MOST)
    .flatMap(({ directory, profile: id }) => {
      const profile = profiles.find((each) => each.id === id);
      return profile ? [{ directory, profile, checks: checksOf(definitions, profile, directory) }] : [];
    });
}

function named({ definitions, profiles }: StackSurvey, said: string): KnownStack[] {
  const profile = theProfile(profiles, said);
  const folders = definitions.stacks.filter((use) => use.profile === profile.id).map(({ directory }) => directory);
  return (folders.length > 0 ? folders : ["."])
    .slice(0, MOST)
    .map((directory) => ({ directory, profile, checks: checksOf(definitions, profile, directory) }));
}

const checksOf = ({ stacks }: StackSurvey["definitions"], { id }: Profile, directory: string): KnownStack["checks"] =>
  stacks.find((use) => use.directory === directory && use.profile === id)?.checks ?? [];
