import { expect, test } from "vitest";
import { MAX_FACTS_PER_SEVERITY } from "../change/change-record.ts";
import { type ContextMaterial, collectContextFacts } from "./context-facts.ts";
import { splitDocumentPieces } from "#kernel/model/document/document-pieces.ts";

const REQUIREMENTS = {
  path: "sdd/requirements.md",
  text: "## Must have\n\n- **FR-001**: Search answers.\n- **FR-002**: Uploads end at 10 MB.\n\n## Removed\n\n- FR-003: Old.",
};
const RULES = {
  path: "sdd/business-rules.md",
  text: "## Definitions\n\n- **Customer**: who has bought\n\n## Constraints\n\n- **BR-001**: When late, Then refuse.",
};
const BARE: ContextMaterial = {
  said: [],
  pieces: [REQUIREMENTS, RULES].flatMap((each) => splitDocumentPieces(each)),
  rules: RULES,
  tasks: ["- TASK-001: Do it"],
  adrs: ["ADR-0001", "ADR-001"],
  others: [],
  likely: [],
};
const facts = (description: string, more: Partial<ContextMaterial> = {}): string[] =>
  collectContextFacts({ ...BARE, said: [{ path: "The description", text: description }], ...more }).map(
    ({ id, severity, fact }) => `${id} ${severity}: ${fact}`,
  );

test.each<[string, string[]]>([
  ["Nothing to tell", []],
  ["Change FR-001", ["CF-1 info: The description names FR-001 (sdd/requirements.md:3): Search answers."]],
  [
    "Change NFR-009, BR-009, TASK-009 and ADR-0009",
    [
      "CF-1 critical: The description names NFR-009, which does not exist: no requirement has that id.",
      "CF-2 critical: The description names BR-009, which does not exist: no business rule has that id.",
      "CF-3 critical: The description names TASK-009, which does not exist: no task has that id.",
      "CF-4 critical: The description names ADR-0009, which does not exist: no decision has that id.",
    ],
  ],
  ["After TASK-001, as ADR-0001 and ADR-001 say", []],
  ["There is no FR-009 for this, and BR-009 does not exist", []],
  ["It works without FR-001", ["CF-1 info: The description names FR-001 (sdd/requirements.md:3): Search answers."]],
  ["Bring FR-003 back", ["CF-1 critical: The description names FR-003, which sdd/requirements.md has removed."]],
  [
    "Change FR-0007 and FR-0007",
    ["CF-1 critical: The description names FR-0007, which does not exist: no requirement has that id."],
  ],
  ["Change FR-1", ["CF-1 warning: FR-1 is not an id: write FR-001."]],
  [
    "Let a Premium Customer pay",
    ['CF-1 warning: The term "Premium Customer" is not in the glossary of sdd/business-rules.md.'],
  ],
  [
    "For FR-002, FR-009 and FR-009 as of FR-7 let a Premium Customer pay",
    [
      "CF-1 critical: The description names FR-009, which does not exist: no requirement has that id.",
      "CF-2 warning: FR-7 is not an id: write FR-007.",
      'CF-3 warning: The term "Premium Customer" is not in the glossary of sdd/business-rules.md.',
      "CF-4 info: The description names FR-002 (sdd/requirements.md:4): Uploads end at 10 MB.",
    ],
  ],
])("%j: %j", (description, expected) => {
  expect(facts(description)).toEqual(expected);
});

test("reports the new id of a renamed one", () => {
  const text =
    "## Removed\n\n- **FR-004**: Now NFR-002. (renamed by swift-answers)\n- **FR-005**: Nobody wants it. Now.";
  const pieces = splitDocumentPieces({ path: "sdd/requirements.md", text });
  expect(facts("Hold FR-004 and FR-005", { pieces })).toEqual([
    "CF-1 critical: The description names FR-004, which is now NFR-002.",
    "CF-2 critical: The description names FR-005, which sdd/requirements.md has removed.",
  ]);
});

test("reports other open changes that name the same ids as critical, and those with similar words as notes", () => {
  const others = [
    { id: "cap-uploads", texts: ["Cap uploads", "- FR-002: ends at 1 MB, see BR-001"] },
    { id: "faster-search", texts: ["Faster search of FR-001"] },
    { id: "stranger", texts: ["FR-777"] },
  ];
  expect(facts("Raise FR-002", { others, likely: ["FR-001", "FR-002"] })).toEqual([
    "CF-1 critical: The open change cap-uploads names FR-002 too.",
    "CF-2 warning: The open change faster-search names FR-001, which this change seems to be about.",
    "CF-3 info: The description names FR-002 (sdd/requirements.md:4): Uploads end at 10 MB.",
  ]);
});

test("accepts ids that the change's own spec and tasks define, and reports an unknown id once, at its first mention", () => {
  const spec = "## Requirements\n\n- FR-010: New.\n- FR-011: After FR-099.";
  const said = [
    { path: "The description", text: "Two more" },
    { path: "spec.md", text: spec },
    { path: "tasks.md", text: "- TASK-050: FR-010, FR-099" },
  ];
  const material = { ...BARE, said, spec, tasks: ["- TASK-050: FR-010, FR-099"] };
  expect(collectContextFacts(material).map(({ fact }) => fact)).toEqual([
    "spec.md names FR-099, which does not exist: no requirement has that id.",
  ]);
});

test("asks for no term without a glossary, and ignores mentions in code", () => {
  expect(facts("Let a Premium Customer pay", { rules: undefined })).toEqual([]);
  expect(facts("Let a Premium Customer pay", { rules: { path: "x", text: "## Constraints\n\n- BR-001: a" } })).toEqual(
    [],
  );
  expect(facts("```\nFR-999\n```")).toEqual([]);
});

test("lists some dozens of very many facts and counts the others", () => {
  const ids = Array.from({ length: 300 }, (_, i) => `FR-${i + 100}`).join(" ");
  const told = facts(ids);
  expect(told).toHaveLength(MAX_FACTS_PER_SEVERITY);
  expect(told.at(-1)).toBe(
    `CF-${MAX_FACTS_PER_SEVERITY} critical: ${300 - MAX_FACTS_PER_SEVERITY + 1} more of this kind are not listed.`,
  );
});

test("a project with conventions only is reported as one without specs", () => {
  expect(facts("Sort the list", { conventions: 2 })).toEqual([
    "CF-1 info: This project has conventions, but no specs in sdd/.",
  ]);
  expect(facts("Sort the list", { conventions: 0 })).toEqual([]);
});
