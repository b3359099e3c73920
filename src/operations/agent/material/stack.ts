import type { Material } from "#domain/agent/brief.ts";
import type { Role } from "#domain/agent/role.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import type { Engine } from "../../engine.ts";
import type { StackSurvey } from "../../ports/stacks.ts";
import { list } from "./pieces.ts";

/** Those who write code or design it, and those who judge how it is written. */
const WHO: ReadonlySet<Role> = new Set<Role>(["architect", "builder", "inspector-quality", "inspector-test"]);

/** One look at the roadmap may ask for many briefs, and looks at the code once for all of them. */
const surveys = new WeakMap<Lead, Promise<StackSurvey>>();

/** How code of the primary stack is written and tested, as its profile says. */
export async function stackMaterial(engine: Pick<Engine, "stacks">, lead: Lead, role: Role): Promise<Material> {
  if (!WHO.has(role)) return [];
  const survey = surveys.get(lead) ?? engine.stacks.survey();
  surveys.set(lead, survey);
  const { detections, profiles, definitions } = await survey;
  const primary = detections.find(({ isPrimary }) => isPrimary);
  const profile = profiles.find(({ id }) => id === primary?.profile);
  if (!primary || !profile || primary.confidence === 0) return [];
  const use = definitions.stacks.find((stack) => stack.directory === primary.directory && stack.profile === profile.id);
  const tools = (use?.checks ?? []).map(({ kind, tool }) => `${kind} by ${tool}`);
  const lines = [
    `${profile.title}; tests: ${profile.test_framework}`,
    ...(tools.length > 0 ? [`It is judged by: ${tools.join(", ")}`] : []),
    ...profile.conventions,
  ];
  return list("How code is written here", lines, {
    rank: 6,
    share: 0.1,
    unit: "line",
    where: "the answer of `sdd_stack`",
  });
}
