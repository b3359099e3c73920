import fc from "fast-check";
import { expect, test } from "vitest";
import { findSecrets, maskSecretRanges, type SecretRange } from "./secret-detection.ts";

test.each([
  ["no range", [], "abcdefghij"],
  ["one", [{ kind: "k", from: 2, to: 4 }], "ab[MASKED k]efghij"],
  ["the whole", [{ kind: "k", from: 0, to: 10 }], "[MASKED k]"],
  [
    "two in any order",
    [
      { kind: "b", from: 6, to: 8 },
      { kind: "a", from: 0, to: 2 },
    ],
    "[MASKED a]cdef[MASKED b]ij",
  ],
  [
    "two that touch",
    [
      { kind: "a", from: 0, to: 2 },
      { kind: "b", from: 2, to: 4 },
    ],
    "[MASKED a][MASKED b]efghij",
  ],
  [
    "one within another",
    [
      { kind: "b", from: 3, to: 4 },
      { kind: "a", from: 2, to: 8 },
    ],
    "ab[MASKED a]ij",
  ],
  [
    "two of one start",
    [
      { kind: "b", from: 2, to: 4 },
      { kind: "a", from: 2, to: 8 },
    ],
    "ab[MASKED a]ij",
  ],
  [
    "two that overlap",
    [
      { kind: "a", from: 2, to: 5 },
      { kind: "b", from: 4, to: 8 },
    ],
    "ab[MASKED a]ij",
  ],
])("%s", (_, ranges, masked) => {
  expect(maskSecretRanges("abcdefghij", ranges)).toBe(masked);
});

test("whatever the ranges, what is in one is gone and what is in none is left", () => {
  const anyRange = fc
    .tuple(fc.nat({ max: 30 }), fc.integer({ min: 1, max: 12 }))
    .map(([from, length]): SecretRange => ({ kind: "k", from, to: Math.min(from + length, 36) }));
  const text = "abcdefghijklmnopqrstuvwxyz0123456789";
  fc.assert(
    fc.property(fc.array(anyRange, { maxLength: 6 }), (ranges) => {
      const left = Array.from(text)
        .filter((_, i) => !ranges.some(({ from, to }) => from <= i && i < to))
        .join("");
      expect(maskSecretRanges(text, ranges).replaceAll("[MASKED k]", "")).toBe(left);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ["https://bob:", "bob", "@example.com"],
  ['token="', "token=", '"'],
  ['secret12: x\nsecret12 password="', "secret12", '"'],
])("%s%s%s: the secret is masked, not what looks the same before it", (before, secret, after) => {
  const from = before.length;
  expect(findSecrets(before + secret + after).map((range) => [range.from, range.to])).toEqual([
    [from, from + secret.length],
  ]);
});

test("whatever the text, ranges lie within it, and what is masked holds none of what was found", () => {
  const piece = fc.constantFrom(
    "password",
    "=",
    ":",
    '"',
    "'",
    " ",
    "token",
    "https://",
    "@",
    "Bearer ",
    "sk-",
    "aB3$",
    "\n",
  );
  const anyText = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.array(fc.oneof(piece, fc.stringMatching(/^[A-Za-z0-9+/]{8,40}$/)), { maxLength: 12 }).map((all) => all.join("")),
  );
  fc.assert(
    fc.property(anyText, (text) => {
      const found = findSecrets(text);
      expect(found.filter(({ from, to }) => from < 0 || to > text.length || from >= to)).toEqual([]);
      const masked = maskSecretRanges(text, found);
      expect(maskSecretRanges(masked, findSecrets(masked))).toBe(masked);
    }),
    { numRuns: 3000 },
  );
});
