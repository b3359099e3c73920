import { extractSectionText } from "#kernel/model/document/markdown-document.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  getFeatureDesignPath,
  getFeatureRecordPath,
  getFeatureResearchPath,
  getFeatureReviewPath,
  getFeatureTasksPath,
  ROADMAP_PATH,
} from "#kernel/model/workspace-paths.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { type BriefMaterial, quoteForeignName } from "../../model/agent/brief-composition.ts";
import { type CheckedDesign, checkDesign, type DesignComponent } from "../../model/feature/design-check.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import type { FeatureTask } from "../../model/feature/task-list.ts";
import { checkTaskPlan } from "../../model/feature/task-plan.ts";
import type { AgentWork } from "../../model/lead/lead-state.ts";
import {
  type BriefSource,
  createDocumentPiece,
  createFeatureMaterial,
  createFindingsPiece,
  createFixMaterial,
  createListPiece,
  createTemplatePiece,
  createTextPiece,
  formatInlinePath,
  getActionRecord,
  readReviewFile,
  type RoleMaterial,
} from "./brief-pieces.ts";
import { createKnowledgeMaterial, createSteeringTexts } from "./project-material.ts";
import { formatFeatureOverview } from "./review-material.ts";

type WorkOf<K extends AgentWork["of"]> = Extract<AgentWork, { of: K }>;

const ROADMAP_PAGE = formatInlinePath(ROADMAP_PATH);
const MAX_SHOWN_DESIGNS = 6;

export function gatherDesignMaterial(
  { tree, lead, templates }: BriefSource,
  { feature, mode, isFix }: WorkOf<"design">,
): RoleMaterial {
  const record = getActionRecord(lead, feature);
  const [design, research] = [getFeatureDesignPath(feature), getFeatureResearchPath(feature)];
  const isExisting = mode === "existing";
  const source = isFix ? record.fix?.source : undefined;
  const others = [...lead.features.values()].filter(({ feature_name }) => feature_name !== feature);
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
      ...createFeatureMaterial(record),
      ...(isFix ? createFixMaterial(tree, record) : []),
      ...createDocumentPiece("The design as it is", design, isExisting ? tree.text(design) : "", [2, 0.5]),
      ...createTemplatePiece("design.md", templates.design, [isExisting ? 7 : 2, 0.3]),
      ...createTemplatePiece("research.md", templates.research, [6, 0.1]),
      ...createDependencyMaterial(tree, record),
      ...createSteeringTexts(tree, [3, 0.2]),
      ...createDocumentPiece("The research as it is", research, isExisting ? tree.text(research) : "", [6, 0.15]),
      ...createKnowledgeMaterial(tree, "architect", [record]),
      ...createListPiece(
        "The other features of the roadmap",
        others.map(formatFeatureOverview),
        "feature",
        ROADMAP_PAGE,
        [5, 0.1],
      ),
    ],
  };
}

function createDependencyMaterial(tree: StoreTree, { roadmap }: FeatureRecord): BriefMaterial {
  const names = (roadmap?.dependencies ?? []).filter((name) => !roadmap?.skipped.includes(name));
  const rest = names.slice(MAX_SHOWN_DESIGNS).map(getFeatureDesignPath);
  return [
    ...names.slice(0, MAX_SHOWN_DESIGNS).flatMap((name) => {
      const path = getFeatureDesignPath(name);
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

export function gatherTasksMaterial(
  { tree, lead, templates }: BriefSource,
  { feature, excluded, blocker }: WorkOf<"tasks">,
): RoleMaterial {
  const record = getActionRecord(lead, feature);
  const tasks = getFeatureTasksPath(feature);
  const where = formatInlinePath(getFeatureRecordPath(feature));
  const left = createDesignFindings(tree, record);
  const isBlocked = blocker !== null;
  const documents = [getFeatureDesignPath(feature), getFeatureResearchPath(feature)];
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
      ...createFeatureMaterial(record),
      ...createTextPiece("What was in the way", blocker ?? "", where, [1, 0.2]),
      ...createListPiece("Files that are not yours to plan", excluded, "file", where, [1, 0.2]),
      ...createTemplatePiece("tasks.yaml", templates.tasks, [2, 0.1]),
      ...createDesignMaterial(tree, feature),
      ...left,
      ...createDocumentPiece("The tasks as they are", tasks, isBlocked ? tree.text(tasks) : "", [2, 0.3]),
      ...createSteeringTexts(tree, [5, 0.15], ["product.md"]),
      ...createListPiece("To read where you need it", documents, "file", where, [7]),
    ],
  };
}

function createDesignMaterial(tree: StoreTree, feature: FeatureName): BriefMaterial {
  const path = getFeatureDesignPath(feature);
  const text = tree.text(path) ?? "";
  const parts = PLANNING_SECTIONS.flatMap(([name, weight]) =>
    createDocumentPiece(name, path, extractSectionText(text, name), weight),
  );
  return parts.length > 0 ? parts : createDocumentPiece("The design", path, text, [1, 0.7]);
}

function createDesignFindings(tree: StoreTree, { feature_name, reviews }: FeatureRecord): BriefMaterial {
  if (!reviews.design) return [];
  const path = getFeatureReviewPath(feature_name, reviews.design.batch);
  const standing = readReviewFile(tree, path)?.findings.filter(({ waived }) => waived === undefined) ?? [];
  return createFindingsPiece("What reviewers of the design let pass", standing, formatInlinePath(path), [3, 0.2]);
}

export function gatherBuildMaterial(
  { tree, lead, yaml }: BriefSource,
  { feature, group: id, tasks: wanted, isFix }: WorkOf<"build">,
): RoleMaterial {
  const record = getActionRecord(lead, feature);
  const { groups } = record.implementation;
  const group = groups.find((each) => each.id === id);
  if (!group) throw new Error(`The action names group ${id}, which ${feature} does not have.`);
  const path = getFeatureDesignPath(feature);
  const where = formatInlinePath(getFeatureRecordPath(feature));
  const text = tree.text(path) ?? "";
  const design = checkDesign(text);
  // Unreadable tasks are left out. The engine checked them when it accepted the plan.
  const { tree: plan } = yaml.read(tree.text(getFeatureTasksPath(feature)) ?? "");
  const tasks = plan ? checkTaskPlan(plan, design).tasks.filter((task) => wanted.includes(task.id)) : [];
  const before = groups.filter((each) => group.depends.includes(each.id)).flatMap(({ files }) => files);
  const earlier = [...new Set(before)].filter((file) => !group.files.includes(file));
  const reading = [
    path,
    getFeatureResearchPath(feature),
    ...(record.roadmap?.dependencies ?? []).map(getFeatureDesignPath),
  ];
  const isBuilt = record.version_refs.implementation !== null;
  const concerns = ({ location }: { readonly location: string }): boolean =>
    group.files.some((file) => location.includes(file));
  return {
    values: { feature, group: quoteForeignName(id), isFix, isAnew: !isFix && isBuilt, isFresh: !isFix && !isBuilt },
    material: [
      ...createFeatureMaterial(record),
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

function createTaskMaterial(
  feature: FeatureName,
  wanted: readonly string[],
  tasks: readonly FeatureTask[],
): BriefMaterial {
  const where = formatInlinePath(getFeatureTasksPath(feature));
  const unread = wanted.filter((id) => !tasks.some((task) => task.id === id));
  const remark = `${quoteForeignName(unread.join(", "))}: read them in ${where}.`;
  return [
    ...createListPiece("Your tasks", tasks.map(formatTaskText), "task", where, [1, 0.5]),
    ...(unread.length === 0 ? [] : [{ label: "Tasks that could not be read", remark }]),
  ];
}

function formatTaskText({ id, summary, details, covers, depends, isOptional }: FeatureTask): string {
  const after = depends.length > 0 ? ` (after ${depends.join(", ")})` : "";
  return [
    `${id} ${summary}${after}${isOptional ? " (may wait)" : ""}`,
    ...details.map((detail) => `- ${detail}`),
    ...(covers.length > 0 ? [`Criteria: ${covers.join(", ")}`] : []),
  ].join("\n");
}

function createCriteriaMaterial(
  feature: FeatureName,
  { specs }: CheckedDesign,
  tasks: readonly FeatureTask[],
): BriefMaterial {
  const cited = new Set(tasks.flatMap(({ covers }) => covers));
  const texts = specs.flatMap(({ number, title, goal, criteria }) => {
    const own = criteria.filter(({ id }) => cited.has(id));
    if (own.length === 0) return [];
    return [`Spec ${number}: ${title}. Goal: ${goal}`, ...own.map(({ id, text }) => `${id}: ${text}`)];
  });
  const where = formatInlinePath(getFeatureDesignPath(feature));
  return createListPiece("The criteria that they cite", texts, "line", where, [1, 0.3]);
}

function createComponentMaterial(
  feature: FeatureName,
  text: string,
  { components }: CheckedDesign,
  { own, earlier }: { readonly own: readonly string[]; readonly earlier: readonly string[] },
): BriefMaterial {
  const path = getFeatureDesignPath(feature);
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
