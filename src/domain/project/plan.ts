import { type Line, proseLines } from "../document/prose.ts";
import { linesFrom, sectionNamed } from "../document/section.ts";
import { parseTasks, type Task } from "../document/tasks.ts";
import { idsIn } from "./components.ts";

export interface PlannedTask extends Task {
  readonly covers: readonly string[];
  readonly wave: number;
}

/** A task's wave comes after the waves of all its dependencies. */
export function planTasks(markdown: string): PlannedTask[] {
  const lines = taskLines(markdown);
  const tasks = parseTasks(lines);
  const waves = wavesOf(tasks);
  const parts = linesFrom(
    lines,
    tasks.map(({ line }) => line),
  );
  return tasks.map((task, i) => ({ ...task, covers: idsIn(parts[i] ?? []), wave: waves.get(task.id) ?? 1 }));
}

/** Falls back to the whole text if there is no "Tasks" heading. */
export const tasksIn = (markdown: string): Task[] => parseTasks(taskLines(markdown));

function taskLines(markdown: string): readonly Line[] {
  const all = proseLines(markdown);
  return sectionNamed(all, "Tasks") ?? all;
}

export function inWaves(tasks: readonly PlannedTask[]): string[][] {
  const waves: string[][] = [];
  for (const { id, wave } of tasks) (waves[wave - 1] ??= []).push(id);
  return waves.map((ids) => ids ?? []);
}

/** Tasks in a dependency cycle share a wave; `findTaskProblems` reports the cycle. */
function wavesOf(tasks: readonly Task[]): Map<string, number> {
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
