import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { type PlainYamlNode, formatPlainYaml, parsePlainYaml } from "./plain-yaml.ts";

const value = (text: string): unknown => {
  const found = parsePlainYaml(text);
  return "value" in found ? found.value : found;
};

test.each<[string, string, unknown]>([
  ["nothing", "", {}],
  ["comments alone", "# a\n\n  # b\n", {}],
  ["texts in quotes", 'a: "b\\n\\u0007 # \\"c\\""\n', { a: 'b\n\u0007 # "c"' }],
  ["words", "a: null\nb: true\nc: false\nd: []\ne: {}\n", { a: null, b: true, c: false, d: [], e: {} }],
  ["numbers", "a: 0\nb: -1.5\nc: 1e+21\n", { a: 0, b: -1.5, c: 1e21 }],
  [
    "text without quotes",
    "a: user-login\nb: B3 and more\nc: é\nd: http://x#y\n",
    { a: "user-login", b: "B3 and more", c: "é", d: "http://x#y" },
  ],
  ["comments behind values", 'a: "b" # c\nd: e # f\ng: # h\n  i: 1\n', { a: "b", d: "e", g: { i: 1 } }],
  ["keys in quotes", '"1e3": 1\n"a: b": 2\n"": 3\n', { "1e3": 1, "a: b": 2, "": 3 }],
  ["nested values", 'a:\n  b:\n    - c: 1\n      d:\n        - "e"\n    - 2\n', { a: { b: [{ c: 1, d: ["e"] }, 2] } }],
  ["lists in lists", "a:\n  - - 1\n    - 2\n  - - - 3\n  - []\n  - {}\n", { a: [[1, 2], [[3]], [], {}] }],
  ["line ends of others", 'a: 1\r\nb:\r\n  - "c"\r\nd: 2\re: 3', { a: 1, b: ["c"], d: 2, e: 3 }],
  ["blanks behind", 'a:  1  \nb: "c"\t\n', { a: 1, b: "c" }],
])("%s", (_, text, expected) => {
  expect(value(text)).toEqual(expected);
});

test("reads a key named __proto__ like any other", () => {
  expect(Object.entries(value("__proto__:\n  admin: true\n") as object)).toEqual([["__proto__", { admin: true }]]);
});

test.each<[string, string, number, string]>([
  ["a list at the top", "- 1\n", 1, '"- 1" is not a key with a value: write key: "value".'],
  ["a word alone", "a: 1\nb\n", 2, '"b" is not a key with a value: write key: "value".'],
  ["merge marks", "a: 1\n<<<<<<< ours\n", 2, '"<<<<<<< ours" is not a key with a value: write key: "value".'],
  ["NULs", "\0\0", 1, '"\\u0000\\u0000" is not a key with a value: write key: "value".'],
  ["a mark of a document", "---\na: 1\n", 1, '"---" is not a key with a value: write key: "value".'],
  ["tabs", "a:\n\tb: 1\n", 1, '"a:" has no value: write null, [], {} or a text in quotes.'],
  ["a key twice", "a: 1\nb: 2\na: 3\n", 3, '"a" is there twice.'],
  ["a key without a value", "a:\nb: 1\n", 1, '"a:" has no value: write null, [], {} or a text in quotes.'],
  ["a line with too much indentation", "a: 1\n  b: 2\n", 2, "It is indented by 2 spaces instead of 0."],
  ["a different indentation", "a:\n    b: 2\n", 2, "It is indented by 4 spaces instead of 2."],
  ["a key in a list", "a:\n  - 1\n  b: 2\n", 3, '"b: 2" is not a list item: begin it with "- ".'],
  ["an item in a mapping", "a:\n  b: 1\n  - 2\n", 3, '"- 2" is not a key with a value: write key: "value".'],
  ["quotes left open", 'a: "b\n', 1, '""b" does not end with its quotes.'],
  ["text after the quotes", 'a: "b" c\n', 1, '""b" c" does not end with its quotes.'],
  [
    "an escape that only YAML knows",
    'a: "\\x07"\n',
    1,
    '""\\x07"" has a character that must be escaped, such as \\n or \\u0007.',
  ],
  [
    "a control character in quotes",
    'a: "\u0007"\n',
    1,
    '""\\u0007"" has a character that must be escaped, such as \\n or \\u0007.',
  ],
  ..."'b'|[1]|{a: 1}|>|&a b|*a|!!str b|~|? a|- |@a|`a`|%a|-|yes|No|True|NULL|off|y|1.2.0|2026-01-31|0x10|012|+1|.5|1.|.inf|1e999|b: c|b:"
    .split("|")
    .map((said): [string, string, number, string] => [
      `${said} without quotes`,
      `a: 1\nb: ${said}\n`,
      2,
      `"${said.trim()}" is ambiguous in YAML: put it in double quotes.`,
    ]),
])("cannot read %s", (_, text, line, problem) => {
  expect(parsePlainYaml(text)).toEqual({ line, problem });
});

test("rejects endless nesting quickly", () => {
  const deep = Array.from({ length: 1_000 }, (_, i) => `${"  ".repeat(i)}a:`).join("\n");
  expect(parsePlainYaml(deep)).toEqual({ line: 61, problem: "It is nested more than 60 deep." });
  expect(parsePlainYaml(`a:\n  ${"- ".repeat(100_000)}1`)).toEqual({
    line: 2,
    problem: "It is nested more than 60 deep.",
  });
});

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("no", "1e3", "- a", "a: b", "#", "\ufeff", "\u2028", "\ud800"),
);
const { node } = fc.letrec<{ node: PlainYamlNode }>((tie) => ({
  node: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie("node"), { maxLength: 4 }),
    fc.dictionary(text, tie("node"), { maxKeys: 4 }),
  ),
}));
const data = fc.dictionary(text, node, { maxKeys: 5 });
/** JSON knows no minus zero. */
const asJson = (given: unknown): unknown => JSON.parse(JSON.stringify(given));

test("reads back everything that it wrote, with comments and blank lines", () => {
  fc.assert(
    fc.property(data, fc.constantFrom("\n", "\r\n", "\n\n", "\n # said by hand\n"), (given, newline) => {
      const written = formatPlainYaml(given);
      expect(value(written.replaceAll("\n", newline))).toEqual(asJson(given));
    }),
    { numRuns: 1_000 },
  );
});

test("agrees with another parser", () => {
  const part = fc.constantFrom(
    "a",
    "b",
    ": ",
    ":",
    "- ",
    "\n",
    "  ",
    " ",
    '"',
    "1",
    "no",
    "#",
    "[]",
    "{}",
    "\t",
    "é",
    "/",
    ".",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        data.map((given) => formatPlainYaml(given)),
        fc.array(part, { maxLength: 20 }).map((parts) => parts.join("")),
      ),
      (given) => {
        const found = parsePlainYaml(given);
        expect("value" in found ? found.value : {}).toEqual("value" in found ? (parse(given) ?? {}) : {});
      },
    ),
    { numRuns: 1_000 },
  );
});

test("does not throw for any text", () => {
  const near = fc.tuple(data, fc.nat(), fc.string({ unit: "binary", maxLength: 3 })).map(([given, at, put]) => {
    const written = formatPlainYaml(given);
    return written.slice(0, at % (written.length + 1)) + put + written.slice(at % (written.length + 1));
  });
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), near), (given) => {
      const found = parsePlainYaml(given);
      expect("value" in found || found.line >= 1).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});
