import { withParts } from "#domain/agent/asset.ts";
import { type Brief, composeBrief, type Material } from "#domain/agent/brief.ts";
import type { AgentRole, Role } from "#domain/agent/role.ts";
import { ROLES, SHARED_PARTS, whatItMay } from "#domain/agent/roles.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import type { Spawn, Work } from "#domain/roadmap/lead/action.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import { renderTemplate, type TemplateValues } from "#domain/template.ts";
import type { Engine } from "../engine.ts";
import { createTolerantTree } from "../forgiving-tree.ts";
import { refusedBefore } from "../roadmap/refused.ts";
import { forBuild } from "./material/building.ts";
import { forDesign } from "./material/designing.ts";
import type { Gathered, Ground } from "./material/gathering.ts";
import { inside, list, maskedMaterial } from "./material/pieces.ts";
import { forTasks } from "./material/planning.ts";
import { forReview } from "./material/reviewing.ts";
import { stackMaterial } from "./material/stack.ts";

type Briefing = Pick<
  Engine,
  "store" | "assets" | "secrets" | "tokens" | "yaml" | "stacks" | "root" | "clock" | "checkout"
>;

export const MATERIAL = "{{material}}";

export async function briefFor(engine: Briefing, lead: Lead, { id, role, work }: Spawn): Promise<Brief> {
  const facts = ROLES[role];
  const [yaml, templates, stack] = [await engine.yaml(), await templatesOf(engine), await stackMaterial(engine, role)];
  const { values, material } = await engine.store.read((tree) => {
    const unread: string[] = [];
    const forgiving = createTolerantTree(tree, (path, why) => unread.push(`- ${inside(path)}: ${why}`));
    const gathered = gather({ tree: forgiving, lead, yaml, templates }, role, work);
    const refused = refusedMaterial(refusedBefore(forgiving, engine, id));
    return { ...gathered, material: [...refused, ...gathered.material, ...unreadMaterial(unread)] };
  });
  const all: TemplateValues = { ...values, id, purpose: facts.purpose, tools: whatItMay(facts) };
  const [before = "", after = ""] = (await textOf(engine, role)).split(MATERIAL);
  const parts = {
    head: renderTemplate(before, all),
    material: await maskedMaterial(engine, [...material, ...stack]),
    tail: renderTemplate(after, all),
  };
  return composeBrief(parts, facts.budget, await engine.tokens.counter());
}

/** The next agent for the same work sees the problems of the rejected report. */
const refusedMaterial = (problems: readonly Problem[]): Material =>
  list(
    "Why the last report was not taken: see to it first",
    problems.map(({ problem, line }) => (line === undefined ? problem : `line ${line}: ${problem}`)),
    { rank: 1, share: 0.2, unit: "problem", where: "the answer to that report" },
  );

/** Lists unreadable files, so they do not look missing. */
export const unreadMaterial = (unread: readonly string[]): Material =>
  unread.length === 0 ? [] : [{ label: "There, and not to be read", remark: unread.join("\n") }];

function gather(ground: Ground, role: Role, work: Work): Gathered {
  if (work.of === "design") return forDesign(ground, work);
  if (work.of === "tasks") return forTasks(ground, work);
  return work.of === "build" ? forBuild(ground, work) : forReview(ground, role, work);
}

const templatesOf = async ({ assets }: Pick<Engine, "assets">): Promise<Ground["templates"]> => ({
  design: await assets.text("templates/feature/design"),
  research: await assets.text("templates/feature/research"),
  tasks: await assets.text("templates/feature/tasks"),
});

export async function textOf(engine: Pick<Engine, "assets">, role: AgentRole): Promise<string> {
  const parts = await Promise.all(
    SHARED_PARTS.map(async (name) => [name, await engine.assets.text(`roles/parts/${name}`)] as const),
  );
  return withParts(await engine.assets.text(`roles/${role}`), new Map<string, string>(parts));
}
