import type { Problem } from "#kernel/model/verdict.ts";
import { quote, findClosestWord } from "#kernel/model/text-format.ts";
import { type LocatedNode, getYamlChild, isYamlNull, findYamlLine } from "#kernel/model/yaml-tree.ts";
import { type DesignSpec, parseCriterionReferences } from "./design-criteria.ts";

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

const SUBTASK_KEYS = ["id", "summary", "status", "details", "specs", "acs", "depends", "p", "optional"];
const TASK_KEYS = [...SUBTASK_KEYS, "subtasks"];
const [FEWEST, MOST] = [3, 10];

export function parseFeatureTasks(items: readonly LocatedNode[], specs: readonly DesignSpec[], problems: Problem[]) {
  const tasks = items.flatMap((item, i) => readMajorTask(item, i + 1, specs, problems));
  const children = Map.groupBy(
    tasks.filter(({ parent }) => parent !== null),
    ({ parent }) => parent ?? "",
  );
  const leaves = (id: string): string[] => children.get(id)?.map((child) => child.id) ?? [id];
  return tasks.map((task) => ({ ...task, depends: [...new Set(task.depends.flatMap(leaves))] }));
}

function readMajorTask(item: LocatedNode, number: number, specs: readonly DesignSpec[], problems: Problem[]) {
  const fields = new YamlFieldReader(item, `Task ${number}`, problems);
  if (!fields.has(TASK_KEYS)) return [];
  const below = fields.list("subtasks");
  const major = readTaskFields(fields, { due: String(number), parent: null, isContainer: below.length > 0 }, specs);
  const children = below.flatMap((child, i): FeatureTask[] => {
    const due = `${number}.${i + 1}`;
    const inner = new YamlFieldReader(child, `Task ${due}`, problems);
    const isNested = inner.node("subtasks") !== undefined;
    if (isNested)
      inner.tell(`Task ${due} has sub-tasks of its own: tasks have two levels; make them sub-tasks of ${number}.`);
    if (!inner.has(isNested ? TASK_KEYS : SUBTASK_KEYS)) return [];
    const task = readTaskFields(inner, { due, parent: major.id, isContainer: false }, specs);
    return [{ ...task, depends: [...task.depends, ...major.depends] }];
  });
  return [major, ...children];
}

function readTaskFields(
  fields: YamlFieldReader,
  { due, parent, isContainer }: { due: string } & Pick<FeatureTask, "parent" | "isContainer">,
  specs: readonly DesignSpec[],
): FeatureTask {
  const id = fields.id("id", `"${due}"`);
  const wrong = `Task ${quote(id, 40)} should be ${due}`;
  if (id !== "" && id !== due) fields.tell(`${wrong}: number them in order, without a gap.`, fields.lineOf("id"));
  const summary = fields.text("summary", "what is there when it is done");
  const details = fields.texts("details").map(({ text }) => text);
  const { covers, cited } = readTaskCoverage(fields, specs);
  const isOptional = fields.flag("optional");
  const isParallel = fields.flag("p");
  if (isContainer && isParallel)
    fields.tell(`Task ${due} is a container: mark its sub-tasks as parallel, not the container.`, fields.lineOf("p"));
  if (!isContainer && (details.length < FEWEST || details.length > MOST)) {
    const what = `Task ${due} has ${details.length} details`;
    fields.tell(`${what}: write ${FEWEST} to ${MOST}, each a result that can be checked.`, fields.lineOf("details"));
  }
  if (!isContainer && covers.length === 0 && fields.list("specs").length === 0)
    fields.tell(`Task ${due} names no spec: write specs: ["1.2"], or leave the task out.`);
  if (!isContainer && isOptional && cited.length === 0) {
    const what = `Task ${due} is optional and cites no criterion`;
    fields.tell(`${what}: name them under acs, or make it required.`, fields.lineOf("optional"));
  }
  const depends = fields.ids("depends").map(({ text }) => text);
  const status = fields.oneOf("status", ["pending", "done"]);
  const told = { summary, details, covers, depends, status, isParallel, isOptional };
  return { id: id === "" ? due : id, ...told, parent, isContainer, line: fields.line };
}

/** A named spec covers all its criteria, unless the task cites some of them. */
function readTaskCoverage(fields: YamlFieldReader, specs: readonly DesignSpec[]) {
  const read = (key: "specs" | "acs") =>
    fields.ids(key).map(({ text, line }) => {
      const found = parseCriterionReferences(text, specs);
      for (const problem of found.problems) fields.tell(problem, line);
      return { ...found, isWhole: !/\d\D+\d/.test(text) };
    });
  const said = [...read("specs"), ...read("acs")];
  const cited = [...new Set(said.flatMap(({ isWhole, criteria }) => (isWhole ? [] : criteria)))];
  const whole = said.flatMap(({ isWhole, criteria, specs: [spec] }) =>
    isWhole && !cited.some((id) => id.startsWith(`S${spec}.`)) ? criteria : [],
  );
  return { covers: [...new Set([...cited, ...whole])], cited };
}

export class YamlFieldReader {
  readonly line: number;
  readonly #node: LocatedNode;
  readonly #name: string;
  readonly #problems: Problem[];

  constructor(node: LocatedNode, name: string, problems: Problem[]) {
    this.#node = node;
    this.#name = name;
    this.#problems = problems;
    this.line = node.line;
  }

  tell(problem: string, line = this.line): void {
    this.#problems.push({ problem, line });
  }

  /** Returns false unless the node is a mapping. Reports unknown keys. */
  has(keys: readonly string[]): boolean {
    if (this.#node.kind !== "mapping") {
      this.tell(`${this.#name} must be a mapping with the keys ${keys.join(", ")}.`);
      return false;
    }
    for (const { key, line } of this.#node.entries) {
      if (keys.includes(key)) continue;
      const meant = findClosestWord(key, keys);
      const instead = meant === undefined ? `it has ${keys.join(", ")}` : `write ${meant}`;
      this.tell(`${this.#name} has no ${quote(key, 40)}: ${instead}.`, line);
    }
    return true;
  }

  lineOf(key: string): number {
    return findYamlLine(this.#node, [key]);
  }

  node(key: string): LocatedNode | undefined {
    const node = getYamlChild(this.#node, key);
    return isYamlNull(node) ? undefined : node;
  }

  text(key: string, example: string): string {
    const node = this.node(key);
    const said = node?.kind === "scalar" ? (typeof node.value === "string" ? node.value : node.text).trim() : "";
    if (said === "") this.tell(`${this.#name} has no ${key}: write ${key}: ${example}`, this.lineOf(key));
    return said;
  }

  flag(key: string): boolean {
    const node = this.node(key);
    if (node === undefined) return false;
    if (node.kind === "scalar" && typeof node.value === "boolean") return node.value;
    this.tell(`${this.#name}: ${key} must be true or false.`, this.lineOf(key));
    return false;
  }

  oneOf<T extends string>(key: string, allowed: readonly [T, ...T[]]): T {
    const node = this.node(key);
    const found = allowed.find((word) => node?.kind === "scalar" && node.value === word);
    if (node !== undefined && found === undefined)
      this.tell(`${this.#name}: ${key} must be ${allowed.join(" or ")}.`, this.lineOf(key));
    return found ?? allowed[0];
  }

  list(key: string): readonly LocatedNode[] {
    const node = this.node(key);
    if (node === undefined) return [];
    if (node.kind === "sequence") return node.items;
    this.tell(`${this.#name}: ${key} must be a list.`, this.lineOf(key));
    return [];
  }

  texts(key: string): { readonly text: string; readonly line: number }[] {
    return this.list(key).flatMap((item) => {
      const text = item.kind === "scalar" && typeof item.value === "string" ? item.value.trim() : "";
      if (text !== "") return [{ text, line: item.line }];
      this.tell(`${this.#name}: ${key} must be a list of texts.`, item.line);
      return [];
    });
  }

  /** Ids such as `1.10` must be text, because YAML reads the number as 1.1. */
  ids(key: string): { readonly text: string; readonly line: number }[] {
    return this.list(key).flatMap((item) => {
      const text = this.#idFrom(item, key);
      return text === undefined ? [] : [{ text, line: item.line }];
    });
  }

  id(key: string, example: string): string {
    const node = this.node(key);
    if (node === undefined) this.tell(`${this.#name} has no ${key}: write ${key}: ${example}`);
    return (node && this.#idFrom(node, key)) ?? "";
  }

  #idFrom(node: LocatedNode, key: string): string | undefined {
    if (node.kind !== "scalar" || node.value === null || typeof node.value === "boolean") {
      this.tell(`${this.#name}: ${key} must be ids, as "1.1".`, node.line);
      return undefined;
    }
    const { value, text } = node;
    // A plain integer reads the same as number and as text.
    if (typeof value === "number" && !/^[1-9]\d{0,5}$/.test(text)) {
      this.tell(`${this.#name}: ${text} is a number to YAML, where 1.10 is 1.1: write "${text}".`, node.line);
      return undefined;
    }
    return typeof value === "string" ? value.trim() : text;
  }
}
