import { type ProseLine, parseProseLines } from "../document/prose.ts";
import { groupLinesByStart, findSectionLines } from "../document/section.ts";
import { parseTaskList, type DocumentTask } from "../document/tasks.ts";
import { listRequirementAndRuleIds } from "./components.ts";

export interface PlannedTask extends DocumentTask {
  readonly covers: readonly string[];
  readonly wave: number;
}

/** A task's wave comes after the waves of all its dependencies. */
export function planTaskWaves(markdown: string): PlannedTask[] {
  const lines = selectTaskLines(markdown);
  const tasks = parseTaskList(lines);
  const waves = assignTaskWaves(tasks);
  const parts = groupLinesByStart(
    lines,
    tasks.map(({ line }) => line),
  );
  return tasks.map((task, i) => ({
    ...task,
    covers: listRequirementAndRuleIds(parts[i] ?? []),
    wave: waves.get(task.id) ?? 1,
  }));
}

/** Falls back to the whole text if there is no "Tasks" heading. */
export const parsePlanTasks = (markdown: string): DocumentTask[] => parseTaskList(selectTaskLines(markdown));

function selectTaskLines(markdown: string): readonly ProseLine[] {
  const all = parseProseLines(markdown);
  return findSectionLines(all, "Tasks") ?? all;
}

export function groupTasksByWave(tasks: readonly PlannedTask[]): string[][] {
  const waves: string[][] = [];
  for (const { id, wave } of tasks) (waves[wave - 1] ??= []).push(id);
  return waves.map((ids) => ids ?? []);
}

/** Tasks in a dependency cycle share a wave; `findTaskProblems` reports the cycle. */
function assignTaskWaves(tasks: readonly DocumentTask[]): Map<string, number> {
  const waiting = new Map(tasks.map(({ id, dependsOn }) => [id, new Set(dependsOn)]));
  for (const [id, others] of waiting)
    for (const other of others) if (other === id || !waiting.has(other)) others.delete(other);
  const waves = new Map<string, number>();
  for (let wave = 1; waiting.size > 0; wave++) {
    const free = [...waiting].filter(([, others]) => others.size === 0).map(([id]) => id);
    const next = free.length > 0 ? free : [...waiting.keys()];
    for (const id of next) {
      waves.set(id, wave);
      waiting.delete(id);
    }
    const done = new Set(next);
    for (const others of waiting.values()) for (const id of others) if (done.has(id)) others.delete(id);
  }
  return waves;
}
