import type { Material } from "#domain/agent/brief.ts";
import { named } from "#domain/agent/fence.ts";
import { extractSectionText } from "#domain/document/section.ts";
import type { DesignComponent } from "#domain/feature/components.ts";
import { type CheckedDesign, checkDesign } from "#domain/feature/design.ts";
import type { FeatureRecord, GroupRecord } from "#domain/feature/record.ts";
import type { Task } from "#domain/feature/task-list.ts";
import { checkTasks } from "#domain/feature/tasks.ts";
import type { Work } from "#domain/roadmap/lead/action.ts";
import {
  getFeatureDesignPath,
  getFeatureRecordPath,
  getFeatureResearchPath,
  getFeatureTasksPath,
  type WorkspacePath,
} from "#domain/workspace/path.ts";
import { fixMaterial } from "./fixing.ts";
import { featureMaterial, type Gathered, type Ground, recordOf } from "./gathering.ts";
import { knowledgeMaterial } from "./knowledge.ts";
import { document, inside, list } from "./pieces.ts";
import { steeringTexts } from "./steering.ts";

type Building = Extract<Work, { of: "build" }>;

export function forBuild(ground: Ground, { feature, group: id, tasks: wanted, isFix }: Building): Gathered {
  const { tree, lead } = ground;
  const record = recordOf(lead, feature);
  const group = groupOf(record, id);
  const text = tree.text(getFeatureDesignPath(feature)) ?? "";
  const design = checkDesign(text);
  const tasks = tasksOf(ground, record, design).filter((task) => wanted.includes(task.id));
  const earlier = earlierFiles(record, group);
  const concerns = ({ location }: { readonly location: string }): boolean =>
    group.files.some((file) => location.includes(file));
  return {
    values: {
      feature,
      group: named(group.id),
      isFix,
      isAnew: !isFix && record.version_refs.implementation !== null,
      isFresh: !isFix && record.version_refs.implementation === null,
    },
    material: [
      ...featureMaterial(record),
      ...(isFix ? fixMaterial(tree, record, concerns) : []),
      ...list("Your files", group.files, {
        rank: 1,
        share: 0.4,
        unit: "file",
        where: inside(getFeatureRecordPath(feature)),
      }),
      ...taskMaterial(record, wanted, tasks),
      ...criteriaMaterial(record, design, tasks),
      ...componentMaterial(record, text, design, { own: group.files, earlier }),
      ...list("Files of the groups that you build on", earlier, {
        rank: 4,
        share: 0.1,
        unit: "file",
        where: inside(getFeatureRecordPath(feature)),
      }),
      ...document("Error handling", getFeatureDesignPath(feature), extractSectionText(text, "Error Handling"), {
        rank: 5,
        share: 0.1,
      }),
      ...document("Testing", getFeatureDesignPath(feature), extractSectionText(text, "Testing Strategy"), {
        rank: 5,
        share: 0.1,
      }),
      ...steeringTexts(tree, { rank: 4, share: 0.15 }, ["product.md"]),
      ...knowledgeMaterial(tree, "builder", [record]),
      ...list("To read where you need it", toRead(record), {
        rank: 7,
        unit: "file",
        where: inside(getFeatureRecordPath(feature)),
      }),
    ],
  };
}

const toRead = ({ feature_name, roadmap }: FeatureRecord): WorkspacePath[] => [
  getFeatureDesignPath(feature_name),
  getFeatureResearchPath(feature_name),
  ...(roadmap?.dependencies ?? []).map(getFeatureDesignPath),
];

function groupOf({ feature_name, implementation }: FeatureRecord, id: string): GroupRecord {
  const group = implementation.groups.find((each) => each.id === id);
  if (!group) throw new Error(`The action names group ${id}, which ${feature_name} does not have.`);
  return group;
}

/** Unreadable tasks are left out. The engine checked them when it accepted the plan. */
function tasksOf({ tree, yaml }: Ground, { feature_name }: FeatureRecord, design: CheckedDesign): readonly Task[] {
  const { tree: read } = yaml.read(tree.text(getFeatureTasksPath(feature_name)) ?? "");
  return read ? checkTasks(read, design).tasks : [];
}

function taskMaterial({ feature_name }: FeatureRecord, wanted: readonly string[], tasks: readonly Task[]): Material {
  const path = inside(getFeatureTasksPath(feature_name));
  const unread = wanted.filter((id) => !tasks.some((task) => task.id === id));
  return [
    ...list("Your tasks", tasks.map(taskText), { rank: 1, share: 0.5, unit: "task", where: path }),
    ...(unread.length === 0
      ? []
      : [{ label: "Tasks that could not be read", remark: `${named(unread.join(", "))}: read them in ${path}.` }]),
  ];
}

function taskText({ id, summary, details, covers, depends, isOptional }: Task): string {
  const after = depends.length > 0 ? ` (after ${depends.join(", ")})` : "";
  return [
    `${id} ${summary}${after}${isOptional ? " (may wait)" : ""}`,
    ...details.map((detail) => `- ${detail}`),
    ...(covers.length > 0 ? [`Criteria: ${covers.join(", ")}`] : []),
  ].join("\n");
}

function criteriaMaterial({ feature_name }: FeatureRecord, { specs }: CheckedDesign, tasks: readonly Task[]): Material {
  const cited = new Set(tasks.flatMap(({ covers }) => covers));
  const texts = specs.flatMap(({ number, title, goal, criteria }) => {
    const own = criteria.filter(({ id }) => cited.has(id));
    if (own.length === 0) return [];
    return [`Spec ${number}: ${title}. Goal: ${goal}`, ...own.map(({ id, text }) => `${id}: ${text}`)];
  });
  return list("The criteria that they cite", texts, {
    rank: 1,
    share: 0.3,
    unit: "line",
    where: inside(getFeatureDesignPath(feature_name)),
  });
}

function componentMaterial(
  { feature_name }: FeatureRecord,
  text: string,
  { components }: CheckedDesign,
  { own, earlier }: { readonly own: readonly string[]; readonly earlier: readonly string[] },
): Material {
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
    ...document("Interfaces in your files", path, blocks(touched), { rank: 2, share: 0.3 }),
    ...document("Interfaces that you build on", path, blocks(used), { rank: 3, share: 0.2 }),
  ];
  return [
    ...list("Components in your files", rows, { rank: 2, share: 0.1, unit: "component", where: inside(path) }),
    ...(interfaces.length > 0 ? interfaces : document("Components and interfaces", path, all, { rank: 2, share: 0.3 })),
  ];
}

function earlierFiles({ implementation }: FeatureRecord, { depends, files }: GroupRecord): string[] {
  const earlier = implementation.groups.filter(({ id }) => depends.includes(id)).flatMap((group) => group.files);
  return [...new Set(earlier)].filter((file) => !files.includes(file));
}
