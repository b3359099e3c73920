import {
  findMisspelledIds,
  findUnknownIds,
  findIdDefinitions,
  findForeignDecisions,
  type IdFamily,
  listDefinedIds,
  listMentionedIds,
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
    ...findUnfilledGuideLines(lines, around.blanks),
    ...findUnknownReferences(stage, lines, around, listRenameTargets(stage === "spec" ? content : (around.spec ?? ""))),
  ]);
}

function findSpecProblems(lines: readonly ProseLine[]): Problem[] {
  const part = selectSectionOrAll(lines, "Requirements");
  const defined = findIdDefinitions(part, "requirement");
  if (defined.length === 0 && findIdDefinitions(part, "rule").length === 0) {
    return [{ problem: "No requirement has an id: begin each with FR-001, or NFR-001 for a quality." }];
  }
  // If the project renames the heading, a definition looks the same as a mention.
  if (!findHeading(lines, "Requirements")) return [];
  return [...Map.groupBy(defined, ({ id }) => id).values()].flatMap(([first, ...others]) =>
    others.map(({ id, line }) => ({ problem: `${id} is defined twice, first on line ${first?.line}.`, line })),
  );
}

function findTaskListProblems(lines: readonly ProseLine[]): Problem[] {
  const tasks = parseTaskList(lines);
  if (tasks.length === 0) return [{ problem: "No task has an id: begin each with TASK-001, TASK-002 and so on." }];
  return findTaskProblems(tasks);
}

function findVerificationProblems(lines: readonly ProseLine[], tasks = ""): Problem[] {
  const named = new Set(listMentionedIds(lines, "task"));
  return parseTaskList(parseProseLines(tasks))
    .filter(({ id }) => !named.has(id))
    .map(({ id }) => ({ problem: `${id} is not mentioned: say how it was verified.` }));
}

function findUnknownReferences(
  stage: ChangeStage,
  lines: readonly ProseLine[],
  around: ArtifactReferences,
  renamed: readonly string[],
): Problem[] {
  const { requirements = "", rules = "", spec = "", tasks = "", told = [] } = around;
  const own = stage === "spec" ? selectSectionOrAll(lines, "Requirements") : parseProseLines(spec);
  const listOwn = (family: IdFamily): string[] => findIdDefinitions(own, family).map(({ id }) => id);
  // Includes dependencies: `findTaskProblems` already reports an unknown dependency.
  const planned =
    stage === "tasks"
      ? parseTaskList(lines).flatMap(({ id, dependsOn }) => [id, ...dependsOn])
      : listDefinedIds(tasks, "task");
  const known: Readonly<Record<IdFamily, readonly string[]>> = {
    requirement: [...listDefinedIds(requirements, "requirement"), ...listOwn("requirement"), ...renamed],
    rule: [...listDefinedIds(rules, "rule"), ...listOwn("rule"), ...renamed],
    task: planned,
    adr: around.adrs,
  };
  return [
    ...(Object.keys(known) as IdFamily[]).flatMap((family) =>
      findUnknownIds(lines, family, [...known[family], ...told]),
    ),
    ...findForeignDecisions(lines)
      .filter(({ id }) => around.isAdr?.(id) === false)
      .map(({ id, line }) => ({ problem: `${id} refers to nothing: that change has no such decision.`, line })),
    ...findMisspelledIds(lines),
  ];
}

function findUnfilledGuideLines(lines: readonly ProseLine[], blanks: readonly string[] = []): Problem[] {
  return lines
    .filter(({ text }) => blanks.includes(text.trim()))
    .map(({ number }) => ({ problem: "The guide's line is still to be filled in.", line: number }));
}
