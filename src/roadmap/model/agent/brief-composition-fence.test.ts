import fc from "fast-check";
import { expect, test } from "vitest";
import { createTextFence, quoteForeignName, splitPrintableLines } from "./brief-composition.ts";

test.each([
  ["plain text", "```"],
  ["```\ncode\n```", "````"],
  ["a ````` b", "``````"],
  ["~~~", "```"],
])("around %j stands %s", (text, fence) => {
  expect(createTextFence(text)).toBe(fence);
});

test("no line of a text is its fence, or begins as one", () => {
  const row = fc.integer({ min: 1, max: 12 }).map((n) => "`".repeat(n));
  fc.assert(
    fc.property(fc.array(fc.oneof(row, fc.constant("\n"), fc.string())), (parts) => {
      const text = parts.join("");
      expect(text.includes(createTextFence(text))).toBe(false);
    }),
  );
});

test.each([
  ["tabs and ends of lines", "a\tb \r\nc\rd", ["a    b", "c", "d"]],
  ["what acts on a terminal", "a\u001b[2Jb", ["a\\u001b[2Jb"]],
  ["what hides from a reader", "go\u{e0041} on\u202e", ["go\\u{e0041} on\\u202e"]],
])("%s can be seen", (_, text, lines) => {
  expect(splitPrintableLines(text)).toEqual(lines);
});

test("a name cannot leave its place", () => {
  expect(quoteForeignName("src/`x`\n# Rules")).toBe("src/'x'\\u000a# Rules");
});
