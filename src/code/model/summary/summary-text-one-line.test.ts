import fc from "fast-check";
import { expect, test } from "vitest";
import { formatOneLine, truncateSummary } from "./summary-text.ts";

test.each([
  ["  a\r\n\tb  c ", "a b c"],
  ["a\u0000b\u001b[31mc\u202ed\u2066e", "ab[31mcde"],
  ["a\u2028b\u0085c", "a b c"],
  ["👩\u200d👧 ok", "👩\u200d👧 ok"],
  ["a\ud800b", "ab"],
  ["\u{e0041}\u{e0042}x", "x"],
])("puts %j on one line", (text, expected) => {
  expect(formatOneLine(text)).toBe(expected);
});

const cut = (text: string): string => truncateSummary(text, 40);

test.each([
  ["keeps a text that fits", "Checks a token and gives what it holds.", "Checks a token and gives what it holds."],
  ["cuts after a sentence", "Checks a token, twice a day. Then it goes on and on.", "Checks a token, twice a day."],
  [
    "cuts after the last sentence that fits",
    "Checks a token. Twice a day. Then it goes on.",
    "Checks a token. Twice a day.",
  ],
  [
    "does not cut after a very short sentence",
    "No. Checks a token and gives what it holds.",
    "No. Checks a token and gives what it…",
  ],
  [
    "does not cut inside a number",
    "Checks a token of version 1.2 and later ones too",
    "Checks a token of version 1.2 and later…",
  ],
  [
    "does not cut after e.g.",
    "Checks many a token, e.g. this one and some more",
    "Checks many a token, e.g. this one and…",
  ],
  ["cuts after a word", "Checks a token and gives whatever somebody holds", "Checks a token and gives whatever…"],
  [
    "removes a bracket that it would leave open",
    "Checks a token, gives some more of it (notwithstanding)",
    "Checks a token, gives some more of it…",
  ],
  ["cuts inside a word if it contains no blank", `${"x".repeat(50)} y`, `${"x".repeat(39)}…`],
  [
    "cuts between words of a script without blanks",
    "認証トークンを検証して、有効期限が切れていないかどうかを確認し、利用者の情報を返す関数です",
    "認証トークンを検証して、有効期限が切れていないかどうかを確認し、利用者の情報を…",
  ],
  [
    "never cuts a joined character",
    "👩\u200d👩\u200d👧\u200d👦".repeat(20),
    `${"👩\u200d👩\u200d👧\u200d👦".repeat(5)}…`,
  ],
  ["never separates a letter from its accents", "e\u0301".repeat(50), `${"e\u0301".repeat(19)}…`],
])("%s", (_, text, expected) => {
  const short = cut(text);
  expect(short).toBe(expected);
  expect(Array.from(short).length).toBeLessThanOrEqual(40);
});

test("cuts no word that fits", () => {
  const word = fc.stringMatching(/^[a-z]{1,12}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 40 }), (words) => {
      const short = cut(words.join(" ")).replace(/…$/, "");
      expect(words.slice(0, short.split(" ").length).join(" ")).toBe(short);
    }),
  );
});
