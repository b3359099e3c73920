import fc from "fast-check";
import { expect, test } from "vitest";
import { normalizeSearchTerm, extractSearchTerms, splitSearchWords } from "./search-terms.ts";
import { isStopWord } from "./stop-words.ts";

test.each([
  ["nothing", "", []],
  ["no letters", " .,:;!?()[]{}<>'\"*&^%$#@~`|\\/\u0000\n\t—…🚀", []],
  ["case", "Login LOOPS aFTER", ["login", "loops", "after"]],
  ["marks, joined or apart", "Autenticación An\u0303adir naïve", ["autenticacion", "anadir", "naive"]],
  ["a capital that falls into two", "İstanbul", ["istanbul"]],
  ["underscores and hyphens", "root_cause my-app a.b/c", ["root", "cause", "my", "app", "a", "b", "c"]],
  ["digits", "HTTP 404 in v2.5", ["http", "404", "in", "v2", "5"]],
  ["wide and joined letters", "ＡＢＣ ﬁx ①", ["abc", "fix", "1"]],
  ["another alphabet", "Привет Мир", ["привет", "мир"]],
  ["Chinese, as pairs", "修复登录", ["修复", "复登", "登录"]],
  ["one letter of Chinese", "修", ["修"]],
  ["Japanese and Latin in one run", "iPhone手机v2カメラ", ["iphone", "手机", "v2", "カメ", "メラ"]],
  ["letters beyond the first plane", "𠮷野家", ["𠮷野", "野家"]],
  ["a long word beside another alphabet", `é ${"a".repeat(65)}`, ["e", "a".repeat(64)]],
  ["halves of pairs", "a\ud800b \udc00 c\udfff", ["a", "b", "c"]],
])("%s: finds the words of %j", (_, text, words) => {
  expect(splitSearchWords(text)).toEqual(words);
});

test.each([
  ["ASCII", "a".repeat(64), "a".repeat(65)],
  ["another alphabet", "я".repeat(64), "я".repeat(200)],
  ["beyond the first plane", "𝟘a".normalize("NFKD").repeat(32), "0a".repeat(500)],
  ["letters of two halves", "𐐨".repeat(64), "𐐨".repeat(65)],
])("counts a long word by its first 64 letters: %s", (_, capped, long) => {
  expect(splitSearchWords(long)).toEqual([capped]);
});

test.each([
  ["go", "went gone goes going GOES"],
  ["build", "built builds building"],
  ["run", "ran runs running"],
  ["write", "wrote written writes writing"],
  ["index", "indices indexes indexed indexing"],
  ["choose", "chose chosen chooses"],
  ["configuration", "config configs cfg configurations"],
  ["database", "db dbs databases DB"],
  ["authentication", "auth authn"],
  ["repository", "repo repos repositories"],
  ["dependency", "dep deps dependencies"],
  ["environment", "env envs environments"],
  ["connect", "connected connecting connection connections"],
  ["behavior", "behaviour behaviours behaviors"],
  ["think", "thought thoughts thinking"],
  ["class", "classes"],
])("finds %s by each of: %s", (word, forms) => {
  expect(extractSearchTerms(forms)).toEqual(forms.split(" ").map(() => normalizeSearchTerm(word)));
});

test.each(["building", "written", "constructor", "__proto__", "toString"])("gives %s the same term twice", (word) => {
  expect(extractSearchTerms(`${word} ${word}`)).toEqual([...extractSearchTerms(word), ...extractSearchTerms(word)]);
});

test.each([
  ["the", true],
  ["what", true],
  ["t", true],
  ["token", false],
  ["constructor", false],
])("%s is a stop word: %s", (word, is) => {
  expect(isStopWord(word)).toBe(is);
});

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({
    unit: fc.constantFrom("a", "Z", "é", "ß", "İ", "_", " ", "'", "修", "カ", "ｶﾞ", "\ud800", "½"),
    maxLength: 50,
  }),
);

test("returns terms of letters and digits, whatever separates the words", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const words = splitSearchWords(text);
      expect(words.filter((word) => !/^[\p{L}\p{N}]+$/u.test(normalizeSearchTerm(word)))).toEqual([]);
      expect(words.filter((word) => Array.from(word).length > 64)).toEqual([]);
      expect(extractSearchTerms(text)).toEqual(words.flatMap((word) => normalizeSearchTerm(word)));
    }),
    { numRuns: 1000 },
  );
});

test("ignores the case of a word", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-zéñüöс-я]{1,20}$/u), (word) => {
      expect(splitSearchWords(word.toUpperCase())).toEqual(splitSearchWords(word));
    }),
  );
});
