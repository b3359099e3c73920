import { expect, test } from "vitest";
import { applyYamlEdit, type YamlEdit, createYamlNode, type YamlValue, convertYamlValue } from "./yaml-tree.ts";

const BEFORE = { a: 1, list: ["x", { y: 2 }], wrapper: { inner: 3 } };

test.each<[YamlEdit, YamlValue]>([
  [
    { kind: "rename", at: ["a"], to: "b" },
    { b: 1, list: ["x", { y: 2 }], wrapper: { inner: 3 } },
  ],
  [
    { kind: "rename", at: ["list", 1, "y"], to: "z" },
    { ...BEFORE, list: ["x", { z: 2 }] },
  ],
  [{ kind: "rename", at: ["none"], to: "z" }, BEFORE],
  [
    { kind: "replace", at: ["list", 0], value: { k: "v" } },
    { ...BEFORE, list: [{ k: "v" }, { y: 2 }] },
  ],
  [{ kind: "replace", at: ["list", 9], value: 1 }, BEFORE],
  [
    { kind: "insert", at: ["wrapper"], key: "k", value: [1] },
    { ...BEFORE, wrapper: { inner: 3, k: [1] } },
  ],
  [
    { kind: "remove", at: ["a"] },
    { list: ["x", { y: 2 }], wrapper: { inner: 3 } },
  ],
  [{ kind: "remove", at: ["none"] }, BEFORE],
  [
    { kind: "move", from: ["wrapper", "inner"], to: ["inner"] },
    { a: 1, list: ["x", { y: 2 }], inner: 3 },
  ],
  [
    { kind: "move", from: ["a"], to: ["wrapper", "b"] },
    { list: ["x", { y: 2 }], wrapper: { inner: 3, b: 1 } },
  ],
  [
    { kind: "move", from: ["a"], to: ["made", "a"] },
    { list: ["x", { y: 2 }], wrapper: { inner: 3 }, made: { a: 1 } },
  ],
  [{ kind: "move", from: ["none"], to: ["made", "a"] }, BEFORE],
])("%j", (edit, after) => {
  expect(convertYamlValue(applyYamlEdit(createYamlNode(BEFORE, 1), edit))).toEqual(after);
});

test("inserts a key at the top", () => {
  const edited = applyYamlEdit(createYamlNode(BEFORE, 1), {
    kind: "insert",
    at: [],
    key: "k",
    value: 0,
    isFirst: true,
  });
  expect(JSON.stringify(convertYamlValue(edited))).toBe(JSON.stringify({ k: 0, ...BEFORE }));
});
