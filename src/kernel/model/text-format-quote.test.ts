import fc from "fast-check";
import { expect, test } from "vitest";
import { formatExactWord, sanitizeText, quote } from "./text-format.ts";

test.each([
  ["nothing", "", ""],
  ["a sentence", "Añadir 修复 🚀", "Añadir 修复 🚀"],
  ["line ends", "a\r\nb\tc", "a\\u000d\\u000ab\\u0009c"],
  ["a colour and a bell", "\u001b[31mred\u0007", "\\u001b[31mred\\u0007"],
  ["delete and a C1 control", "\u007f\u009b2J", "\\u007f\\u009b2J"],
  ["marks that reorder", "a\u202eb\u2066c\u061cd\u200fe", "a\\u202eb\\u2066c\\u061cd\\u200fe"],
  ["marks of no width", "a\u200bb\u200dc\u2060d\ufeffe\u00adf", "a\\u200bb\\u200dc\\u2060d\\ufeffe\\u00adf"],
  ["line and paragraph separators", "a\u2028b\u2029c", "a\\u2028b\\u2029c"],
  ["tags that hide a text", "a\u{e0041}\u{e0142}b", "a\\u{e0041}\\u{e0142}b"],
  ["half a pair", "a\ud800b", "a\ufffdb"],
])("quotes %s safely in a message", (_, text, shown) => {
  expect({ plain: sanitizeText(text), quote: quote(text) }).toEqual({ plain: shown, quote: `"${shown}"` });
});

test.each([
  ["abc", 3, "abc"],
  ["abcd", 3, "abc…"],
  ["ab🚀", 3, "ab\ufffd…"],
  ["a".repeat(121), undefined, `${"a".repeat(120)}…`],
])("clips %j to %s characters", (text, limit, shown) => {
  expect(sanitizeText(text, limit)).toBe(shown);
});

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}]/u;

test("removes every control, separator and invisible character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.integer({ min: 0, max: 200 }), (text, limit) => {
      const shown = quote(text, limit);
      expect({ isWellFormed: shown.isWellFormed(), hidden: HIDDEN.exec(shown)?.[0] }).toEqual({ isWellFormed: true });
    }),
    { numRuns: 1000 },
  );
});

test("leaves a text alone that needs no quotes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii", maxLength: 120 }), (text) => {
      expect(sanitizeText(text)).toBe(text);
    }),
  );
});

test.each([
  ["a plain word", "--reporter=json", "--reporter=json"],
  ["nothing", "", '""'],
  ["a blank, quotes and what a shell would fill in", 'a "b" $(c) `d` \\', '"a \\"b\\" \\$(c) \\`d\\` \\\\"'],
  ["a line break, and its code as text", "a\n\\u000a", '"a\\u000a\\\\u000a"'],
  ["marks that reorder or hide", "a\u202eb\u200bc\u{e0041}d", '"a\\u202eb\\u200bc\\u{e0041}d"'],
  ["fillers and selectors", "a\u3164b\u115fc\ufe0fd\u2800e", '"a\\u3164b\\u115fc\\ufe0fd\\u2800e"'],
  ["blanks that are none", "a\u00a0b\u2003c", '"a\\u00a0b\\u2003c"'],
  ["a mark on a letter", "e\u0301", '"e\\u0301"'],
  ["halves of pairs", "a\ud800b\udc00", '"a\\ud800b\\udc00"'],
  ["other letters", "検査", '"検査"'],
])("shows %s exactly", (_, word, shown) => {
  expect(formatExactWord(word)).toBe(shown);
});

test("shows two different words in different ways", () => {
  const word = fc.string({ unit: "binary", maxLength: 12 });
  const near = fc.string({ unit: fc.constantFrom("\\", "u", "0", "a", "\n", '"', "\u200b", "{", "}"), maxLength: 14 });
  fc.assert(
    fc.property(fc.oneof(word, near), fc.oneof(word, near), (one, other) => {
      expect(formatExactWord(one) === formatExactWord(other)).toBe(one === other);
    }),
    { numRuns: 2000 },
  );
});
