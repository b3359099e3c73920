import { type SteeringStack, suggestClientPermissions } from "#domain/steering/prefill.ts";
import { BUILT_IN_PROFILES, type StackProfile } from "#domain/stack/profile/profile.ts";
import type { Engine } from "../engine.ts";
import type { StackSurvey } from "../ports/stacks.ts";
import { requireStackProfile } from "../stack/detect.ts";

const MAX_STEERING_STACKS = 10;
const NO_PROFILE = "none";

export interface SteeringStacks {
  readonly stacks: readonly SteeringStack[];
  readonly permissions: readonly string[];
  readonly notes: readonly string[];
}

/** The named profile, otherwise the detected ones, the primary one first. */
export async function selectSteeringStacks(
  { stacks }: Pick<Engine, "stacks">,
  said: string | undefined,
): Promise<SteeringStacks> {
  if (said?.trim().toLowerCase() === NO_PROFILE) return { stacks: [], permissions: [], notes: [] };
  const survey = await stacks.survey();
  const known = said === undefined ? listDetectedStacks(survey) : listNamedStacks(survey, said);
  // Only built-in profiles: a repository could put any command into its own.
  const [builtIn, own] = [known.filter(isBuiltInStack), known.filter((stack) => !isBuiltInStack(stack))];
  return {
    stacks: known,
    permissions: suggestClientPermissions(builtIn),
    notes: own
      .filter(({ checks }) => checks.length > 0)
      .map(({ profile }) => `No permissions are suggested for ${profile.id}: the project wrote that profile itself.`),
  };
}

const isBuiltInStack = ({ profile }: SteeringStack): boolean => BUILT_IN_PROFILES.some((id) => id === profile.id);

function listDetectedStacks({ detections, definitions, profiles }: StackSurvey): SteeringStack[] {
  return detections
    .filter(({ confidence }) => confidence > 0)
    .toSorted((a, b) => Number(b.isPrimary) - Number(a.isPrimary))
    .slice(0, MAX_STEERING_STACKS)
    .flatMap(({ directory, profile: id }) => {
      const profile = profiles.find((each) => each.id === id);
      return profile ? [{ directory, profile, checks: findStackChecks(definitions, profile, directory) }] : [];
    });
}

function listNamedStacks({ definitions, profiles }: StackSurvey, said: string): SteeringStack[] {
  const profile = requireStackProfile(profiles, said);
  const folders = definitions.stacks.filter((use) => use.profile === profile.id).map(({ directory }) => directory);
  return (folders.length > 0 ? folders : ["."])
    .slice(0, MAX_STEERING_STACKS)
    .map((directory) => ({ directory, profile, checks: findStackChecks(definitions, profile, directory) }));
}

const findStackChecks = (
  { stacks }: StackSurvey["definitions"],
  { id }: StackProfile,
  directory: string,
): SteeringStack["checks"] => stacks.find((use) => use.directory === directory && use.profile === id)?.checks ?? [];
