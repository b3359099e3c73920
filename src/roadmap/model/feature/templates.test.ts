import fs from "node:fs";
import { expect, test } from "vitest";
import { yamlAdapter } from "#kernel/adapters/yaml-reader.ts";
import { DESIGN } from "../../../../test/kit/feature.ts";
import {
  parseHeadings,
  parseProseLines,
  hasTableColumn,
  parseMarkdownTables,
} from "#kernel/model/document/markdown-document.ts";
import {
  COMPONENT_COLUMNS,
  checkDesign,
  DESIGN_SECTIONS,
  checkResearchDocument,
  DISCOVERY_SCOPES,
  RESEARCH_SECTIONS,
} from "./design-check.ts";
import { CRITERION_STABILITIES } from "./design-criteria.ts";
import { checkTaskPlan } from "./task-plan.ts";

const template = (name: string): string => fs.readFileSync(`assets/templates/feature/${name}`, "utf8");
const [design, research, tasks] = ["design.md", "research.md", "tasks.yaml"].map(template) as [string, string, string];
const sections = (text: string): string[] =>
  parseHeadings(parseProseLines(text))
    .filter(({ level }) => level === 2)
    .map(({ text: name }) => name);

test("the template has the checked sections in their order", () => {
  const asked = DESIGN_SECTIONS.filter(({ isOptional, isFree }) => !(isOptional && isFree));
  expect(sections(design)).toEqual(asked.map(({ name }) => name));
  expect(sections(research)).toEqual(RESEARCH_SECTIONS.map(({ name }) => name));
});

test("the template shows every column, tag and scope", () => {
  const table = parseMarkdownTables(parseProseLines(design)).find((candidate) =>
    hasTableColumn(candidate, "Component"),
  );
  expect(COMPONENT_COLUMNS.filter((name) => !table || !hasTableColumn(table, name))).toEqual([]);
  expect(CRITERION_STABILITIES.filter((tag) => !design.includes(`[${tag}]`))).toEqual([]);
  expect(DISCOVERY_SCOPES.filter((scope) => !research.includes(scope))).toEqual([]);
});

/** Each thing that is told, once. */
const told = (problems: readonly { problem: string }[]): string[] => [
  ...new Set(problems.map(({ problem }) => problem.replace(/^"\{\{.*" is/, "A blank is"))),
];
const BLANK = "A blank is not filled in yet.";

test("rejects an empty template", () => {
  expect(told(checkDesign(design).problems)).toEqual([BLANK]);
  expect(told(checkResearchDocument(research).problems)).toEqual([
    expect.stringContaining("The summary lacks the discovery scope"),
    BLANK,
  ]);
  const { tree } = yamlAdapter.read(tasks);
  expect(tree && told(checkTaskPlan(tree, checkDesign(DESIGN)).problems)).toEqual([
    expect.stringContaining("No task covers S1.AC2"),
    expect.stringContaining("No task covers S2.AC1"),
    BLANK,
    "Task 1.1 has 1 details: write 3 to 10, each a result that can be checked.",
  ]);
});

test("the template of tasks shows every key", () => {
  const keys = ["id", "summary", "status", "details", "specs", "acs", "depends", "p", "optional", "subtasks"];
  expect(
    [...keys, "execution", "wave", "groups", "tasks", "files"].filter((key) => !tasks.includes(`${key}:`)),
  ).toEqual([]);
});
