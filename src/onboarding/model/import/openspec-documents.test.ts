import fc from "fast-check";
import { expect, test } from "vitest";
import { insertSpecItem, isContainedInItem } from "#planning/model/living-spec/item-edit.ts";
import { outlineSpecItems } from "#planning/model/living-spec/item-outline.ts";
import {
  formatOpenspecDeltas,
  formatOpenspecSpec,
  parseOpenspecDeltas,
  parseOpenspecSpec,
} from "./openspec-documents.ts";
import {
  formatRequirementText,
  type NamedRequirement,
  parseRequirementText,
  qualifyForeignIds,
  restoreForeignIds,
} from "./requirement-text.ts";

const WORDS = fc.constantFrom(
  "the",
  "ferry",
  "SHALL",
  "leave",
  "FR-012",
  "timetable/FR-3",
  "openspec/timetable/BR-001",
  "TASK-7/FR-001",
  "`code`",
  "**bold**",
  "(capability: x; name: y)",
  "naïve",
  "#1",
  "C#",
  "<b>",
  "NFR-00123",
  "a;b",
  "Scenario:",
  "\\",
  "\\#",
);
const LINE = fc.array(WORDS, { minLength: 1, maxLength: 6 }).map((words) => words.join(" "));
const BODY_LINE = fc.oneof(
  LINE,
  LINE.map((line) => `- ${line}`),
  LINE.map((line) => `  ${line}`),
  LINE.map((line) => `##### ${line}`),
  LINE.map((line) => `(capability: a; name: ${line})`),
  LINE.map((line) => `\`\`\`\n# ${line}\n\`\`\``),
  fc.constant(""),
);
const NAME = LINE.filter((line) => !/(?:^|\s)#+$/.test(line));
const BLOCK = fc.array(BODY_LINE, { minLength: 1, maxLength: 5 }).map((lines) => lines.join("\n"));
const STEPS = fc
  .array(fc.tuple(fc.constantFrom("GIVEN", "WHEN", "THEN", "AND"), LINE), { minLength: 1, maxLength: 4 })
  .map((steps) => steps.map(([word, line]) => `- **${word}** ${line}`).join("\n"));
const REQUIREMENT = fc.record({
  name: NAME,
  text: fc.tuple(LINE, BLOCK).map(([first, more]) => `${first}\n${more}`.trimEnd()),
  scenarios: fc.array(fc.record({ name: NAME, steps: STEPS }), { minLength: 1, maxLength: 3 }),
});

/** Through the list of a requirements document and back. */
function keepInDocument(requirements: readonly NamedRequirement[], scope: string): NamedRequirement[] {
  const capability = "billing/invoices";
  const document = requirements.reduce((text, requirement, i) => {
    const item = qualifyForeignIds(formatRequirementText({ capability, ...requirement }), scope);
    expect(isContainedInItem(`FR-${String(i + 1).padStart(3, "0")}`, item)).toBe(true);
    return insertSpecItem(text, "must", `FR-${String(i + 1).padStart(3, "0")}`, item);
  }, "# Requirements\n");
  return outlineSpecItems(document).items.flatMap(({ text }) => {
    const labelled = parseRequirementText(restoreForeignIds(text, scope));
    expect(labelled?.capability).toBe(capability);
    if (!labelled) return [];
    const { capability: _, ...requirement } = labelled;
    return [requirement];
  });
}

test("requirements keep name, text, scenarios and order through a requirements document and an exported spec", () => {
  fc.assert(
    fc.property(fc.array(REQUIREMENT, { minLength: 1, maxLength: 5 }), (written) => {
      const first = parseOpenspecSpec(formatOpenspecSpec("timetable", "Departures.", written)).requirements;
      expect(first.map(({ name, scenarios }) => [name, scenarios.map((each) => each.name)])).toEqual(
        written.map(({ name, scenarios }) => [name, scenarios.map((each) => each.name)]),
      );
      const kept = keepInDocument(first, "openspec/timetable");
      expect(kept).toEqual(first);
      expect(parseOpenspecSpec(formatOpenspecSpec("timetable", "Departures.", kept))).toEqual({
        purpose: "Departures.",
        requirements: first,
        hasRest: false,
      });
    }),
    { numRuns: 300 },
  );
});

test("deltas keep their operations and requirements when they are written and read again", () => {
  fc.assert(
    fc.property(REQUIREMENT, REQUIREMENT, NAME, (added, modified, name) => {
      const [one = added, two = modified] = parseOpenspecSpec(
        formatOpenspecSpec("a", "b", [added, modified]),
      ).requirements;
      const bare = { name: name.replaceAll("`", ""), text: "", scenarios: [] };
      const deltas = [
        { op: "added" as const, requirement: one },
        { op: "modified" as const, requirement: two },
        { op: "removed" as const, requirement: { ...bare, text: "**Reason**: nobody uses it" } },
        { op: "renamed" as const, from: "Old name", requirement: bare },
      ];
      expect(parseOpenspecDeltas(formatOpenspecDeltas(deltas, "What it is for."))).toEqual({
        deltas,
        purpose: "What it is for.",
        hasRest: false,
      });
    }),
    { numRuns: 200 },
  );
});

test.each([
  ["see FR-012", "see openspec/a/FR-012"],
  ["FR-001/FR-002", "openspec/a/FR-001/openspec/a/FR-002"],
  ["openspec/a/FR-001", "openspec/a/openspec/a/FR-001"],
  ["other/FR-001", "other/FR-001"],
  ["XFR-001 and FR-001-x", "XFR-001 and FR-001-x"],
])("marks the ids of another tool as text: %s", (text, qualified) => {
  expect(qualifyForeignIds(text, "openspec/a")).toBe(qualified);
  expect(restoreForeignIds(qualified, "openspec/a")).toBe(text);
});

test.each([
  ["### Requirement: A ###\nText\n", "A", "Text", false],
  ["###Requirement: A\r\nText\r\n\r\nMore\r\n", "A", "Text\n\nMore", false],
  ["## Requirements\n\nIn general.\n\n### Requirement: A\nText\n", "A", "Text", true],
  ["### Requirement: A\nText\n### Notes\nRest\n", "A", "Text", true],
])("reads the forms that OpenSpec reads: %j", (markdown, name, text, hasRest) => {
  expect(parseOpenspecSpec(markdown)).toEqual({ purpose: "", requirements: [{ name, text, scenarios: [] }], hasRest });
});

test.each([
  ["## Requirements\n\n### Bikes\nIt SHALL carry bikes.\n\n#### Scenario: One\n- **THEN** it comes along\n", ["Bikes"]],
  [
    "## Requirements\n\n- The system SHALL carry bikes.\n- It SHALL carry dogs.\n",
    ["Carry bikes", "It SHALL carry dogs"],
  ],
  ["## Requirements\n\n1. The system SHALL carry bikes.\n", ["Carry bikes"]],
])("reads requirements without the word Requirement: %j", (markdown, names) => {
  const { requirements, hasRest } = parseOpenspecSpec(markdown);
  expect([requirements.map(({ name }) => name), hasRest]).toEqual([names, false]);
  const { deltas } = parseOpenspecDeltas(markdown.replace("## Requirements", "## ADDED Requirements"));
  expect(deltas.map(({ op, requirement }) => [op, requirement.name])).toEqual(names.map((name) => ["added", name]));
});

test.each([
  "- FROM: `### Requirement: Holidays`\n- TO: `### Requirement: Public holidays`",
  "- FROM: Holidays\n- TO: Public holidays",
  "- `### Requirement: Holidays` → `### Requirement: Public holidays`",
  "- Holidays -> Public holidays",
])("reads a rename by name: %j", (text) => {
  const renamed = {
    op: "renamed",
    from: "Holidays",
    requirement: { name: "Public holidays", text: "", scenarios: [] },
  };
  expect(parseOpenspecDeltas(`## RENAMED Requirements\n\n${text}\n`).deltas).toEqual([renamed]);
});
