import fc from "fast-check";
import { expect, test } from "vitest";
import type { ToolJsonSchema } from "../catalogue.ts";
import { toFlagName, parseCommandArguments } from "./command-arguments.ts";
import type { CliCommand } from "./command-table.ts";

const ADVANCE: CliCommand = {
  path: "change advance",
  operation: "change.advance",
  summary: "",
  positionals: ["change_id", "title"],
  fileFor: "content",
  examples: [],
};
const SCHEMA: ToolJsonSchema = {
  properties: {
    content: { type: "string" },
    title: { type: "string" },
    keep: { type: "boolean" },
    change_id: { type: "string" },
    limit: { type: "integer" },
    ratio: { type: "number" },
    kind: { type: "string", enum: ["a", "b"] },
    files: { type: "array", items: { type: "string" } },
    ids: { type: "array", items: { type: "integer" } },
    answers: { type: "array", items: { type: "object" } },
    workspace: { type: "string" },
  },
};
const NONE = { json: false, help: false };

const parse = (...words: string[]) => parseCommandArguments(ADVANCE, words, SCHEMA);

test.each([
  ["nothing", [], {}],
  ["flags with values", ["--content", "a", "--kind", "b"], { content: "a", kind: "b" }],
  ["flags with an equals sign", ["--content=a=b", "--title="], { content: "a=b", title: "" }],
  ["a hyphen for an underscore", ["--change-id", "fix-login"], { change_id: "fix-login" }],
  ["a boolean", ["--keep"], { keep: true }],
  ["a boolean and a word", ["--keep", "fix-login"], { keep: true, change_id: "fix-login" }],
  ["a boolean set to false", ["--keep=false"], { keep: false }],
  ["whole numbers", ["--limit", "50"], { limit: 50 }],
  ["a negative number", ["--limit", "-5"], { limit: -5 }],
  ["a decimal number", ["--ratio=0.5"], { ratio: 0.5 }],
  ["a text for a number", ["--limit", "many", "--ratio", "1e3"], { limit: "many", ratio: "1e3" }],
  ["digits for a text", ["--content", "007"], { content: "007" }],
  ["positional words", ["fix-login", "A title"], { change_id: "fix-login", title: "A title" }],
  [
    "a positional word for a field without a flag",
    ["--change-id", "x", "A title"],
    { change_id: "x", title: "A title" },
  ],
  ["positional words between flags", ["fix-login", "--keep", "T"], { change_id: "fix-login", keep: true, title: "T" }],
  ["a value that looks like a flag", ["--content", "--title"], { content: "--title" }],
  ["words after two hyphens", ["--", "--keep", "-x"], { change_id: "--keep", title: "-x" }],
  ["a hyphen alone", ["-"], { change_id: "-" }],
  ["a word that starts with a hyphen", ["-1"], { change_id: "-1" }],
  ["an empty word", [""], { change_id: "" }],
  ["a boolean set to true", ["--keep=true"], { keep: true }],
  ["a list with commas", ["--files", "a, b", "--ids=3,4"], { files: ["a", "b"], ids: [3, 4] }],
  ["a list by repeating it", ["--files", "a", "--keep", "--files=b,c"], { files: ["a", "b", "c"], keep: true }],
  ["a list of objects", ["--answers", '[{"a":1}]'], { answers: [{ a: 1 }] }],
  ["line ends", ["--content=a\nb\r\nc"], { content: "a\nb\r\nc" }],
])("%s", (_, words, input) => {
  expect(parse(...words)).toEqual({ input, common: NONE });
});

test("leaves flags of every command out of the input", () => {
  expect(parse("--json", "--workspace", "../shop", "-h", "--file", "-")).toEqual({
    input: {},
    file: "-",
    common: { json: true, help: true, workspace: "../shop" },
  });
});

test("takes only the common flags for a command without a schema", () => {
  const command: CliCommand = { path: "status", operation: "workspace.status", summary: "", examples: [] };
  expect(parseCommandArguments(command, ["--json"], undefined)).toEqual({
    input: {},
    common: { json: true, help: false },
  });
  expect(() => parseCommandArguments(command, ["--file", "x"], undefined)).toThrow(
    expect.objectContaining({ message: "tenon status was not run. Unknown flag --file." }),
  );
});

test.each([
  ["an unknown flag", ["--nothing"], "Unknown flag --nothing."],
  ["a misspelled flag", ["--titel", "x"], "Unknown flag --titel. Did you mean --title?"],
  ["an underscore", ["--change_id", "x"], "Unknown flag --change_id. Did you mean --change-id?"],
  ["a property that every object inherits", ["--constructor"], "Unknown flag --constructor."],
  ["the prototype", ["--__proto__=x"], "Unknown flag --__proto__."],
  ["a flag that could act on a terminal", ["--\u001b[2J"], "Unknown flag --\\u001b[2J."],
  ["a short flag", ["-x"], "Unknown flag -x."],
  ["a repeated flag", ["--title", "a", "--title=b"], "--title is given twice."],
  ["a repeated boolean", ["--keep", "--keep"], "--keep is given twice."],
  ["a repeated list of objects", ["--answers", "[]", "--answers", "[]"], "--answers is given twice."],
  ["a repeated list without a value", ["--files", "a", "--files"], "--files needs a value."],
  ["a missing value", ["--title"], "--title needs a value."],
  ["a folder without a name", ["--workspace="], "--workspace needs a value."],
  ["a file name of spaces", ["--file", " "], "--file needs a value."],
  ["a boolean with a value", ["--keep=no"], "--keep takes only true or false."],
])("rejects %s and points to the help", (_, words, why) => {
  expect(() => parse(...words)).toThrow(
    expect.objectContaining({
      code: "usage.bad-flag",
      what: "tenon change advance was not run.",
      why,
      fixes: ["tenon change advance --help"],
    }),
  );
});

test("takes a text from a flag or from a file, not from both", () => {
  expect(() => parse("--file", "spec.md", "--content", "Text")).toThrow(
    expect.objectContaining({
      code: "usage.bad-flag",
      message: "tenon change advance was not run. Pass --content or --file, not both.",
      fixes: ["tenon change advance --help"],
    }),
  );
});

test.each([
  [
    "three",
    ["a", "b", "c"],
    { ...ADVANCE },
    '"c" is one word too many.',
    "takes change_id and title without a flag, once; put quotes around several words.",
  ],
  [
    "two",
    ["a", "b"],
    { ...ADVANCE, positionals: ["title"] },
    '"b" is one word too many.',
    "takes title without a flag, once; put quotes around several words.",
  ],
  [
    "one",
    ["a\n"],
    { ...ADVANCE, positionals: [] },
    '"a\\u000a" is one word too many.',
    "takes flags only; a file is given with --file a\\u000a.",
  ],
])("%s words too many", (_, words, command, what, why) => {
  expect(() => parseCommandArguments(command, words, SCHEMA)).toThrow(
    expect.objectContaining({
      code: "usage.bad-flag",
      what,
      why: `tenon change advance ${why}`,
      fixes: ["tenon change advance --help"],
    }),
  );
});

const HASH = "0123456789abcdef".repeat(4);
const CHECKS: CliCommand = { ...ADVANCE, runsChecks: true };

test("a command that runs checks accepts a trust hash, which is not an input", () => {
  for (const words of [["--trust", HASH], [`--trust=${HASH}`]]) {
    expect(parseCommandArguments(CHECKS, words, SCHEMA)).toEqual({ input: {}, common: { ...NONE, trust: HASH } });
  }
});

test.each([
  [CHECKS, ["--trust"], "--trust needs a value."],
  [CHECKS, ["--trust", "yes"], "--trust needs the hash that tenon trust shows, 64 digits long."],
  [CHECKS, ["--trust", HASH.toUpperCase()], "--trust needs the hash that tenon trust shows, 64 digits long."],
  [CHECKS, ["--trust", HASH, "--trust", HASH], "--trust is given twice."],
  [ADVANCE, ["--trust", HASH], "Unknown flag --trust."],
])("%#: rejects --trust", (command, words, why) => {
  expect(() => parseCommandArguments(command, words, SCHEMA)).toThrow(
    expect.objectContaining({ code: "usage.bad-flag", why }),
  );
});

test("writes a field as a flag with hyphens", () => {
  expect([toFlagName("superseded_by"), toFlagName("a_b_c"), toFlagName("limit")]).toEqual([
    "superseded-by",
    "a-b-c",
    "limit",
  ]);
});

const text = fc.string({ unit: "binary" });
const input = fc.record(
  { content: text, title: text, keep: fc.boolean(), change_id: text, limit: fc.maxSafeInteger(), kind: text },
  { requiredKeys: [] },
);

test("passes any flag value unchanged, in either form", () => {
  fc.assert(
    fc.property(input, fc.boolean(), (given, isJoined) => {
      const words = Object.entries(given).flatMap(([name, value]) =>
        isJoined || typeof value === "boolean"
          ? [`--${toFlagName(name)}=${value}`]
          : [`--${toFlagName(name)}`, String(value)],
      );
      expect(parse(...words)).toEqual({ input: given, common: NONE });
    }),
    { numRuns: 300 },
  );
});

test("passes words behind two hyphens unchanged", () => {
  fc.assert(
    fc.property(text, text, (change_id, title) => {
      expect(parse("--", change_id, title)).toEqual({ input: { change_id, title }, common: NONE });
    }),
  );
});

test("accepts the former name of a flag", () => {
  const doctor: CliCommand = { path: "doctor", operation: "workspace.doctor", summary: "", examples: [] };
  const schema: ToolJsonSchema = { properties: { repair: { type: "boolean" } } };
  expect(parseCommandArguments(doctor, ["--mend"], schema).input).toEqual({ repair: true });
});
