import { expect, test } from "vitest";
import { type DeltaCheckContext, checkSpecDeltas } from "./delta-merge.ts";
import { parseSpecDeltas, outlineSpecItems } from "./item-outline.ts";
import { insertSpecItem } from "./item-edit.ts";

const REQUIREMENTS = `## Must have

- **FR-001**: The shop shall sell.
- **FR-002**: The shop shall ship
  within a week.

| id | text |
| FR-003 | in a table |

## Removed

- **FR-004**: Not needed. (removed by tidy)
- **FR-005**: Now FR-002. (renamed by tidy)
`;
const RULES = "## Constraints\n\n- **BR-001**: When it rains, then stay.\n";
const AGAINST: DeltaCheckContext = {
  books: { requirements: REQUIREMENTS, rules: RULES },
  claims: [
    {
      change: "other",
      deltas: [{ op: "added", id: "FR-006", text: "Theirs.", was: "", base: "0".repeat(64) }],
    },
  ],
  given: ["FR-007"],
};

const spec = (body: string): string => `## Requirements\n${body}\n\n## Acceptance criteria\n- It works.\n`;
const told = (body: string, against = AGAINST): string[] =>
  checkSpecDeltas(spec(body), against).problems.map(({ problem, line }) => `${line}: ${problem}`);

test("reads deltas with their ids, priorities and targets in any format", () => {
  const { deltas, problems } = parseSpecDeltas(
    spec(
      [
        "### ADDED Requirements",
        "- **FR-008** (should): The shop shall buy.",
        "* __NFR-001__: The shop shall",
        "  answer.",
        "1. **BR-002:** When a, then b.",
        "### Modified",
        "#### FR-002: The shop shall ship",
        "within a day.",
        "### REMOVED:",
        "- FR-001 — Nobody buys.",
        "### RENAMED",
        "- **FR-003** → **NFR-004**",
        "- NFR-005 -> FR-009 (could)",
        "- `BR-001` => BR-003",
      ].join("\n"),
    ),
  );
  expect(problems).toEqual([]);
  expect(deltas.map(({ line: _line, ...delta }) => delta)).toEqual([
    { op: "added", id: "FR-008", priority: "should", text: "The shop shall buy." },
    { op: "added", id: "NFR-001", text: "The shop shall\nanswer." },
    { op: "added", id: "BR-002", text: "When a, then b." },
    { op: "modified", id: "FR-002", text: "The shop shall ship\nwithin a day." },
    { op: "removed", id: "FR-001", text: "Nobody buys." },
    { op: "renamed", id: "FR-003", to: "NFR-004", text: "" },
    { op: "renamed", id: "NFR-005", to: "FR-009", priority: "could", text: "" },
    { op: "renamed", id: "BR-001", to: "BR-003", text: "" },
  ]);
});

test("reads an OpenSpec delta without a heading above it, and its renames in two lines", () => {
  const delta = [
    "# Tickets",
    "",
    "## ADDED Requirements",
    "",
    "### Requirement: FR-008 Season ticket",
    "The shop SHALL sell a ticket.",
    "",
    "#### Scenario: Bought",
    "- **THEN** it is valid",
    "",
    "## MODIFIED Requirements",
    "",
    "- FR-002: The shop shall ship at once.",
    "",
    "## RENAMED Requirements",
    "",
    "- FROM: `### Requirement: FR-001`",
    "- TO: `### Requirement: FR-009`",
    "- FROM: Holidays",
    "- TO: Public holidays",
  ].join("\n");
  const { deltas, problems } = parseSpecDeltas(delta);
  expect(deltas).toEqual([
    {
      op: "added",
      id: "FR-008",
      text: "Season ticket\nThe shop SHALL sell a ticket.\n\n**Scenario: Bought**\n- **THEN** it is valid",
      line: 5,
    },
    { op: "modified", id: "FR-002", text: "The shop shall ship at once.", line: 13 },
    { op: "renamed", id: "FR-001", to: "FR-009", text: "", line: 17 },
  ]);
  expect(problems.map(({ line }) => line)).toEqual([19, 20]);
});

test("stores with each delta the text that it was written against", () => {
  const { deltas, problems } = checkSpecDeltas(
    spec(
      "### MODIFIED\n- FR-002: The shop shall ship.\n### REMOVED\n- BR-001: It never rains.\n### ADDED\n- FR-008: New.",
    ),
    AGAINST,
  );
  expect(problems).toEqual([]);
  expect(deltas.map(({ id, was }) => [id, was])).toEqual([
    ["FR-002", "The shop shall ship\nwithin a week."],
    ["BR-001", "When it rains, then stay."],
    ["FR-008", ""],
  ]);
});

test.each([
  ["### MODIFIED\n- FR-009: New.", ["3: FR-009 cannot be modified: sdd/requirements.md has no such id."]],
  ["### MODIFIED\n- FR-004: New.", ["3: FR-004 cannot be modified: sdd/requirements.md lists it as removed."]],
  [
    "### REMOVED\n- FR-003: Why.",
    ["3: FR-003 cannot be removed: in sdd/requirements.md it is not a separate list item; make it one first."],
  ],
  ["### MODIFIED\n- FR-001: The shop shall sell.", ["3: FR-001 has its old text: change it, or leave it out."]],
  ["### ADDED\n- FR-001: New.", ["3: FR-001 was used before: the next free id is FR-008."]],
  ["### ADDED\n- FR-0001: New.", ["3: FR-0001 was used before: the next free id is FR-008."]],
  ["### ADDED\n- FR-003: New.", ["3: FR-003 was used before: the next free id is FR-008."]],
  ["### ADDED\n- FR-004: New.", ["3: FR-004 was removed; add it under a new id. The next free one is FR-008."]],
  ["### ADDED\n- FR-007: New.", ["3: FR-007 was removed; add it under a new id. The next free one is FR-008."]],
  ["### ADDED\n- FR-006: New.", ["3: FR-006 is claimed by the open change other: the next free id is FR-008."]],
  ["### RENAMED\n- FR-001 → FR-002", ["3: FR-002 was used before: the next free id is FR-008."]],
  ["### RENAMED\n- FR-001 → BR-002", ["3: FR-001 cannot become BR-002: that id belongs in sdd/business-rules.md."]],
  ["### RENAMED\n- FR-001: something", ["3: FR-001 has no new id: write FR-001 → and the id it gets."]],
  ["### MODIFIED\n- FR-001: New.\n### REMOVED\n- FR-001: Why.", ["5: FR-001 is in more than one delta: name it once."]],
  ["### REMOVED\n- FR-001", ["3: FR-001 is removed without a reason: write why."]],
  ["### ADDED\n- FR-008:", ["3: FR-008 has no text."]],
  ["### ADDED\n- The shop shall buy.", ["3: It has no id: start it with one, such as FR-001."]],
  ["### MODIFIED\n- FR-001 (should): New.", []],
  ["### ADDED\n- NFR-002 (must): New.", []],
  ["### ADDED\n- BR-002: It rains.", ['3: BR-002 is not in the form "When … Then … [Otherwise …]": "It rains.".']],
  ...["New. <!-- note", "New.\n  ```\n  code", "New.\n  ## Notes", "New.\n  #### Won't have"].map(
    (text): [string, string[]] => [
      `### ADDED\n- FR-008: ${text}`,
      [
        "3: FR-008 reaches beyond its list item: close every block that it opens, and put no heading or other id into it.",
      ],
    ],
  ),
  ["### ADDED\n- FR-008: New. <!-- note -->\n\n  ```\n  code\n  ```\n\n  And more.", []],
  ["- FR-008: New.", []],
  ["- FR-008", ["2: FR-008 is not in sdd/requirements.md: put it under ### ADDED."]],
  ["- FR-001: Other.", ["2: FR-001 has a different text in sdd/requirements.md: put it under ### MODIFIED."]],
  ["- FR-001: The shop shall sell.", []],
  ["- FR-003: In a table.", []],
  ["- FR-004: Back.", ["2: FR-004 was removed; add it under a new id. The next free one is FR-008."]],
  ["- FR-007: Back.", ["2: FR-007 was removed; add it under a new id. The next free one is FR-008."]],
  ["- FR-005: Back.", ["2: FR-005 is now FR-002: use that id, or add a new item under FR-008."]],
  ["### ADDED\n- FR-005: Back.", ["3: FR-005 is now FR-002: use that id, or add a new item under FR-008."]],
])("reports %j", (body, problems) => {
  expect(told(body)).toEqual(problems);
});

test.each([
  ["modified", "### MODIFIED\n- FR-001: New."],
  ["removed", "### REMOVED\n- FR-001: Why."],
  ["renamed", "### RENAMED\n- FR-001 → FR-008"],
])("an id that occurs twice in the document cannot be %s", (op, body) => {
  const twice = REQUIREMENTS.replace("FR-002", "FR-001");
  expect(told(body, { ...AGAINST, books: { requirements: twice } })).toEqual([
    `3: FR-001 cannot be ${op}: sdd/requirements.md defines it twice. Give one of them the next free number first.`,
  ]);
  const again = `${REQUIREMENTS}- **FR-001**: Gone.\n`;
  expect(told(body, { ...AGAINST, books: { requirements: again } })).toHaveLength(1);
});

test("without documents a plain spec stays unchanged, additions create them, and nothing else applies", () => {
  const none: DeltaCheckContext = { books: {}, claims: [], given: [] };
  expect(told("- FR-001: New.\n- BR-001: Whatever.", none)).toEqual([]);
  expect(told("### ADDED\n- FR-001: New.", none)).toEqual([]);
  expect(told("### REMOVED\n- BR-001: Why.", none)).toEqual([
    "3: BR-001 cannot be removed: there is no sdd/business-rules.md.",
  ]);
});

test.each([
  ["a list item", "- **FR-001**: a\n  b\n\n  c\n\nprose\n", "a\nb\n\nc"],
  ["an item that continues at the margin", "- FR-001: a\nb\n- other", "a\nb"],
  ["a paragraph", "FR-001: a\nb\n\nprose", "a\nb"],
  ["a heading and the text below it", "### FR-001: a\n\n- b\n\n## Next\n\nc", "a\n\n- b"],
  ["a list item before a fence", "- FR-001: a\n```\ncode\n```\n", "a"],
  ["a list item that contains a fence", "- FR-001: a\n  ```\n  - FR-002: code\n  ```\n", "a\n```\n- FR-002: code\n```"],
  ["a list item before a comment", "- FR-001: a\n<!-- b -->\n", "a"],
])("reads an item from %s", (_, document, text) => {
  expect(outlineSpecItems(document).items.map((item) => [item.id, item.text])).toEqual([["FR-001", text]]);
});

test.each([
  "FR-001 and FR-002 are old.",
  "Words,\nFR-001: words.",
  "```\n- FR-001: a\n```",
  "<!--\n- FR-001: a\n-->",
  "| FR-001 | a |",
])("%j defines no item", (document) => {
  expect(outlineSpecItems(document).items).toEqual([]);
});

test.each(["Removed", "5. Removed", "**Removed**", "Removed requirements", "REMOVED:"])(
  "puts removed items under %j",
  (name) => {
    const document = `## Must have\n\n- FR-001: a\n\n## ${name}\n\n- FR-002: Gone.\n`;
    expect(outlineSpecItems(document).items.map(({ id, isRemoved }) => [id, isRemoved])).toEqual([
      ["FR-001", false],
      ["FR-002", true],
    ]);
    expect(insertSpecItem(document, "removed", "FR-003", "Too.")).toBe(`${document}- **FR-003**: Too.\n`);
  },
);

test("points out an added text that exists already", () => {
  const repeats = (body: string): string[] => checkSpecDeltas(spec(body), AGAINST).repeats;
  expect(repeats("### ADDED\n- FR-008: the shop  shall **sell**")).toEqual([
    "FR-008 has the same text as FR-001. If you mean FR-001, list `- FR-001` instead.",
  ]);
  expect(repeats("### ADDED\n- FR-008: New.\n- FR-009: New.")).toEqual([
    "FR-009 has the same text as FR-008. If you mean FR-008, list `- FR-008` instead.",
  ]);
  expect(repeats("### ADDED\n- FR-008: New.\n### MODIFIED\n- FR-001: Newer.")).toEqual([]);
});
