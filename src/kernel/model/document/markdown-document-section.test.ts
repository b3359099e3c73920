import fc from "fast-check";
import { expect, test } from "vitest";
import {
  parseHeadings,
  parseProseLines,
  findHeadingProblems,
  isMatchingHeading,
  excludeSections,
  findSectionLines,
} from "./markdown-document.ts";

test.each([
  ["Out of scope", true],
  ["OUT OF SCOPE", true],
  ["2. **Out of Scope**:", true],
  ["3) Out of scope (for now)", true],
  ["Out of scopes", false],
  ["Not out of scope", false],
  ["Out of", false],
  ["", false],
])("takes %j for the out-of-scope heading: %s", (text, isIt) => {
  expect(isMatchingHeading(text, "Out of scope")).toBe(isIt);
});

test("treats all apostrophes alike", () => {
  expect(isMatchingHeading("Won’t have", "Won't have")).toBe(true);
});

const problems = (text: string, ...required: string[]) =>
  findHeadingProblems(parseHeadings(parseProseLines(text)), required);

test("reports a missing or empty heading", () => {
  const text = "# A\n\n## B\n\n## C\n\n### D\n\nx\n\n## E\n\n<!-- only a comment -->\n";
  expect(problems(text, "A", "B", "C", "D", "E", "F")).toEqual([
    { problem: 'There is no text under "B".', line: 3 },
    { problem: 'There is no text under "E".', line: 11 },
    { problem: 'The heading "F" is missing.' },
  ]);
});

test("ignores a heading in a code block or a comment", () => {
  expect(problems("```\n# A\n```\n<!--\n# A\n\nx\n-->\n", "A")).toEqual([{ problem: 'The heading "A" is missing.' }]);
});

const texts = (lines: readonly { text: string }[] | undefined) => lines?.map(({ text }) => text);
const DOCUMENT = "# T\n\nt\n## A\na\n### Under\nu\n## B\nb\n## A\nagain\n# Last\nl";

test.each([
  ["A", ["a", "### Under", "u"]],
  ["Under", ["u"]],
  ["B", ["b"]],
  ["Last", ["l"]],
  ["C", undefined],
])("finds the section %s", (name, expected) => {
  expect(texts(findSectionLines(parseProseLines(DOCUMENT), name))).toEqual(expected);
});

test("returns the lines outside the given sections", () => {
  const left = excludeSections(parseProseLines(DOCUMENT), ["A", "Last"]);
  expect(texts(left)).toEqual(["# T", "", "t", "## B", "b"]);
  expect(left.map(({ number }) => number)).toEqual([1, 2, 3, 8, 9]);
});

test("divides all lines but the heading between a section and the rest", () => {
  const line = fc.constantFrom("# A", "## A", "### A", "# B", "## B", "x", "", "- y");
  fc.assert(
    fc.property(fc.array(line), (all) => {
      const lines = parseProseLines(all.join("\n"));
      const [first] = parseHeadings(lines).filter(({ text }) => text === "A");
      const inside = findSectionLines(lines, "A") ?? [];
      const outside = excludeSections(lines, ["A"]);
      expect(inside.filter((each) => outside.includes(each))).toEqual([]);
      expect(outside.some(({ number }) => number === first?.line)).toBe(false);
      expect(outside.some(({ text }) => /^#+ A$/.test(text))).toBe(false);
    }),
  );
});
