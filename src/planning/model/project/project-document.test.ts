import { expect, test } from "vitest";
import {
  checkProjectDocument,
  type DocumentReferences,
  listRemovedIds,
  extractRemovedSection,
  listRequirementIds,
  listRuleIds,
} from "./project-document.ts";
import type { ProjectDocumentStage } from "#kernel/model/stages/project-stages.ts";

const REQUIREMENTS = `## Must have

- **FR-001**: a

## Should have

- **FR-002**: b

## Non-functional requirements

- **NFR-001**: c

## Assumptions

Nothing.

## Removed

- **FR-003**: gone
`;
const RULES = `## Definitions

- **Tide**: water

## Facts

One Harbour, many Gates.

## Constraints

- **BR-001**: When a, then b.

## Removed

- **BR-002**: When c, then d.
`;
const TASKS = "## Tasks\n\n### TASK-001: x\n\nFR-001\n\n## Acceptance criteria\n\n- TASK-001 is done\n";
const DESIGN =
  "## Architecture overview\n\nx\n\n## Tech stack\n\nx\n\n## Components\n\n### A\n\nFR-001\n\n## Data model\n\nx\n";
const PROPOSAL = ["Problem statement", "Target users", "Proposed solution", "Out of scope", "Success criteria"]
  .map((name) => `## ${name}\n\nx\n`)
  .join("\n");
const TEXTS: Readonly<Record<ProjectDocumentStage, string>> = {
  propose: PROPOSAL,
  specify: REQUIREMENTS,
  "business-rules": RULES,
  clarify: "x",
  design: DESIGN,
  tasks: TASKS,
  validate: "x",
};
const AROUND: DocumentReferences = { requirements: REQUIREMENTS, rules: RULES, tasks: TASKS, adrs: ["ADR-001"] };
const told = (stage: ProjectDocumentStage, text: string, around = AROUND) =>
  checkProjectDocument(stage, text, around).map(({ problem }) => problem);
const nothing = (id: string, noun: string) => `${id} refers to nothing: no ${noun} has that id.`;

test.each(Object.entries(TEXTS) as [ProjectDocumentStage, string][])(
  "accepts a sound document of %s",
  (stage, text) => {
    expect(told(stage, text)).toEqual([]);
  },
);

test.each(Object.entries(TEXTS) as [ProjectDocumentStage, string][])("reports unknown ids in %s", (stage, text) => {
  const last = `${text}\n\nSee FR-001, FR-003, BR-001, BR-002, ADR-001, FR-099, BR-099, TASK-099, ADR-099, FR-9.\n`;
  expect(told(stage, last)).toEqual([
    nothing("FR-099", "requirement"),
    nothing("BR-099", "business rule"),
    nothing("TASK-099", "task"),
    nothing("ADR-099", "decision"),
    "FR-9 is not an id: write FR-009.",
  ]);
});

test.each<[ProjectDocumentStage, string, string, string[]]>([
  ["propose", "## Out of scope", "## Out", ['The heading "Out of scope" is missing.']],
  ["propose", "## Out of scope\n\nx", "## Out of scope", ['There is no text under "Out of scope".']],
  ["specify", "**FR-002**", "**FR-001**", ["FR-001 is defined twice."]],
  ["specify", "**FR-002**", "**FR-003**", ["FR-003 was removed: never reuse an id."]],
  ["specify", "Nothing.", "- FR-050: an assumption", [nothing("FR-050", "requirement")]],
  [
    "business-rules",
    "- **BR-001**",
    "- **BR-002**: When a, then b.\n- **BR-001**",
    ["BR-002 was removed: never reuse an id."],
  ],
  ["business-rules", "- **BR-001**", "- **BR-001**: When e, then f.\n- **BR-001**", ["BR-001 is defined twice."]],
  [
    "business-rules",
    "When a, then b.",
    "Always b.",
    ['BR-001 is not in the form "When … Then … [Otherwise …]": "Always b.".'],
  ],
  ["business-rules", "- **BR-001**: When a", "When a", ["No constraint has an id."]],
  [
    "business-rules",
    "- **Tide**: water",
    "nothing at all",
    ['No term is defined: write one per line, "- **Term**: what it means".'],
  ],
  ["business-rules", "One Harbour", "- BR-050 holds. One Harbour", [nothing("BR-050", "business rule")]],
  ["design", "### A\n\n", "", ['No component is named: give each a heading "### Name", with its ids below.']],
  [
    "tasks",
    "### TASK-001: x",
    "### x",
    ["No task has an id: start each with TASK-001, TASK-002 and so on.", nothing("TASK-001", "task")],
  ],
  ["tasks", "FR-001", "Depends on: TASK-002", ["TASK-001 depends on TASK-002, which is not a task."]],
  ["tasks", "FR-001", "Depends on: TASK-001", ["TASK-001 depends on itself."]],
  [
    "tasks",
    "FR-001",
    "Depends on: TASK-002\n\n### TASK-002: y\n\nDepends on: TASK-001",
    ["The tasks wait for each other: TASK-001 → TASK-002 → TASK-001."],
  ],
  ["tasks", "- TASK-001 is done", "- TASK-002 is done", [nothing("TASK-002", "task")]],
])("%s with %j as %j", (stage, from, to, problems) => {
  const text = TEXTS[stage].replace(from, to);
  expect(text).not.toBe(TEXTS[stage]);
  expect(told(stage, text)).toEqual(problems);
});

test("reports requirements without an id", () => {
  const bare = REQUIREMENTS.replace(/\*\*N?FR-00[12]\*\*: /g, "");
  expect(told("specify", bare)).toEqual(["No requirement has an id."]);
});

test("keeps the id of a removed item as a removed one", () => {
  expect([listRequirementIds(REQUIREMENTS), listRemovedIds(REQUIREMENTS)]).toEqual([
    ["FR-001", "FR-002", "NFR-001", "FR-003"],
    ["FR-003"],
  ]);
  expect([listRuleIds(RULES), listRemovedIds(RULES)]).toEqual([["BR-001", "BR-002"], ["BR-002"]]);
  expect([extractRemovedSection(RULES), extractRemovedSection("none")]).toEqual(["- **BR-002**: When c, then d.", ""]);
});

test("accepts no reference from a document without its neighbours", () => {
  expect(told("design", DESIGN, { adrs: [] })).toEqual([nothing("FR-001", "requirement")]);
});

test.each([
  ["specify", "### FR-006\n\nIt shall sing.", "FR-006"],
  ["specify", "- **FR-001** covers\n  - **FR-006**: it shall sing", "FR-006"],
  ["specify", "| FR-006 | It shall sing. |", "FR-006"],
  ["business-rules", "### BR-006\n\nWhen a, then b.", "BR-006"],
] as const)("reports an id outside a list in %s: %j", (stage, text, id) => {
  const [document, heading] = stage === "specify" ? [REQUIREMENTS, "## Must have"] : [RULES, "## Constraints"];
  const problems = checkProjectDocument(stage, document.replace(heading, `${heading}\n\n${text}\n`), { adrs: [] });
  expect(problems.map(({ problem }) => problem)).toContain(
    `${id} is not a list item: start an unindented line with "- **${id}**: …".`,
  );
});

test("accepts an emptied list with its mark, and rejects one whose items have no ids", () => {
  const rules = RULES.replace(/(## Constraints\n\n)[\s\S]*?(?=\n## )/, "$1> Why.\n\nNone.\n");
  const problemsOf = (text: string) =>
    checkProjectDocument("business-rules", text, { adrs: [] }).map(({ problem }) => problem);
  expect(problemsOf(rules)).toEqual([]);
  expect(problemsOf(rules.replace("None.", "- When it rains, then it is wet."))).toEqual(["No constraint has an id."]);
});

test("treats two spellings of one number as one id given twice", () => {
  const text = REQUIREMENTS.replace("- **FR-001**: a", "- **FR-001**: a\n- **FR-0001**: not a");
  expect(checkProjectDocument("specify", text, { adrs: [] }).map(({ problem }) => problem)).toEqual([
    "FR-001 (also spelled FR-0001) is defined twice.",
  ]);
});
