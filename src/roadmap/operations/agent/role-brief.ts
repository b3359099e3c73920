import { extractSectionText } from "#kernel/model/document/markdown-document.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { renderTemplate, type TemplateValues } from "#kernel/model/template.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import { isActiveWorkflow } from "#planning/model/workflow/workflow-lifecycle.ts";
import type { WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import {
  type AgentRole,
  formatAllowedTools,
  getInspectorRole,
  ROLE_FACTS,
  type WorkflowRole,
} from "../../model/agent/agent-roles.ts";
import {
  type Brief,
  type BriefMaterial,
  composeBrief,
  expandTextParts,
  listIncludedParts,
  quoteForeignName,
} from "../../model/agent/brief-composition.ts";
import { listOutdatedBasis } from "../../model/feature-progress.ts";
import { checkDesign, type CheckedDesign, type DesignComponent } from "../../model/feature/design-check.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import type { FeatureTask } from "../../model/feature/task-list.ts";
import { checkTaskPlan } from "../../model/feature/task-plan.ts";
import type { AgentWork, Lead, SpawnAction, WorkOf } from "../../model/lead/lead-state.ts";
import type { RoadmapEngine } from "../engine.ts";
import { listLastRejectionProblems } from "../lead/lead-store.ts";
import { formatBasisChanges } from "../lead/review-delta.ts";
import {
  type BriefSource,
  createDocumentPiece,
  createFeatureMaterial,
  createFindingsPiece,
  createFixMaterial,
  createKnowledgeMaterial,
  createListPiece,
  createProfileMaterial,
  createSteeringTexts,
  createTemplatePiece,
  createTextPiece,
  formatInlinePath,
  getActionRecord,
  readReviewFile,
  type RoleMaterial,
} from "./brief-pieces.ts";
import { renderSpecTemplate } from "#planning/operations/spec/spec-files.ts";
import { formatFeatureOverview, gatherReviewMaterial } from "./review-material.ts";

export async function composeActionBrief(engine: RoadmapEngine, lead: Lead, action: SpawnAction): Promise<Brief> {
  const { id, role, work } = action;
  const yaml = await engine.yaml();
  const templates = {
    design: await engine.assets.text("templates/feature/design"),
    research: await engine.assets.text("templates/feature/research"),
    tasks: await engine.assets.text("templates/feature/tasks"),
  };
  const stack = ROLE_FACTS[role].stack ? await createProfileMaterial(engine) : [];
  const { values, material } = await gatherTolerantly(engine, (tree) => {
    const source = { tree, lead, yaml, templates };
    const gathered =
      work.of === "review" ? gatherReviewMaterial(source, role, work) : gatherFeatureMaterial(source, work);
    // The next agent for the same work sees the problems of the rejected report.
    const problems = listLastRejectionProblems(tree, engine.checkout, id).map(({ problem, line }) =>
      line === undefined ? problem : `line ${line}: ${problem}`,
    );
    const label = "Why the last report was rejected: fix this first";
    const refused = createListPiece(label, problems, "problem", "the answer to that report", [1, 0.2]);
    const isAgain = work.of === "design" && work.mode === "existing" && !work.isFix;
    const below = isAgain ? formatBasisChanges(tree, engine.checkout, lead, work.feature) : "";
    const changes = createTextPiece("What changed in the designs below", below, "these designs", [1, 0.2]);
    return { ...gathered, material: [...refused, ...changes, ...gathered.material] };
  });
  const views = work.of === "review" ? (work.views ?? []) : [];
  return renderRoleBrief(engine, role, { ...values, id }, [...material, ...stack], views.map(getInspectorRole));
}

function gatherFeatureMaterial(source: BriefSource, work: Exclude<AgentWork, { of: "review" }>): RoleMaterial {
  if (work.of === "design") return gatherDesignMaterial(source, work);
  return work.of === "tasks" ? gatherTasksMaterial(source, work) : gatherBuildMaterial(source, work);
}

export async function composeWorkflowBrief(engine: RoadmapEngine, record: WorkflowRecord, role: WorkflowRole) {
  assertRoleTurn(record, role);
  const { id, kind, title } = record;
  const spec = paths.getSpecPath(id);
  const isSpec = role === "spec-agent";
  const form = isSpec ? await renderSpecTemplate(engine, id, { title, at: engine.clock.now() }) : "";
  const { material } = await gatherTolerantly(engine, (tree) => ({
    material: [
      ...createTextPiece("What it is about", title, "what `sdd_workflow_status` says", [1, 0.1]),
      ...createDocumentPiece("The spec", spec, tree.text(spec), [1, 0.6]),
      ...createTemplatePiece(`${id}.yaml`, form, [2, 0.3]),
      ...createSteeringTexts(tree, [4, 0.15], isSpec ? [] : ["product.md"]),
    ],
  }));
  const isTest = role === "test-agent";
  const profile = await createProfileMaterial(engine, ({ patterns, test_files, examples }) => {
    if (isSpec) return [];
    const places = Object.entries(patterns).map(([what, glob]) => `${what} in ${glob}`);
    const shown = examples.filter((example) => /test/i.test(example.name) === isTest);
    return [
      isTest ? `Tests are in: ${test_files.join(", ")}` : `Where things are: ${places.join(", ")}`,
      ...shown.map(({ name, code }) => `Example, ${name}:\n${code.trimEnd()}`),
    ];
  });
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
      material: [...found.material, { label: "Present, but unreadable", remark: unread.join("\n") }],
    };
  });
}

/** Items cannot contain this separator, because control characters in them were made visible. */
const ITEM_SEPARATOR = "\n\u001e\n";

/** Every brief is composed here: the text of the role around the material, within the budget of the role. */
async function renderRoleBrief(
  engine: RoadmapEngine,
  role: AgentRole,
  values: TemplateValues,
  material: BriefMaterial,
  views: readonly AgentRole[] = [],
): Promise<Brief> {
  const { budget, purpose, tools } = ROLE_FACTS[role];
  const all = { ...values, purpose, tools: formatAllowedTools({ tools }) };
  const others = await Promise.all(views.filter((view) => view !== role).map((view) => readOtherView(engine, view)));
  const own = (await engine.assets.text(`roles/${role}`)).replace(/^---\n[\s\S]*?\n---\n/, "");
  const text = own.replace("{{> inspector}}", [...others, "{{> inspector}}"].join("\n\n"));
  const parts = new Map<string, string>();
  const names = listIncludedParts(text);
  // Parts may include other parts.
  for (const name of names) {
    if (parts.has(name)) continue;
    parts.set(name, await engine.assets.text(`roles/parts/${name}`));
    names.push(...listIncludedParts(parts.get(name) ?? ""));
  }
  const [head = "", tail = ""] = expandTextParts(text, parts)
    .split("{{material}}")
    .map((part) => renderTemplate(part, all));
  // Masks secrets before anything is cut: half a secret would not be recognized.
  const masked = await Promise.all(
    material.map(async (each) => {
      if (!("items" in each)) return each;
      const separator = each.unit === "line" ? "\n" : ITEM_SEPARATOR;
      const { text: safe } = await engine.secrets.mask(each.items.join(separator));
      return { ...each, items: safe.split(separator) };
    }),
  );
  return composeBrief({ head, material: masked, tail }, budget, await engine.tokens.counter());
}

/** The view of an inspector, for an agent that works for it too. */
async function readOtherView({ assets }: RoadmapEngine, role: AgentRole): Promise<string> {
  const [, text = ""] =
    /^## Your view\n+([\s\S]*?)\n+\{\{> inspector\}\}/m.exec(await assets.text(`roles/${role}`)) ?? [];
  return `## Your view ${role.replace("inspector-", "")}\n\n${text}`;
}

const ROADMAP_PAGE = formatInlinePath(paths.ROADMAP_PATH);
const MAX_SHOWN_DESIGNS = 6;

function gatherDesignMaterial({ tree, lead, templates }: BriefSource, work: WorkOf<"design">): RoleMaterial {
  const { feature, mode, isFix } = work;
  const record = getActionRecord(lead, feature);
  const [design, research] = [paths.getFeatureDesignPath(feature), paths.getFeatureResearchPath(feature)];
  const isExisting = mode === "existing";
  const source = isFix ? record.fix?.source : undefined;
  const changed = isExisting && !isFix ? listOutdatedBasis(lead.features, record) : [];
  const why = changed.map((name) => `The design of ${name} changed since this one was made.`);
  const others = [...lead.features.values()]
    .filter(({ feature_name }) => feature_name !== feature)
    .map(formatFeatureOverview);
  return {
    values: {
      feature,
      mode,
      design,
      research,
      language: quoteForeignName(record.language),
      isNew: !isExisting,
      isExisting,
      isFix: source === "design",
      isSpecUpdate: source === "spec-update",
      isRevision: source === "revise",
    },
    material: [
      ...createFeatureMaterial(tree, record),
      ...(isFix ? createFixMaterial(tree, record) : []),
      ...createListPiece("Why it is designed again", why, "design", ROADMAP_PAGE, [1, 0.1]),
      ...createDocumentPiece("The design as it is", design, isExisting ? tree.text(design) : "", [2, 0.5]),
      ...createTemplatePiece("design.md", templates.design, [isExisting ? 7 : 2, 0.3]),
      ...createTemplatePiece("research.md", templates.research, [6, 0.1]),
      ...createDependencyMaterial(tree, record),
      ...createSteeringTexts(tree, [3, 0.2]),
      ...createDocumentPiece("The research as it is", research, isExisting ? tree.text(research) : "", [6, 0.15]),
      ...createKnowledgeMaterial(tree, "architect", [record]),
      ...createListPiece("The other features of the roadmap", others, "feature", ROADMAP_PAGE, [5, 0.1]),
    ],
  };
}

function createDependencyMaterial(tree: StoreTree, { roadmap }: FeatureRecord): BriefMaterial {
  const names = (roadmap?.dependencies ?? []).filter((name) => !roadmap?.skipped.includes(name));
  const rest = names.slice(MAX_SHOWN_DESIGNS).map(paths.getFeatureDesignPath);
  return [
    ...names.slice(0, MAX_SHOWN_DESIGNS).flatMap((name) => {
      const path = paths.getFeatureDesignPath(name);
      const text = tree.text(path) ?? "";
      const part = extractSectionText(text, "Components and Interfaces") ?? text;
      return createDocumentPiece(`What ${name} offers`, path, part, [4, 0.15]);
    }),
    ...createListPiece("It builds on these too", rest, "design", ROADMAP_PAGE, [4, 0.1]),
  ];
}

/** Sections of a design in order of their value for tasks. */
const PLANNING_SECTIONS = [
  ["Specifications", [1, 0.4]],
  ["Components and Interfaces", [2, 0.4]],
  ["Testing Strategy", [4, 0.1]],
  ["Error Handling", [5, 0.1]],
  ["Data Models", [5, 0.1]],
  ["Architecture", [6, 0.1]],
] as const;

function gatherTasksMaterial({ tree, lead, templates }: BriefSource, work: WorkOf<"tasks">): RoleMaterial {
  const { feature, excluded, blocker } = work;
  const record = getActionRecord(lead, feature);
  const tasks = paths.getFeatureTasksPath(feature);
  const where = formatInlinePath(paths.getFeatureRecordPath(feature));
  const design = paths.getFeatureDesignPath(feature);
  const text = tree.text(design) ?? "";
  const parts = PLANNING_SECTIONS.flatMap(([name, weight]) =>
    createDocumentPiece(name, design, extractSectionText(text, name), weight),
  );
  const batch = record.reviews.design && paths.getFeatureReviewPath(feature, record.reviews.design.batch);
  const found = batch ? (readReviewFile(tree, batch)?.findings ?? []) : [];
  const standing = found.filter(({ waived }) => waived === undefined);
  const reviewed = formatInlinePath(batch ?? "");
  const left = createFindingsPiece("What reviewers of the design let pass", standing, reviewed, [3, 0.2]);
  const isBlocked = blocker !== null;
  const documents = [design, paths.getFeatureResearchPath(feature)];
  return {
    values: {
      feature,
      tasks_file: tasks,
      language: quoteForeignName(record.language),
      hasExcluded: excluded.length > 0,
      hasFindings: left.length > 0,
      isBlocked,
      isPlain: excluded.length === 0 && left.length === 0 && !isBlocked,
    },
    material: [
      ...createFeatureMaterial(tree, record),
      ...createTextPiece("What was in the way", blocker ?? "", where, [1, 0.2]),
      ...createListPiece("Files that are not yours to plan", excluded, "file", where, [1, 0.2]),
      ...createTemplatePiece("tasks.yaml", templates.tasks, [2, 0.1]),
      ...(parts.length > 0 ? parts : createDocumentPiece("The design", design, text, [1, 0.7])),
      ...left,
      ...createDocumentPiece("The tasks as they are", tasks, isBlocked ? tree.text(tasks) : "", [2, 0.3]),
      ...createSteeringTexts(tree, [5, 0.15], ["product.md"]),
      ...createListPiece("To read where you need it", documents, "file", where, [7]),
    ],
  };
}

function gatherBuildMaterial({ tree, lead, yaml }: BriefSource, work: WorkOf<"build">): RoleMaterial {
  const { feature, group: id, tasks: wanted, isFix } = work;
  const record = getActionRecord(lead, feature);
  const { groups } = record.implementation;
  const group = groups.find((each) => each.id === id);
  if (!group) throw new Error(`The action names group ${id}, which ${feature} does not have.`);
  const path = paths.getFeatureDesignPath(feature);
  const where = formatInlinePath(paths.getFeatureRecordPath(feature));
  const text = tree.text(path) ?? "";
  const design = checkDesign(text);
  // Unreadable tasks are left out. The engine checked them when it accepted the plan.
  const { tree: plan } = yaml.read(tree.text(paths.getFeatureTasksPath(feature)) ?? "");
  const tasks = plan ? checkTaskPlan(plan, design).tasks.filter((task) => wanted.includes(task.id)) : [];
  const before = groups.filter((each) => group.depends.includes(each.id)).flatMap(({ files }) => files);
  const earlier = [...new Set(before)].filter((file) => !group.files.includes(file));
  const reading = [
    path,
    paths.getFeatureResearchPath(feature),
    ...(record.roadmap?.dependencies ?? []).map(paths.getFeatureDesignPath),
  ];
  const isBuilt = record.version_refs.implementation !== null;
  const concerns = ({ location }: { readonly location: string }): boolean =>
    group.files.some((file) => location.includes(file));
  return {
    values: { feature, group: quoteForeignName(id), isFix, isAnew: !isFix && isBuilt, isFresh: !isFix && !isBuilt },
    material: [
      ...createFeatureMaterial(tree, record),
      ...(isFix ? createFixMaterial(tree, record, concerns) : []),
      ...createListPiece("Your files", group.files, "file", where, [1, 0.4]),
      ...createTaskMaterial(feature, wanted, tasks),
      ...createCriteriaMaterial(feature, design, tasks),
      ...createComponentMaterial(feature, text, design, { own: group.files, earlier }),
      ...createListPiece("Files of the groups that you build on", earlier, "file", where, [4, 0.1]),
      ...createDocumentPiece("Error handling", path, extractSectionText(text, "Error Handling"), [5, 0.1]),
      ...createDocumentPiece("Testing", path, extractSectionText(text, "Testing Strategy"), [5, 0.1]),
      ...createSteeringTexts(tree, [4, 0.15], ["product.md"]),
      ...createKnowledgeMaterial(tree, "builder", [record]),
      ...createListPiece("To read where you need it", reading, "file", where, [7]),
    ],
  };
}

function createTaskMaterial(feature: FeatureName, wanted: readonly string[], tasks: readonly FeatureTask[]) {
  const where = formatInlinePath(paths.getFeatureTasksPath(feature));
  const unread = wanted.filter((id) => !tasks.some((task) => task.id === id));
  const remark = `${quoteForeignName(unread.join(", "))}: read them in ${where}.`;
  const texts = tasks.map(({ id, summary, details, covers, depends, isOptional }) => {
    const after = depends.length > 0 ? ` (after ${depends.join(", ")})` : "";
    const lines = [`${id} ${summary}${after}${isOptional ? " (may wait)" : ""}`];
    lines.push(...details.map((detail) => `- ${detail}`));
    if (covers.length > 0) lines.push(`Criteria: ${covers.join(", ")}`);
    return lines.join("\n");
  });
  return [
    ...createListPiece("Your tasks", texts, "task", where, [1, 0.5]),
    ...(unread.length === 0 ? [] : [{ label: "Tasks that could not be read", remark }]),
  ];
}

function createCriteriaMaterial(feature: FeatureName, { specs }: CheckedDesign, tasks: readonly FeatureTask[]) {
  const cited = new Set(tasks.flatMap(({ covers }) => covers));
  const texts = specs.flatMap(({ number, title, goal, criteria }) => {
    const own = criteria.filter(({ id }) => cited.has(id));
    if (own.length === 0) return [];
    return [`Spec ${number}: ${title}. Goal: ${goal}`, ...own.map(({ id, text }) => `${id}: ${text}`)];
  });
  const where = formatInlinePath(paths.getFeatureDesignPath(feature));
  return createListPiece("The criteria that they cite", texts, "line", where, [1, 0.3]);
}

function createComponentMaterial(
  feature: FeatureName,
  text: string,
  { components }: CheckedDesign,
  { own, earlier }: { readonly own: readonly string[]; readonly earlier: readonly string[] },
): BriefMaterial {
  const path = paths.getFeatureDesignPath(feature);
  const all = extractSectionText(text, "Components and Interfaces");
  const livingIn = (files: readonly string[]): DesignComponent[] =>
    components.filter((component) => component.files.some((file) => files.includes(file)));
  const touched = livingIn(own);
  const used = livingIn(earlier).filter((component) => !touched.includes(component));
  const rows = touched.map(({ name, covers, files }) => `${name}: ${covers.join(", ")}. Files: ${files.join(", ")}`);
  const joinSections = (of: readonly DesignComponent[]): string =>
    of
      .map(({ name }) => ({ name, said: extractSectionText(all ?? "", name) }))
      .flatMap(({ name, said }) => (said ? [`### ${name}\n\n${said}`] : []))
      .join("\n\n");
  const interfaces = [
    ...createDocumentPiece("Interfaces in your files", path, joinSections(touched), [2, 0.3]),
    ...createDocumentPiece("Interfaces that you build on", path, joinSections(used), [3, 0.2]),
  ];
  return [
    ...createListPiece("Components in your files", rows, "component", formatInlinePath(path), [2, 0.1]),
    ...(interfaces.length > 0 ? interfaces : createDocumentPiece("Components and interfaces", path, all, [2, 0.3])),
  ];
}
