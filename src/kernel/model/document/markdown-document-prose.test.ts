import fc from "fast-check";
import { expect, test } from "vitest";
import { parseHeadings, parseProseLines } from "./markdown-document.ts";

/** `1 text`, and `2 ∎` for a line of code. */
const shown = (markdown: string): string[] =>
  parseProseLines(markdown).map((line) => `${line.number} ${line.isCode ? "∎" : line.text}`);

test.each([
  ["a text", "a\nb", ["1 a", "2 b"]],
  ["nothing", "", ["1 "]],
  ["Windows line ends", "a\r\n\r\nb", ["1 a", "2 ", "3 b"]],
  ["old line ends", "a\rb", ["1 a", "2 b"]],
  ["a fence", "a\n```\nFR-001\n\n```\nb", ["1 a", "3 ∎", "6 b"]],
  ["a fence with a language", "```ts title=x\nFR-001\n```\nb", ["2 ∎", "4 b"]],
  ["a fence of tildes", "~~~\nFR-001\n```\n~~~\nb", ["2 ∎", "3 ∎", "5 b"]],
  ["a longer fence around a shorter", "````\n```\nFR-001\n```\n````\nb", ["2 ∎", "3 ∎", "4 ∎", "6 b"]],
  ["a fence closed by a longer", "```\nFR-001\n`````\nb", ["2 ∎", "4 b"]],
  ["words behind a closing fence", "```\nFR-001\n``` end\n```\nb", ["2 ∎", "3 ∎", "5 b"]],
  ["a fence that is moved in", "   ```\nFR-001\n  ```\nb", ["2 ∎", "4 b"]],
  ["a fence behind a list's mark", "- ```\n  FR-001\n  ```\n1. ~~~\n   x\n   ~~~\nb", ["2 ∎", "5 ∎", "7 b"]],
  [
    "a fence deep in a list",
    "- a\n    - b\n      ```\n      FR-001\n      ```\nc",
    ["1 - a", "2     - b", "4 ∎", "6 c"],
  ],
  ["a comment spoken of in inline code", "a `<!--` b\nFR-001", ["1 a `<!--` b", "2 FR-001"]],
  ["a comment behind inline code", "a `x` <!-- b -->", ["1 a `x` "]],
  ["a fence that is never closed", "a\n```\nFR-001\n## b", ["1 a", "3 ∎", "4 ∎"]],
  ["backticks within a line", "```FR-001``` and\nb", ["1 ```FR-001``` and", "2 b"]],
  ["a fence within Windows line ends", "```\r\nFR-001\r\n```\r\nb", ["2 ∎", "4 b"]],
  ["a comment", "a <!-- FR-001 --> b", ["1 a  b"]],
  ["a comment over lines", "a <!-- FR-001\n## x\n--> b\nc", ["1 a ", "2 ", "3  b", "4 c"]],
  ["two comments on a line", "<!-- x -->a<!-- y -->b", ["1 ab"]],
  ["a comment that is never closed", "a\n<!-- FR-001\nb", ["1 a", "2 ", "3 "]],
  ["a fence within a comment", "<!--\n```\n-->\nb", ["1 ", "2 ", "3 ", "4 b"]],
  ["a comment within a fence", "```\n<!--\n```\nb", ["2 ∎", "4 b"]],
  ["an end of a comment alone", "a --> b", ["1 a --> b"]],
])("%s", (_, markdown, lines) => {
  expect(shown(markdown)).toEqual(lines);
});

/** Text with everything that means something to the reader, in any order. */
const markdown = fc
  .array(
    fc.constantFrom(
      "a",
      " ",
      "```",
      "~~~",
      "````",
      "<!--",
      "-->",
      "#",
      "## ",
      "- ",
      "1. ",
      "FR-001",
      "\t",
      "x y",
      "\n",
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(""));

test("returns lines in order with their positions, for any line ends", () => {
  fc.assert(
    fc.property(markdown, (text) => {
      const raw = text.split("\n");
      const lines = parseProseLines(text);
      expect(lines.map((line) => line.number)).toEqual(
        [...new Set(lines.map((line) => line.number))].toSorted((a, b) => a - b),
      );
      expect(lines.filter((line) => line.text.length > (raw[line.number - 1] ?? "").length)).toEqual([]);
      expect(parseProseLines(text.replaceAll("\n", "\r\n"))).toEqual(lines);
      expect(parseProseLines(text.replaceAll("\n", "\r"))).toEqual(lines);
    }),
    { numRuns: 500 },
  );
});

test("removes fences and comments", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const inner = text.replace(/[`~\r\n]|-->/g, "");
      expect(shown(`\`\`\`\n${inner}\n\`\`\`\nend`).filter((line) => !line.endsWith("∎"))).toEqual(["4 end"]);
      expect(shown(`<!-- ${inner} -->end`)).toEqual(["1 end"]);
    }),
  );
});

/** `2 Name @3 (text)` for a heading of level 2 on line 3 with something under it. */
const outline = (text: string): string[] =>
  parseHeadings(parseProseLines(text)).map(
    (heading) => `${heading.level} ${heading.text} @${heading.line}${heading.hasText ? " (text)" : ""}`,
  );

test.each([
  ["text under each", "# A\na\n## B\nb", ["1 A @1 (text)", "2 B @3 (text)"]],
  ["text under the lower only", "# A\n## B\nb", ["1 A @1 (text)", "2 B @2 (text)"]],
  ["nothing under the first", "## A\n\n## B\nb", ["2 A @1", "2 B @3 (text)"]],
  ["nothing but a lower heading", "# A\n## B", ["1 A @1", "2 B @2"]],
  ["blank lines only", "## A\n \t\n", ["2 A @1"]],
  ["a comment only", "## A\n<!-- to do -->", ["2 A @1"]],
  ["code only", "## A\n```\nx\n```", ["2 A @1 (text)"]],
  ["an empty fence only", "## A\n```\n\n```", ["2 A @1"]],
  ["text under a deeper heading counts above", "# A\n### B\nb\n## C", ["1 A @1 (text)", "3 B @2 (text)", "2 C @4"]],
  ["marks at the end", "## A ##\n### B #c#", ["2 A @1", "3 B #c# @2"]],
  ["moved in", "   ## A\n    ## B", ["2 A @1 (text)"]],
  ["no space", "##A\n#", []],
  ["seven marks", "####### A", []],
  ["in a fence", "```\n# A\n```", []],
  ["in a comment", "<!--\n# A\n-->", []],
  ["no name", "## \n", ["2  @1"]],
  ["Windows line ends", "## A\r\na\r\n", ["2 A @1 (text)"]],
])("reads headings: %s", (_, text, found) => {
  expect(outline(text)).toEqual(found);
});

test("reads a line a megabyte long", () => {
  const text = (unit: string): string => unit.repeat(2 ** 20 / unit.length);
  const lengths = ["x", "#", "`", "~", "<!--", "-->", "<!---->", "# ", "- ", "1. "].map(
    (unit) => parseProseLines(text(unit)).length + parseHeadings(parseProseLines(`# ${text(unit)}`)).length,
  );
  expect(lengths).toEqual([2, 2, 1, 1, 2, 2, 2, 2, 2, 2]);
});
