import { expect, test } from "vitest";
import { findMermaidProblems } from "./mermaid-check.ts";

const told = (...lines: string[]): string[] =>
  findMermaidProblems(["# Title", "", "```mermaid", "graph TD", ...lines, "```"].join("\n")).map(
    ({ problem, line }) => `${line}: ${problem}`,
  );

test.each([
  ["A[Login page] --> B{Known}"],
  ["A --> B & C"],
  ["A -->|yes| B"],
  ["A -- yes --> B_2"],
  ["A([Start]) -.-> B[(Store)]"],
  ["A((x)) ==> B{{y}}"],
  ["subgraph Web (old) [x]"],
  ["end"],
  ["%% (a remark)"],
  ["A[Login]; "],
  ["    A --- B"],
])("accepts %s", (line) => {
  expect(told(line)).toEqual([]);
});

const LABEL = "has brackets, quotes or a slash, which break diagrams: use plain words.";

test.each([
  ["A[login(user)]", `5: The label "login(user" ${LABEL}`],
  ['A["quoted"]', `5: The label ""quoted"" ${LABEL}`],
  ["A[a/b] --> B", `5: The label "a/b" ${LABEL}`],
  ["A -->|POST /login| B", `5: The label "POST /login" ${LABEL}`],
  [
    "user.login --> B",
    '5: "user.login" is not a valid node name: use letters, digits and underscores, and put the words into its label.',
  ],
  [
    "style A fill:#fff",
    '5: "style A fill:#fff" styles the diagram: remove it, so that every viewer can draw the diagram.',
  ],
])("rejects %s", (line, problem) => {
  expect(told(line)).toEqual([problem]);
});

test("leaves other diagrams and code alone", () => {
  expect(findMermaidProblems("```mermaid\nsequenceDiagram\nA->>B: login(user)\n```\n")).toEqual([]);
  expect(findMermaidProblems("```ts\ngraph TD\nA[login(user)]\n```\nA[x(y)]\n")).toEqual([]);
});

test("reads an endless line in a short time", () => {
  expect(told(`A${" -- x".repeat(100_000)}`)).toEqual([]);
});
