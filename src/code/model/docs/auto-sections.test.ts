import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fillAutoSections, findAutoSections, blankAutoSections } from "./auto-sections.ts";

const namesIn = (text: string): string[] | string => {
  const found = findAutoSections(text);
  return "problem" in found
    ? `${found.problem.line}: ${found.problem.problem}`
    : found.sections.map(({ name }) => name);
};

const fill = (text: string, contentOf: (name: string) => string | undefined): string => {
  const found = findAutoSections(text);
  return "problem" in found ? "refused" : fillAutoSections(text, found.sections, contentOf).text;
};

test.each<[string, string[]]>([
  ["<!-- AUTO:BEGIN:components -->\n<!-- AUTO:END:components -->\n", ["components"]],
  ["<!-- AUTO:components -->\nold\n<!-- /AUTO -->", ["components"]],
  ["<!-- AUTO:component-list -->\n<!-- /AUTO:component-list -->", ["component-list"]],
  ["<!-- AUTO: matrix -->\n<!-- /AUTO -->", ["matrix"]],
  ["<!--AUTO:BEGIN:feature:AUTH-001-->\r\n<!--AUTO:END:feature:AUTH-001-->\r\n", ["feature:AUTH-001"]],
  ["<!-- auto:begin:Specs -->\n<!-- auto:end:specs -->", ["Specs"]],
  ["\ufeff<!-- AUTO:specs -->\n<!-- /AUTO -->", ["specs"]],
  ["a\n<!-- AUTO:specs -->\n<!-- /AUTO -->\nb\n<!-- AUTO:docs -->\n<!-- /AUTO -->", ["specs", "docs"]],
  // No markers: in code, in a line of prose, of another name.
  ["```\n<!-- AUTO:specs -->\n```\n", []],
  ["~~~~ md\n<!-- AUTO:specs -->\n~~~\n<!-- /AUTO -->\n~~~~~\n", []],
  ["1. A list\n   ```\n   <!-- AUTO:specs -->\n   ```\n", []],
  ["    <!-- AUTO:specs -->\n", []],
  ["Write `<!-- AUTO:specs -->` there.\n", []],
  ["<!-- AUTOMATIC -->\n<!-- AUTO -->\n<!-- AUTO:1 -->\n", []],
  ["``` code in a line ``` is no fence\n<!-- AUTO:specs -->\n<!-- /AUTO -->", ["specs"]],
  ["```\nnever closed\n<!-- AUTO:specs -->\n", []],
  ["", []],
])("finds in %j: %j", (text, names) => {
  expect(namesIn(text)).toEqual(names);
});

test.each<[string, string]>([
  ["a\n<!-- AUTO:specs -->\nmine\n", '2: The marker opens "specs", and nothing closes it.'],
  [
    "<!-- AUTO:BEGIN:specs -->\n```\n<!-- AUTO:END:specs -->\n```\n",
    '1: The marker opens "specs", and nothing closes it.',
  ],
  ["<!-- /AUTO -->\n", "1: The marker closes a section that nothing opens."],
  ["<!-- AUTO:END:specs -->\n", "1: The marker closes a section that nothing opens."],
  [
    "<!-- AUTO:specs -->\n<!-- AUTO:docs -->\n<!-- /AUTO -->\n<!-- /AUTO -->",
    '2: The marker opens "docs" inside of "specs", which line 1 opens.',
  ],
  ["<!-- AUTO:BEGIN:specs -->\n<!-- AUTO:END:docs -->", '2: The marker does not close "specs", which line 1 opens.'],
  ["<!-- AUTO:BEGIN:specs -->\n<!-- /AUTO -->", '2: The marker does not close "specs", which line 1 opens.'],
  ["<!-- AUTO:specs -->\n<!-- AUTO:END:specs -->", '2: The marker does not close "specs", which line 1 opens.'],
  ["<!-- AUTO:specs -->\n<!-- /AUTO:docs -->", '2: The marker does not close "specs", which line 1 opens.'],
])("rejects %j", (text, problem) => {
  expect(namesIn(text)).toBe(problem);
});

test.each([
  ["a\n<!-- AUTO:specs -->\nold\n<!-- /AUTO -->\nb", "a\n<!-- AUTO:specs -->\n\nnew\nlines\n\n<!-- /AUTO -->\nb"],
  ["<!-- AUTO:specs -->\r\n<!-- /AUTO -->\r\n", "<!-- AUTO:specs -->\r\n\r\nnew\r\nlines\r\n\r\n<!-- /AUTO -->\r\n"],
  ["<!-- AUTO:other -->\nold\n<!-- /AUTO -->", "<!-- AUTO:other -->\nold\n<!-- /AUTO -->"],
])("turns %j into %j", (text, filled) => {
  expect(fill(text, (name) => (name === "specs" ? "new\nlines" : undefined))).toBe(filled);
});

test("reports unknown content and leaves it unchanged", () => {
  const text = "<!-- AUTO:weather -->\nsunny\n<!-- /AUTO -->";
  const found = findAutoSections(text);
  expect("sections" in found && fillAutoSections(text, found.sections, () => undefined)).toEqual({
    text,
    unknown: ["weather"],
  });
});

const PIECES = [
  "<!-- AUTO:specs -->",
  "<!-- /AUTO -->",
  "<!-- AUTO:BEGIN:docs -->",
  "<!-- AUTO:END:docs -->",
  "<!-- AUTO:unknown-one -->",
  "```",
  "~~~ md",
  "    <!-- AUTO:specs -->",
  "some `code` and text | with a bar",
  "\ufeff",
  "",
  "# Heading",
];
const line = fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "binary", maxLength: 8 }));
const documents = fc
  .array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r")), { maxLength: 25 })
  .map((lines) => lines.map(([text, ending]) => text + ending).join(""));
const contents = fc
  .array(fc.constantFrom("| a | b |", "", "text", "- item"), { maxLength: 4 })
  .map((lines) => lines.join("\n"));

/** All but what lies in sections. */
const outside = (text: string): string[] => {
  const found = findAutoSections(text);
  if ("problem" in found) return ["refused"];
  const ends = [0, ...found.sections.map(({ end }) => end)];
  return ends.map((end, i) => text.slice(end, found.sections[i]?.start ?? text.length));
};

test("changes nothing outside the sections, and nothing at all the second time", () => {
  fc.assert(
    fc.property(documents, contents, (text, content) => {
      const contentOf = (name: string): string | undefined => (name === "unknown-one" ? undefined : content);
      const once = fill(text, contentOf);
      if (once === "refused") return;
      expect(outside(once)).toEqual(outside(text));
      expect(fill(once, contentOf)).toBe(once);
    }),
    { numRuns: 2000 },
  );
});

test("keeps the lines of people, and reads them the same with any generated content", () => {
  fc.assert(
    fc.property(documents, contents, (text, content) => {
      const kept = blankAutoSections(text);
      expect(kept.split(/\r\n|\n|\r/).length).toBe(text.split(/\r\n|\n|\r/).length);
      const filled = fill(text, () => content);
      if (filled === "refused") return;
      expect(blankAutoSections(filled).replace(/\s+/g, " ")).toBe(kept.replace(/\s+/g, " "));
    }),
    { numRuns: 2000 },
  );
});
