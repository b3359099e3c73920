import { findTaskProblems } from "#kernel/model/document/document-tasks.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { quote } from "#kernel/model/text-format.ts";
import {
  type YamlEdit,
  getYamlChild,
  type LocatedNode,
  type YamlPath,
  type YamlValue,
  iterateYamlScalars,
  readYamlText,
  convertYamlValue,
} from "#kernel/model/yaml-tree.ts";
import type { DesignSpec } from "./design-criteria.ts";
import { YamlFieldReader, type FeatureTask, parseFeatureTasks } from "./task-list.ts";
import { findTemplateBlank } from "./required-sections.ts";
import type { TaskGroupRecord } from "./feature-record.ts";
import { findFilePathProblem, normalizePathKey } from "./claimed-path.ts";

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
  problems.push(
    ...findDuplicateGroups(groups),
    ...findUnknownGroupTasks(groups, tasks),
    ...findMisassignedTasks(groups, tasks),
    ...findSharedFileClaims(groups),
    ...findForeignFileClaims(groups, excluded),
    ...findInvalidGroupDependencies(groups),
    ...findTaskOrderProblems(groups, tasks),
  );
  return groups.map((group, i) =>
    createTaskGroupRecord(group, listAwaitedGroups(group, groups.slice(0, i), tasks), tasks),
  );
}

/** A group is done when its required tasks are. A group of only optional tasks is done when all are. */
function createTaskGroupRecord(
  { id, wave, tasks: own, files }: WrittenTaskGroup,
  depends: readonly string[],
  all: readonly FeatureTask[],
): TaskGroupRecord {
  const tasks = all.filter((task) => own.includes(task.id));
  const optional = tasks.filter(({ isOptional }) => isOptional);
  const awaited = tasks.length > optional.length ? tasks.filter(({ isOptional }) => !isOptional) : tasks;
  const isDone = awaited.length > 0 && awaited.every(({ status }) => status === "done");
  return {
    id,
    wave,
    tasks: own,
    files,
    depends,
    ...(optional.length > 0 ? { optional: optional.map((task) => task.id) } : {}),
    status: isDone ? "done" : "pending",
  };
}

function readTaskWave(item: LocatedNode, wave: number, problems: Problem[]): WrittenTaskGroup[] {
  const fields = new YamlFieldReader(item, `Wave ${wave}`, problems);
  if (!fields.has(["wave", "groups"])) return [];
  const said = fields.id("wave", String(wave));
  if (said !== "" && said !== String(wave))
    fields.tell(`Wave ${quote(said, 20)} stands where ${wave} is due: number them from 1, without a gap.`);
  const groups = fields.list("groups");
  if (groups.length === 0) fields.tell(`Wave ${wave} has no groups: write groups, each with id, tasks and files.`);
  return groups.flatMap((group, i) => readTaskGroup(group, wave, i, problems));
}

function readTaskGroup(item: LocatedNode, wave: number, i: number, problems: Problem[]): WrittenTaskGroup[] {
  const fields = new YamlFieldReader(item, `Group ${i + 1} of wave ${wave}`, problems);
  if (!fields.has(["id", "tasks", "files", "depends"])) return [];
  const id = fields.id("id", "A");
  if (id !== "" && !TASK_GROUP_ID_PATTERN.test(id))
    fields.tell(`${quote(id, 40)} is no id of a group: use letters and digits, as A.`, fields.lineOf("id"));
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

function findDuplicateGroups(groups: readonly WrittenTaskGroup[]): Problem[] {
  return [...Map.groupBy(groups, ({ id }) => id.toLowerCase()).values()].flatMap(([first, ...others]) =>
    others.map(({ id, line }) => ({
      problem: `There are two groups ${id}, first on line ${first?.line}: rename one.`,
      line,
    })),
  );
}

function findUnknownGroupTasks(groups: readonly WrittenTaskGroup[], tasks: readonly FeatureTask[]): Problem[] {
  const known = new Map(tasks.map((task) => [task.id, task]));
  return groups.flatMap(({ id, line, tasks: own }) =>
    own.flatMap((task): Problem[] => {
      const found = known.get(task);
      if (!found) return [{ problem: `Group ${id} does ${quote(task, 40)}, which is not a task.`, line }];
      if (!found.isContainer) return [];
      return [{ problem: `Group ${id} does ${task}, which only holds others: name its sub-tasks.`, line }];
    }),
  );
}

function findMisassignedTasks(groups: readonly WrittenTaskGroup[], tasks: readonly FeatureTask[]): Problem[] {
  const owners = mapTaskOwners(groups);
  return tasks.flatMap(({ id, isContainer, line }): Problem[] => {
    const [first, ...others] = owners.get(id) ?? [];
    if (isContainer || (first !== undefined && others.length === 0)) return [];
    if (first === undefined) return [{ problem: `Task ${id} is in no group: put it into one under execution.`, line }];
    const names = [first, ...others].map((group) => group.id).join(" and ");
    return [{ problem: `Task ${id} is in groups ${names}: leave it to one.`, line }];
  });
}

function mapTaskOwners(groups: readonly WrittenTaskGroup[]): Map<string, WrittenTaskGroup[]> {
  const pairs = groups.flatMap((group) => group.tasks.map((task) => ({ task, group })));
  return new Map(
    [...Map.groupBy(pairs, ({ task }) => task)].map(([task, own]) => [task, own.map(({ group }) => group)]),
  );
}

/** Groups of one wave may run at the same time, so no two of them may write one file. */
function findSharedFileClaims(groups: readonly WrittenTaskGroup[]): Problem[] {
  const first = new Map<string, WrittenTaskGroup>();
  return groups.flatMap((group) =>
    group.files.flatMap((file): Problem[] => {
      const key = `${group.wave} ${normalizePathKey(file)}`;
      const other = first.get(key) ?? group;
      first.set(key, other);
      if (other === group) return [];
      const problem = `Groups ${other.id} and ${group.id} of wave ${group.wave} both claim ${quote(file, 80)}`;
      return [{ problem: `${problem}: leave it to one, or move one to a later wave.`, line: group.line }];
    }),
  );
}

function findForeignFileClaims(groups: readonly WrittenTaskGroup[], excluded: readonly string[]): Problem[] {
  const taken = new Set(excluded.map(normalizePathKey));
  return groups.flatMap(({ id, files, line }) =>
    files
      .filter((file) => taken.has(normalizePathKey(file)))
      .map((file) => ({
        problem: `Group ${id} claims ${quote(file, 80)}, which belongs to another feature: do without.`,
        line,
      })),
  );
}

function findInvalidGroupDependencies(groups: readonly WrittenTaskGroup[]): Problem[] {
  const place = new Map(groups.map(({ id }, i) => [id, i]));
  return groups.flatMap(({ id, depends, line }, i) =>
    depends.flatMap((other): Problem[] => {
      const at = place.get(other);
      if (at === undefined)
        return [{ problem: `Group ${id} depends on ${quote(other, 40)}, which is not a group.`, line }];
      if (at < i) return [];
      const what = at === i ? "itself" : `${other}, which comes later`;
      return [{ problem: `Group ${id} depends on ${what}: a group waits for earlier ones alone.`, line }];
    }),
  );
}

function findTaskOrderProblems(groups: readonly WrittenTaskGroup[], tasks: readonly FeatureTask[]): Problem[] {
  const owners = mapTaskOwners(groups);
  const place = new Map(groups.map((group, i) => [group, i]));
  return tasks.flatMap(({ id, depends, isContainer }) => {
    const [group] = owners.get(id) ?? [];
    if (isContainer || !group) return [];
    return depends.flatMap((other): Problem[] => {
      const [before] = owners.get(other) ?? [];
      if (!before || before === group || before.wave < group.wave || hasGroupDependency(group, before.id, groups))
        return [];
      const isEarlier = (place.get(before) ?? 0) < (place.get(group) ?? 0);
      const instead = isEarlier
        ? `write depends: [${before.id}] in ${group.id}, or move it to a later wave`
        : `let ${group.id} come after ${before.id}`;
      const problem = `Task ${id} of group ${group.id} waits for ${other}, which ${before.id} does no earlier: ${instead}.`;
      return [{ problem, line: group.line }];
    });
  });
}

function hasGroupDependency(group: WrittenTaskGroup, id: string, groups: readonly WrittenTaskGroup[]): boolean {
  const byId = new Map(groups.map((each) => [each.id, each]));
  const seen = new Set<string>();
  const left = [...group.depends];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next === id) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    left.push(...(byId.get(next)?.depends ?? []));
  }
  return false;
}

/** Explicit dependencies, groups whose tasks it waits for, and groups of earlier waves that write one of its files. */
function listAwaitedGroups(
  group: WrittenTaskGroup,
  earlier: readonly WrittenTaskGroup[],
  tasks: readonly FeatureTask[],
): string[] {
  const own = new Set(group.tasks);
  const awaited = new Set(tasks.filter(({ id }) => own.has(id)).flatMap(({ depends }) => depends));
  const files = new Set(group.files.map(normalizePathKey));
  const found = earlier.filter(
    (other) =>
      group.depends.includes(other.id) ||
      other.tasks.some((task) => awaited.has(task)) ||
      (other.wave < group.wave && other.files.some((file) => files.has(normalizePathKey(file)))),
  );
  return found.map(({ id }) => id);
}
