import type { Problem } from "../gate/verdict.ts";
import type { Line } from "./prose.ts";
import { definitions, mentions } from "./reference.ts";

export interface Task {
  readonly id: string;
  readonly line: number;
  readonly dependsOn: readonly string[];
}

const DEPENDENCY = /(?:depends\s+on|dependency|dependencies)\b(.*)$/i;
const OPENS_LIST = /(?:depends\s+on|dependencies)\W{0,4}$/i;

/** The tasks of a document: each begins on a line of its own, and depends on what its lines say after "depends on". */
export function parseTasks(lines: readonly Line[]): Task[] {
  const tasks: { id: string; line: number; dependsOn: string[] }[] = [];
  let isList = false;
  for (const line of lines) {
    const start = definitions([line], "task")[0];
    if (start && !isList) tasks.push({ ...start, dependsOn: [] });
    const said: string | undefined = isList ? line.text : DEPENDENCY.exec(line.text)?.[1];
    const ids: string[] = said ? mentions([{ ...line, text: said }], "task").map((reference) => reference.id) : [];
    tasks.at(-1)?.dependsOn.push(...ids);
    // A list of dependencies may stand under its label, and its items begin with ids as tasks do.
    isList = OPENS_LIST.test(line.text) || (isList && ids.length > 0);
  }
  return tasks.map((task) => ({ ...task, dependsOn: [...new Set(task.dependsOn)] }));
}

/** Ids given twice, dependencies that are not tasks, and circles. */
export function taskProblems(tasks: readonly Task[]): Problem[] {
  const problems: Problem[] = [];
  const byId = new Map<string, Task>();
  for (const task of tasks) {
    const first = byId.get(task.id);
    if (first) problems.push({ problem: `${task.id} is defined twice, first on line ${first.line}.`, line: task.line });
    else byId.set(task.id, task);
  }
  for (const task of byId.values()) {
    for (const id of task.dependsOn) {
      if (!byId.has(id))
        problems.push({ problem: `${task.id} depends on ${id}, which is not a task.`, line: task.line });
    }
  }
  for (const circle of circles(byId)) {
    const line = byId.get(circle[0] ?? "")?.line;
    problems.push({ problem: `The tasks wait for each other: ${circle.join(" → ")}.`, ...(line ? { line } : {}) });
  }
  return problems;
}

/** Each circle once, as the ids along it with the first one repeated at the end. */
function circles(tasks: ReadonlyMap<string, Task>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  for (const root of tasks.keys()) {
    const trail: { id: string; ahead: string[] }[] = [];
    const onTrail = new Map<string, number>();
    const enter = (id: string): void => {
      onTrail.set(id, trail.length);
      trail.push({ id, ahead: [...(tasks.get(id)?.dependsOn ?? [])] });
    };
    if (!done.has(root)) enter(root);
    for (let step = trail.at(-1); step; step = trail.at(-1)) {
      const next = step.ahead.shift();
      if (next === undefined) {
        done.add(step.id);
        onTrail.delete(step.id);
        trail.pop();
      } else if (onTrail.has(next)) {
        found.push([...trail.slice(onTrail.get(next)).map((entry) => entry.id), next]);
      } else if (tasks.has(next) && !done.has(next)) {
        enter(next);
      }
    }
  }
  return found;
}
