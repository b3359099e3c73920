import fs from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseHeadings, parseProseLines } from "#kernel/model/document/markdown-document.ts";
import {
  parseKnowledgeDocument,
  removePlaceholders,
  setSkillDecision,
  addKnowledgeSource,
  formatKnowledgeDocument,
} from "./knowledge-document.ts";
import { type LessonSource, escapeMarkdownParagraph, KNOWLEDGE_TYPES, type KnowledgeType } from "./lesson.ts";

const template = (type: KnowledgeType): string => fs.readFileSync(`assets/templates/knowledge/${type}.md`, "utf8");
const at = "2026-01-31T12:00:00Z";
const source = (said: string, more: Partial<LessonSource> = {}): LessonSource => ({
  feature: "user-login",
  role: "builder",
  tasks: ["1.2", "2"],
  at,
  said,
  ...more,
});
const written = (type: KnowledgeType, said: string): string =>
  formatKnowledgeDocument(template(type), {
    type,
    category: "api",
    summary: escapeMarkdownParagraph(said),
    phases: ["design", "impl"] as const,
    sources: [source(said)],
    at,
  });

const SECTIONS: Readonly<Record<KnowledgeType, readonly string[]>> = {
  incident: [
    "Metadata",
    "Problem Summary",
    "Concrete Example",
    "Detection Points by Phase",
    "General Checklist",
    "Related Patterns",
    "Lessons Learned",
    "Seen In",
  ],
  pattern: [
    "Metadata",
    "Pattern Summary",
    "Problem Context",
    "Solution",
    "Examples",
    "Checklist",
    "Related",
    "References",
    "Seen In",
  ],
  reference: [
    "Metadata",
    "Overview",
    "Quick Reference",
    "Key Points",
    "Common Gotchas",
    "Code Snippets",
    "Related",
    "Sources",
    "Seen In",
  ],
};

test.each(KNOWLEDGE_TYPES)("reads back a written %s", (type) => {
  const text = written(type, "Parse input at the edge.");
  expect(parseKnowledgeDocument(`${type}-api-parse.md`, text)).toEqual({
    file: `${type}-api-parse.md`,
    type,
    category: "api",
    title: "Parse input at the edge",
    summary: "Parse input at the edge.",
    keywords: ["parse", "input", "edge"],
    phases: ["design", "impl"],
    verified: type === "reference" ? "2026-01-31" : "",
    sources: [{ ...source("Parse input at the edge."), at: "2026-01-31" }],
    skill: "",
  });
  expect(headingsOf(text)).toEqual(SECTIONS[type]);
});

const headingsOf = (text: string): string[] =>
  parseHeadings(parseProseLines(text))
    .filter(({ level }) => level === 2)
    .map((heading) => heading.text);

test("ignores a file with another kind of name", () => {
  expect(parseKnowledgeDocument("notes.md", "# Notes\n")).toBeUndefined();
});

const MINE = "# Mine\n\nMy own words.\n\n## Pattern Summary\n\nParse early.\n";

test.each([
  ["a file of Tenon", written("pattern", "Parse early"), 2],
  ["a handwritten file", MINE, 1],
  ["a file with Windows line ends", MINE.replaceAll("\n", "\r\n"), 1],
  ["an empty file", "", 1],
])("adds a source to %s once", (_, text, sources) => {
  const added = addKnowledgeSource(text, source("Parse it early", { feature: "mail" })) ?? "";
  expect(parseKnowledgeDocument("pattern-api-a.md", added)?.sources.length).toBe(sources);
  expect(added.replaceAll("\r\n", "\n").startsWith(text.replaceAll("\r\n", "\n").trimEnd())).toBe(true);
  expect(addKnowledgeSource(added, source("Parse it early", { feature: "mail", tasks: ["9"] }))).toBe(added);
});

test("adds nothing to a file with an open fence", () => {
  expect(addKnowledgeSource("# Mine\n\n```\ncode\n", source("Parse early"))).toBeUndefined();
});

test("keeps the latest decision about a skill in the metadata", () => {
  const text = written("pattern", "Parse early");
  const rejected = setSkillDecision(text, "rejected: too | plain");
  const approved = setSkillDecision(rejected, "approved as parsing");
  const skillOf = (said: string): string | undefined => parseKnowledgeDocument("pattern-api-a.md", said)?.skill;
  expect([text, rejected, approved].map(skillOf)).toEqual(["", "rejected: too | plain", "approved as parsing"]);
  expect([MINE, "", "No title"].map((mine) => skillOf(setSkillDecision(mine, "rejected")))).toEqual(
    Array(3).fill("rejected"),
  );
  expect(setSkillDecision(MINE, "rejected")).toContain("My own words.");
});

test("does not remember empty templates", () => {
  const text = written("pattern", "Parse early").replace("<the one idea behind it>", "Know before you act.");
  expect(removePlaceholders(text)).toMatchInlineSnapshot(`
    "# Parse early

    ## Metadata

    | Field             | Value        |
    | ----------------- | ------------ |
    | Category          | api          |
    | Keywords          | parse, early |
    | Applicable Phases | design, impl |

    ## Pattern Summary

    Parse early

    ## Solution

    ### Core Principle

    Know before you act.

    ## Seen In

    - user-login, builder, task 1.2 2, 2026-01-31: Parse early
    "
  `);
});

const HOSTILE = [
  "```",
  "~~~",
  "# Heading",
  "## Seen In",
  "---",
  "- [ ] item",
  "<!-- hidden",
  "<script>alert(1)</script>",
  "| a | b |",
  "{{sources}} {{#x}}",
  "[a]: http://example.com",
  "`",
  "\u202eevil\u{e0041}",
  "line\nbreak\r\n## Metadata",
  "1. one",
  "> quote",
  "===",
  "$& $1 \\",
  "    indented",
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "grapheme", maxLength: 20 })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(" "))
  .filter((text) => text.trim() !== "");

test("keeps the sections readable and hides nothing, for any text", () => {
  fc.assert(
    fc.property(fc.constantFrom(...KNOWLEDGE_TYPES), hostile, hostile, (type, said, more) => {
      const text = written(type, said);
      expect(headingsOf(text)).toEqual(SECTIONS[type]);
      expect(parseHeadings(parseProseLines(text)).filter(({ level }) => level === 1)).toHaveLength(1);
      expect(text).not.toMatch(/[\u202e\u{e0000}-\u{e007f}\r]/u);
      const known = parseKnowledgeDocument(`${type}-api-a.md`, text);
      expect(known?.sources).toHaveLength(1);
      const added = addKnowledgeSource(text, source(more, { feature: "mail" }));
      expect(parseKnowledgeDocument(`${type}-api-a.md`, added ?? "")?.sources.map(({ feature }) => feature)).toEqual([
        "user-login",
        "mail",
      ]);
      expect(addKnowledgeSource(added ?? "", source(said))).toBe(added);
    }),
    { numRuns: 100 },
  );
});
