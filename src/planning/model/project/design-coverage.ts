import {
  parseHeadings,
  type ProseLine,
  parseProseLines,
  groupLinesByStart,
  findSectionLines,
} from "#kernel/model/document/markdown-document.ts";
import { listCoveredIds } from "#kernel/model/document/id-references.ts";
import { parseTaskList, type DocumentTask } from "#kernel/model/document/document-tasks.ts";
import type { ProjectVerdict, ProjectDocumentStage } from "#kernel/model/stages/project-stages.ts";
import { PROJECT_VERDICTS } from "#kernel/model/stages/project-stages.ts";
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
  const starts = below.length > 0 ? below.filter(({ level }) => level === top) : parseListedComponents(inside);
  const lines = starts.map(({ line }) => line);
  return groupLinesByStart(inside, lines).map((part, i) => ({
    name: (starts[i]?.text ?? "")
      .replace(/^[\d.)\s]+/, "")
      .replace(/[*_`]/g, "")
      .replace(/\s{0,4}[:(–—].*$/, "")
      .trim(),
    carries: listRequirementAndRuleIds(part),
  }));
}

export const listRequirementAndRuleIds = (lines: readonly ProseLine[]): string[] =>
  listCoveredIds(lines, "requirement", "rule");

const parseListedComponents = (lines: readonly ProseLine[]) =>
  lines.flatMap(({ text, number: line }) => {
    const match = /^(?:[-*+]|\d{1,4}[.)])\s+(?:[*_`]{1,3}([^*_`]{1,120})[*_`]{1,3}|([^:(–—]{1,120}))/.exec(text);
    const name = (match?.[1] ?? match?.[2])?.trim();
    return name ? [{ text: name, line }] : [];
  });

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
  const waves = Map.groupBy(tasks, ({ wave }) => wave);
  return Array.from({ length: Math.max(0, ...waves.keys()) }, (_, i) => (waves.get(i + 1) ?? []).map(({ id }) => id));
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

export interface CoverageFinding {
  readonly finding: string;
  readonly stage: ProjectDocumentStage;
}

export type CoverageFacts = ReturnType<typeof deriveCoverageFacts>;

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

export function deriveCoverageFacts({ requirements, rules, components, tasks, broken, waived }: CoverageInput) {
  const failures: CoverageFinding[] = [...broken];
  const warnings: CoverageFinding[] = [];
  const fail = (finding: string, stage: ProjectDocumentStage): void => void failures.push({ finding, stage });
  const warn = (finding: string, stage: ProjectDocumentStage): void => void warnings.push({ finding, stage });
  const findCarriers = createCoverageLookup(components, tasks);
  const coverage = requirements
    .filter(({ priority }) => priority !== "wont")
    .map(({ id, priority }) => {
      const found = findCarriers(id);
      // An uncovered "must" requirement fails the project; "should" and "could" only warn.
      const report = priority === "must" ? fail : warn;
      if (found.components.length === 0) report(formatCoverageGap(id, "design"), "design");
      if (found.tasks.length === 0) report(formatCoverageGap(id, "tasks"), "tasks");
      if (found.components.length >= SCATTERED_COMPONENT_COUNT)
        warn(`${id} is spread over ${found.components.length} components: ${found.components.join(", ")}.`, "design");
      return found;
    });
  if (components.length === 0) fail("The design names no component.", "design");
  if (tasks.length === 0) fail("The plan has no task.", "tasks");
  for (const rule of rules.map(findCarriers))
    if (rule.components.length + rule.tasks.length === 0)
      warn(`${rule.id} is not named by a component or a task.`, "design");
  for (const { id, covers } of tasks) if (covers.length === 0) warn(`${id} names no requirement.`, "tasks");
  for (const { name, carries } of components) {
    if (carries.length === 0) warn(`The component ${name} names no requirement.`, "design");
    if (carries.length > MAX_ITEMS_PER_COMPONENT)
      warn(`The component ${name} carries ${carries.length} requirements and rules: consider splitting it.`, "design");
  }
  for (const { dimension, reason } of waived) warn(`${dimension} was waived: ${reason}`, "clarify");
  const verdict: ProjectVerdict = failures.length > 0 ? "FAIL" : warnings.length > 0 ? "PASS_WITH_WARNINGS" : "PASS";
  return { coverage, failures, warnings, verdict };
}

/** Must-haves that the named ids leave out, in the words of the validation. */
export const describeUncoveredMusts = (
  requirements: readonly PrioritizedRequirement[],
  stage: "design" | "tasks",
  named: readonly string[],
): string[] =>
  requirements
    .filter(({ id, priority }) => priority === "must" && !named.includes(id))
    .map(({ id }) => formatCoverageGap(id, stage));

export const formatCoverageGap = (id: string, stage: "design" | "tasks"): string =>
  stage === "design" ? `${id} is not in any component of the design.` : `${id} is not covered by any task.`;

function createCoverageLookup(components: readonly ProjectComponent[], tasks: readonly PlannedTask[]) {
  const carriers = components.flatMap(({ name, carries }) => carries.map((id) => ({ id, name })));
  const coverers = tasks.flatMap(({ id: name, covers }) => covers.map((id) => ({ id, name })));
  const [carrying, covering] = [carriers, coverers].map((named) => Map.groupBy(named, ({ id }) => id));
  return (id: string) => ({
    id,
    components: carrying?.get(id)?.map(({ name }) => name) ?? [],
    tasks: covering?.get(id)?.map(({ name }) => name) ?? [],
  });
}

/** A verdict may be stricter than the facts. A milder one needs a reason. */
export const isMilderVerdict = (said: ProjectVerdict, facts: ProjectVerdict): boolean =>
  PROJECT_VERDICTS.indexOf(said) < PROJECT_VERDICTS.indexOf(facts);
