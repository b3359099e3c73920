import { expect, test } from "vitest";
import { proposeChangeSize, suggestTypeAndSize } from "./change-size.ts";

const LIMITED = "limited context; adjust as needed";

test.each([
  ["fix", "fix bug crash error broken"],
  ["refactor", "refactor restructure reorganize clean-up"],
  ["enhancement", "improve enhance optimize better upgrade"],
  ["feature", "new add create build implement"],
])("recognizes the type %s in each of: %s", (type, words) => {
  const met = words.split(" ").map((word) => suggestTypeAndSize(`Please ${word.toUpperCase()}, soon.`));
  expect(met).toEqual(
    words.split(" ").map((word) => ({
      type,
      type_reason: `it has "${word.replace("-", " ")}"`,
      size: "medium",
      size_reason: LIMITED,
    })),
  );
});

test.each([
  ["small", "quick small simple trivial one-liner minor"],
  ["large", "complex large major big rewrite overhaul"],
])("recognizes the size %s in each of: %s", (size, words) => {
  const met = words.split(" ").map((word) => suggestTypeAndSize(`It is ${word}`));
  expect(met).toEqual(
    words.split(" ").map((word) => ({
      type: "feature",
      type_reason: LIMITED,
      size,
      size_reason: `it has "${word}"`,
    })),
  );
});

test.each([
  ["prefix"],
  ["debugger"],
  ["additional"],
  ["newsletter"],
  ["the news"],
  ["biggest"],
  ["rebuild"],
  ["terrors"],
  ["address"],
  ["majority"],
  ["simplest"],
  ["quickly"],
  ["fix_me"],
  ["cleanse it up"],
])("ignores a keyword within another word in %j", (text) => {
  expect(suggestTypeAndSize(text)).toEqual({
    type: "feature",
    type_reason: LIMITED,
    size: "medium",
    size_reason: LIMITED,
  });
});

test.each([
  ["The login crashes", "fix", "crash"],
  ["Fixes, fixed or fixing", "fix", "fix"],
  ["bug-ridden", "fix", "bug"],
  ["Errors everywhere", "fix", "error"],
  ["cleaned up the house", "refactor", "clean up"],
  ["we are refactoring", "refactor", "refactor"],
  ["Reorganise it", "refactor", "reorganize"],
  ["optimising queries", "enhancement", "optimize"],
  ["an upgraded library", "enhancement", "upgrade"],
  ["creating reports", "feature", "create"],
  ["one added field", "feature", "add"],
  ["Typos in the footer", "fix", "typo"],
  ["Renaming the route", "refactor", "rename"],
  ["Add a way to rename files", "feature", "add"],
])("recognizes %j as a form of a keyword: %s", (text, type, word) => {
  const { type: met, type_reason } = suggestTypeAndSize(text) ?? {};
  expect({ type: met, type_reason }).toEqual({ type, type_reason: `it has "${word}"` });
});

test.each([
  ["Create a new fix", "fix", "fix"],
  ["Add a better way to refactor", "refactor", "refactor"],
  ["Build something better", "enhancement", "better"],
  ["It is broken, there is a bug", "fix", "bug"],
])("suggests the first type in order where several match: %j", (text, type, word) => {
  expect(suggestTypeAndSize(text)).toMatchObject({ type, type_reason: `it has "${word}"` });
});

test("suggests no size for a text with both small and large", () => {
  expect(suggestTypeAndSize("A big rewrite with a minor part")).toMatchObject({
    size: "medium",
    size_reason: 'it has both "minor" and "big"',
  });
});

test.each(["", " \n\t "])("finds no hint in %j", (text) => {
  expect(suggestTypeAndSize(text)).toBeUndefined();
});

test.each([
  [
    "A major rewrite that keeps the API simple",
    'the description has both "simple" and "major", so it does not count as small',
  ],
  ["An ambiguous name", "medium: the default, as nothing suggests another size"],
  ["A quick one", 'small: the description has "quick"'],
  ["A typo", 'small: the description has "typo"'],
])("recognizes every size in %j", (text, reason) => {
  expect(proposeChangeSize(text, {}, { type: "fix" }).because).toEqual(["fix: as given", reason]);
});

test("suggests no type for a text without a hint", () => {
  expect(["Search by prefix", "Add prefix search"].map((text) => proposeChangeSize(text, {}).because[0])).toEqual([
    "feature: the default, as the description names no other type",
    'feature: the description has "add"',
  ]);
});
