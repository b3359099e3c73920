import { expect, test } from "vitest";
import { above, folderOf, fromTop, isWithin, nameOf, seenFrom } from "./folder.ts";

test.each([
  [".", "a/b.ts", "a/b.ts"],
  ["a", "a/b.ts", "b.ts"],
  ["a", "ab/b.ts", undefined],
])("from %s, %s is %s, and back", (directory, path, expected) => {
  expect([seenFrom(directory, path), fromTop(directory, expected ?? "x")]).toEqual([
    expected,
    expected ? path : `${directory}/x`,
  ]);
});

test("a path has a name, a folder and folders above it", () => {
  expect([nameOf("a/b.ts"), nameOf("b.ts")]).toEqual(["b.ts", "b.ts"]);
  expect([folderOf("a/b.ts"), folderOf("b.ts")]).toEqual(["a", "."]);
  expect([above("a/b"), above(".")]).toEqual([["a", "."], []]);
});

test.each([
  ["a/b", "a", true],
  ["a", "a", true],
  ["a", ".", true],
  ["ab", "a", false],
  [".", "a", false],
])("%s is within %s: %s", (directory, other, expected) => {
  expect(isWithin(directory, other)).toBe(expected);
});
