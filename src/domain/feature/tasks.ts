import { findTaskProblems } from "../document/tasks.ts";
import type { Problem } from "../gate/verdict.ts";
import { quote } from "../quote.ts";
import type { YamlEdit } from "../spec/yaml/edit.ts";
import {
  getYamlChild,
  type LocatedNode,
  type YamlPath,
  type YamlValue,
  iterateYamlScalars,
  readYamlText,
  convertYamlValue,
} from "../spec/yaml/located.ts";
import type { DesignSpec } from "./criteria.ts";
import { YamlFieldReader } from "./fields.ts";
import { findTemplateBlank } from "./open.ts";
import type { TaskGroupRecord } from "./record.ts";
import { readTaskGroups } from "./task-groups.ts";
import { type FeatureTask, parseFeatureTasks } from "./task-list.ts";

export interface TaskPlanCheck {
  readonly problems: readonly Problem[];
  readonly tasks: readonly FeatureTask[];
  readonly groups: readonly TaskGroupRecord[];
}

export function checkTaskPlan(
  tree: LocatedNode,
  { specs }: { readonly specs: readonly DesignSpec[] },
  excluded: readonly string[] = [],
): TaskPlanCheck {
  const problems: Problem[] = [];
  const root = new YamlFieldReader(tree, "It", problems);
  if (!root.has(["tasks", "execution"])) return { problems, tasks: [], groups: [] };
  const tasks = parseFeatureTasks(root.list("tasks"), specs, problems);
  if (root.list("tasks").length === 0) root.tell('There are no tasks: write tasks, beginning with - id: "1".');
  problems.push(
    ...findTaskProblems(tasks.filter(isLeafTask).map(({ depends, ...task }) => ({ ...task, dependsOn: depends }))),
  );
  if (root.list("execution").length === 0)
    root.tell("Nothing says who does what: write execution, a list of waves with their groups.");
  const groups =
    root.list("execution").length === 0 ? [] : readTaskGroups(root.list("execution"), tasks, excluded, problems);
  if (tasks.length > 0) problems.push(...findUncoveredTaskCriteria(specs, tasks, root.lineOf("tasks")));
  problems.push(...findTaskBlanks(tree));
  return { problems: problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)), tasks, groups };
}

const findTaskBlanks = (tree: LocatedNode): Problem[] =>
  [...iterateYamlScalars(tree)].flatMap(({ node }) => {
    const blank = findTemplateBlank(readYamlText(node) ?? "");
    return blank === undefined ? [] : [{ problem: `${quote(blank, 60)} is still to be filled in.`, line: node.line }];
  });

const isLeafTask = ({ isContainer }: FeatureTask): boolean => !isContainer;

function findUncoveredTaskCriteria(
  specs: readonly DesignSpec[],
  tasks: readonly FeatureTask[],
  line: number,
): Problem[] {
  const work = tasks.filter(isLeafTask);
  const certain = new Set(work.filter(({ isOptional }) => !isOptional).flatMap(({ covers }) => covers));
  const perhaps = new Set(work.flatMap(({ covers }) => covers));
  return specs.flatMap(({ criteria }) =>
    criteria.flatMap(({ id, cited }): Problem[] => {
      if (certain.has(id)) return [];
      const instead = `name "${cited}" under specs of the one that does it`;
      const what = perhaps.has(id) ? "Only optional tasks cover" : "No task covers";
      return [{ problem: `${what} ${id}: ${instead}.`, line }];
    }),
  );
}

/** The plan without task statuses. Equal plans give equal text. */
export function serializeTaskPlan(tree: LocatedNode): string {
  return JSON.stringify(removeStatusFields(convertYamlValue(tree)));
}

function removeStatusFields(value: YamlValue): YamlValue {
  if (Array.isArray(value)) return value.map((item: YamlValue) => removeStatusFields(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (key === "status" ? [] : [[key, removeStatusFields(inner)]])),
  );
}

/** The edits that write the statuses. A container is done when all its sub-tasks are. */
export function createTaskStatusEdits(
  tree: LocatedNode,
  statuses: ReadonlyMap<string, FeatureTask["status"]>,
): YamlEdit[] {
  const tasks = getYamlChild(tree, "tasks");
  const items = tasks?.kind === "sequence" ? tasks.items : [];
  return items.flatMap((task, i): YamlEdit[] => {
    const below = getYamlChild(task, "subtasks");
    const children = below?.kind === "sequence" ? below.items : [];
    const inner = children.map((child) => resolveTaskStatus(child, statuses));
    const isDone = inner.every((status) => status === "done");
    const own = children.length === 0 ? resolveTaskStatus(task, statuses) : isDone ? "done" : "pending";
    return [
      ...children.flatMap((child, j) => createStatusEdit(child, ["tasks", i, "subtasks", j], inner[j])),
      ...createStatusEdit(task, ["tasks", i], own),
    ];
  });
}

/** A task without a new status keeps its own. */
const resolveTaskStatus = (task: LocatedNode, statuses: ReadonlyMap<string, string>): string | undefined =>
  statuses.get(readYamlText(getYamlChild(task, "id")) ?? "") ?? readYamlText(getYamlChild(task, "status"));

function createStatusEdit(task: LocatedNode, at: YamlPath, status: string | undefined): YamlEdit[] {
  const said = getYamlChild(task, "status");
  if (status === undefined || readYamlText(said) === status) return [];
  return said
    ? [{ kind: "replace", at: [...at, "status"], value: status }]
    : [{ kind: "insert", at, key: "status", value: status }];
}
