import type { Material } from "#domain/agent/brief.ts";
import type { Role } from "#domain/agent/role.ts";
import { countSecondsBetween } from "#domain/day.ts";
import type { Profile } from "#domain/stack/profile/profile.ts";
import type { Engine } from "../../engine.ts";
import type { StackSurvey } from "../../ports/stacks.ts";
import { list } from "./pieces.ts";

const WHO: ReadonlySet<Role> = new Set<Role>(["architect", "builder", "inspector-quality", "inspector-test"]);

/** Cached, because a survey takes longer than the rest of a brief and stacks rarely change. */
const surveys = new Map<string, { readonly at: string; readonly survey: Promise<StackSurvey> }>();
const MOST_SECONDS = 60;

type Surveying = Pick<Engine, "stacks" | "root" | "clock">;

function surveyOf({ stacks, root, clock }: Surveying): Promise<StackSurvey> {
  const at = clock.now();
  const known = surveys.get(root);
  if (known && Math.abs(countSecondsBetween(known.at, at)) < MOST_SECONDS) return known.survey;
  const survey = stacks.survey();
  surveys.set(root, { at, survey });
  survey.catch(() => surveys.delete(root));
  return survey;
}

export const stackMaterial = async (engine: Surveying, role: Role): Promise<Material> =>
  WHO.has(role) ? profileMaterial(engine) : [];

export async function profileMaterial(
  engine: Surveying,
  more: (profile: Profile) => readonly string[] = () => [],
): Promise<Material> {
  const { detections, profiles, definitions } = await surveyOf(engine);
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
  return list("How code is written here", lines, {
    rank: 6,
    share: 0.1,
    unit: "line",
    where: "the answer of `sdd_stack`",
  });
}
