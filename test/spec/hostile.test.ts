import fc from "fast-check";
import { expect, test } from "vitest";
import { yamlAdapter } from "#kernel/adapters/yaml-reader.ts";
import { checkSpecDocument } from "#planning/model/spec/spec-checks.ts";
import { readSpecTree } from "#planning/model/spec/spec-reader.ts";
import { parseWorkflowId } from "#kernel/model/workflow-id.ts";
import { rewriteSpecText } from "#planning/operations/spec/spec-files.ts";

const many = (n: number, line: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => line(i)).join("\n");
const LARGE = 262_144;

/** The corpus of bad YAML, and what is said of each. Each is answered at once: the slow parser never sees it. */
test.each<[string, string, number, string]>([
  ["C39 nothing", "", 1, "It is empty."],
  ["C39 comments alone", "# nothing\n", 1, "It is empty."],
  ["C44 an open quote", 'a: "b\nc: 1\n', 2, "It is not YAML: deficient indentation."],
  [
    "C45 marks of a conflict",
    "a: 1\n<<<<<<< ours\nb: 2\n=======\nb: 3\n>>>>>>> theirs\n",
    3,
    "It is not YAML: can not read a block mapping entry; a multiline key may not be an implicit key.",
  ],
  ["C46 one key twice", "a: 1\nb: 2\na: 3\n", 3, "A key appears twice."],
  ["C47 tabs", "a:\n\tb: 1\n", 2, "It is not YAML: tab characters must not be used in indentation."],
  ["C49 a NUL", "a: b\0c\n", 1, "It is not YAML: null byte is not allowed in input."],
  ["C50 returns alone", "a: 1\rb: 2\n", 1, "A line ends in a carriage return alone."],
  [
    "C51 a billion laughs",
    `a: &a [x]\n${many(9, (i) => `b${i}: [*a, *a]`)}`,
    2,
    "Aliases are not supported: repeat the value.",
  ],
  ["C52 nested lists", "[".repeat(20_000), 1, "It is nested too deeply."],
  ["C53 nested mappings", many(700, (i) => `${" ".repeat(i)}a:`), 100, "It is nested too deeply."],
  ["C54 too many keys", many(25_000, (i) => `k${i}: 1`), 10_000, "It has 25000 lines, and at most 10000 are read."],
  [
    "C54 too many keys on a line",
    `{${many(25_000, (i) => `k${i}: 1`).replaceAll("\n", ",")}}`,
    1,
    "It has 25001 values, and at most 10000 are read.",
  ],
  [
    "C55 a merge bomb",
    `a: &a {x: 1}\n${many(9_000, (i) => `b${i}: {<<: *a}`)}`,
    2,
    "Aliases are not supported: repeat the value.",
  ],
  [
    "C57 a function",
    "a: !!js/function 'x'\n",
    1,
    "It is not YAML: unknown scalar tag !<tag:yaml.org,2002:js/function>.",
  ],
  [
    "C57 an object",
    "a: !!python/object:x {}\n",
    1,
    "It is not YAML: unknown mapping tag !<tag:yaml.org,2002:python/object:x>.",
  ],
  ["C57 a tag of the language", "a: !!str 1\n", 1, 'The tag "tag:yaml.org,2002:str" is not read.'],
  ["C58 two documents", "a: 1\n---\nb: 2\n", 2, "It holds more than one document."],
  ["C59 a circle", "a: &a [*a]\n", 1, "Aliases are not supported: repeat the value."],
  ["an anchor", "a: &a 1\n", 1, 'The anchor "a" has no use: aliases are not supported.'],
  ["a version", "%YAML 1.1\n---\na: 1\n", 1, "Directives are not supported."],
  ["a list for a key", "? [a]\n: 1\n", 1, "A key must be a word."],
  ["too much", "a".repeat(LARGE + 1), 1, "It has 262145 characters, and at most 262144 are read."],
  [
    "percent signs",
    "%\n".repeat(9_000),
    1,
    "It is not YAML: directive name must not be less than one character in length.",
  ],
  ["exclamation marks", "! ".repeat(LARGE / 2), 1, "It is not YAML: duplication of a tag property."],
  ["dashes", "- ".repeat(LARGE / 2), 1, "It is nested too deeply."],
  ["blank lines", `a: 1${"\n".repeat(LARGE - 5)}`, 10_000, "It has 262140 lines, and at most 10000 are read."],
])("rejects %s", (_, text, line, problem) => {
  expect(yamlAdapter.read(text)).toEqual({ problems: [{ problem, line }] });
});

test.each([
  ["C40 null", "null\n", "The document must be a mapping, not nothing."],
  ["C41 a word", "word\n", "The document must be a mapping, not a single value."],
  ["C42 a list", "- a\n", "The document must be a mapping, not a list."],
])("%s is YAML but not a spec", (_, text, problem) => {
  const { tree } = yamlAdapter.read(text);
  expect(tree && readSpecTree(tree, parseWorkflowId("AUTH-001")).problems).toEqual([{ problem, line: 1, field: "" }]);
});

test("C48, C56 and C60: reads a byte order mark, inherited names and ambiguous words literally", () => {
  const { tree, problems } = yamlAdapter.read(
    "\uFEFF__proto__: {x: 1}\n<<: {__proto__: 1}\na: no\nb: on\nc: 012\nd: 1_000\ne: 12:30\nf: 2026-13-45\n",
  );
  const said =
    tree?.kind === "mapping"
      ? tree.entries.map(({ key, value }) => [key, "text" in value ? value.text : value.kind])
      : [];
  expect([problems, said]).toEqual([
    [],
    [
      ["__proto__", "mapping"],
      ["<<", "mapping"],
      ["a", "no"],
      ["b", "on"],
      ["c", "012"],
      ["d", "1_000"],
      ["e", "12:30"],
      ["f", "2026-13-45"],
    ],
  ]);
});

/** Reads, checks and rewrites whatever it is; nothing but an answer may come of it. */
function endure(text: string, id: string): void {
  const { tree, problems } = yamlAdapter.read(text);
  const lines = text.split("\n").length;
  expect(problems.filter(({ line }) => line < 1 || line > lines)).toEqual([]);
  if (!tree) return;
  const read = readSpecTree(tree, parseWorkflowId(id));
  if (read.document) checkSpecDocument(read.document, "complete", new Set());
  const written = rewriteSpecText(yamlAdapter, { text, edits: read.edits });
  if (written === undefined) return;
  const again = yamlAdapter.read(written).tree;
  expect(again && readSpecTree(again, parseWorkflowId(id)).edits).toEqual([]);
}

const IDS = fc.constantFrom("AUTH-001", "BUG-042", "RES-007");
const KEYS =
  "id spec_id title status created requirements user-stories acceptance_criteria acs symptom investigation reproduction fix_approach regression_tests options matrix scores metadata risks description criterion given api_contracts none".split(
    " ",
  );
const PIECES = [
  ...KEYS.map((key) => `${key}: `),
  "- ",
  "  ",
  "    ",
  "\n",
  "\n",
  "\n",
  "x",
  "# note",
  '"q"',
  "'",
  "[",
  "]",
  "{",
  "}",
  ", ",
  "|",
  "\t",
  "…",
  "Given a, When b, Then c",
  "&a",
  "*a",
  "!",
  "null",
  "---",
  "\r\n",
];

test("answers for any text", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 200 }), IDS, endure));
});

test("answers for anything like a spec, and writes its canonical form only once", () => {
  const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join(""));
  fc.assert(fc.property(texts, IDS, endure), { numRuns: 400 });
});
