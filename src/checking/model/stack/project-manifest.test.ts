import { expect, test } from "vitest";
import { parseJsonc } from "#kernel/model/jsonc-parser.ts";
import { readTreeSection } from "#kernel/model/data-tree.ts";
import { parseProjectManifest } from "./project-manifest.ts";

const read = (name: string, text: string) => parseProjectManifest(name, text);

test.each([
  ["constructor", undefined],
  ["toString.name", undefined],
  ["__proto__", undefined],
  ["a.length", undefined],
  ["a", "text"],
  ["b.c", 0],
])("reads only the own keys of an object: %s", (name, expected) => {
  expect(readTreeSection({ a: "text", b: { c: 0 } }, name)).toBe(expected);
});

test("reads the directives of a go.mod, in blocks or alone, and modules without their versions", () => {
  const text =
    "module x // y\n\ngo 1.24\ntoolchain go1.25.0\nrequire (\n\ta.b/c/v2 v2.0.1 // indirect\n\td.e/f v1\n)\nrequire g.h/i v0\n";
  const { dependencies, tree } = read("go.mod", text);
  expect([...dependencies]).toEqual(["a.b/c", "d.e/f", "g.h/i"]);
  expect([readTreeSection(tree, "go"), readTreeSection(tree, "toolchain"), readTreeSection(tree, "replace")]).toEqual([
    ["1.24"],
    ["go1.25.0"],
    undefined,
  ]);
});

test("reads the targets of a Makefile with their lines, and no variables", () => {
  const { targets } = read("Makefile", ".PHONY: test\nA := 1\nB = x:y\ntest unit: deps\n\t@a\n\n\tb\nlint:; c\n");
  expect([...targets]).toEqual([
    ["test", ["@a", "b"]],
    ["unit", ["@a", "b"]],
    ["lint", ["c"]],
  ]);
});

test("compares names of Python packages as their index does", () => {
  const text = "Fast_API[all]>=1 ; python_version > '3'\n# no\n-r other.txt\nzope.interface==5\n  \nhttps://x/y.whl\n";
  expect([...read("requirements-dev.txt", text).dependencies]).toEqual(["fast-api", "zope-interface", "https"]);
});

test.each<[string, unknown]>([
  ['{ // all\n "a": "x // y", /* b */ "c": [1, 2,], }', { a: "x // y", c: [1, 2] }],
  ['{"a": "\\"//,]"}', { a: '"//,]' }],
  ["{", undefined],
  ["", undefined],
])("JSON with comments: %s", (text, expected) => {
  expect(parseJsonc(text)).toEqual(expected);
});
