import { expect, test } from "vitest";
import { createYamlNode } from "#kernel/model/yaml-tree.ts";
import { checkUnfinishedMarkers } from "./spec-checks.ts";

test.each([
  ["[NEEDS CLARIFICATION: how many?]", "[NEEDS CLARIFICATION: how many?]"],
  ["[needs clarification]", "[needs clarification]"],
  ["It NEEDS CLARIFICATION", "NEEDS CLARIFICATION"],
  ["tbd", "tbd"],
  ["The limit is TBD.", "TBD"],
  ["TODO write this", "TODO"],
  ["todo: write this", "todo:"],
  ["[todo]", "[todo"],
  ["todo", "todo"],
  ["Fixme later", "Fixme"],
  ["How many???", "???"],
  ["…", "…"],
  ["Given …, When …, Then …", "…"],
  ["… where one stands", "…"],
  ["and so on ...", "..."],
])("%j is still open", (text, marker) => {
  expect(checkUnfinishedMarkers(createYamlNode({ a: [{ b: text }] }, 7))).toEqual([
    { problem: `a[0].b is not filled in yet: ${JSON.stringify(marker)}.`, line: 7, field: "a[0].b" },
  ]);
});

test.each(["A todo list has items", "Loading…", "Really??", "stbd", "1...2", "TODOS", 3, true, null])(
  "%j is not open",
  (text) => {
    expect(checkUnfinishedMarkers(createYamlNode({ a: text, TODO: "a key" }, 1))).toEqual([]);
  },
);
