import fc from "fast-check";
import { expect, test } from "vitest";
import {
  formatSafeListItem,
  findBodyProblem,
  findMarkdownSection,
  readListItems,
  getOwnText,
  splitGivenItems,
  hasSameWords,
  listMarkdownSections,
  appendSectionBody,
  replaceOwnText,
  insertMarkdownSection,
} from "./markdown-section.ts";

const TEXT = "# Tech\n\nIntro.\n\n## Standards\n\nStrict.\n\n### Testing\n\n- Fast\n\n## Tools\n\n- <each tool>\n";

const sectionOf = (text: string, name: string) => {
  const section = findMarkdownSection(text, name);
  if (!section) throw new Error(`There is no ${name}.`);
  return section;
};

test("finds where each section starts and ends", () => {
  const found = listMarkdownSections(TEXT).map((section) => [
    section.heading.text,
    getOwnText(TEXT, section).trim(),
    TEXT.slice(section.start, section.to).trim().split("\n").at(-1),
  ]);
  expect(found).toEqual([
    ["Tech", "Intro.", "- <each tool>"],
    ["Standards", "Strict.", "- Fast"],
    ["Testing", "- Fast", "- Fast"],
    ["Tools", "- <each tool>", "- <each tool>"],
  ]);
});

test.each([
  ["testing", "Testing"],
  [" Tools ", "Tools"],
  ["Standard", undefined],
  ["Nothing", undefined],
])("finds by %j the section %s", (name, found) => {
  expect(findMarkdownSection(TEXT, name)?.heading.text).toBe(found);
});

test("prefers an exact name to a prefix", () => {
  const text = "## Vision and mission\n\na\n\n## 2. Vision\n\nb\n\n## Vision\n\nc\n";
  expect(getOwnText(text, sectionOf(text, "Vision")).trim()).toBe("c");
  expect(getOwnText(text, sectionOf(text.replace("## Vision\n\nc\n", ""), "Vision")).trim()).toBe("a");
});

test.each([
  ["Standards", "Loose.", TEXT.replace("Strict.", "Loose.")],
  ["Testing", "", TEXT.replace("- Fast\n\n", "")],
  ["Tools", "- npm\n- git\n", TEXT.replace("- <each tool>", "- npm\n- git")],
  ["Tech", "    indented code\n", TEXT.replace("Intro.", "    indented code")],
])("replaces the text of %s with %j", (name, body, expected) => {
  expect(replaceOwnText(TEXT, sectionOf(TEXT, name), body)).toBe(expected);
});

test.each([
  ["an item after items", "Testing", "- Slow", TEXT.replace("- Fast\n", "- Fast\n- Slow\n")],
  ["an item after a paragraph", "Standards", "- Slow", TEXT.replace("Strict.\n", "Strict.\n\n- Slow\n")],
  ["a paragraph after items", "Testing", "Slow.", TEXT.replace("- Fast\n", "- Fast\n\nSlow.\n")],
  ["in place of a placeholder", "Tools", "- npm", TEXT.replace("- <each tool>", "- npm")],
])("adds %s", (_, name, addition, expected) => {
  expect(appendSectionBody(TEXT, sectionOf(TEXT, name), addition)).toBe(expected);
});

test.each([
  ["no line end", "## A\n\n- a", "## A\n\n- a\n- b\n"],
  ["only its heading", "## A", "## A\n\n- b\n"],
  ["spaces at the end of a line", "## A\n\n- a  \n\n\n## B\n", "## A\n\n- a  \n- b\n\n\n## B\n"],
  ["the next heading right below", "## A\n- a\n## B\n", "## A\n- a\n- b\n\n## B\n"],
  ["a nested list", "## A\n\n- a\n  more\n", "## A\n\n- a\n  more\n- b\n"],
])("adds an item to a section with %s", (_, text, expected) => {
  expect(appendSectionBody(text, sectionOf(text, "A"), "- b")).toBe(expected);
});

test("keeps Windows line ends", () => {
  const windows = (text: string): string => text.replaceAll("\n", "\r\n");
  for (const name of ["Standards", "Testing", "Tools"]) {
    const there = sectionOf(windows(TEXT), name);
    const here = sectionOf(TEXT, name);
    expect(appendSectionBody(windows(TEXT), there, "- a\n- b")).toBe(
      windows(appendSectionBody(TEXT, here, "- a\n- b")),
    );
    expect(replaceOwnText(windows(TEXT), there, "a\nb")).toBe(windows(replaceOwnText(TEXT, here, "a\nb")));
  }
});

test.each([
  ["", undefined, "## New\n\ntext\n"],
  ["# T", undefined, "# T\n\n## New\n\ntext\n"],
  ["# T\n\n\n", undefined, "# T\n\n\n## New\n\ntext\n"],
  ["# T\n\n## B\n", 5, "# T\n\n## New\n\ntext\n\n## B\n"],
])("inserts a section into %j", (text, at, expected) => {
  expect(insertMarkdownSection(text, { title: "New", level: 2, body: "text" }, at)).toBe(expected);
});

test.each([
  ["- a\n- b\n", ["a", "b"]],
  ["* a\n  goes on\n1. b\n\n3) c", ["a goes on", "b", "c"]],
  ["- [ ] open\n- [x] done", ["open", "done"]],
  ["Intro:\n\n- a", ["a"]],
  ["One thing\nin two lines.\n\nAnother.", ["One thing in two lines.", "Another."]],
  ["- <one thing>\n- a", ["a"]],
  ["```\n- code\n```\n<!-- - hidden -->", []],
  ["", []],
])("reads the items of %j", (text, items) => {
  expect(readListItems(text)).toEqual(items);
});

test.each([
  ["- a\n  more\n- b", ["a more", "b"]],
  ["a\r\n\n b ", ["a", "b"]],
])("splits given items into %j", (text, items) => {
  expect(splitGivenItems(text)).toEqual(items);
});

test.each([
  ["Log  in.", "log in", true],
  ["é", "e\u0301", true],
  ["Log in", "Log out", false],
])("%j has the same words as %j: %s", (one, other, expected) => {
  expect(hasSameWords(one, other)).toBe(expected);
});

test.each([
  ["two\nlines", "- two lines"],
  ["<!-- hidden", "- &lt;!-- hidden"],
  ["```ts", "- \\```ts"],
  ["- ~~~", "- - \\~~~"],
  ["# Heading", "- # Heading"],
])("writes %j as an item", (text, item) => {
  expect(formatSafeListItem(text)).toBe(item);
});

const said = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1 }),
  fc
    .array(fc.constantFrom("\n", "\r\n", "```", "~~~", "<!--", "-->", "`", "- ", "## Next", "1. ", " ", "x"), {
      minLength: 1,
      maxLength: 12,
    })
    .map((pieces) => pieces.join("")),
);

test("keeps the sections after an item readable, for any item", () => {
  fc.assert(
    fc.property(said, (text) => {
      const file = "# T\n\n## A\n\n- a\n\n## B\n\nb\n";
      const after = appendSectionBody(file, sectionOf(file, "A"), formatSafeListItem(text));
      expect(listMarkdownSections(after).map(({ heading }) => heading.text)).toEqual(["T", "A", "B"]);
      expect([after.startsWith("# T\n\n## A\n\n- a\n"), after.endsWith("\n\n## B\n\nb\n")]).toEqual([true, true]);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ["A text.\n\n### Deeper\n\nMore.", 2, undefined],
  ["```\n# in code\n```", 2, undefined],
  ["## Same", 2, 'it has the heading "Same": begin at ###'],
  ["# Title", 3, 'it has the heading "Title": begin at ####'],
  ["###### Deep", 6, 'it has the heading "Deep"'],
  ["```\nnever closed", 2, "it opens a comment or a block of code that it does not close"],
  ["<!-- never closed", 2, "it opens a comment or a block of code that it does not close"],
])("checks %j as text below a heading of level %i: %s", (body, level, problem) => {
  expect(findBodyProblem(body, level)).toBe(problem);
});
