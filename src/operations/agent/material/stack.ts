import type { Material } from "#domain/agent/brief.ts";
import type { Role } from "#domain/agent/role.ts";
import type { Engine } from "../../engine.ts";
import { list } from "./pieces.ts";

/** Those who write code or design it, and those who judge how it is written. */
const WHO: ReadonlySet<Role> = new Set<Role>(["architect", "builder", "inspector-quality", "inspector-test"]);

/** How code of the primary stack is written and tested, as its profile says. */
export async function stackMaterial(engine: Pick<Engine, "stacks">, role: Role): Promise<Material> {
  if (!WHO.has(role)) return [];
  const { detections, profiles, definitions } = await engine.stacks.survey();
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
