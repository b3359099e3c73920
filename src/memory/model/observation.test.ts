import fc from "fast-check";
import { expect, test } from "vitest";
import { normalizeComparedText, deriveTextTitle } from "./observation.ts";

test.each([
  ["", ""],
  ["  Login\n\tLOOPS  again ", "login loops again"],
  ["Ünïcode", "ünïcode"],
])("treats %j as equal to %j", (text, same) => {
  expect(normalizeComparedText(text)).toBe(same);
});

test("ignores case and white space, and nothing else", () => {
  const word = fc.stringMatching(/^[a-z]{1,6}$/);
  const space = fc.constantFrom(" ", "\n", "\t\t", "\r\n ");
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), space, (words, between) => {
      expect(normalizeComparedText(` ${words.join(between).toUpperCase()}\n`)).toBe(
        normalizeComparedText(words.join(" ")),
      );
      expect(normalizeComparedText(`${words.join(" ")} x`)).not.toBe(normalizeComparedText(words.join(" ")));
    }),
  );
});

test.each([
  ["", ""],
  ["\n\n  The first   line \nand more", "The first line"],
  ["one line\r\nand another", "one line"],
  ["a".repeat(80), "a".repeat(80)],
  ["a".repeat(81), `${"a".repeat(80)}…`],
  [`${"word ".repeat(20)}`, `${"word ".repeat(16).trim()}…`],
  [`short ${"a".repeat(100)}`, `short ${"a".repeat(74)}…`],
  [`a${"🚀".repeat(50)}`, `a${"🚀".repeat(39)}…`],
])("derives a title for %j", (text, title) => {
  expect(deriveTextTitle(text)).toBe(title);
});

test("derives a title of one line of whole letters, with a mark if it is cut", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), fc.integer({ min: 10, max: 100 }), (text, length) => {
      const title = deriveTextTitle(text, length);
      expect({
        isLine: !/[\r\n]/.test(title),
        fits: title.length <= length + 1,
        isWhole: title.isWellFormed(),
      }).toEqual({
        isLine: true,
        fits: true,
        isWhole: true,
      });
    }),
    { numRuns: 500 },
  );
});
