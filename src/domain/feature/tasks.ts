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
import { Fields } from "./fields.ts";
import { blankIn } from "./open.ts";
import type { GroupRecord } from "./record.ts";
import { groupsIn } from "./task-groups.ts";
import { type Task, tasksIn } from "./task-list.ts";

export interface CheckedTasks {
  readonly problems: readonly Problem[];
  readonly tasks: readonly Task[];
  readonly groups: readonly GroupRecord[];
}

export function checkTasks(
  tree: LocatedNode,
  { specs }: { readonly specs: readonly DesignSpec[] },
  excluded: readonly string[] = [],
): CheckedTasks {
  const problems: Problem[] = [];
  const root = new Fields(tree, "It", problems);
  if (!root.has(["tasks", "execution"])) return { problems, tasks: [], groups: [] };
  const tasks = tasksIn(root.list("tasks"), specs, problems);
  if (root.list("tasks").length === 0) root.tell('There are no tasks: write tasks, beginning with - id: "1".');
  problems.push(
    ...findTaskProblems(tasks.filter(isWork).map(({ depends, ...task }) => ({ ...task, dependsOn: depends }))),
  );
  if (root.list("execution").length === 0)
    root.tell("Nothing says who does what: write execution, a list of waves with their groups.");
  const groups = root.list("execution").length === 0 ? [] : groupsIn(root.list("execution"), tasks, excluded, problems);
  if (tasks.length > 0) problems.push(...uncovered(specs, tasks, root.lineOf("tasks")));
  problems.push(...blanks(tree));
  return { problems: problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)), tasks, groups };
}

const blanks = (tree: LocatedNode): Problem[] =>
  [...iterateYamlScalars(tree)].flatMap(({ node }) => {
    const blank = blankIn(readYamlText(node) ?? "");
    return blank === undefined ? [] : [{ problem: `${quote(blank, 60)} is still to be filled in.`, line: node.line }];
  });

const isWork = ({ isContainer }: Task): boolean => !isContainer;

function uncovered(specs: readonly DesignSpec[], tasks: readonly Task[], line: number): Problem[] {
  const work = tasks.filter(isWork);
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
export function planText(tree: LocatedNode): string {
  return JSON.stringify(withoutStatus(convertYamlValue(tree)));
}

function withoutStatus(value: YamlValue): YamlValue {
  if (Array.isArray(value)) return value.map((item: YamlValue) => withoutStatus(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (key === "status" ? [] : [[key, withoutStatus(inner)]])),
  );
}

/** The edits that write the statuses. A container is done when all its sub-tasks are. */
export function taskEdits(tree: LocatedNode, statuses: ReadonlyMap<string, Task["status"]>): YamlEdit[] {
  const tasks = getYamlChild(tree, "tasks");
  const items = tasks?.kind === "sequence" ? tasks.items : [];
  return items.flatMap((task, i): YamlEdit[] => {
    const below = getYamlChild(task, "subtasks");
    const children = below?.kind === "sequence" ? below.items : [];
    const inner = children.map((child) => statusOf(child, statuses));
    const isDone = inner.every((status) => status === "done");
    const own = children.length === 0 ? statusOf(task, statuses) : isDone ? "done" : "pending";
    return [
      ...children.flatMap((child, j) => statusEdit(child, ["tasks", i, "subtasks", j], inner[j])),
      ...statusEdit(task, ["tasks", i], own),
    ];
  });
}

/** A task without a new status keeps its own. */
const statusOf = (task: LocatedNode, statuses: ReadonlyMap<string, string>): string | undefined =>
  statuses.get(readYamlText(getYamlChild(task, "id")) ?? "") ?? readYamlText(getYamlChild(task, "status"));

function statusEdit(task: LocatedNode, at: YamlPath, status: string | undefined): YamlEdit[] {
  const said = getYamlChild(task, "status");
  if (status === undefined || readYamlText(said) === status) return [];
  return said
    ? [{ kind: "replace", at: [...at, "status"], value: status }]
    : [{ kind: "insert", at, key: "status", value: status }];
}
