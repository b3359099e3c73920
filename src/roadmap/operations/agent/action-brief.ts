import { expandTextParts, type Brief, composeBrief, type BriefMaterial } from "../../model/agent/brief-composition.ts";
import {
  type AgentRole,
  type RoadmapRole,
  ROADMAP_ROLES,
  SHARED_PARTS,
  formatAllowedTools,
} from "../../model/agent/agent-roles.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import type { SpawnAction, AgentWork, Lead } from "../../model/lead/lead-state.ts";
import { renderTemplate, type TemplateValues } from "#kernel/model/template.ts";
import type { RoadmapEngine } from "../engine.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import { listLastRejectionProblems } from "../lead/ledger-entries.ts";
import { gatherBuildMaterial } from "./build-material.ts";
import { gatherDesignMaterial, gatherTasksMaterial } from "./planning-material.ts";
import {
  type RoleMaterial,
  type BriefSource,
  formatInlinePath,
  createListPiece,
  maskMaterialSecrets,
} from "./brief-pieces.ts";
import { gatherReviewMaterial } from "./review-material.ts";
import { createStackMaterial } from "./project-material.ts";

type ActionBriefEngine = Pick<
  RoadmapEngine,
  "store" | "assets" | "secrets" | "tokens" | "yaml" | "stacks" | "root" | "clock" | "checkout"
>;

export const MATERIAL_PLACEHOLDER = "{{material}}";

export async function composeActionBrief(
  engine: ActionBriefEngine,
  lead: Lead,
  { id, role, work }: SpawnAction,
): Promise<Brief> {
  const facts = ROADMAP_ROLES[role];
  const [yaml, templates, stack] = [
    await engine.yaml(),
    await loadFeatureTemplates(engine),
    await createStackMaterial(engine, role),
  ];
  const { values, material } = await engine.store.read((tree) => {
    const unread: string[] = [];
    const forgiving = createTolerantTree(tree, (path, why) => unread.push(`- ${formatInlinePath(path)}: ${why}`));
    const gathered = gatherWorkMaterial({ tree: forgiving, lead, yaml, templates }, role, work);
    const refused = createRejectionMaterial(listLastRejectionProblems(forgiving, engine, id));
    return { ...gathered, material: [...refused, ...gathered.material, ...createUnreadableMaterial(unread)] };
  });
  const all: TemplateValues = { ...values, id, purpose: facts.purpose, tools: formatAllowedTools(facts) };
  const [before = "", after = ""] = (await loadRoleText(engine, role)).split(MATERIAL_PLACEHOLDER);
  const parts = {
    head: renderTemplate(before, all),
    material: await maskMaterialSecrets(engine, [...material, ...stack]),
    tail: renderTemplate(after, all),
  };
  return composeBrief(parts, facts.budget, await engine.tokens.counter());
}

/** The next agent for the same work sees the problems of the rejected report. */
const createRejectionMaterial = (problems: readonly Problem[]): BriefMaterial =>
  createListPiece(
    "Why the last report was not taken: see to it first",
    problems.map(({ problem, line }) => (line === undefined ? problem : `line ${line}: ${problem}`)),
    { rank: 1, share: 0.2, unit: "problem", where: "the answer to that report" },
  );

/** Lists unreadable files, so they do not look missing. */
export const createUnreadableMaterial = (unread: readonly string[]): BriefMaterial =>
  unread.length === 0 ? [] : [{ label: "There, and not to be read", remark: unread.join("\n") }];

function gatherWorkMaterial(ground: BriefSource, role: RoadmapRole, work: AgentWork): RoleMaterial {
  if (work.of === "design") return gatherDesignMaterial(ground, work);
  if (work.of === "tasks") return gatherTasksMaterial(ground, work);
  return work.of === "build" ? gatherBuildMaterial(ground, work) : gatherReviewMaterial(ground, role, work);
}

const loadFeatureTemplates = async ({ assets }: Pick<RoadmapEngine, "assets">): Promise<BriefSource["templates"]> => ({
  design: await assets.text("templates/feature/design"),
  research: await assets.text("templates/feature/research"),
  tasks: await assets.text("templates/feature/tasks"),
});

export async function loadRoleText(engine: Pick<RoadmapEngine, "assets">, role: AgentRole): Promise<string> {
  const parts = await Promise.all(
    SHARED_PARTS.map(async (name) => [name, await engine.assets.text(`roles/parts/${name}`)] as const),
  );
  return expandTextParts(await engine.assets.text(`roles/${role}`), new Map<string, string>(parts));
}
