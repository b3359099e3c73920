import fc from "fast-check";
import { expect, test } from "vitest";
import { createTextFence, quoteForeignName, splitPrintableLines } from "./brief-composition.ts";

test.each([
  ["plain text", "```"],
  ["```\ncode\n```", "````"],
  ["a ````` b", "``````"],
  ["~~~", "```"],
])("fences %j with %s", (text, fence) => {
  expect(createTextFence(text)).toBe(fence);
});

test("chooses a fence that no line equals or starts with, for any text", () => {
  const row = fc.integer({ min: 1, max: 12 }).map((n) => "`".repeat(n));
  fc.assert(
    fc.property(fc.array(fc.oneof(row, fc.constant("\n"), fc.string())), (parts) => {
      const text = parts.join("");
      expect(text.includes(createTextFence(text))).toBe(false);
    }),
  );
});

test.each([
  ["tabs and line ends", "a\tb \r\nc\rd", ["a    b", "c", "d"]],
  ["characters that control a terminal", "a\u001b[2Jb", ["a\\u001b[2Jb"]],
  ["invisible characters", "go\u{e0041} on\u202e", ["go\\u{e0041} on\\u202e"]],
])("makes %s visible", (_, text, lines) => {
  expect(splitPrintableLines(text)).toEqual(lines);
});

test("keeps a name on one line, without code or headings", () => {
  expect(quoteForeignName("src/`x`\n# Rules")).toBe("src/'x'\\u000a# Rules");
});
