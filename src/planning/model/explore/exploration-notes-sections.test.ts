import fc from "fast-check";
import { expect, test } from "vitest";
import {
  EXPLORATION_CATEGORIES,
  type ExplorationCategory,
  mergeExplorationSections,
  parseExplorationSections,
  renderExplorationSections,
  type ExplorationSections,
} from "./exploration-notes.ts";

test("lists every section in the order of the categories, whatever the order of input", () => {
  const said = Object.fromEntries(
    EXPLORATION_CATEGORIES.toReversed().map((category) => [category, `some ${category}`]),
  );
  expect(renderExplorationSections(said)).toMatchInlineSnapshot(`
    "## Goals
    some goals

    ## Constraints
    some constraints

    ## Preferences
    some preferences

    ## Unknowns
    some unknowns

    ## Decisions
    some decisions

    ## Context
    some context"
  `);
});

test.each([
  ["nothing", {}, ""],
  ["only blanks", { goals: " \n", context: undefined }, ""],
  ["only sections with text", { unknowns: "How many?", goals: "  " }, "## Unknowns\nHow many?"],
  ["white space around a text", { goals: "\n a\n\n b \n" }, "## Goals\na\n\n b"],
  ["a line like one of Tenon's", { goals: "a\n## Context\nb" }, "## Goals\na\n\\## Context\nb"],
  ["an escaped line like one of Tenon's", { goals: "a\n\\## Context" }, "## Goals\na\n\\\\## Context"],
  ["a heading of another kind", { goals: "a\n## Scope\n### Goals" }, "## Goals\na\n## Scope\n### Goals"],
])("reads back %s as written", (_, sections, markdown) => {
  expect(renderExplorationSections(sections)).toBe(markdown);
});

test.each([
  ["nothing", ""],
  ["a foreign text", "# Title\n\nText\n\n## Summary\n- a\n"],
  ["headings that are nearly ours", "## goals\na\n### Goals\nb\n ## Goals\nc\n## Goals:\nd\n# Goals\ne"],
  ["a heading with nothing under it", "## Goals\n\n## Context\n \n"],
])("finds no sections in %s", (_, markdown) => {
  expect(parseExplorationSections(markdown)).toEqual({});
});

test("ignores text before the first section", () => {
  expect(parseExplorationSections("Preamble\n\n## Goals\na\n\n## Other\nb")).toEqual({ goals: "a\n\n## Other\nb" });
});

const line = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom(
    "",
    "## Goals",
    "\\## Goals",
    "\\\\## Context",
    "## Goals ",
    "## Context\r",
    "\\",
    "\\## Other",
    "- a",
  ),
);
const text = fc.array(line, { maxLength: 6 }).map((lines) => lines.join("\n"));
const anySections = fc.record(
  Object.fromEntries(EXPLORATION_CATEGORIES.map((category) => [category, text])) as Record<
    ExplorationCategory,
    typeof text
  >,
  { requiredKeys: [] },
);
/** What is worth keeping of what was said. */
const kept = (sections: ExplorationSections): ExplorationSections =>
  Object.fromEntries(
    Object.entries(sections).flatMap(([category, said]) => (said?.trim() ? [[category, said.trim()]] : [])),
  );

test("reads back everything that it writes", () => {
  fc.assert(
    fc.property(anySections, (sections) => {
      const markdown = renderExplorationSections(sections);
      expect(parseExplorationSections(markdown)).toEqual(kept(sections));
      expect(renderExplorationSections(parseExplorationSections(markdown))).toBe(markdown);
    }),
    { numRuns: 2000 },
  );
});

test("replaces the sections that are given again, keeps blank or missing ones, and adds nothing else", () => {
  fc.assert(
    fc.property(anySections, anySections, (before, said) => {
      expect(kept(mergeExplorationSections(before, said))).toEqual({ ...kept(before), ...kept(said) });
    }),
    { numRuns: 500 },
  );
});

test("keeps a section for which a blank text is given", () => {
  expect(mergeExplorationSections({ goals: "a", context: "b" }, { goals: " \n ", decisions: "c" })).toEqual({
    goals: "a",
    decisions: "c",
    context: "b",
  });
});
