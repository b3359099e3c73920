import fc from "fast-check";
import { expect, test } from "vitest";
import { extractSnippet } from "./text-snippet.ts";
import { extractSearchTerms } from "./search-terms.ts";

const termsIn = (text: string): Set<string> => new Set(extractSearchTerms(text));
const filler = (n: number): string => "filler ".repeat(n).trim();

test.each([
  ["keeps a text that fits", "  Login\nloops\t\tagain ", 17, "Login loops again"],
  ["keeps a text of exactly the limit", "abc def", 7, "abc def"],
  ["cuts a longer text between words", "The login loops after a reset of the password", 20, "The login loops …"],
  ["keeps an empty text", "", 20, ""],
])("%s", (_, text, length, snippet) => {
  expect(extractSnippet(text, new Set(), length)).toBe(snippet);
});

test.each([
  ["in the middle", `${filler(20)} the needle is here ${filler(20)}`, "needle"],
  ["at the end", `${filler(40)} needle`, "needle"],
  ["in another form of the word", `${filler(40)} it was written down ${filler(9)}`, "writing"],
  ["with marks", `${filler(40)} la autenticación ${filler(9)}`, "autenticacion"],
  ["with separate accents", `${filler(40)} la autenticacio\u0301n ${filler(9)}`, "autenticación"],
  ["in capitals", `${filler(40)} NEEDLE ${filler(9)}`, "needle"],
  ["within a long path", `${filler(40)} ${"src/".repeat(30)}needle/${"lib/".repeat(30)} end`, "needle"],
  ["in Chinese", `${"很".repeat(200)}登录循环${"很".repeat(200)}`, "登录"],
  ["in Japanese", `${"の".repeat(200)}ガイド${"の".repeat(200)}`, "ガイド"],
])("shows a match %s in the snippet", (_, text, asked) => {
  const snippet = extractSnippet(text, termsIn(asked), 60);
  const found = extractSearchTerms(snippet).filter((term) => termsIn(asked).has(term));
  expect({ hasIt: found.length > 0, isPart: snippet.length <= 64 }).toEqual({ hasIt: true, isPart: true });
});

test("shows the passage with most of the terms, with a little before it", () => {
  const text = `reset ${filler(30)} then the login was reset by hand ${filler(30)} login`;
  expect(extractSnippet(text, termsIn("login reset"), 60)).toBe(
    "… then the login was reset by hand filler filler filler filler …",
  );
});

test("cuts an endless word at the maximum length", () => {
  expect(extractSnippet("x".repeat(100), new Set(), 10)).toBe(`${"x".repeat(10)} …`);
});

test.each([9, 10, 11, 12])("does not cut a surrogate pair, at a length of %i", (length) => {
  expect(extractSnippet("🚀".repeat(50), new Set(), length)).toBe(`${"🚀".repeat(Math.floor(length / 2))} …`);
});

const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 400 }),
  fc.string({ unit: fc.constantFrom("login", "Resets", " ", "\n", "é", "🚀", "登", "录", "-", "x"), maxLength: 300 }),
);

test("returns a part of the text within the maximum length", () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 8, max: 300 }), (text, length) => {
      const line = text.replace(/\s+/g, " ").trim();
      const snippet = extractSnippet(text, termsIn("login resets 登录"), length);
      const isWhole = line.length <= length;
      const bare = isWhole ? snippet : snippet.replace(/^… /, "").replace(/ …$/, "");
      expect({
        isPart: line.includes(bare),
        fits: bare.length <= length,
        isWhole: snippet === line,
        isWellFormed: snippet.isWellFormed(),
      }).toEqual({ isPart: true, fits: true, isWhole, isWellFormed: line.isWellFormed() });
    }),
    { numRuns: 1000 },
  );
});

test("contains the match", () => {
  const around = fc.string({ unit: fc.constantFrom("a", "bc", " ", " ", "-", "é", "🚀", "登", "."), maxLength: 300 });
  const mark = fc.constantFrom(" ", "-", "/");
  fc.assert(
    fc.property(around, mark, around, fc.integer({ min: 40, max: 120 }), (before, beside, after, length) => {
      const snippet = extractSnippet(`${before}${beside}needles${beside}${after}`, new Set(["needl"]), length);
      expect(extractSearchTerms(snippet).filter((term) => term === "needl")).toEqual(["needl"]);
    }),
    { numRuns: 1000 },
  );
});
