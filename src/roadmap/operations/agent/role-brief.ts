import { Fault } from "#kernel/model/fault.ts";
import { renderTemplate, type TemplateValues } from "#kernel/model/template.ts";
import { getSpecPath } from "#kernel/model/workspace-paths.ts";
import type { StackProfile } from "#checking/model/stack/stack-profile.ts";
import { isActiveWorkflow } from "#planning/model/workflow/workflow-lifecycle.ts";
import type { WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import { type AgentRole, formatAllowedTools, ROLE_FACTS, type WorkflowRole } from "../../model/agent/agent-roles.ts";
import {
  type Brief,
  type BriefMaterial,
  composeBrief,
  expandTextParts,
  listIncludedParts,
} from "../../model/agent/brief-composition.ts";
import type { Lead, SpawnAction } from "../../model/lead/lead-state.ts";
import type { RoadmapEngine } from "../engine.ts";
import {
  type BriefSource,
  createDocumentPiece,
  createListPiece,
  createTemplatePiece,
  createTextPiece,
  formatInlinePath,
  maskMaterialSecrets,
  type RoleMaterial,
} from "./brief-pieces.ts";
import { createProfileMaterial, createSteeringTexts } from "./project-material.ts";
import { gatherReviewMaterial } from "./review-material.ts";
import { gatherBuildMaterial, gatherDesignMaterial, gatherTasksMaterial } from "./work-material.ts";
import { listLastRejectionProblems } from "../lead/lead-store.ts";

type BriefEngine = Pick<RoadmapEngine, "store" | "assets" | "secrets" | "tokens" | "stacks" | "root" | "clock">;
type ActionBriefEngine = BriefEngine & Pick<RoadmapEngine, "yaml" | "checkout">;

export async function composeActionBrief(engine: ActionBriefEngine, lead: Lead, action: SpawnAction): Promise<Brief> {
  const { id, role } = action;
  const yaml = await engine.yaml();
  const templates = {
    design: await engine.assets.text("templates/feature/design"),
    research: await engine.assets.text("templates/feature/research"),
    tasks: await engine.assets.text("templates/feature/tasks"),
  };
  const stack = ROLE_FACTS[role].stack ? await createProfileMaterial(engine) : [];
  const { values, material } = await gatherTolerantly(engine, (tree) => {
    const gathered = gatherWorkMaterial({ tree, lead, yaml, templates }, action);
    // The next agent for the same work sees the problems of the rejected report.
    const problems = listLastRejectionProblems(tree, engine, id).map(({ problem, line }) =>
      line === undefined ? problem : `line ${line}: ${problem}`,
    );
    const label = "Why the last report was not taken: see to it first";
    const refused = createListPiece(label, problems, "problem", "the answer to that report", [1, 0.2]);
    return { ...gathered, material: [...refused, ...gathered.material] };
  });
  return renderRoleBrief(engine, role, { ...values, id }, [...material, ...stack]);
}

function gatherWorkMaterial(source: BriefSource, { role, work }: SpawnAction): RoleMaterial {
  switch (work.of) {
    case "design":
      return gatherDesignMaterial(source, work);
    case "tasks":
      return gatherTasksMaterial(source, work);
    case "build":
      return gatherBuildMaterial(source, work);
    case "review":
      return gatherReviewMaterial(source, role, work);
  }
}

export async function composeWorkflowBrief(
  engine: BriefEngine,
  record: WorkflowRecord,
  role: WorkflowRole,
): Promise<Brief> {
  assertRoleTurn(record, role);
  const { id, kind, title } = record;
  const spec = getSpecPath(id);
  const isSpec = role === "spec-agent";
  const form = isSpec ? await engine.assets.text(`templates/spec/${kind}`) : "";
  const { material } = await gatherTolerantly(engine, (tree) => ({
    material: [
      ...createTextPiece("What it is about", title, "what `sdd_workflow_status` says", [1, 0.1]),
      ...createDocumentPiece("The spec", spec, tree.text(spec), [1, 0.6]),
      ...createTemplatePiece(`${id}.yaml`, form, [2, 0.3]),
      ...createSteeringTexts(tree, [4, 0.15], isSpec ? [] : ["product.md"]),
    ],
  }));
  const profile = await createProfileMaterial(engine, (known) => (isSpec ? [] : listProfileAdvice(known, role)));
  return renderRoleBrief(engine, role, { id, spec, isBugfix: kind === "bugfix" }, [...material, ...profile]);
}

function assertRoleTurn(record: WorkflowRecord, role: WorkflowRole): void {
  const { id, kind, current_stage: stage } = record;
  const { stages } = ROLE_FACTS[role];
  if (isActiveWorkflow(record) && stages.includes(stage)) return;
  const own = record.stages.map(({ name }) => name).find((name) => stages.includes(name));
  throw new Fault("workflow.other-stage", {
    what: `There is no brief of the ${role} for ${id}.`,
    why: isActiveWorkflow(record)
      ? `${id} is at ${stage}, and ${own === undefined ? `a ${kind} has no such role` : `its turn is at ${own}`}.`
      : `${id} is ${record.status}.`,
    fix: { operation: "workflow.status", input: { id } },
  });
}

function listProfileAdvice({ patterns, test_files, examples }: StackProfile, role: WorkflowRole): string[] {
  const isTest = role === "test-agent";
  const shown = examples.filter(({ name }) => /test/i.test(name) === isTest);
  const places = Object.entries(patterns).map(([what, glob]) => `${what} in ${glob}`);
  return [
    isTest ? `Tests stand in: ${test_files.join(", ")}` : `Where things stand: ${places.join(", ")}`,
    ...shown.map(({ name, code }) => `Example, ${name}:\n${code.trimEnd()}`),
  ];
}

/** Lists unreadable files at the end, so they do not look missing. */
function gatherTolerantly<T extends { readonly material: BriefMaterial }>(
  { store }: Pick<RoadmapEngine, "store">,
  gather: (tree: StoreTree) => T,
): Promise<T> {
  return store.read((tree) => {
    const unread: string[] = [];
    const found = gather(createTolerantTree(tree, (path, why) => unread.push(`- ${formatInlinePath(path)}: ${why}`)));
    if (unread.length === 0) return found;
    return {
      ...found,
      material: [...found.material, { label: "There, and not to be read", remark: unread.join("\n") }],
    };
  });
}

const MATERIAL_PLACEHOLDER = "{{material}}";

/** Every brief is composed here: the text of the role around the material, within the budget of the role. */
async function renderRoleBrief(
  engine: Pick<RoadmapEngine, "assets" | "secrets" | "tokens">,
  role: AgentRole,
  values: TemplateValues,
  material: BriefMaterial,
): Promise<Brief> {
  const { budget, purpose, tools } = ROLE_FACTS[role];
  const all = { ...values, purpose, tools: formatAllowedTools({ tools }) };
  const text = (await engine.assets.text(`roles/${role}`)).replace(/^---\n[\s\S]*?\n---\n/, "");
  const parts = await loadIncludedParts(engine, text);
  const [head = "", tail = ""] = expandTextParts(text, parts)
    .split(MATERIAL_PLACEHOLDER)
    .map((part) => renderTemplate(part, all));
  const masked = await maskMaterialSecrets(engine, material);
  return composeBrief({ head, material: masked, tail }, budget, await engine.tokens.counter());
}

async function loadIncludedParts(
  engine: Pick<RoadmapEngine, "assets">,
  text: string,
  parts = new Map<string, string>(),
): Promise<Map<string, string>> {
  for (const name of listIncludedParts(text)) {
    if (parts.has(name)) continue;
    parts.set(name, await engine.assets.text(`roles/parts/${name}`));
    await loadIncludedParts(engine, parts.get(name) ?? "", parts);
  }
  return parts;
}
