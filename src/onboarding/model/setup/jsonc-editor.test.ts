import fc from "fast-check";
import { expect, test } from "vitest";
import { type JsoncArray, type JsoncObject, parseJsoncText, convertJsoncNode } from "./jsonc-document.ts";
import {
  addJsoncEntry,
  addJsoncRoot,
  findJsoncNode,
  removeJsoncEntry,
  removeEmptyJsoncEntry,
  removeEmptyJsoncRoot,
} from "./jsonc-editor.ts";

const containerAt = (text: string, way: readonly string[]) =>
  findJsoncNode(parseJsoncText(text).root, way) as JsoncObject | JsoncArray;

const added = (text: string, way: readonly string[] = []) =>
  addJsoncEntry(text, containerAt(text, way), "tenon", { command: "tenon", args: ["mcp"] });

function removed(text: string, way: readonly string[], seam?: { lead: string; tail: string }): string {
  const container = containerAt(text, way) as JsoncObject;
  const index = container.entries.findLastIndex(({ key }) => key === "tenon");
  return removeJsoncEntry(text, way, index, seam);
}

test.each([
  ["an empty object", "{}", '{\n  "tenon": {\n    "command": "tenon",\n    "args": ["mcp"]\n  }\n}'],
  ["an open object", "{\n}\n", '{\n  "tenon": {\n    "command": "tenon",\n    "args": ["mcp"]\n  }\n}\n'],
  ["one line", '{"a":1}', '{"a":1, "tenon": { "command": "tenon", "args": ["mcp"] }}'],
  ["tabs", '{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"tenon": {\n\t\t"command": "tenon",\n\t\t"args": ["mcp"]\n\t}\n}'],
  [
    "a comment behind the last",
    '{\n  "a": 1 // one\n}',
    '{\n  "a": 1, // one\n  "tenon": {\n    "command": "tenon",\n    "args": ["mcp"]\n  }\n}',
  ],
  [
    "a comma at the end",
    '{\r\n    "a": 1,\r\n}',
    '{\r\n    "a": 1,\r\n    "tenon": {\r\n        "command": "tenon",\r\n        "args": ["mcp"]\r\n    },\r\n}',
  ],
  [
    "nothing but a comment",
    "{\n  // none yet\n}",
    '{\n  // none yet\n  "tenon": {\n    "command": "tenon",\n    "args": ["mcp"]\n  }\n}',
  ],
])("adds an entry to %s in the style of its neighbours, and removes it to the byte", (_, before, after) => {
  const { text, seam } = added(before);
  expect(text).toBe(after);
  expect(removed(text, [], seam)).toBe(before);
});

test.each([
  ["one behind it", '{\n  "tenon": 1,\n  "b": 2\n}', '{\n  "b": 2\n}'],
  ["one before it", '{\n  "a": 1,\n  "tenon": 1\n}', '{\n  "a": 1\n}'],
  ["both", '{ "a": 1, "tenon": 1, "b": 2 }', '{ "a": 1, "b": 2 }'],
  ["a comment before it", '{\n  "a": 1, // one\n  "tenon": 1 }', '{\n  "a": 1 // one\n }'],
])("removing a reformatted entry leaves %s", (_, before, after) => {
  const without = removed(before, []);
  expect(convertJsoncNode(parseJsoncText(without).root as JsoncObject)).toEqual(
    convertJsoncNode(parseJsoncText(after).root as JsoncObject),
  );
  expect(without).toContain(before.includes("// one") ? "// one" : "");
});

/** JSON as people leave it: comments, spaces and commas anywhere. */
const blank = fc
  .array(fc.constantFrom(" ", "\n", "\t", "\r\n", "  ", "/* why */", "// note\n", "// {\r\n"), { maxLength: 3 })
  .map((parts) => parts.join(""));
const key = fc.constantFrom("a", "b", "mcpServers", "x.y", "ключ", 'q"uote');
const jsonc: fc.Arbitrary<string> = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.jsonValue({ maxDepth: 0 }).map((value) => JSON.stringify(value)),
    fc
      .tuple(fc.array(fc.tuple(blank, tie("value"), blank), { maxLength: 3 }), blank, fc.boolean())
      .map(
        ([items, end, isOpen]) =>
          `[${items.map((each) => each.join("")).join(",")}${isOpen && items.length ? "," : ""}${end}]`,
      ),
    tie("object"),
  ),
  object: fc
    .tuple(
      fc.uniqueArray(fc.tuple(key, blank, blank, tie("value"), blank), { maxLength: 4, selector: ([name]) => name }),
      blank,
      fc.boolean(),
    )
    .map(
      ([members, end, isOpen]) =>
        `{${members.map(([name, a, b, value, c]) => `${a}${JSON.stringify(name)}:${b}${value}${c}`).join(",")}${isOpen && members.length ? "," : ""}${end}}`,
    ),
})).object;

test("adds and removes an entry to the byte, for any JSON", () => {
  fc.assert(
    fc.property(fc.constantFrom("", "\uFEFF"), blank, jsonc, blank, (bom, before, object, after) => {
      const original = `${bom}${before}${object}${after}`;
      const { text, seam } = added(original);
      expect(convertJsoncNode(parseJsoncText(text).root as JsoncObject)).toEqual({
        ...(convertJsoncNode(parseJsoncText(original).root as JsoncObject) as object),
        tenon: { command: "tenon", args: ["mcp"] },
      });
      expect(parseJsoncText(text).comments.length).toBe(parseJsoncText(original).comments.length);
      expect(removed(text, [], seam)).toBe(original);
    }),
  );
});

test("adds an object to an empty text and removes it again", () => {
  fc.assert(
    fc.property(fc.constantFrom("", "\uFEFF"), blank, (bom, text) => {
      const rooted = addJsoncRoot(`${bom}${text}`);
      expect(removeEmptyJsoncRoot(rooted.text, rooted.seam)).toBe(`${bom}${text}`);
    }),
  );
});

test("removes an empty object that Tenon created, and keeps one with content of the user", () => {
  const made = addJsoncEntry("{}", containerAt("{}", []), "mcpServers", {});
  expect(removeEmptyJsoncEntry(made.text, ["mcpServers"], made.seam)).toBe("{}");
  const used = made.text.replace("{}", '{ "own": 1 }');
  expect(removeEmptyJsoncEntry(used, ["mcpServers"], made.seam)).toBe(used);
  const noted = made.text.replace("{}", "{ /* mine */ }");
  expect(removeEmptyJsoncEntry(noted, ["mcpServers"], made.seam)).toBe(noted);
});

test.each([
  ["{", "line 1, column 2: a name in quotes is missing"],
  ['{"a" 1}', "line 1, column 6: a colon is missing"],
  ['{"a": 1\n"b": 2}', "line 2, column 1: a comma or } is missing"],
  ['{"a": }', "line 1, column 7: a value is missing"],
  ["{} {}", "line 1, column 4: there is more text after its end"],
  ["/* open", "line 1, column 1: a comment does not end"],
  [`${"[".repeat(200)}`, "line 1, column 102: it is nested too deeply"],
  ['{"a": "b\n"}', "line 1, column 7: a quoted text does not end, or has a character that is not allowed"],
])("names the position of the error in %j", (text, why) => {
  expect(() => parseJsoncText(text)).toThrow(why);
});

test("rejects an endless text in a short time", () => {
  for (const piece of ["a", "\\\\", '\\"'])
    expect(() => parseJsoncText(`{"${piece.repeat(100_000)}`)).toThrow("column 2: a quoted text does not end");
});
