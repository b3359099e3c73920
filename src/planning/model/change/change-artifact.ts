import {
  findMisspelledIds,
  findUnknownIds,
  findIdDefinitions,
  findForeignDecisions,
  type IdFamily,
  findIdMentions,
} from "#kernel/model/document/id-references.ts";
import {
  parseHeadings,
  type ProseLine,
  parseProseLines,
  findHeading,
  findHeadingProblems,
  selectSectionOrAll,
} from "#kernel/model/document/markdown-document.ts";
import { parseTaskList, findTaskProblems } from "#kernel/model/document/document-tasks.ts";
import { type Problem, type Verdict, createVerdict } from "#kernel/model/verdict.ts";
import { listRenameTargets } from "../living-spec/item-outline.ts";
import type { ChangeStage } from "#kernel/model/stages/change-stages.ts";

/** Each heading needs text under it. The stage guides list the same headings. */
export const CHANGE_ARTIFACT_HEADINGS: Readonly<Record<ChangeStage, readonly string[]>> = {
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

export interface ArtifactReferences {
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

export function checkChangeArtifact(stage: ChangeStage, content: string, around: ArtifactReferences): Verdict {
  const lines = parseProseLines(content);
  const required = around.headings ?? CHANGE_ARTIFACT_HEADINGS[stage];
  return createVerdict([
    ...findHeadingProblems(parseHeadings(lines), required),
    ...(stage === "spec" ? findSpecProblems(lines) : []),
    ...(stage === "tasks" ? findTaskListProblems(lines) : []),
    ...(stage === "verify" ? findVerificationProblems(lines, around.tasks) : []),
    ...findUnfilledGuideLines(lines, around.blanks ?? []),
    ...findUnknownReferences(stage, lines, around, listRenameTargets(stage === "spec" ? content : (around.spec ?? ""))),
  ]);
}

function findSpecProblems(lines: readonly ProseLine[]): Problem[] {
  const part = selectRequirementsSection(lines);
  const defined = findIdDefinitions(part, "requirement");
  if (defined.length === 0 && findIdDefinitions(part, "rule").length === 0) {
    return [{ problem: "No requirement has an id: begin each with FR-001, or NFR-001 for a quality." }];
  }
  // If the project renames the heading, a definition looks the same as a mention.
  if (!findHeading(lines, "Requirements")) return [];
  const seen = new Map<string, number>();
  return defined.flatMap(({ id, line }): Problem[] => {
    const first = seen.get(id);
    seen.set(id, first ?? line);
    return first ? [{ problem: `${id} is defined twice, first on line ${first}.`, line }] : [];
  });
}

const selectRequirementsSection = (lines: readonly ProseLine[]): readonly ProseLine[] =>
  selectSectionOrAll(lines, "Requirements");

function findTaskListProblems(lines: readonly ProseLine[]): Problem[] {
  const tasks = parseTaskList(lines);
  if (tasks.length === 0) return [{ problem: "No task has an id: begin each with TASK-001, TASK-002 and so on." }];
  return findTaskProblems(tasks);
}

function findVerificationProblems(lines: readonly ProseLine[], tasks: string | undefined): Problem[] {
  const named = new Set(findIdMentions(lines, "task").map((reference) => reference.id));
  const missing = parseTaskList(parseProseLines(tasks ?? "")).filter((task) => !named.has(task.id));
  return missing.map((task) => ({ problem: `${task.id} is not mentioned: say how it was verified.` }));
}

function findUnknownReferences(
  stage: ChangeStage,
  lines: readonly ProseLine[],
  around: ArtifactReferences,
  renamed: readonly string[],
): Problem[] {
  const requirements = [around.requirements, around.spec].flatMap((text) =>
    listArtifactDefinedIds(text, "requirement"),
  );
  const rules = [around.rules, around.spec].flatMap((text) => listArtifactDefinedIds(text, "rule"));
  const told = around.told ?? [];
  const own = (family: IdFamily): string[] =>
    stage === "spec"
      ? findIdDefinitions(selectRequirementsSection(lines), family).map((reference) => reference.id)
      : [];
  return [
    ...findUnknownIds(lines, "requirement", [...requirements, ...own("requirement"), ...renamed, ...told]),
    ...findUnknownIds(lines, "rule", [...rules, ...own("rule"), ...renamed, ...told]),
    ...findUnknownIds(lines, "task", [
      ...(stage === "tasks" ? listTaskAndDependencyIds(lines) : listArtifactDefinedIds(around.tasks, "task")),
      ...told,
    ]),
    ...findUnknownIds(lines, "adr", [...around.adrs, ...told]),
    ...findForeignDecisions(lines)
      .filter(({ id }) => around.isAdr?.(id) === false)
      .map(({ id, line }) => ({ problem: `${id} refers to nothing: that change has no such decision.`, line })),
    ...findMisspelledIds(lines),
  ];
}

function findUnfilledGuideLines(lines: readonly ProseLine[], blanks: readonly string[]): Problem[] {
  const left = new Set(blanks);
  return lines.flatMap(({ text, number }): Problem[] =>
    left.has(text.trim()) ? [{ problem: "The guide's line is still to be filled in.", line: number }] : [],
  );
}

/** Includes dependencies: `findTaskProblems` already reports an unknown dependency. */
function listTaskAndDependencyIds(lines: readonly ProseLine[]): string[] {
  return parseTaskList(lines).flatMap((task) => [task.id, ...task.dependsOn]);
}

function listArtifactDefinedIds(text: string | undefined, family: IdFamily): string[] {
  return text === undefined ? [] : findIdDefinitions(parseProseLines(text), family).map((reference) => reference.id);
}
