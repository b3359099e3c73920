import {
  parseHeadings,
  type ProseLine,
  parseProseLines,
  groupLinesByStart,
  findSectionLines,
} from "#kernel/model/document/markdown-document.ts";
import { type IdFamily, findIdMentions } from "#kernel/model/document/id-references.ts";
import { parseTaskList, type DocumentTask } from "#kernel/model/document/document-tasks.ts";
import {
  PROJECT_VERDICTS,
  type ProjectVerdict,
  type ProjectDocumentStage,
} from "#kernel/model/stages/project-stages.ts";
import type { PrioritizedRequirement } from "./requirement-items.ts";

export interface ProjectComponent {
  readonly name: string;
  readonly carries: readonly string[];
}

/** Reads the headings under "Components", or the list items if there are none. */
export function parseDesignComponents(design: string): ProjectComponent[] {
  const inside = findSectionLines(parseProseLines(design), "Components") ?? [];
  const below = parseHeadings(inside);
  const top = below.reduce((least, { level }) => Math.min(least, level), 6);
  const starts =
    below.length > 0
      ? below.filter(({ level }) => level === top).map(({ text, line }) => ({ name: text, line }))
      : parseListedComponents(inside);
  const parts = groupLinesByStart(
    inside,
    starts.map(({ line }) => line),
  );
  return starts.map(({ name }, i) => ({
    name: cleanComponentName(name),
    carries: listRequirementAndRuleIds(parts[i] ?? []),
  }));
}

export const listRequirementAndRuleIds = (lines: readonly ProseLine[]): string[] =>
  (["requirement", "rule"] as const satisfies readonly IdFamily[]).flatMap((family) => [
    ...new Set(findIdMentions(lines, family).map(({ id }) => id)),
  ]);

function parseListedComponents(lines: readonly ProseLine[]): { name: string; line: number }[] {
  return lines.flatMap(({ text, number }) => {
    const match = /^(?:[-*+]|\d{1,4}[.)])\s+(?:[*_`]{1,3}([^*_`]{1,120})[*_`]{1,3}|([^:(–—]{1,120}))/.exec(text);
    const name = (match?.[1] ?? match?.[2])?.trim();
    return name ? [{ name, line: number }] : [];
  });
}

const cleanComponentName = (name: string): string =>
  name
    .replace(/^[\d.)\s]+/, "")
    .replace(/[*_`]/g, "")
    .replace(/\s{0,4}[:(–—].*$/, "")
    .trim();

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

interface RequirementCoverage {
  readonly id: string;
  readonly components: readonly string[];
  readonly tasks: readonly string[];
}

export interface CoverageFinding {
  readonly finding: string;
  readonly stage: ProjectDocumentStage;
}

export interface CoverageFacts {
  readonly coverage: readonly RequirementCoverage[];
  readonly failures: readonly CoverageFinding[];
  readonly warnings: readonly CoverageFinding[];
  readonly verdict: ProjectVerdict;
}

export interface CoverageInput {
  readonly requirements: readonly PrioritizedRequirement[];
  readonly rules: readonly string[];
  readonly components: readonly ProjectComponent[];
  readonly tasks: readonly PlannedTask[];
  /** Errors unrelated to coverage, such as a mention of an unknown id. */
  readonly broken: readonly CoverageFinding[];
  readonly waived: readonly { readonly dimension: string; readonly reason: string }[];
}

/** A requirement in this many components has no clear owner. */
export const SCATTERED_COMPONENT_COUNT = 3;
/** A component with more requirements and rules than this should probably be split. */
export const MAX_ITEMS_PER_COMPONENT = 8;

export function deriveCoverageFacts({
  requirements,
  rules,
  components,
  tasks,
  broken,
  waived,
}: CoverageInput): CoverageFacts {
  const failures: CoverageFinding[] = [...broken];
  const warnings: CoverageFinding[] = [];
  const carriersOf = createCoverageLookup(components, tasks);
  const coverage = requirements
    .filter(({ priority }) => priority !== "wont")
    .map((requirement) => {
      const found = carriersOf(requirement.id);
      // An uncovered "must" requirement fails the project; "should" and "could" only warn.
      reportCoverageGaps(found, requirement.priority === "must" ? failures : warnings, warnings);
      return found;
    });
  if (components.length === 0) failures.push({ finding: "The design names no component.", stage: "design" });
  if (tasks.length === 0) failures.push({ finding: "There is no task.", stage: "tasks" });
  warnings.push(
    ...rules
      .map(carriersOf)
      .filter((rule) => rule.components.length + rule.tasks.length === 0)
      .map(({ id }): CoverageFinding => ({ finding: `${id} is named by no component and no task.`, stage: "design" })),
    ...tasks
      .filter(({ covers }) => covers.length === 0)
      .map(({ id }): CoverageFinding => ({ finding: `${id} names no requirement.`, stage: "tasks" })),
    ...components.flatMap(({ name, carries }): CoverageFinding[] => {
      if (carries.length === 0) return [{ finding: `The component ${name} names no requirement.`, stage: "design" }];
      const finding = `The component ${name} carries ${carries.length} requirements and rules: it is likely several.`;
      return carries.length > MAX_ITEMS_PER_COMPONENT ? [{ finding, stage: "design" }] : [];
    }),
    ...waived.map(({ dimension, reason }): CoverageFinding => ({
      finding: `${dimension} was waived: ${reason}`,
      stage: "clarify",
    })),
  );
  const verdict = failures.length > 0 ? "FAIL" : warnings.length > 0 ? "PASS_WITH_WARNINGS" : "PASS";
  return { coverage, failures, warnings, verdict };
}

type CoverageLookup = (id: string) => RequirementCoverage;

function createCoverageLookup(components: readonly ProjectComponent[], tasks: readonly PlannedTask[]): CoverageLookup {
  const carrying = groupNamesById(components.map(({ name, carries }) => [name, carries]));
  const covering = groupNamesById(tasks.map(({ id, covers }) => [id, covers]));
  return (id) => ({ id, components: carrying.get(id) ?? [], tasks: covering.get(id) ?? [] });
}

function groupNamesById(named: readonly (readonly [name: string, ids: readonly string[]])[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name, ids] of named) {
    for (const id of ids) {
      const names = found.get(id);
      if (names) names.push(name);
      else found.set(id, [name]);
    }
  }
  return found;
}

function reportCoverageGaps(
  { id, components, tasks }: RequirementCoverage,
  missing: CoverageFinding[],
  warnings: CoverageFinding[],
): void {
  if (components.length === 0)
    missing.push({ finding: `${id} is carried by no component of the design.`, stage: "design" });
  if (tasks.length === 0) missing.push({ finding: `${id} is covered by no task.`, stage: "tasks" });
  if (components.length >= SCATTERED_COMPONENT_COUNT) {
    const finding = `${id} is spread over ${components.length} components: ${components.join(", ")}.`;
    warnings.push({ finding, stage: "design" });
  }
}

/** A verdict may be stricter than the facts. A milder one needs a reason. */
export const isMilderVerdict = (said: ProjectVerdict, facts: ProjectVerdict): boolean =>
  PROJECT_VERDICTS.indexOf(said) < PROJECT_VERDICTS.indexOf(facts);
