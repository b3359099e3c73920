import { type BriefMaterial, quoteForeignName } from "../../model/agent/brief-composition.ts";
import { extractSectionText } from "#kernel/model/document/markdown-document.ts";
import { type DesignComponent, type CheckedDesign, checkDesign } from "../../model/feature/design-check.ts";
import type { FeatureRecord, TaskGroupRecord } from "../../model/feature/feature-record.ts";
import type { FeatureTask } from "../../model/feature/task-list.ts";
import { checkTaskPlan } from "../../model/feature/task-plan.ts";
import type { AgentWork } from "../../model/lead/lead-state.ts";
import {
  getFeatureDesignPath,
  getFeatureRecordPath,
  getFeatureResearchPath,
  getFeatureTasksPath,
  type WorkspacePath,
} from "#kernel/model/workspace-paths.ts";
import {
  createFixMaterial,
  createFeatureMaterial,
  type RoleMaterial,
  type BriefSource,
  getActionRecord,
  createDocumentPiece,
  formatInlinePath,
  createListPiece,
} from "./brief-pieces.ts";
import { createKnowledgeMaterial, createSteeringTexts } from "./project-material.ts";

type BuilderWork = Extract<AgentWork, { of: "build" }>;

export function gatherBuildMaterial(
  ground: BriefSource,
  { feature, group: id, tasks: wanted, isFix }: BuilderWork,
): RoleMaterial {
  const { tree, lead } = ground;
  const record = getActionRecord(lead, feature);
  const group = getActionGroup(record, id);
  const text = tree.text(getFeatureDesignPath(feature)) ?? "";
  const design = checkDesign(text);
  const tasks = readBuilderTasks(ground, record, design).filter((task) => wanted.includes(task.id));
  const earlier = listEarlierFiles(record, group);
  const concerns = ({ location }: { readonly location: string }): boolean =>
    group.files.some((file) => location.includes(file));
  return {
    values: {
      feature,
      group: quoteForeignName(group.id),
      isFix,
      isAnew: !isFix && record.version_refs.implementation !== null,
      isFresh: !isFix && record.version_refs.implementation === null,
    },
    material: [
      ...createFeatureMaterial(record),
      ...(isFix ? createFixMaterial(tree, record, concerns) : []),
      ...createListPiece("Your files", group.files, {
        rank: 1,
        share: 0.4,
        unit: "file",
        where: formatInlinePath(getFeatureRecordPath(feature)),
      }),
      ...createTaskMaterial(record, wanted, tasks),
      ...createCriteriaMaterial(record, design, tasks),
      ...createComponentMaterial(record, text, design, { own: group.files, earlier }),
      ...createListPiece("Files of the groups that you build on", earlier, {
        rank: 4,
        share: 0.1,
        unit: "file",
        where: formatInlinePath(getFeatureRecordPath(feature)),
      }),
      ...createDocumentPiece(
        "Error handling",
        getFeatureDesignPath(feature),
        extractSectionText(text, "Error Handling"),
        {
          rank: 5,
          share: 0.1,
        },
      ),
      ...createDocumentPiece("Testing", getFeatureDesignPath(feature), extractSectionText(text, "Testing Strategy"), {
        rank: 5,
        share: 0.1,
      }),
      ...createSteeringTexts(tree, { rank: 4, share: 0.15 }, ["product.md"]),
      ...createKnowledgeMaterial(tree, "builder", [record]),
      ...createListPiece("To read where you need it", listFurtherReading(record), {
        rank: 7,
        unit: "file",
        where: formatInlinePath(getFeatureRecordPath(feature)),
      }),
    ],
  };
}

const listFurtherReading = ({ feature_name, roadmap }: FeatureRecord): WorkspacePath[] => [
  getFeatureDesignPath(feature_name),
  getFeatureResearchPath(feature_name),
  ...(roadmap?.dependencies ?? []).map(getFeatureDesignPath),
];

function getActionGroup({ feature_name, implementation }: FeatureRecord, id: string): TaskGroupRecord {
  const group = implementation.groups.find((each) => each.id === id);
  if (!group) throw new Error(`The action names group ${id}, which ${feature_name} does not have.`);
  return group;
}

/** Unreadable tasks are left out. The engine checked them when it accepted the plan. */
function readBuilderTasks(
  { tree, yaml }: BriefSource,
  { feature_name }: FeatureRecord,
  design: CheckedDesign,
): readonly FeatureTask[] {
  const { tree: read } = yaml.read(tree.text(getFeatureTasksPath(feature_name)) ?? "");
  return read ? checkTaskPlan(read, design).tasks : [];
}

function createTaskMaterial(
  { feature_name }: FeatureRecord,
  wanted: readonly string[],
  tasks: readonly FeatureTask[],
): BriefMaterial {
  const path = formatInlinePath(getFeatureTasksPath(feature_name));
  const unread = wanted.filter((id) => !tasks.some((task) => task.id === id));
  return [
    ...createListPiece("Your tasks", tasks.map(formatTaskText), { rank: 1, share: 0.5, unit: "task", where: path }),
    ...(unread.length === 0
      ? []
      : [
          {
            label: "Tasks that could not be read",
            remark: `${quoteForeignName(unread.join(", "))}: read them in ${path}.`,
          },
        ]),
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
  { feature_name }: FeatureRecord,
  { specs }: CheckedDesign,
  tasks: readonly FeatureTask[],
): BriefMaterial {
  const cited = new Set(tasks.flatMap(({ covers }) => covers));
  const texts = specs.flatMap(({ number, title, goal, criteria }) => {
    const own = criteria.filter(({ id }) => cited.has(id));
    if (own.length === 0) return [];
    return [`Spec ${number}: ${title}. Goal: ${goal}`, ...own.map(({ id, text }) => `${id}: ${text}`)];
  });
  return createListPiece("The criteria that they cite", texts, {
    rank: 1,
    share: 0.3,
    unit: "line",
    where: formatInlinePath(getFeatureDesignPath(feature_name)),
  });
}

function createComponentMaterial(
  { feature_name }: FeatureRecord,
  text: string,
  { components }: CheckedDesign,
  { own, earlier }: { readonly own: readonly string[]; readonly earlier: readonly string[] },
): BriefMaterial {
  const path = getFeatureDesignPath(feature_name);
  const all = extractSectionText(text, "Components and Interfaces");
  const livingIn = (files: readonly string[]): DesignComponent[] =>
    components.filter((component) => component.files.some((file) => files.includes(file)));
  const touched = livingIn(own);
  const used = livingIn(earlier).filter((component) => !touched.includes(component));
  const rows = touched.map(({ name, covers, files }) => `${name}: ${covers.join(", ")}. Files: ${files.join(", ")}`);
  const blocks = (of: readonly DesignComponent[]): string =>
    of
      .map(({ name }) => ({ name, said: extractSectionText(all ?? "", name) }))
      .flatMap(({ name, said }) => (said ? [`### ${name}\n\n${said}`] : []))
      .join("\n\n");
  const interfaces = [
    ...createDocumentPiece("Interfaces in your files", path, blocks(touched), { rank: 2, share: 0.3 }),
    ...createDocumentPiece("Interfaces that you build on", path, blocks(used), { rank: 3, share: 0.2 }),
  ];
  return [
    ...createListPiece("Components in your files", rows, {
      rank: 2,
      share: 0.1,
      unit: "component",
      where: formatInlinePath(path),
    }),
    ...(interfaces.length > 0
      ? interfaces
      : createDocumentPiece("Components and interfaces", path, all, { rank: 2, share: 0.3 })),
  ];
}

function listEarlierFiles({ implementation }: FeatureRecord, { depends, files }: TaskGroupRecord): string[] {
  const earlier = implementation.groups.filter(({ id }) => depends.includes(id)).flatMap((group) => group.files);
  return [...new Set(earlier)].filter((file) => !files.includes(file));
}
