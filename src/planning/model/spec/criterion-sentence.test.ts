import { expect, test } from "vitest";
import { createYamlNode, type YamlValue } from "#kernel/model/yaml-tree.ts";
import { parseCriterionRecord, formatCriterionText, parseGivenWhenThen, parseUserStory } from "./criterion-sentence.ts";

test.each<[YamlValue, YamlValue | undefined]>([
  ["As a member, I want a key, so that I am safe", { as_a: "member", i_want: "a key", so_that: "I am safe" }],
  ["as an admin I want to see all so that I know", { as_a: "admin", i_want: "to see all", so_that: "I know" }],
  ["I want a key", { i_want: "I want a key" }],
  ["As a member, I want a key", { i_want: "As a member, I want a key" }],
  ["As a , I want , so that ", { i_want: "As a , I want , so that " }],
  [{ as_a: "member" }, undefined],
  [null, undefined],
])("reads the story %j as %j", (said, parts) => {
  expect(parseUserStory(createYamlNode(said, 1))).toEqual(parts);
});

/** The last part alone. */
function outcomeOf(text: string): Record<string, string> {
  const parts = ["given", "when", "then"].map((part) => [part, text] as const);
  return Object.fromEntries(parts.slice(-1));
}

const PARTS = { given: "a key", when: "I log in", ...outcomeOf("I see my name") };

test.each<[YamlValue, YamlValue | undefined]>([
  ["Given a key, When I log in, Then I see my name", PARTS],
  ["given a key when I log in then I see my name", PARTS],
  [{ criterion: "Given a key, When I log in, Then I see my name" }, PARTS],
  [
    { criterion: "Given a key, When I log in, Then I see my name", testable: true },
    { testable: true, ...PARTS },
  ],
  ["It works", outcomeOf("It works")],
  ["When I log in, Then I see my name", outcomeOf("When I log in, Then I see my name")],
  // What it holds besides must not be lost.
  [{ criterion: "It works", more: { deep: 1 } }, undefined],
  [{ criterion: "It works", given: "a key" }, undefined],
  [PARTS, undefined],
])("reads the criterion %j as %j", (said, parts) => {
  expect(parseCriterionRecord(createYamlNode(said, 1))).toEqual(parts);
});

test.each<[YamlValue, string | undefined]>([
  [PARTS, "Given a key, When I log in, Then I see my name"],
  [{ criterion: "It works" }, "It works"],
  [{ given: "a key" }, undefined],
  ["Given a key", undefined],
])("reads %j as one sentence as %j", (said, text) => {
  expect(formatCriterionText(createYamlNode(said, 1))).toBe(text);
});

test("does not split a very long text", () => {
  const text = `Given ${"when ".repeat(2_000)}`;
  expect(parseGivenWhenThen(text)).toEqual(outcomeOf(text));
});
