import {
  findConflictMarkers,
  parseHeadings,
  parseProseLines,
  findHeadingProblems,
  excludeSections,
  extractSectionText,
} from "#kernel/model/document/markdown-document.ts";
import {
  type DefinedItem,
  parseDefinedItems,
  findMisspelledIds,
  findUnknownIds,
  findIdDefinitions,
  normalizeIdNumber,
} from "#kernel/model/document/id-references.ts";
import { findTaskProblems } from "#kernel/model/document/document-tasks.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import {
  findConstraintProblems,
  parseConstraintItems,
  listDefinedTerms,
  parseRequirementItems,
} from "./requirement-items.ts";
import { parseDesignComponents, parsePlanTasks } from "./design-coverage.ts";
import type { ProjectDocumentStage } from "#kernel/model/stages/project-stages.ts";
import { isEmptyListText, type NumberedItem, splitListItems, REQUIREMENT_LIST_HEADINGS } from "./requirement-lists.ts";

const PROJECT_DOCUMENT_HEADINGS: Readonly<Record<ProjectDocumentStage, readonly string[]>> = {
  propose: ["Problem statement", "Target users", "Proposed solution", "Out of scope", "Success criteria"],
  specify: [REQUIREMENT_LIST_HEADINGS.must, REQUIREMENT_LIST_HEADINGS.should, REQUIREMENT_LIST_HEADINGS.qualities],
  "business-rules": ["Definitions", "Facts", REQUIREMENT_LIST_HEADINGS.constraints],
  clarify: [],
  design: ["Architecture overview", "Tech stack", "Components", "Data model"],
  tasks: ["Tasks"],
  validate: [],
};

export interface DocumentReferences {
  readonly requirements?: string | undefined;
  readonly rules?: string | undefined;
  readonly tasks?: string | undefined;
  readonly adrs: readonly string[];
}

export function checkProjectDocument(stage: ProjectDocumentStage, text: string, around: DocumentReferences): Problem[] {
  const marks = findConflictMarkers(parseProseLines(text));
  if (marks.length > 0) return marks;
  return [
    ...findHeadingProblems(parseHeadings(parseProseLines(text)), PROJECT_DOCUMENT_HEADINGS[stage]),
    ...(STAGE_CHECKS[stage]?.(text) ?? []),
    ...findReferenceProblems(stage, text, around),
  ];
}

/** The only check for documents that were not written by the project pipeline. */
export function findReferenceProblems(
  stage: ProjectDocumentStage,
  text: string,
  around: DocumentReferences,
): Problem[] {
  const lines = parseProseLines(text);
  const requirements = listRequirementIds(stage === "specify" ? text : (around.requirements ?? ""));
  const rules = listRuleIds(stage === "business-rules" ? text : (around.rules ?? ""));
  const planned = parsePlanTasks(stage === "tasks" ? text : (around.tasks ?? ""));
  // In the plan itself, `findTaskProblems` already reports an unknown dependency.
  const tasks = planned.flatMap(({ id, dependsOn }) => (stage === "tasks" ? [id, ...dependsOn] : [id]));
  return [
    ...findUnknownIds(lines, "requirement", requirements),
    ...findUnknownIds(lines, "rule", rules),
    ...findUnknownIds(lines, "task", tasks),
    ...findUnknownIds(lines, "adr", around.adrs),
    ...findMisspelledIds(lines),
  ];
}

const MENTION_ONLY_HEADINGS = {
  requirement: ["Constraints", "Assumptions", "Dependencies"],
  rule: ["Definitions", "Facts", "Derivations", "Glossary"],
} as const;

/** Includes removed items. */
export const listRequirementIds = (text: string): string[] => listIdsOutsideHeadings(text, "requirement");
export const listRuleIds = (text: string): string[] => listIdsOutsideHeadings(text, "rule");

/** Excludes removed items and "Won't have". */
export const listLiveRequirements = (text: string): DefinedItem[] =>
  parseDefinedItems(text, "requirement", [...MENTION_ONLY_HEADINGS.requirement, "Removed", "Won't have"]);
export const listLiveRules = (text: string): DefinedItem[] =>
  parseDefinedItems(text, "rule", [...MENTION_ONLY_HEADINGS.rule, "Removed"]);

function listIdsOutsideHeadings(text: string, family: "requirement" | "rule"): string[] {
  const lines = excludeSections(parseProseLines(text), MENTION_ONLY_HEADINGS[family]);
  return findIdDefinitions(lines, family).map(({ id }) => id);
}

/** Copied along whenever the document is rewritten. */
export const extractRemovedSection = (text: string): string =>
  extractSectionText(text, REQUIREMENT_LIST_HEADINGS.removed) ?? "";

export const listRemovedIds = (text: string): string[] =>
  splitListItems(extractRemovedSection(text)).flatMap(({ id }) => (id === undefined ? [] : [id]));

const NO_TERM = { problem: 'No term is defined: write one per line, "- **Term**: what it means".' };
const NO_CONSTRAINT_ID = { problem: "No constraint has an id." };
const NO_COMPONENT = {
  problem: 'No component is named: give each a heading "### Name", with its ids below.',
};
const NO_TASK_ID = { problem: "No task has an id: start each with TASK-001, TASK-002 and so on." };

const STAGE_CHECKS: Readonly<Partial<Record<ProjectDocumentStage, (text: string) => Problem[]>>> = {
  specify(text) {
    const found = parseRequirementItems(text);
    if (found.length === 0 && !isSectionMarkedEmpty(text, "Must have"))
      return [{ problem: "No requirement has an id." }];
    return findItemIdProblems(found, listRequirementIds(text), text);
  },
  "business-rules"(text) {
    const constraints = parseConstraintItems(text);
    return [
      ...(listDefinedTerms(text).length === 0 ? [NO_TERM] : []),
      ...(constraints.length === 0 && !isSectionMarkedEmpty(text, "Constraints") ? [NO_CONSTRAINT_ID] : []),
      ...findItemIdProblems(constraints, listRuleIds(text), text),
      ...findConstraintProblems(constraints),
    ];
  },
  design: (text) => (parseDesignComponents(text).length === 0 ? [NO_COMPONENT] : []),
  tasks(text) {
    const tasks = parsePlanTasks(text);
    return tasks.length === 0 ? [NO_TASK_ID] : findTaskProblems(tasks);
  },
};

/** Reports ids that are defined twice, were removed, or are outside a list, where coverage would not count them. */
function findItemIdProblems(items: readonly NumberedItem[], ids: readonly string[], text: string): Problem[] {
  const removed = new Set(listRemovedIds(text));
  const listed = new Set(items.map(({ id }) => id));
  const twice = [...Map.groupBy(items, ({ id }) => normalizeIdNumber(id)).values()].filter((same) => same.length > 1);
  return [
    ...twice.map((same) => {
      const spellings = [...new Set(same.map(({ id }) => id))];
      return `${spellings.join(" (also spelled ")}${")".repeat(spellings.length - 1)} is defined twice.`;
    }),
    ...items.filter(({ id }) => removed.has(id)).map(({ id }) => `${id} was removed: never reuse an id.`),
    ...[...new Set(ids)]
      .filter((id) => !listed.has(id) && !removed.has(id))
      .map((id) => `${id} is not a list item: start an unindented line with "- **${id}**: …".`),
  ].map((problem) => ({ problem }));
}

/** Ignores block quotes, which explain the list. */
const isSectionMarkedEmpty = (text: string, name: string): boolean =>
  isEmptyListText((extractSectionText(text, name) ?? "").replace(/^>.*$/gm, ""));
