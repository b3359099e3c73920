import { expect, test } from "vitest";
import { normalizeCodeText } from "./traced-symbols.ts";

const form = (text: string): string => {
  const comments = [...text.matchAll(/--.*$/gm)].map(({ index, 0: said }) => ({
    start: index,
    end: index + said.length,
  }));
  return normalizeCodeText(text, comments);
};

test.each([
  ["SELECT a, b FROM t;", "SELECT a,\n  b -- two\nFROM t"],
  ["f('x')", 'f("x")'],
  ["[1, 2]", "[1, 2,]"],
])("%s equals %s", (one, other) => {
  expect(form(one)).toBe(form(other));
});

test.each([
  ["SELECT a FROM t", "SELECT b FROM t"],
  ["'a b'", "'ab'"],
  ["ab", "a b"],
  [`'a"b'`, `"a"b`],
])("%s differs from %s", (one, other) => {
  expect(form(one)).not.toBe(form(other));
});
