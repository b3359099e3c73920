import type { BriefMaterial } from "#domain/agent/brief.ts";
import type { RoadmapRole } from "#domain/agent/role.ts";
import { countSecondsBetween } from "#domain/day.ts";
import type { StackProfile } from "#domain/stack/profile/profile.ts";
import type { Engine } from "../../engine.ts";
import type { StackSurvey } from "../../ports/stacks.ts";
import { createListPiece } from "./pieces.ts";

const STACK_ROLES: ReadonlySet<RoadmapRole> = new Set<RoadmapRole>([
  "architect",
  "builder",
  "inspector-quality",
  "inspector-test",
]);

/** Cached, because a survey takes longer than the rest of a brief and stacks rarely change. */
const surveyCache = new Map<string, { readonly at: string; readonly survey: Promise<StackSurvey> }>();
const MAX_SURVEY_SECONDS = 60;

type SurveyEngine = Pick<Engine, "stacks" | "root" | "clock">;

function getStackSurvey({ stacks, root, clock }: SurveyEngine): Promise<StackSurvey> {
  const at = clock.now();
  const known = surveyCache.get(root);
  if (known && Math.abs(countSecondsBetween(known.at, at)) < MAX_SURVEY_SECONDS) return known.survey;
  const survey = stacks.survey();
  surveyCache.set(root, { at, survey });
  survey.catch(() => surveyCache.delete(root));
  return survey;
}

export const createStackMaterial = async (engine: SurveyEngine, role: RoadmapRole): Promise<BriefMaterial> =>
  STACK_ROLES.has(role) ? createProfileMaterial(engine) : [];

export async function createProfileMaterial(
  engine: SurveyEngine,
  more: (profile: StackProfile) => readonly string[] = () => [],
): Promise<BriefMaterial> {
  const { detections, profiles, definitions } = await getStackSurvey(engine);
  const primary = detections.find(({ isPrimary }) => isPrimary);
  const profile = profiles.find(({ id }) => id === primary?.profile);
  if (!primary || !profile || primary.confidence === 0) return [];
  const use = definitions.stacks.find((stack) => stack.directory === primary.directory && stack.profile === profile.id);
  const tools = (use?.checks ?? []).map(({ kind, tool }) => `${kind} by ${tool}`);
  const lines = [
    `${profile.title}; tests: ${profile.test_framework}`,
    ...(tools.length > 0 ? [`It is judged by: ${tools.join(", ")}`] : []),
    ...profile.conventions,
    ...more(profile),
  ];
  return createListPiece("How code is written here", lines, {
    rank: 6,
    share: 0.1,
    unit: "line",
    where: "the answer of `sdd_stack`",
  });
}
