import { misspelledIds, unknownIds } from "../document/phantom.ts";
import { headings, type Line, proseLines } from "../document/prose.ts";
import { definitions, elsewhere, type Family, mentions } from "../document/reference.ts";
import { headingNamed, headingProblems, partNamed } from "../document/section.ts";
import { parseTasks, taskProblems } from "../document/tasks.ts";
import { type Problem, type Verdict, verdict } from "../gate/verdict.ts";
import { renameTargets } from "../spec/delta.ts";
import type { ChangeStage } from "./flows.ts";

/** Each heading needs text under it. The stage guides list the same headings. */
export const REQUIRED_HEADINGS: Readonly<Record<ChangeStage, readonly string[]>> = {
  describe: [],
  propose: ["Problem", "Solution", "Out of scope", "Success criteria"],
  scope: ["In scope", "Out of scope"],
  "context-check": ["Findings", "Impact"],
  spec: ["Requirements", "Acceptance criteria"],
  clarify: ["Questions"],
  design: ["Approach", "Components"],
  tasks: [],
  verify: ["Evidence"],
};

export interface Surroundings {
  readonly requirements?: string | undefined;
  readonly rules?: string | undefined;
  readonly spec?: string | undefined;
  readonly tasks?: string | undefined;
  readonly adrs: readonly string[];
  /** Whether `other-change/ADR-001` exists. */
  readonly isAdr?: ((reference: string) => boolean) | undefined;
  readonly blanks?: readonly string[] | undefined;
  /** Ids that the context check already reported as unknown. An answer to the check has to name them. */
  readonly told?: readonly string[] | undefined;
  /** Headings configured by the project. They replace the built-in ones. */
  readonly headings?: readonly string[] | undefined;
}

export function checkArtifact(stage: ChangeStage, content: string, around: Surroundings): Verdict {
  const lines = proseLines(content);
  const required = around.headings ?? REQUIRED_HEADINGS[stage];
  return verdict([
    ...headingProblems(headings(lines), required),
    ...(stage === "spec" ? specProblems(lines) : []),
    ...(stage === "tasks" ? tasksProblems(lines) : []),
    ...(stage === "verify" ? verifyProblems(lines, around.tasks) : []),
    ...unfilled(lines, around.blanks ?? []),
    ...phantoms(stage, lines, around, renameTargets(stage === "spec" ? content : (around.spec ?? ""))),
  ]);
}

function specProblems(lines: readonly Line[]): Problem[] {
  const part = requirementsPart(lines);
  const defined = definitions(part, "requirement");
  if (defined.length === 0 && definitions(part, "rule").length === 0) {
    return [{ problem: "No requirement has an id: begin each with FR-001, or NFR-001 for a quality." }];
  }
  // If the project renames the heading, a definition looks the same as a mention.
  if (!headingNamed(lines, "Requirements")) return [];
  const seen = new Map<string, number>();
  return defined.flatMap(({ id, line }): Problem[] => {
    const first = seen.get(id);
    seen.set(id, first ?? line);
    return first ? [{ problem: `${id} is defined twice, first on line ${first}.`, line }] : [];
  });
}

const requirementsPart = (lines: readonly Line[]): readonly Line[] => partNamed(lines, "Requirements");

function tasksProblems(lines: readonly Line[]): Problem[] {
  const tasks = parseTasks(lines);
  if (tasks.length === 0) return [{ problem: "No task has an id: begin each with TASK-001, TASK-002 and so on." }];
  return taskProblems(tasks);
}

function verifyProblems(lines: readonly Line[], tasks: string | undefined): Problem[] {
  const named = new Set(mentions(lines, "task").map((reference) => reference.id));
  const missing = parseTasks(proseLines(tasks ?? "")).filter((task) => !named.has(task.id));
  return missing.map((task) => ({ problem: `${task.id} is not mentioned: say how it was verified.` }));
}

function phantoms(
  stage: ChangeStage,
  lines: readonly Line[],
  around: Surroundings,
  renamed: readonly string[],
): Problem[] {
  const requirements = [around.requirements, around.spec].flatMap((text) => idsIn(text, "requirement"));
  const rules = [around.rules, around.spec].flatMap((text) => idsIn(text, "rule"));
  const told = around.told ?? [];
  const own = (family: Family): string[] =>
    stage === "spec" ? definitions(requirementsPart(lines), family).map((reference) => reference.id) : [];
  return [
    ...unknownIds(lines, "requirement", [...requirements, ...own("requirement"), ...renamed, ...told]),
    ...unknownIds(lines, "rule", [...rules, ...own("rule"), ...renamed, ...told]),
    ...unknownIds(lines, "task", [...(stage === "tasks" ? ownTasks(lines) : idsIn(around.tasks, "task")), ...told]),
    ...unknownIds(lines, "adr", [...around.adrs, ...told]),
    ...elsewhere(lines)
      .filter(({ id }) => around.isAdr?.(id) === false)
      .map(({ id, line }) => ({ problem: `${id} refers to nothing: that change has no such decision.`, line })),
    ...misspelledIds(lines),
  ];
}

function unfilled(lines: readonly Line[], blanks: readonly string[]): Problem[] {
  const left = new Set(blanks);
  return lines.flatMap(({ text, number }): Problem[] =>
    left.has(text.trim()) ? [{ problem: "The guide's line is still to be filled in.", line: number }] : [],
  );
}

/** Includes dependencies: `findTaskProblems` already reports an unknown dependency. */
function ownTasks(lines: readonly Line[]): string[] {
  return parseTasks(lines).flatMap((task) => [task.id, ...task.dependsOn]);
}

function idsIn(text: string | undefined, family: Family): string[] {
  return text === undefined ? [] : definitions(proseLines(text), family).map((reference) => reference.id);
}
