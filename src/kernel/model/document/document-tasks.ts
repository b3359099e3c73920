import type { Problem } from "../verdict.ts";
import type { ProseLine } from "./markdown-document.ts";
import { excludeRepeatedIds, findIdDefinitions, listCoveredIds } from "./id-references.ts";

export interface DocumentTask {
  readonly id: string;
  readonly line: number;
  readonly dependsOn: readonly string[];
}

/** "Depends on X" or the label "Dependencies:", but not "dependency injection for X". */
const DEPENDENCY_PATTERN = /(?:depends\s+on\b|dependenc(?:y|ies)\W{0,4}:)(.*)$/i;
/** A label alone on its line, or at its end with a colon. "No dependencies." does not match. */
const DEPENDENCY_LIST_PATTERN =
  /(?:^\W{0,12}(?:depends\s+on|dependencies)\W{0,4}|(?:depends\s+on|dependencies)\W{0,2}:\W{0,3})$/i;

/** Each task begins on its own line. Ids after "depends on" are its dependencies. */
export function parseTaskList(lines: readonly ProseLine[]): DocumentTask[] {
  const tasks: { id: string; line: number; dependsOn: Set<string> }[] = [];
  const starts = new Map(excludeRepeatedIds(lines, findIdDefinitions(lines, "task")).map((each) => [each.line, each]));
  let isList = false;
  let isLabelled = false;
  for (const line of lines) {
    // Items of a dependency list begin with task ids too. A heading ends the list.
    if (line.text.trim() === "" && isLabelled) continue;
    isList &&= !/^\s{0,3}#/.test(line.text);
    const start = starts.get(line.number);
    if (start && !isList) tasks.push({ ...start, dependsOn: new Set() });
    const said: string | undefined = isList ? line.text : DEPENDENCY_PATTERN.exec(line.text)?.[1];
    const ids: string[] = said ? listCoveredIds([{ ...line, text: said }], "task") : [];
    for (const id of ids) tasks.at(-1)?.dependsOn.add(id);
    isLabelled = DEPENDENCY_LIST_PATTERN.test(line.text);
    isList = isLabelled || (isList && ids.length > 0);
  }
  return tasks.map((task) => ({ ...task, dependsOn: [...task.dependsOn] }));
}

export function findTaskProblems(tasks: readonly DocumentTask[]): Problem[] {
  const problems: Problem[] = [];
  const byId = new Map<string, DocumentTask>();
  for (const task of tasks) {
    const first = byId.get(task.id);
    if (first) problems.push({ problem: `${task.id} is defined twice, first on line ${first.line}.`, line: task.line });
    else byId.set(task.id, task);
  }
  for (const { id, line, dependsOn } of byId.values()) {
    for (const other of dependsOn) {
      if (other === id) problems.push({ problem: `${id} depends on itself.`, line });
      else if (!byId.has(other)) problems.push({ problem: `${id} depends on ${other}, which is not a task.`, line });
    }
  }
  for (const circle of findTaskCycles(byId)) {
    const line = byId.get(circle[0] ?? "")?.line;
    problems.push({ problem: `The tasks wait for each other: ${formatCyclePath(circle)}.`, ...(line ? { line } : {}) });
  }
  return problems;
}

export const formatCyclePath = (circle: readonly string[]): string =>
  (circle.length > 12 ? [...circle.slice(0, 6), "…", ...circle.slice(-5)] : circle).join(" → ");

/** Each reported cycle contains a task that no earlier one contains, and repeats its first id at the end. */
function findTaskCycles(tasks: ReadonlyMap<string, DocumentTask>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  for (const root of tasks.keys()) {
    const trail: { id: string; ahead: string[] }[] = [];
    const onTrail = new Map<string, number>();
    /** Positions on the trail that no reported cycle contains. */
    const unshown: number[] = [];
    const enter = (id: string): void => {
      onTrail.set(id, trail.length);
      unshown.push(trail.length);
      trail.push({ id, ahead: (tasks.get(id)?.dependsOn ?? []).filter((other) => other !== id) });
    };
    const lastUnshown = (): number => unshown.at(-1) ?? -1;
    if (!done.has(root)) enter(root);
    for (let step = trail.at(-1); step; step = trail.at(-1)) {
      const next = step.ahead.shift();
      const back = next === undefined ? undefined : onTrail.get(next);
      if (next === undefined) {
        done.add(step.id);
        onTrail.delete(step.id);
        trail.pop();
        if (lastUnshown() === trail.length) unshown.pop();
      } else if (back !== undefined) {
        if (lastUnshown() >= back) found.push([...trail.slice(back).map((entry) => entry.id), next]);
        while (lastUnshown() >= back) unshown.pop();
      } else if (tasks.has(next) && !done.has(next)) {
        enter(next);
      }
    }
  }
  return found;
}
