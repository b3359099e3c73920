import fc from "fast-check";
import { expect, test } from "vitest";
import { isChangeId } from "./stages/change-stages.ts";
import { findFreeSlug, createSlug } from "./slug.ts";

const LONG = "Replace the hand written parser of the settings file with one";

test.each([
  ["Fix FTS5 empty query crash", "fix-fts5-empty-query-crash"],
  ["Añadir autenticación", "anadir-autenticacion"],
  ["An\u0303adir", "anadir"],
  ["Straße, Ærø, Łódź, Đà Nẵng, Þór, œuvre", "strasse-aero-lodz-da-nang-thor-oeuvre"],
  ["İstanbul ılık", "istanbul-ilik"],
  ["Giriş səhifəsi, sáŋgi, ŧ", "giris-sehifesi-sangi-t"],
  ["ﬁrst ① ½ Ⅷ ﬀ", "first-1-1-2-viii-ff"],
  ["src/auth.ts: fix a.b", "src-auth-ts-fix-a-b"],
  ["../../etc/passwd", "etc-passwd"],
  ["..\\..\\windows\\system32", "windows-system32"],
  ["  -- lead and  trail --  ", "lead-and-trail"],
  ["snake_case and kebab-case", "snake-case-and-kebab-case"],
  ["don't\r\nstop\tnow", "don-t-stop-now"],
  ["修复 login 登录", "login"],
  ["👩‍👩‍👧 family", "family"],
  ["\u202Eevil\u202C", "evil"],
  ["a\u0000b", "a-b"],
  ["__proto__", "proto"],
  [".git", "git"],
])("turns %j into %s", (sentence, slug) => {
  expect(createSlug(sentence, "change")).toBe(slug);
});

test.each([
  ["a word that ends at the limit", `${"a".repeat(49)} bcd`, "a".repeat(49)],
  ["fifty letters", "a".repeat(50), "a".repeat(50)],
  ["words of fifty letters", `${"a".repeat(45)} bcde`, `${"a".repeat(45)}-bcde`],
  ["words of fifty letters and another", `${"a".repeat(45)} bcde f`, `${"a".repeat(45)}-bcde`],
  ["fifty letters, then another word", `${"a".repeat(50)} b`, "a".repeat(50)],
  ["one word without end", "a".repeat(80), "a".repeat(50)],
  ["a short word before one without end", `fix ${"a".repeat(80)}`, "fix"],
  ["a sentence", LONG, "replace-the-hand-written-parser-of-the-settings"],
  ["a letter that folds to two at the limit", `${"a".repeat(49)}ß`, "a".repeat(49).concat("s")],
])("cuts %s at a word", (_, sentence, slug) => {
  expect(createSlug(sentence, "change")).toBe(slug);
});

test.each([
  ["", "change-0ztntfp"],
  ["   ", "change-11io8d3"],
  ["修复登录", "change-0lhq8go"],
  ["إصلاح", "change-1n2t2f1"],
  ["🚀", "change-0kv4k6w"],
  ["\ud800", "change-0190qvz"],
  ["...", "change-02zi049"],
])("uses a hash for %j, which leaves no characters", (sentence, slug) => {
  expect(createSlug(sentence, "change")).toBe(slug);
});

test.each([
  ..."CON nul Prn aux COM1 com9 LPT1 lpt9 COM¹ HEAD head constructor prototype toString valueOf hasOwnProperty".split(
    " ",
  ),
  " con ",
  "con.",
  "[nul]",
  `con ${"a".repeat(80)}`,
])("uses a hash for the reserved name %j", (sentence) => {
  expect(createSlug(sentence, "change")).toMatch(/^change-[0-9a-z]{7}$/);
});

test("keeps a reserved word within a sentence", () => {
  expect(createSlug("Fix HEAD", "change")).toBe("fix-head");
});

/** Whole Unicode, lone surrogates too, and the corners: joiners, right-to-left, controls, separators. */
const sentence = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({
    unit: fc.oneof(
      fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => String.fromCharCode(code)),
      fc.constantFrom("a", "Z", "9", "-", "_", " ", "/", "\\", ".", "\u0000", "\n", "\u200d", "\u202e", "\u0301"),
      fc.constantFrom("👩‍👩‍👧‍👦", "🏳️‍🌈", "שלום", "مرحبا", "ß", "İ", "ŉ", "ﷺ", "CON", "nul", "__proto__"),
    ),
    maxLength: 120,
  }),
);

test("makes a change id of at most 50 characters that is not a reserved name, from any sentence", () => {
  fc.assert(
    fc.property(sentence, (text) => {
      const slug = createSlug(text, "change");
      expect({ isId: isChangeId(slug), fits: slug.length <= 50, again: createSlug(text, "change") }).toEqual({
        isId: true,
        fits: true,
        again: slug,
      });
      expect(slug).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d|head|constructor|prototype)$/);
    }),
    { numRuns: 1000 },
  );
});

test("keeps a slug unchanged", () => {
  fc.assert(
    fc.property(sentence, (text) => {
      const slug = createSlug(text, "change");
      expect(createSlug(slug, "change")).toBe(slug);
    }),
  );
});

test.each([
  ["fix-login", [], "fix-login"],
  ["fix-login", ["fix-login"], "fix-login-2"],
  ["fix-login", ["fix-login", "fix-login-2"], "fix-login-3"],
  ["fix-login", ["fix-login-2"], "fix-login"],
  ["fix-login-2", ["fix-login-2"], "fix-login-2-2"],
  ["a".repeat(50), ["a".repeat(50)], `${"a".repeat(48)}-2`],
  [`${"a".repeat(46)}-bcd`, [`${"a".repeat(46)}-bcd`], `${"a".repeat(46)}-2`],
])("changes %s beside %j to %s", (slug, taken, free) => {
  expect(findFreeSlug(slug, (candidate) => taken.includes(candidate))).toBe(free);
});

test("finds a free id within the limit, however many are taken", () => {
  fc.assert(
    fc.property(sentence, fc.integer({ min: 0, max: 120 }), (text, crowd) => {
      const taken = new Set<string>();
      for (let n = 0; n <= crowd; n++) {
        const free = findFreeSlug(createSlug(text, "change"), (candidate) => taken.has(candidate));
        expect({ isTaken: taken.has(free), isId: isChangeId(free), fits: free.length <= 50 }).toEqual({
          isTaken: false,
          isId: true,
          fits: true,
        });
        taken.add(free);
      }
    }),
    { numRuns: 50 },
  );
});
