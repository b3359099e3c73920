import { headings, type Line, proseLines } from "../document/prose.ts";
import { mentions } from "../document/reference.ts";
import { parseTasks, type Task } from "../document/tasks.ts";
import type { Requirement } from "./requirements.ts";

export const VERDICTS = ["PASS", "PASS_WITH_WARNINGS", "FAIL"] as const;
export type ProjectVerdict = (typeof VERDICTS)[number];

export interface Component {
  readonly name: string;
  readonly requirements: readonly string[];
}

export interface CoveredTask extends Task {
  readonly requirements: readonly string[];
  readonly wave: number;
}

/** Which component and which task carry a requirement. */
export interface Coverage {
  readonly requirement: string;
  readonly components: readonly string[];
  readonly tasks: readonly string[];
}

export interface Facts {
  readonly coverage: readonly Coverage[];
  readonly failures: readonly string[];
  readonly warnings: readonly string[];
  readonly verdict: ProjectVerdict;
}

/** A requirement that this many components carry is carried by none in particular. */
const SCATTERED = 3;

/** The components of a design: the headings or the list items under "Components", with the requirements each names. */
export function parseComponents(design: string): Component[] {
  const lines = proseLines(design);
  const all = headings(lines);
  const start = all.find(({ text }) => /^[\d.)\s*_]*components?\b/i.test(text));
  if (!start) return [];
  const end =
    all.find(({ line, level }) => line > start.line && level <= start.level)?.line ?? Number.POSITIVE_INFINITY;
  const inside = lines.filter(({ number }) => number > start.line && number < end);
  const below = all.filter(({ line }) => line > start.line && line < end);
  const top = Math.min(...below.map(({ level }) => level));
  const starts =
    below.length > 0
      ? below.filter(({ level }) => level === top).map(({ text, line }) => ({ name: text, line }))
      : listed(inside);
  return starts.map(({ name, line }, i) => {
    const next = starts[i + 1]?.line ?? Number.POSITIVE_INFINITY;
    const own = inside.filter(({ number }) => number >= line && number < next);
    return { name: bareName(name), requirements: requirementsIn(own) };
  });
}

function listed(lines: readonly Line[]): { name: string; line: number }[] {
  return lines.flatMap(({ text, number }) => {
    const match = /^(?:[-*+]|\d{1,4}[.)])\s+(?:[*_`]{1,3}([^*_`]+)[*_`]{1,3}|([^:(–—]+))/.exec(text);
    const name = (match?.[1] ?? match?.[2])?.trim();
    return name ? [{ name, line: number }] : [];
  });
}

const bareName = (name: string): string =>
  name
    .replace(/^[\d.)\s]+/, "")
    .replace(/[*_`]/g, "")
    .replace(/\s*[:(–—].*$/, "")
    .trim();

const requirementsIn = (lines: readonly Line[]): string[] => [
  ...new Set(mentions(lines, "requirement").map(({ id }) => id)),
];

/** The tasks with what they cover and the wave in which they may run: after everything they depend on. */
export function planTasks(tasks: string): CoveredTask[] {
  const lines = proseLines(tasks);
  const parsed = parseTasks(lines);
  const waves = wavesOf(parsed);
  return parsed.map((task, i) => {
    const end = parsed[i + 1]?.line ?? Number.POSITIVE_INFINITY;
    const own = lines.filter(({ number }) => number >= task.line && number < end);
    return { ...task, requirements: requirementsIn(own), wave: waves.get(task.id) ?? 1 };
  });
}

/** Each task one after the last of those it waits for. Circles are told elsewhere; here they end somewhere. */
export function wavesOf(tasks: readonly Task[]): Map<string, number> {
  const waves = new Map<string, number>();
  const byId = new Map(tasks.map((task) => [task.id, task]));
  for (let isMore = true, rounds = 0; isMore && rounds <= tasks.length; rounds++) {
    isMore = false;
    for (const { id, dependsOn } of byId.values()) {
      const wave =
        1 + Math.max(0, ...dependsOn.filter((other) => byId.has(other)).map((other) => waves.get(other) ?? 0));
      if (wave !== waves.get(id) && wave <= tasks.length) {
        waves.set(id, wave);
        isMore = true;
      }
    }
  }
  return waves;
}

/** What follows from the documents, whatever anybody says about them. */
export function factsOf(
  requirements: readonly Requirement[],
  components: readonly Component[],
  tasks: readonly CoveredTask[],
): Facts {
  const wanted = requirements.filter(({ priority }) => priority !== "wont");
  const coverage = wanted.map(({ id }) => ({
    requirement: id,
    components: components.filter((component) => component.requirements.includes(id)).map(({ name }) => name),
    tasks: tasks.filter((task) => task.requirements.includes(id)).map((task) => task.id),
  }));
  const failures: string[] = [];
  const warnings: string[] = [];
  for (const { requirement, components: carriers, tasks: doers } of coverage) {
    const isMust = wanted.find(({ id }) => id === requirement)?.priority === "must";
    const list = isMust ? failures : warnings;
    if (carriers.length === 0) list.push(`${requirement} is carried by no component of the design.`);
    if (doers.length === 0) list.push(`${requirement} is covered by no task.`);
    if (carriers.length >= SCATTERED)
      warnings.push(`${requirement} is spread over ${carriers.length} components: ${carriers.join(", ")}.`);
  }
  for (const { id, requirements: covered } of tasks)
    if (covered.length === 0) warnings.push(`${id} names no requirement.`);
  for (const { name, requirements: covered } of components)
    if (covered.length === 0) warnings.push(`The component ${name} names no requirement.`);
  if (components.length === 0) failures.push("The design names no component.");
  const verdict = failures.length > 0 ? "FAIL" : warnings.length > 0 ? "PASS_WITH_WARNINGS" : "PASS";
  return { coverage, failures, warnings, verdict };
}

/** A verdict may be stricter than the facts; a milder one needs a reason. */
export const isMilder = (said: ProjectVerdict, facts: ProjectVerdict): boolean =>
  VERDICTS.indexOf(said) < VERDICTS.indexOf(facts);
