import fs from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parsePlainYaml } from "#kernel/model/plain-yaml.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { KnowledgeEntry } from "./knowledge-document.ts";
import type { LessonSource } from "./lesson.ts";
import { listSkillCandidates, parseSkillName, formatSkillFile } from "./lesson-buffer.ts";

const template = fs.readFileSync("assets/templates/knowledge/skill.md", "utf8");
const from = (...features: string[]): LessonSource[] =>
  features.map((feature) => ({ feature, role: "builder", tasks: [], at: "2026-01-31", said: "x" }));
const pattern = (more: Partial<KnowledgeEntry> = {}): KnowledgeEntry => ({
  file: "pattern-api-parse.md",
  type: "pattern",
  category: "api",
  title: "Parse early",
  summary: "Parse early.",
  keywords: [],
  phases: ["impl"],
  verified: "",
  sources: from("a", "b"),
  skill: "",
  ...more,
});

test.each([
  ["shared by two features", {}, ["parse"]],
  ["of one feature, given twice", { sources: from("a", "a") }, []],
  ["of a feature and a wave", { sources: from("a", "wave-1", "all") }, []],
  ["an incident", { type: "incident" }, []],
  ["rejected", { skill: "rejected" }, []],
  ["with a reserved name", { file: "pattern-api-sdd-parse.md" }, ["use-sdd-parse"]],
  ["with a vendor's name", { file: "pattern-api-claude.md" }, ["use-model"]],
] as [string, Partial<KnowledgeEntry>, string[]][])("suggests skills for a pattern %s", (_, more, names) => {
  const found = listSkillCandidates([pattern(more)]).map(({ name }) => name);
  expect(found).toEqual(names);
  expect(found.map(parseSkillName)).toEqual(names);
});

test("gives two candidates two names", () => {
  const all = [pattern(), pattern({ file: "pattern-data-parse.md" })];
  expect(listSkillCandidates(all).map(({ name }) => name)).toEqual(["parse", "parse-2"]);
});

test.each(["a", "parse-early", "a1-b2", "x".repeat(64)])("accepts %j as the name of a skill", (name) => {
  expect(parseSkillName(name)).toBe(name);
});

const NO_NAMES = [
  "sdd",
  "sdd-x",
  "sddx",
  "tenon-x",
  "my-claude",
  "anthropic",
  "A",
  "a--b",
  "-a",
  "a-",
  "a b",
  "a/b",
  "..",
  "",
];

test.each([...NO_NAMES, "x".repeat(65)])("rejects %j as the name of a skill", (name) => {
  expect(() => parseSkillName(name)).toThrow(Fault);
  expect(() => parseSkillName(name)).toThrow(expect.objectContaining({ code: "knowledge.bad-skill-name" }));
});

const text =
  "# T\n\n## Problem Context\n\n### When to Apply\n\nWhere others call us.\n\n## Solution\n\n### Approach\n\n<what to do, step by step>\n";

test("writes a skill from its pattern", () => {
  expect(formatSkillFile(template, pattern(), text, { name: "parsing", path: "sdd/knowledge/p.md" }))
    .toMatchInlineSnapshot(`
    "---
    name: parsing
    description: "Parse early. Use it where others call us."
    ---

    # Parse early

    Parse early.

    ## When to apply

    Where others call us.

    ## Where it comes from

    \`sdd/knowledge/p.md\`, learned while building a, b.
    "
  `);
});

test("writes a head of two lines that YAML reads back, for any pattern", () => {
  const said = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 2_000 }),
    fc.constantFrom(
      'a: "b"\n---\nname: evil',
      "<x>&\u2028\u0085\u202e",
      "x".repeat(5_000),
      "# a\n- b: c",
      "'\"\\",
      "{{name}}",
    ),
  );
  fc.assert(
    fc.property(said, fc.option(said, { nil: undefined }), (summary, description) => {
      const skill = formatSkillFile(template, pattern({ summary, title: summary }), "", {
        name: "a",
        description,
        path: "p",
      });
      const [, head = ""] = /^---\n([\s\S]*?)\n---\n/.exec(skill) ?? [];
      const read = parsePlainYaml(head);
      const value = "value" in read ? read.value : {};
      const { description: told = "" } = value as { readonly description?: string };
      expect(head.split("\n")).toHaveLength(2);
      expect([Object.keys(value), value["name"]]).toEqual([["name", "description"], "a"]);
      expect([Array.from(told).length <= 1_024, /[<>\n]/.test(told)]).toEqual([true, false]);
    }),
    { numRuns: 100 },
  );
});
