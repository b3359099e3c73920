import { expect, test } from "vitest";
import { type KnowledgeEntry, selectRelevantKnowledge } from "./knowledge-document.ts";
import { parseKnowledgeFileName, KNOWLEDGE_TYPES } from "./lesson.ts";

const known = (file: string, summary: string, more: Partial<KnowledgeEntry> = {}): KnowledgeEntry => {
  const name = parseKnowledgeFileName(file);
  if (!name) throw new Error(`${file} is no file of knowledge.`);
  return {
    file,
    type: name.type,
    category: name.category,
    title: "",
    summary,
    keywords: [],
    phases: ["design", "impl"] as const,
    verified: "",
    sources: [],
    skill: "",
    ...more,
  };
};

const ABOUT = "Users log in with a password. A session token is made at login, and the cookie is signed and hashed.";
const FILES = [
  known("pattern-security-renew.md", "The session token is made anew at login"),
  known("incident-security-leak.md", "The password was logged with the session"),
  known("pattern-data-tides.md", "Tide tables are kept in one column"),
  known("incident-api-later.md", "The session token was in the address of a login", { phases: ["specifications"] }),
  known("reference-api-one.md", "Password", { phases: [] }),
  known("reference-api-none.md", ""),
  known("pattern-security-one-word.md", "A password, among very many other words that say nothing here"),
];
const found = (occasion: Partial<Parameters<typeof selectRelevantKnowledge>[0]>): string[] =>
  selectRelevantKnowledge({ phase: "design", types: KNOWLEDGE_TYPES, about: ABOUT, ...occasion }, FILES).map(
    ({ file }) => file,
  );

test("finds lessons by phase, type and subject, the best match first", () => {
  expect(found({})).toEqual(["incident-security-leak.md", "pattern-security-renew.md", "reference-api-one.md"]);
  expect(found({ types: ["incident"] })).toEqual(["incident-security-leak.md"]);
  expect(found({ phase: "specifications" })).toEqual(["reference-api-one.md", "incident-api-later.md"]);
  expect([
    found({ phase: "tasks", types: ["incident"] }),
    found({ about: "" }),
    found({ about: "Something else altogether" }),
  ]).toEqual([[], [], []]);
});

test("lists at most six of many", () => {
  const many = Array.from({ length: 50 }, (_, i) =>
    known(`pattern-security-a${i}.md`, `The session token at login ${i}`),
  );
  expect(selectRelevantKnowledge({ phase: "impl", types: ["pattern"], about: ABOUT }, many)).toHaveLength(6);
});
