import { conflictMarks } from "../document/conflict.ts";
import { type Defined, definedItems } from "../document/defined.ts";
import { misspelledIds, unknownIds } from "../document/phantom.ts";
import { headings, proseLines } from "../document/prose.ts";
import { definitions, numberedAs } from "../document/reference.ts";
import { headingProblems, linesOutside, sectionText } from "../document/section.ts";
import { taskProblems } from "../document/tasks.ts";
import type { Problem } from "../gate/verdict.ts";
import { constraintProblems, constraintsIn, termsIn } from "./business-rules.ts";
import { parseComponents } from "./components.ts";
import type { WrittenStage } from "./flow.ts";
import { isNothing, type Item, splitItems } from "./items.ts";
import { tasksIn } from "./plan.ts";
import { HEADINGS } from "./place.ts";
import { parseRequirements } from "./requirements.ts";

const REQUIRED: Readonly<Record<WrittenStage, readonly string[]>> = {
  propose: ["Problem statement", "Target users", "Proposed solution", "Out of scope", "Success criteria"],
  specify: [HEADINGS.must, HEADINGS.should, HEADINGS.qualities],
  "business-rules": ["Definitions", "Facts", HEADINGS.constraints],
  clarify: [],
  design: ["Architecture overview", "Tech stack", "Components", "Data model"],
  tasks: ["Tasks"],
  validate: [],
};

export interface Neighbours {
  readonly requirements?: string | undefined;
  readonly rules?: string | undefined;
  readonly tasks?: string | undefined;
  readonly adrs: readonly string[];
}

export function checkDocument(stage: WrittenStage, text: string, around: Neighbours): Problem[] {
  const marks = conflictMarks(proseLines(text));
  if (marks.length > 0) return marks;
  return [
    ...headingProblems(headings(proseLines(text)), REQUIRED[stage]),
    ...(stage === "specify" ? requirementProblems(text) : []),
    ...(stage === "business-rules" ? ruleProblems(text) : []),
    ...(stage === "design" && parseComponents(text).length === 0
      ? [{ problem: 'No component is named: give each a heading "### Name", with the ids it carries below.' }]
      : []),
    ...(stage === "tasks" ? planProblems(text) : []),
    ...referenceProblems(stage, text, around),
  ];
}

/** The only check for documents that were not written by the project pipeline. */
export function referenceProblems(stage: WrittenStage, text: string, around: Neighbours): Problem[] {
  const lines = proseLines(text);
  const requirements = stage === "specify" ? text : (around.requirements ?? "");
  const rules = stage === "business-rules" ? text : (around.rules ?? "");
  const tasks = stage === "tasks" ? text : (around.tasks ?? "");
  return [
    ...unknownIds(lines, "requirement", requirementIds(requirements)),
    ...unknownIds(lines, "rule", ruleIds(rules)),
    ...unknownIds(lines, "task", stage === "tasks" ? named(tasks) : taskIds(tasks)),
    ...unknownIds(lines, "adr", around.adrs),
    ...misspelledIds(lines),
  ];
}

const BESIDE = {
  requirement: ["Constraints", "Assumptions", "Dependencies"],
  rule: ["Definitions", "Facts", "Derivations", "Glossary"],
} as const;

/** Includes removed items. */
export const requirementIds = (text: string): string[] => idsDefined(text, "requirement", BESIDE.requirement);
export const ruleIds = (text: string): string[] => idsDefined(text, "rule", BESIDE.rule);

/** Excludes removed items and "Won't have". */
export const liveRequirements = (text: string): Defined[] =>
  definedItems(text, "requirement", [...BESIDE.requirement, "Removed", "Won't have"]);
export const liveRules = (text: string): Defined[] => definedItems(text, "rule", [...BESIDE.rule, "Removed"]);

const idsDefined = (text: string, family: "requirement" | "rule", beside: readonly string[]): string[] =>
  definitions(linesOutside(proseLines(text), beside), family).map(({ id }) => id);

/** Copied along whenever the document is rewritten. */
export const removedPart = (text: string): string => sectionText(text, HEADINGS.removed) ?? "";

export const removedIds = (text: string): string[] =>
  splitItems(removedPart(text)).flatMap(({ id }) => (id === undefined ? [] : [id]));

function requirementProblems(text: string): Problem[] {
  const found = parseRequirements(text);
  if (found.length === 0 && !saysNone(text, "Must have")) return [{ problem: "No requirement has an id." }];
  return [...twice(found), ...givenAgain(found, text), ...unlisted(requirementIds(text), found, text)];
}

function ruleProblems(text: string): Problem[] {
  const constraints = constraintsIn(text);
  return [
    ...(termsIn(text).length === 0
      ? [{ problem: 'No term is defined: write one a line, "- **Term**: what it means".' }]
      : []),
    ...(constraints.length === 0 && !saysNone(text, "Constraints") ? [{ problem: "No constraint has an id." }] : []),
    ...twice(constraints),
    ...givenAgain(constraints, text),
    ...unlisted(ruleIds(text), constraints, text),
    ...constraintProblems(constraints),
  ];
}

function planProblems(text: string): Problem[] {
  const tasks = tasksIn(text);
  if (tasks.length === 0) return [{ problem: "No task has an id: begin each with TASK-001, TASK-002 and so on." }];
  return taskProblems(tasks);
}

function twice(items: readonly Item[]): Problem[] {
  return [...Map.groupBy(items, ({ id }) => numberedAs(id)).values()]
    .filter((same) => same.length > 1)
    .map((same) => {
      const spellings = [...new Set(same.map(({ id }) => id))];
      return { problem: `${spellings.join(" (also spelled ")}${")".repeat(spellings.length - 1)} is defined twice.` };
    });
}

function givenAgain(items: readonly Item[], text: string): Problem[] {
  const removed = new Set(removedIds(text));
  return items
    .filter(({ id }) => removed.has(id))
    .map(({ id }) => ({ problem: `${id} was removed: an id is never given again.` }));
}

/** Ignores block quotes, which explain the list. */
function saysNone(text: string, name: string): boolean {
  const lines = (sectionText(text, name) ?? "").split("\n").filter((line) => !line.startsWith(">"));
  return isNothing(lines.join("\n"));
}

/** An id outside a list would be known but not counted for coverage. */
function unlisted(ids: readonly string[], items: readonly Item[], text: string): Problem[] {
  const counted = new Set([...items.map(({ id }) => id), ...removedIds(text)]);
  return [...new Set(ids)]
    .filter((id) => !counted.has(id))
    .map((id) => ({ problem: `${id} is no item of a list: begin a line at the margin with "- **${id}**: …".` }));
}

const taskIds = (text: string): string[] => tasksIn(text).map(({ id }) => id);

/** Includes dependencies: `findTaskProblems` already reports an unknown dependency. */
const named = (text: string): string[] => tasksIn(text).flatMap(({ id, dependsOn }) => [id, ...dependsOn]);
