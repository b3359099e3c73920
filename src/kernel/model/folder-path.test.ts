import { expect, test } from "vitest";
import {
  listAncestorFolders,
  getPathFolder,
  joinFolderAndPath,
  isFolderWithin,
  getPathName,
  getPathBelowFolder,
} from "./folder-path.ts";

test.each([
  [".", "a/b.ts", "a/b.ts"],
  ["a", "a/b.ts", "b.ts"],
  ["a", "ab/b.ts", undefined],
])("converts from %s: %s is %s, and back", (directory, path, expected) => {
  expect([getPathBelowFolder(directory, path), joinFolderAndPath(directory, expected ?? "x")]).toEqual([
    expected,
    expected ? path : `${directory}/x`,
  ]);
});

test("splits a path into name, folder and parent folders", () => {
  expect([getPathName("a/b.ts"), getPathName("b.ts")]).toEqual(["b.ts", "b.ts"]);
  expect([getPathFolder("a/b.ts"), getPathFolder("b.ts")]).toEqual(["a", "."]);
  expect([listAncestorFolders("a/b"), listAncestorFolders(".")]).toEqual([["a", "."], []]);
});

test.each([
  ["a/b", "a", true],
  ["a", "a", true],
  ["a", ".", true],
  ["ab", "a", false],
  [".", "a", false],
])("%s is within %s: %s", (directory, other, expected) => {
  expect(isFolderWithin(directory, other)).toBe(expected);
});
