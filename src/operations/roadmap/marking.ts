import type { FeatureRecord } from "#domain/feature/record.ts";
import { childOf, type Located, type Place, textOf } from "#domain/spec/yaml/located.ts";
import type { Edit } from "#domain/spec/yaml/edit.ts";
import type { Yaml } from "../ports/yaml.ts";

type Status = "pending" | "done";

/** `tasks.yaml` with the status that each task has by the groups of the record; all else stays as it was written. */
export function markTasks(yaml: Yaml, text: string, { implementation }: Pick<FeatureRecord, "implementation">): string {
  const { tree } = yaml.read(text);
  const tasks = tree && childOf(tree, "tasks");
  if (tasks?.kind !== "sequence") return text;
  const known = new Map(implementation.groups.flatMap(({ tasks: ids, status }) => ids.map((id) => [id, status])));
  const edits = tasks.items.flatMap((task, i) => marksOf(task, ["tasks", i], known));
  return edits.length === 0 ? text : yaml.edit(text, edits);
}

/** A task is done when all that it consists of is. */
function marksOf(task: Located, place: Place, known: ReadonlyMap<string, Status>): Edit[] {
  const below = childOf(task, "subtasks");
  const items = below?.kind === "sequence" ? below.items : [];
  const inner = items.flatMap((item, i) => mark(item, [...place, "subtasks", i], statusOf(item, known)));
  const statuses = items.map((item) => statusOf(item, known) ?? saidOf(item));
  const own = statusOf(task, known);
  const all = items.length === 0 ? own : statuses.every((status) => status === "done") ? "done" : "pending";
  return [...inner, ...mark(task, place, all)];
}

const statusOf = (task: Located, known: ReadonlyMap<string, Status>): Status | undefined =>
  known.get(textOf(childOf(task, "id")) ?? "");

const saidOf = (task: Located): string | undefined => textOf(childOf(task, "status"));

function mark(task: Located, at: Place, status: Status | undefined): Edit[] {
  if (status === undefined || saidOf(task) === status) return [];
  return childOf(task, "status")
    ? [{ kind: "replace", at: [...at, "status"], value: status }]
    : [{ kind: "insert", at, key: "status", value: status }];
}
