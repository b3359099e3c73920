import { type Line, proseLines } from "../document/prose.ts";
import { linesFrom, sectionNamed } from "../document/section.ts";
import { parseTasks, type Task } from "../document/tasks.ts";
import { idsIn } from "./components.ts";

export interface PlannedTask extends Task {
  /** The requirements and rules it names. */
  readonly covers: readonly string[];
  readonly wave: number;
}

/** The tasks under "Tasks", with what they cover and the wave in which they may run: after all that they depend on. */
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

/** The tasks under "Tasks"; those of the whole text where there is no such heading. */
export const tasksIn = (markdown: string): Task[] => parseTasks(taskLines(markdown));

function taskLines(markdown: string): readonly Line[] {
  const all = proseLines(markdown);
  return sectionNamed(all, "Tasks") ?? all;
}

/** The tasks of each wave, in order. */
export function inWaves(tasks: readonly PlannedTask[]): string[][] {
  const waves: string[][] = [];
  for (const { id, wave } of tasks) (waves[wave - 1] ??= []).push(id);
  return waves.map((ids) => ids ?? []);
}

/** Each task one after the last of those it waits for. Circles are told elsewhere; here they only end somewhere. */
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
