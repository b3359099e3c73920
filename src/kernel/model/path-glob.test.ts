import fc from "fast-check";
import { expect, test } from "vitest";
import { isGlobPattern, matchesPathGlob, canGlobsOverlap } from "./path-glob.ts";

test.each([
  ["src/a.ts", "src/a.ts", true],
  ["src/a.ts", "src/b.ts", false],
  ["src/*.ts", "src/a.ts", true],
  ["src/*.ts", "src/a/b.ts", false],
  ["src/?.ts", "src/a.ts", true],
  ["src/?.ts", "src/ab.ts", false],
  ["src/**", "src/a/b/c.ts", true],
  ["src/**", "lib/a.ts", false],
  ["src/**/c.ts", "src/c.ts", true],
  ["src/**/c.ts", "src/a/b/c.ts", true],
  ["**/*.test.ts", "src/a.test.ts", true],
  ["src/auth/**", "src/authors/a.ts", false],
])("%s matches %s: %s", (glob, path, isMatch) => {
  expect([matchesPathGlob(glob, path), canGlobsOverlap(path, glob)]).toEqual([isMatch, isMatch]);
});

test.each([
  ["src/*.ts", "src/a*", true],
  ["src/a*", "src/b*", false],
  ["src/**", "**/login.ts", true],
  ["src/*/x.ts", "src/**/y.ts", false],
  ["a/**/b", "a/c/**", true],
  ["*a", "b*", true],
])("%s and %s can match the same file: %s", (one, other, can) => {
  expect([canGlobsOverlap(one, other), canGlobsOverlap(other, one)]).toEqual([can, can]);
});

test("overlaps a path with itself alone, and reads a long pattern in a short time", () => {
  const path = fc
    .array(fc.stringMatching(/^[a-c]{1,3}$/), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join("/"));
  fc.assert(fc.property(path, path, (a, b) => canGlobsOverlap(a, b) === (a === b) && canGlobsOverlap("**", a)));
  expect(canGlobsOverlap(`${"*a".repeat(200)}b`, "a".repeat(400))).toBe(false);
  expect([isGlobPattern("a/b"), isGlobPattern("a/*")]).toEqual([false, true]);
});
