import { expect, test } from "vitest";
import { applyYamlEdit, type YamlEdit, convertYamlValue } from "../model/yaml-tree.ts";
import { yamlAdapter } from "./yaml-reader.ts";

const TEXT = `# The head.
id: AUTH-001 # as the file
title: "Log in"
list:
  - one # first
  # second
  - two
notes: |
  Some
  lines.
wrapper: # all of it
  # above
  inner:
    - a # says a
  other: 1
empty: # later
flow: {a: 1, b: [2, 3]} # flowing
`;

test.each<[string, YamlEdit, string, string]>([
  ["a key", { kind: "rename", at: ["id"], to: "spec_id" }, "id: AUTH-001", "spec_id: AUTH-001"],
  ["a key in brackets", { kind: "rename", at: ["flow", "a"], to: "z" }, "{a: 1", "{z: 1"],
  ["a plain value", { kind: "replace", at: ["id"], value: "AUTH-002" }, "AUTH-001 #", "AUTH-002 #"],
  ["a quoted value", { kind: "replace", at: ["title"], value: "Log out" }, '"Log in"', '"Log out"'],
  ["a text that needs quotes", { kind: "replace", at: ["id"], value: "a: b # c" }, "AUTH-001 #", '"a: b # c" #'],
  ["a block of text", { kind: "replace", at: ["notes"], value: "Short" }, "|\n  Some\n  lines.", "Short"],
  ["nothing", { kind: "replace", at: ["empty"], value: "said" }, "empty: # later", "empty: said # later"],
  [
    "an item by a mapping",
    { kind: "replace", at: ["list", 0], value: { a: "1", b: "x" } },
    "- one #",
    '- a: "1"\n    b: x #',
  ],
  ["a value by a mapping", { kind: "replace", at: ["title"], value: { a: "x" } }, 'title: "Log in"', "title:\n  a: x"],
  ["a value in brackets", { kind: "replace", at: ["flow", "b"], value: ["x, y"] }, "[2, 3]", '["x, y"]'],
  [
    "a list with comments in it",
    { kind: "replace", at: ["list"], value: "none" },
    "list:\n  - one # first\n  # second\n  - two\n",
    "# first\n# second\nlist:\n  none\n",
  ],
  ["a key at the end", { kind: "insert", at: [], key: "k", value: [1] }, "# flowing\n", "# flowing\nk:\n  - 1\n"],
  ["a key at the start", { kind: "insert", at: [], key: "k", value: 2, isFirst: true }, "\nid:", "\nk: 2\nid:"],
  ["a key inside", { kind: "insert", at: ["wrapper"], key: "k", value: "v" }, "other: 1\n", "other: 1\n  k: v\n"],
  ["a key in brackets", { kind: "insert", at: ["flow"], key: "k", value: "v, w" }, "[2, 3]}", '[2, 3], k: "v, w"}'],
  ["a removed key", { kind: "remove", at: ["title"] }, 'title: "Log in"\n', ""],
  [
    "a removed key with the comment above it",
    { kind: "remove", at: ["wrapper", "inner"] },
    "  # above\n  inner:\n    - a # says a\n",
    "",
  ],
  ["a key removed from brackets", { kind: "remove", at: ["flow", "a"] }, "{a: 1, b", "{b"],
  [
    "a key to the root",
    { kind: "move", from: ["wrapper", "inner"], to: ["fresh"] },
    "  # above\n  inner:\n    - a # says a\n  other: 1\nempty: # later\nflow: {a: 1, b: [2, 3]} # flowing\n",
    "  other: 1\nempty: # later\nflow: {a: 1, b: [2, 3]} # flowing\n# above\nfresh:\n  - a # says a\n",
  ],
  [
    "a key into a mapping",
    { kind: "move", from: ["empty"], to: ["wrapper", "said"] },
    "  other: 1\nempty: # later\n",
    "  other: 1\n  said: # later\n",
  ],
  ["a key into a new mapping", { kind: "move", from: ["flow"], to: ["made", "flow"] }, "flow: {", "made:\n  flow: {"],
])("writes %s in its place", (_, edit, before, after) => {
  const edited = yamlAdapter.edit(TEXT, [edit]);
  expect(edited).toBe(TEXT.replace(before, after));
  const tree = yamlAdapter.read(TEXT).tree;
  expect(tree && convertYamlValue(yamlAdapter.read(edited).tree ?? tree)).toEqual(
    tree && convertYamlValue(applyYamlEdit(tree, edit)),
  );
});

test("removes a mapping that a move left empty, and keeps its comment", () => {
  const text = "a: 1\nwrapper: # all of it\n  # above\n  inner: 2 # two\nz: 3\n";
  expect(yamlAdapter.edit(text, [{ kind: "move", from: ["wrapper", "inner"], to: ["inner"] }])).toBe(
    "a: 1\n# all of it\nz: 3\n# above\ninner: 2 # two\n",
  );
});

test.each([
  ["line feeds", "a: 1\nb:\n  c: x\n", "a: 1\nb:\n  c: x\n  k: v\n"],
  ["carriage returns too", "a: 1\r\nb:\r\n  c: x\r\n", "a: 1\r\nb:\r\n  c: x\r\n  k: v\r\n"],
  ["a mark at the start", "\uFEFFa: 1\nb:\n  c: x\n", "\uFEFFa: 1\nb:\n  c: x\n  k: v\n"],
  ["no line end at the end", "a: 1\nb:\n  c: x", "a: 1\nb:\n  c: x\n  k: v\n"],
])("keeps the comments and blank lines of a file with %s", (_, text, edited) => {
  expect(yamlAdapter.edit(text, [{ kind: "insert", at: ["b"], key: "k", value: "v" }])).toBe(edited);
});
