import { findTaskProblems } from "#kernel/model/document/document-tasks.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { YamlEdit, LocatedNode, YamlPath, YamlValue } from "#kernel/model/yaml-tree.ts";
import { getYamlChild, iterateYamlScalars, readYamlText, convertYamlValue } from "#kernel/model/yaml-tree.ts";
import type { DesignSpec } from "./design-criteria.ts";
import { YamlFieldReader, type FeatureTask, parseFeatureTasks } from "./task-list.ts";
import { findTemplateBlank } from "./required-sections.ts";
import type { TaskGroupRecord } from "./feature-record.ts";
import { findFilePathProblem, normalizePathKey, PathSet } from "./claimed-path.ts";

export type TaskPlanCheck = ReturnType<typeof checkTaskPlan>;

export function checkTaskPlan(
  tree: LocatedNode,
  { specs }: { readonly specs: readonly DesignSpec[] },
  excluded: readonly string[] = [],
) {
  const problems: Problem[] = [];
  const root = new YamlFieldReader(tree, "It", problems);
  if (!root.has(["tasks", "execution"])) return { problems, tasks: [], groups: [] };
  const tasks = parseFeatureTasks(root.list("tasks"), specs, problems);
  if (root.list("tasks").length === 0) root.tell('There are no tasks: write tasks, beginning with - id: "1".');
  const work = tasks.filter(({ isContainer }) => !isContainer);
  problems.push(...findTaskProblems(work.map(({ depends, ...task }) => ({ ...task, dependsOn: depends }))));
  const waves = root.list("execution");
  if (waves.length === 0) root.tell("There is no execution plan: write execution, a list of waves with their groups.");
  const groups = waves.length === 0 ? [] : readTaskGroups(waves, tasks, excluded, problems);
  const certain = new Set(work.filter(({ isOptional }) => !isOptional).flatMap(({ covers }) => covers));
  const perhaps = new Set(work.flatMap(({ covers }) => covers));
  for (const { id, cited } of tasks.length > 0 ? specs.flatMap(({ criteria }) => criteria) : []) {
    if (certain.has(id)) continue;
    const what = perhaps.has(id) ? "Only optional tasks cover" : "No task covers";
    root.tell(`${what} ${id}: name "${cited}" under specs of the one that does it.`, root.lineOf("tasks"));
  }
  for (const { node } of iterateYamlScalars(tree)) {
    const blank = findTemplateBlank(readYamlText(node) ?? "");
    if (blank !== undefined) root.tell(`${quote(blank, 60)} is not filled in yet.`, node.line);
  }
  return { problems: problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)), tasks, groups };
}

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
export function createTaskStatusEdits(tree: LocatedNode, statuses: ReadonlyMap<string, FeatureTask["status"]>) {
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

interface WrittenTaskGroup extends Omit<TaskGroupRecord, "status"> {
  readonly line: number;
}

const TASK_GROUP_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9-]{0,19}$/;

function readTaskGroups(
  items: readonly LocatedNode[],
  tasks: readonly FeatureTask[],
  excluded: readonly string[],
  problems: Problem[],
): TaskGroupRecord[] {
  const groups = items.flatMap((item, i) => readTaskWave(item, i + 1, problems));
  checkTaskGroups(groups, tasks, excluded, problems);
  checkTaskOwners(groups, tasks, problems);
  return groups.map((group, i) => {
    const own = tasks.filter(({ id }) => group.tasks.includes(id));
    const optional = own.filter(({ isOptional }) => isOptional).map(({ id }) => id);
    // A group is done when its required tasks are. A group of only optional tasks is done when all are.
    const awaited = own.filter(({ isOptional }) => !isOptional || optional.length === own.length);
    const isDone = awaited.length > 0 && awaited.every(({ status }) => status === "done");
    const { id, wave, tasks: named, files } = group;
    return {
      id,
      wave,
      tasks: named,
      files,
      depends: listAwaitedGroups(group, groups.slice(0, i), own),
      ...(optional.length > 0 ? { optional } : {}),
      criteria: [...new Set(own.flatMap(({ covers }) => covers))],
      status: isDone ? "done" : "pending",
    };
  });
}

function readTaskWave(item: LocatedNode, wave: number, problems: Problem[]): WrittenTaskGroup[] {
  const fields = new YamlFieldReader(item, `Wave ${wave}`, problems);
  if (!fields.has(["wave", "groups"])) return [];
  const said = fields.id("wave", String(wave));
  if (said !== "" && said !== String(wave))
    fields.tell(`Wave ${quote(said, 20)} should be ${wave}: number waves from 1 without gaps.`);
  const groups = fields.list("groups");
  if (groups.length === 0) fields.tell(`Wave ${wave} has no groups: write groups, each with id, tasks and files.`);
  return groups.flatMap((group, i) => readTaskGroup(group, wave, i, problems));
}

function readTaskGroup(item: LocatedNode, wave: number, i: number, problems: Problem[]): WrittenTaskGroup[] {
  const fields = new YamlFieldReader(item, `Group ${i + 1} of wave ${wave}`, problems);
  if (!fields.has(["id", "tasks", "files", "depends"])) return [];
  const id = fields.id("id", "A");
  if (id !== "" && !TASK_GROUP_ID_PATTERN.test(id))
    fields.tell(`${quote(id, 40)} is not a group id: use letters and digits, as A.`, fields.lineOf("id"));
  const named = new YamlFieldReader(item, `Group ${TASK_GROUP_ID_PATTERN.test(id) ? id : i + 1}`, problems);
  const tasks = named.ids("tasks").map(({ text }) => text);
  if (tasks.length === 0) named.tell(`Group ${id} has no tasks: name those that it does, or leave it out.`);
  const files = named.texts("files").filter(({ text, line }) => {
    const problem = findFilePathProblem(text);
    if (problem !== undefined) named.tell(`Group ${id}: ${quote(text, 80)} ${problem}.`, line);
    return problem === undefined;
  });
  if (named.list("files").length === 0) named.tell(`Group ${id} has no files: name those that are its alone.`);
  const depends = named.ids("depends").map(({ text }) => text);
  return [{ id, wave, tasks, files: [...new Set(files.map(({ text }) => text))], depends, line: fields.line }];
}

function checkTaskGroups(
  groups: readonly WrittenTaskGroup[],
  tasks: readonly FeatureTask[],
  excluded: readonly string[],
  problems: Problem[],
): void {
  const known = new Map(tasks.map((task) => [task.id, task]));
  const taken = new PathSet(excluded);
  const places = new Map(groups.map(({ id }, i) => [id, i]));
  const named = new Map<string, WrittenTaskGroup>();
  const writers = new Map<string, WrittenTaskGroup>();
  for (const [i, group] of groups.entries()) {
    const { id, wave, files, line } = group;
    const tell = (problem: string): void => void problems.push({ problem, line });
    const first = named.get(id.toLowerCase());
    if (first) tell(`There are two groups ${id}, first on line ${first.line}: rename one.`);
    else named.set(id.toLowerCase(), group);
    for (const task of group.tasks) {
      const found = known.get(task);
      if (!found) tell(`Group ${id} does ${quote(task, 40)}, which is not a task.`);
      else if (found.isContainer) tell(`Group ${id} does ${task}, which only holds others: name its sub-tasks.`);
    }
    // Groups of one wave may run at the same time, so no two of them may write one file.
    for (const file of files) {
      const key = `${wave} ${normalizePathKey(file)}`;
      const other = writers.get(key) ?? group;
      writers.set(key, other);
      const both = `Groups ${other.id} and ${id} of wave ${wave} both claim ${quote(file, 80)}`;
      if (other !== group) tell(`${both}: leave it to one, or move one to a later wave.`);
    }
    for (const file of files.filter((each) => taken.has(each)))
      tell(`Group ${id} claims ${quote(file, 80)}, which belongs to another feature: do without.`);
    for (const other of group.depends) {
      const at = places.get(other);
      const what = at === i ? "itself" : `${other}, which comes later`;
      if (at === undefined) tell(`Group ${id} depends on ${quote(other, 40)}, which is not a group.`);
      else if (at >= i) tell(`Group ${id} depends on ${what}: a group waits for earlier ones alone.`);
    }
  }
}

/** Each task belongs to one group, which starts after the groups of the tasks that it waits for. */
function checkTaskOwners(groups: readonly WrittenTaskGroup[], tasks: readonly FeatureTask[], problems: Problem[]) {
  const byId = new Map(groups.map((group) => [group.id, group]));
  const findOwners = (id: string): WrittenTaskGroup[] =>
    groups.flatMap((group) => group.tasks.filter((task) => task === id).map(() => group));
  for (const { id, isContainer, line, depends } of tasks) {
    if (isContainer) continue;
    const owners = findOwners(id);
    const [group] = owners;
    if (!group) {
      problems.push({ problem: `Task ${id} is in no group: put it into one under execution.`, line });
      continue;
    }
    const names = owners.map((owner) => owner.id).join(" and ");
    if (owners.length > 1) problems.push({ problem: `Task ${id} is in groups ${names}: leave it to one.`, line });
    const awaited = new Set(group.depends);
    // Iterating a Set also visits values added during the iteration.
    for (const other of awaited) for (const next of byId.get(other)?.depends ?? []) awaited.add(next);
    for (const other of depends) {
      const [before] = findOwners(other);
      if (!before || before === group || before.wave < group.wave || awaited.has(before.id)) continue;
      const instead =
        groups.indexOf(before) < groups.indexOf(group)
          ? `write depends: [${before.id}] in ${group.id}, or move it to a later wave`
          : `let ${group.id} come after ${before.id}`;
      const what = `Task ${id} of group ${group.id} waits for ${other}, which ${before.id} does no earlier`;
      problems.push({ problem: `${what}: ${instead}.`, line: group.line });
    }
  }
}

/** Explicit dependencies, groups whose tasks it waits for, and groups of earlier waves that write one of its files. */
function listAwaitedGroups(group: WrittenTaskGroup, earlier: readonly WrittenTaskGroup[], own: readonly FeatureTask[]) {
  const awaited = new Set(own.flatMap(({ depends }) => depends));
  const files = new PathSet(group.files);
  const found = earlier.filter(
    (other) =>
      group.depends.includes(other.id) ||
      other.tasks.some((task) => awaited.has(task)) ||
      (other.wave < group.wave && other.files.some((file) => files.has(file))),
  );
  return found.map(({ id }) => id);
}
