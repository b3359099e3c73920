import type { Problem } from "../gate/verdict.ts";
import { quote } from "../quote.ts";
import type { LocatedNode } from "../spec/yaml/located.ts";
import { type DesignSpec, parseCriterionReferences } from "./criteria.ts";
import { YamlFieldReader } from "./fields.ts";

/** A task of `tasks.yaml`: either work for a Builder or a container of sub-tasks. */
export interface FeatureTask {
  readonly id: string;
  readonly summary: string;
  readonly details: readonly string[];
  readonly covers: readonly string[];
  /** Tasks that must finish first. A container is replaced by its sub-tasks. */
  readonly depends: readonly string[];
  readonly status: "pending" | "done";
  readonly isParallel: boolean;
  readonly isOptional: boolean;
  readonly parent: string | null;
  readonly isContainer: boolean;
  readonly line: number;
}

const TASK_KEYS = [
  "id",
  "summary",
  "status",
  "details",
  "specs",
  "acs",
  "depends",
  "p",
  "optional",
  "subtasks",
] as const;
const SUBTASK_KEYS = TASK_KEYS.filter((key) => key !== "subtasks");
const [FEWEST, MOST] = [3, 10];

export function parseFeatureTasks(
  items: readonly LocatedNode[],
  specs: readonly DesignSpec[],
  problems: Problem[],
): FeatureTask[] {
  const tasks = items.flatMap((item, i) => readMajorTask(item, i + 1, specs, problems));
  return expandTaskDependencies(tasks);
}

function readMajorTask(
  item: LocatedNode,
  number: number,
  specs: readonly DesignSpec[],
  problems: Problem[],
): FeatureTask[] {
  const fields = new YamlFieldReader(item, `Task ${number}`, problems);
  if (!fields.has(TASK_KEYS)) return [];
  const below = fields.list("subtasks");
  const major = readTaskFields(fields, { due: String(number), parent: null, isContainer: below.length > 0 }, specs);
  const children = below.flatMap((child, i): FeatureTask[] => {
    const due = `${number}.${i + 1}`;
    const inner = new YamlFieldReader(child, `Task ${due}`, problems);
    if (inner.node("subtasks")) {
      inner.tell(`Task ${due} has sub-tasks of its own: tasks have two levels; make them sub-tasks of ${number}.`);
    }
    if (!inner.has(inner.node("subtasks") ? TASK_KEYS : SUBTASK_KEYS)) return [];
    const task = readTaskFields(inner, { due, parent: major.id, isContainer: false }, specs);
    return [{ ...task, depends: [...task.depends, ...major.depends] }];
  });
  return [major, ...children];
}

interface TaskPosition {
  readonly due: string;
  readonly parent: string | null;
  readonly isContainer: boolean;
}

function readTaskFields(
  fields: YamlFieldReader,
  { due, parent, isContainer }: TaskPosition,
  specs: readonly DesignSpec[],
): FeatureTask {
  const id = fields.id("id", `"${due}"`);
  if (id !== "" && id !== due)
    fields.tell(
      `Task ${quote(id, 40)} stands where ${due} is due: number them in order, without a gap.`,
      fields.lineOf("id"),
    );
  const summary = fields.text("summary", "what is there when it is done");
  const details = fields.texts("details").map(({ text }) => text);
  const { covers, cited } = readTaskCoverage(fields, specs);
  const isOptional = fields.flag("optional");
  const isParallel = fields.flag("p");
  if (!isContainer) checkTaskContent(fields, { due, details, covers, cited, isOptional });
  else if (isParallel)
    fields.tell(`Task ${due} holds others: mark those that are parallel, and not it.`, fields.lineOf("p"));
  const depends = fields.ids("depends").map(({ text }) => text);
  const status = fields.oneOf("status", ["pending", "done"]);
  return {
    id: id === "" ? due : id,
    summary,
    details,
    covers,
    depends,
    status,
    isParallel,
    isOptional,
    parent,
    isContainer,
    line: fields.line,
  };
}

interface TaskContent {
  readonly due: string;
  readonly details: readonly string[];
  readonly covers: readonly string[];
  readonly cited: readonly string[];
  readonly isOptional: boolean;
}

function checkTaskContent(fields: YamlFieldReader, { due, details, covers, cited, isOptional }: TaskContent): void {
  if (details.length < FEWEST || details.length > MOST) {
    const what = `Task ${due} has ${details.length} details`;
    fields.tell(`${what}: write ${FEWEST} to ${MOST}, each one thing that will hold.`, fields.lineOf("details"));
  }
  if (covers.length === 0 && fields.list("specs").length === 0)
    fields.tell(`Task ${due} is for no spec: write specs: ["1.2"], or leave the task out.`);
  if (isOptional && cited.length === 0)
    fields.tell(
      `Task ${due} is optional and cites no criterion: name them under acs, or let it be done.`,
      fields.lineOf("optional"),
    );
}

/** A named spec covers all its criteria, unless the task cites some of them. */
function readTaskCoverage(
  fields: YamlFieldReader,
  specs: readonly DesignSpec[],
): { covers: string[]; cited: string[] } {
  const read = (key: "specs" | "acs") =>
    fields.ids(key).map(({ text, line }) => {
      const found = parseCriterionReferences(text, specs);
      for (const problem of found.problems) fields.tell(problem, line);
      return { ...found, isWhole: !/\d\D+\d/.test(text) };
    });
  const said = [...read("specs"), ...read("acs")];
  const cited = [...new Set(said.filter(({ isWhole }) => !isWhole).flatMap(({ criteria }) => criteria))];
  const whole = said
    .filter(({ isWhole }) => isWhole)
    .flatMap(({ criteria, specs: [spec] }) => (cited.some((id) => id.startsWith(`S${spec}.`)) ? [] : criteria));
  return { covers: [...new Set([...cited, ...whole])], cited };
}

function expandTaskDependencies(tasks: readonly FeatureTask[]): FeatureTask[] {
  const children = Map.groupBy(
    tasks.filter(({ parent }) => parent !== null),
    ({ parent }) => parent ?? "",
  );
  const leaves = (id: string): string[] => children.get(id)?.map((child) => child.id) ?? [id];
  return tasks.map((task) => ({ ...task, depends: [...new Set(task.depends.flatMap(leaves))] }));
}
