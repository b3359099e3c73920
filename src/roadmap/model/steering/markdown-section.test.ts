import { expect, test } from "vitest";
import { findPlaceholderLines, hasOnlyPlaceholders } from "./markdown-section.ts";

test.each([
  ["<what it is for>", true],
  ["- <what it lets them do>", true],
  ["- Language: <name and version>", true],
  ["1. <each library>.", true],
  ["", true],
  ["\n\n- <one thing>\n\n- <another thing>\n", true],
  ["It is for <the harbour master> only", false],
  ["A text.", false],
  ["<b>bold</b>", false],
  ["<https://example.com/a>", false],
  ['<a href="x y">', false],
  ["<!-- a comment -->", false],
  ["Map<string, number>", false],
  ["- <what it lets them do>\n- Log in", false],
])("%j is only a placeholder: %s", (text, expected) => {
  expect(hasOnlyPlaceholders(text)).toBe(expected);
});

test("lists remaining placeholders with their lines", () => {
  const text = [
    "# Product",
    "",
    "It is for <the people who use it> only.",
    "<!-- <not this one> -->",
    "```",
    "<nor this one>",
    "```",
    "A `<placeholder in code>` and Map<string, number>.",
    "- Language: <name and version>",
  ].join("\r\n");
  expect(findPlaceholderLines(text)).toEqual([
    { line: 3, text: "It is for <the people who use it> only." },
    { line: 9, text: "- Language: <name and version>" },
  ]);
});
