import { expect, test } from "vitest";
import {
  findConstraintProblems,
  parseConstraintItems,
  assignConstraintIds,
  parseBusinessConstraints,
  parseTermDefinitions,
  listDefinedTerms,
} from "./requirement-items.ts";

const DOCUMENT = `## Definitions

- **Tide**: the height of the water

## Facts

- BR-090: only mentioned

## Constraints

- **BR-001**: When it is low, then the gate is closed, otherwise it may open.
- **BR-002**: Always closed.
- FR-001: not one of them

## Glossary

- Pilot: who steers

## Removed

- BR-003: When it was, then it is no more.
`;

test("reads only items under the heading as constraints", () => {
  expect(parseConstraintItems(DOCUMENT).map(({ id }) => id)).toEqual(["BR-001", "BR-002"]);
  expect(
    parseBusinessConstraints(DOCUMENT).map(({ id, when, imposes, otherwise }) => ({ id, when, imposes, otherwise })),
  ).toEqual([{ id: "BR-001", when: "it is low", imposes: "the gate is closed", otherwise: "it may open" }]);
  expect(parseConstraintItems("nothing")).toEqual([]);
});

const parts = (text: string) =>
  parseBusinessConstraints(`## Constraints\n\n- BR-001: ${text}`).map(({ when, imposes, otherwise }) => ({
    when,
    imposes,
    ...(otherwise ? { otherwise } : {}),
  }));

test.each([
  ["When a Then b", { when: "a", imposes: "b" }],
  ["when a, then b.", { when: "a", imposes: "b" }],
  ["**When** a **Then** b **Otherwise** c", { when: "a", imposes: "b", otherwise: "c" }],
  ["WHEN a\n  THEN b\n  OTHERWISE c", { when: "a", imposes: "b", otherwise: "c" }],
  ["When the strengthened a, then b", { when: "the strengthened a", imposes: "b" }],
  ["When a, then b, then c", { when: "a", imposes: "b, then c" }],
])("reads the parts of %j", (text, expected) => {
  expect(parts(text)).toEqual([expected]);
});

test.each([
  "a then b",
  "When a",
  "When then b",
  "When a then",
  "When a then b otherwise",
  "Whenever a then b",
  "x when a then b",
])("reports the form of %j as unknown", (text) => {
  expect(parts(text)).toEqual([]);
  expect(findConstraintProblems([{ id: "BR-001", text }])).toEqual([
    { problem: `BR-001 is not in the form "When … Then … [Otherwise …]": "${text}".` },
  ]);
});

const GIVEN = { taken: ["BR-001", "BR-002", "BR-003", "FR-001"], removed: ["BR-003"] };

test.each([
  ["- When it is low, then the gate is closed, otherwise it may open\n- Always closed", ["BR-001", "BR-002"], []],
  ["- BR-002: x\n- BR-001: y\n- z", ["BR-002", "BR-001", "BR-004"], []],
  ["- BR-001: y", ["BR-001"], ["BR-002 is missing: keep it, and state in it that it no longer applies."]],
  [
    "- BR-001: y\n- BR-002: \n- FR-001: z",
    ["BR-001", "BR-002", "FR-001"],
    ["BR-002 has no text.", "FR-001 does not belong in the constraints: ids there begin with BR-."],
  ],
])("keeps the numbers of %j", (list, ids, told) => {
  const { items, problems } = assignConstraintIds(list, DOCUMENT, GIVEN);
  expect([items.map(({ id }) => id), problems.map(({ problem }) => problem)]).toEqual([ids, told]);
});

test("numbers the first constraints from one", () => {
  expect(assignConstraintIds("- a\n- b", undefined, { taken: [], removed: [] }).items).toEqual([
    { id: "BR-001", text: "a" },
    { id: "BR-002", text: "b" },
  ]);
});

test("reads terms from definitions and the glossary", () => {
  expect(listDefinedTerms(DOCUMENT)).toEqual(["Tide", "Pilot"]);
});

test.each([
  ["- **Tide**: height", ["Tide"]],
  ["* `Tide table` — a list", ["Tide table"]],
  ['1. "Gate" means a lock', ["Gate"]],
  ["| Gate | a lock |", ["Gate"]],
  ["Gate: a lock", ["Gate"]],
  ["Gate is a lock", ["Gate"]],
  ["**Gate** – lock\n**Tide** – water", ["Gate", "Tide"]],
  ["gate: not a name", []],
  ["A Harbour has gates.", []],
  ["", []],
])("%j defines %j", (text, terms) => {
  expect(parseTermDefinitions(text)).toEqual(terms);
});

test("keeps the line breaks of a constraint", () => {
  expect(parseConstraintItems("## Constraints\n\n- BR-001: When a,\n  then b\n")).toEqual([
    { id: "BR-001", text: "When a,\n  then b" },
  ]);
});
