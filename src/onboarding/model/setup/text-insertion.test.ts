import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addMarkedBlock,
  findMarkedBlock,
  hasBlockMark,
  removeMarkedBlock,
  replaceMarkedBlock,
} from "./text-insertion.ts";

test.each([
  ["nothing", ""],
  ["an open last line", "# Rules"],
  ["a closed one", "# Rules\n"],
  ["blank lines", "# Rules\n\n\n"],
  ["Windows lines", "# Rules\r\n"],
  ["a byte order mark", "\uFEFF# Rules\n"],
  ["only a byte order mark", "\uFEFF"],
])("adds a block behind %s, and removes it to the byte", (_, before) => {
  const { text, seam } = addMarkedBlock(before, "Use Tenon.\n");
  expect(findMarkedBlock(text)?.text).toBe("Use Tenon.");
  expect(text.startsWith(before)).toBe(true);
  expect(removeMarkedBlock(text, seam)).toBe(before);
});

test("adds and removes a block to the byte, for any Markdown", () => {
  const part = fc.constantFrom("# A", "text", "```", "\n", "\r\n", "- b", "<!-- c -->", " ", "ü", "\t");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const before = parts.join("");
      const { text, seam } = addMarkedBlock(before, "Use Tenon.");
      expect(removeMarkedBlock(text, seam)).toBe(before);
    }),
  );
});

test("replaces a block in place and keeps the text around it", () => {
  const { text } = addMarkedBlock("# Rules\r\n", "One.");
  expect(replaceMarkedBlock(`${text}After.\r\n`, "Two.\nThree.")).toBe(
    `${text.replace("One.", "Two.\r\nThree.")}After.\r\n`,
  );
});

test("keeps a line that the user wrote right below separate", () => {
  const { text, seam } = addMarkedBlock("# Rules", "One.");
  expect(removeMarkedBlock(`${text}After.`, seam)).toBe("# Rules\nAfter.");
});

test.each([
  ["half a pair", "<!-- tenon:begin -->\nOne.\n"],
  ["two pairs", "<!-- tenon:begin -->\n<!-- tenon:end -->\n".repeat(2)],
  ["the wrong order", "<!-- tenon:end -->\n<!-- tenon:begin -->\n"],
])("reads %s as a mark, not as a block", (_, text) => {
  expect(findMarkedBlock(text)).toBeUndefined();
  expect(hasBlockMark(text)).toBe(true);
});
