import fc from "fast-check";
import { expect, test } from "vitest";
import { findClosestWord } from "./text-format.ts";

const KNOWN = ["init", "status", "change", "adr", "mcp", "doctor", "validate", "version", "change start"];

test.each([
  ["status", "status"],
  ["statu", "status"],
  ["sttaus", "status"],
  ["statuss", "status"],
  ["Status", "status"],
  ["chnage", "change"],
  ["chang start", "change start"],
  ["ad", "adr"],
  ["adrs", "adr"],
  ["inti", "init"],
  ["stxxus", "status"],
  ["stus", "status"],
  ["staatuus", "status"],
])("%s probably means %s", (word, meant) => {
  expect(findClosestWord(word, KNOWN)).toBe(meant);
});

test.each(["", "x", "xyz", "deploy", "statistics", "stxxxs", "sts", "staaatuus", "s", "a".repeat(100_000)])(
  "suggests nothing for %.20s",
  (word) => {
    expect(findClosestWord(word, KNOWN)).toBe(undefined);
  },
);

test("suggests nothing without known words, or for a single letter", () => {
  expect([findClosestWord("a", []), findClosestWord("b", ["a"]), findClosestWord("", ["a", "ab"])]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("suggests the first of two equally near words, and the nearer one before the earlier one", () => {
  expect([findClosestWord("cat", ["bat", "rat"]), findClosestWord("cats", ["bat", "rats"])]).toEqual(["bat", "rats"]);
});

const word = fc.stringMatching(/^[a-z]{4,12}$/);

test("finds a word with one letter added, removed or changed", () => {
  fc.assert(
    fc.property(word, fc.nat(), fc.nat({ max: 1 }), fc.constantFrom("", "q"), (meant, place, taken, put) => {
      const at = place % meant.length;
      expect(findClosestWord(meant.slice(0, at) + put + meant.slice(at + taken), [meant])).toBe(meant);
    }),
  );
});

test("suggests a known word itself", () => {
  fc.assert(
    fc.property(word, fc.array(word), (meant, others) => {
      expect(findClosestWord(meant, [...others, meant])).toBe(meant);
    }),
  );
});
