import { expect, test } from "vitest";
import type { CodeComponent, CodeOutline } from "../index/code-outline.ts";
import { findTaggedSpans, blankNestedSpans } from "./traced-symbols.ts";

const component = (name: string, line: number, lastLine: number, more: Partial<CodeComponent> = {}): CodeComponent => ({
  kind: "function",
  name,
  within: "",
  signature: "",
  doc: "",
  line,
  lastLine,
  start: 0,
  end: 0,
  isExported: true,
  hash: name,
  calls: [],
  ...more,
});

type Parts = Pick<CodeOutline, "components" | "tests" | "tags" | "imports">;
const tag = (line: number, spec = "AUTH-001", criterion?: string): CodeOutline["tags"][number] => ({
  spec,
  line,
  by: "tag",
  ...(criterion === undefined ? {} : { criterion }),
});

const outline = (parts: Partial<Parts>): Parts => ({ components: [], tests: [], tags: [], imports: [], ...parts });

const said = (parts: Partial<Parts>, isTest = false): string[] =>
  findTaggedSpans(outline(parts), isTest, (name) => (name.includes("AUTH-009") ? [{ spec: "AUTH-009" }] : [])).map(
    ({ id, role, place, holes }) =>
      [id, role, place?.ref ?? "the file", ...holes.map(({ ref }) => `without ${ref}`)].join(" "),
  );

const [first, second] = [component("first", 5, 8), component("second", 12, 20)];
const method = component("inner", 14, 16, { within: "second" });
const hidden = component("hidden", 22, 24, { isExported: false });

test.each<[what: string, parts: Partial<Parts>, isTest: boolean, said: string[]]>([
  ["inside a symbol", { components: [first], tags: [tag(6)] }, false, ["AUTH-001 code first"]],
  ["right above a symbol", { components: [first], tags: [tag(2)] }, false, ["AUTH-001 code first"]],
  ["too far above a symbol", { components: [first, hidden], tags: [tag(1)] }, false, ["AUTH-001 code first"]],
  [
    "above the imports",
    { components: [first, second], tags: [tag(3)], imports: [{ specifier: "x", names: [], line: 4 }] },
    false,
    ["AUTH-001 code first", "AUTH-001 code second"],
  ],
  [
    "at the top, for symbols without their own tag",
    { components: [first, second, hidden], tags: [tag(1), tag(13, "AUTH-002")] },
    false,
    ["AUTH-001 code first", "AUTH-002 code second"],
  ],
  ["at the top of a file without exports", { components: [hidden], tags: [tag(1)] }, false, ["AUTH-001 code hidden"]],
  ["in a file without symbols", { tags: [tag(1)] }, false, ["AUTH-001 code the file"]],
  ["innermost", { components: [second, method], tags: [tag(15)] }, false, ["AUTH-001 code second.inner"]],
  [
    "inside a nested symbol",
    { components: [second, method], tags: [tag(12), tag(15, "AUTH-002")] },
    false,
    ["AUTH-001 code second without second.inner", "AUTH-002 code second.inner"],
  ],
  [
    "above a test",
    { tests: [{ name: "lets in", line: 5, lastLine: 7 }], tags: [tag(4, "AUTH-001", "AC-1")] },
    true,
    ["AUTH-001.AC-1 test lets in"],
  ],
  [
    "at the top of a test file",
    {
      components: [component("helper", 20, 22)],
      tests: [
        { name: "one", line: 8, lastLine: 9 },
        { name: "two", line: 11, lastLine: 12 },
      ],
      tags: [tag(1)],
    },
    true,
    ["AUTH-001 test one", "AUTH-001 test two"],
  ],
  [
    "in the name of a test function",
    { components: [component("test_auth", 5, 8)], tests: [{ name: "AUTH-009", line: 5, lastLine: 8 }] },
    true,
    ["AUTH-009 test test_auth"],
  ],
  ["repeated for one symbol", { components: [first], tags: [tag(4), tag(6)] }, false, ["AUTH-001 code first"]],
])("a tag %s", (_, parts, isTest, expected) => {
  expect(said(parts, isTest)).toEqual(expected);
});

test("keeps every line number when it removes parts", () => {
  expect(blankNestedSpans("a\nb\nc\nd", [{ line: 2, lastLine: 3 }])).toBe("a\n\n\nd");
});
