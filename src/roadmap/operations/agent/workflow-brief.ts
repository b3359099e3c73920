import { WORKFLOW_AGENTS, type WorkflowRole, formatAllowedTools } from "../../model/agent/agent-roles.ts";
import { type Brief, composeBrief, type BriefMaterial } from "../../model/agent/brief-composition.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { StackProfile } from "#checking/model/stack/stack-profile.ts";
import { renderTemplate } from "#kernel/model/template.ts";
import type { WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import { isActiveWorkflow } from "#planning/model/workflow/workflow-lifecycle.ts";
import { getSpecPath } from "#kernel/model/workspace-paths.ts";
import type { RoadmapEngine } from "../engine.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import { MATERIAL_PLACEHOLDER, loadRoleText, createUnreadableMaterial } from "./action-brief.ts";
import {
  createDocumentPiece,
  createTemplatePiece,
  formatInlinePath,
  maskMaterialSecrets,
  createTextPiece,
} from "./brief-pieces.ts";
import { createProfileMaterial, createSteeringTexts } from "./project-material.ts";

type WorkflowBriefEngine = Pick<RoadmapEngine, "store" | "assets" | "secrets" | "tokens" | "stacks" | "root" | "clock">;

export async function composeWorkflowBrief(
  engine: WorkflowBriefEngine,
  record: WorkflowRecord,
  role: WorkflowRole,
): Promise<Brief> {
  const facts = WORKFLOW_AGENTS[role];
  assertRoleTurn(record, role);
  const { id, kind, title } = record;
  const values = {
    id,
    spec: getSpecPath(id),
    purpose: facts.purpose,
    tools: formatAllowedTools(facts),
    isBugfix: kind === "bugfix",
  };
  const material: BriefMaterial = [
    ...createTextPiece("What it is about", title, { rank: 1, share: 0.1, where: "what `sdd_workflow_status` says" }),
    ...(await gatherWorkflowTexts(engine, record, role)),
    ...(await createProfileMaterial(engine, (profile) => listProfileAdvice(profile, role))),
  ];
  const [before = "", after = ""] = (await loadRoleText(engine, role)).split(MATERIAL_PLACEHOLDER);
  const parts = {
    head: renderTemplate(before, values),
    material: await maskMaterialSecrets(engine, material),
    tail: renderTemplate(after, values),
  };
  return composeBrief(parts, facts.budget, await engine.tokens.counter());
}

function assertRoleTurn(record: WorkflowRecord, role: WorkflowRole): void {
  const { id, kind, current_stage: stage } = record;
  const { stages } = WORKFLOW_AGENTS[role];
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

async function gatherWorkflowTexts(
  engine: WorkflowBriefEngine,
  { id, kind }: WorkflowRecord,
  role: WorkflowRole,
): Promise<BriefMaterial> {
  const isSpec = role === "spec-agent";
  const form = isSpec ? await engine.assets.text(`templates/spec/${kind}`) : "";
  return engine.store.read((tree) => {
    const unread: string[] = [];
    const forgiving = createTolerantTree(tree, (path, why) => unread.push(`- ${formatInlinePath(path)}: ${why}`));
    const texts = [
      ...createDocumentPiece("The spec", getSpecPath(id), forgiving.text(getSpecPath(id)), { rank: 1, share: 0.6 }),
      ...(isSpec ? createTemplatePiece(`${id}.yaml`, form, { rank: 2, share: 0.3 }) : []),
      ...createSteeringTexts(forgiving, { rank: 4, share: 0.15 }, isSpec ? [] : ["product.md"]),
    ];
    return [...texts, ...createUnreadableMaterial(unread)];
  });
}

function listProfileAdvice({ patterns, test_files, examples }: StackProfile, role: WorkflowRole): string[] {
  if (role === "spec-agent") return [];
  const isTest = role === "test-agent";
  const shown = examples.filter(({ name }) => /test/i.test(name) === isTest);
  return [
    isTest ? `Tests stand in: ${test_files.join(", ")}` : formatProfilePatterns(patterns),
    ...shown.map(({ name, code }) => `Example, ${name}:\n${code.trimEnd()}`),
  ];
}

const formatProfilePatterns = (patterns: StackProfile["patterns"]): string =>
  `Where things stand: ${Object.entries(patterns)
    .map(([what, glob]) => `${what} in ${glob}`)
    .join(", ")}`;
