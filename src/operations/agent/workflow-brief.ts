import { WORKFLOW_AGENTS } from "#domain/agent/agents.ts";
import { type Brief, composeBrief, type BriefMaterial } from "#domain/agent/brief.ts";
import type { WorkflowRole } from "#domain/agent/role.ts";
import { formatAllowedTools } from "#domain/agent/roles.ts";
import { Fault } from "#domain/fault.ts";
import type { StackProfile } from "#domain/stack/profile/profile.ts";
import { renderTemplate } from "#domain/template.ts";
import type { WorkflowRecord } from "#domain/workflow/record.ts";
import { isActiveWorkflow } from "#domain/workflow/workflow.ts";
import { getSpecPath } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import { createTolerantTree } from "../forgiving-tree.ts";
import { MATERIAL_PLACEHOLDER, loadRoleText, createUnreadableMaterial } from "./brief.ts";
import {
  createDocumentPiece,
  createTemplatePiece,
  formatInlinePath,
  maskMaterialSecrets,
  createTextPiece,
} from "./material/pieces.ts";
import { createProfileMaterial } from "./material/stack.ts";
import { createSteeringTexts } from "./material/steering.ts";

type WorkflowBriefEngine = Pick<Engine, "store" | "assets" | "secrets" | "tokens" | "stacks" | "root" | "clock">;

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
