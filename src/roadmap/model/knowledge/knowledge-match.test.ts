import { expect, test } from "vitest";
import type { Lesson, LessonSource } from "./lesson.ts";
import { applyLessonPlacements, parseKnowledgeDocument, addKnowledgeSource } from "./knowledge-document.ts";

const FILE = "pattern-api-lists.md";
const source = (said: string): LessonSource => ({
  feature: "login",
  role: "builder",
  tasks: [],
  at: "2026-01-31",
  said,
});
const lesson = (...sources: readonly LessonSource[]): Lesson => ({
  id: "a",
  type: "pattern",
  category: "api",
  text: sources[0]?.said ?? "",
  phases: ["impl"],
  sources,
  keys: [],
});

test.each([
  ["the same words", ["Lists are sorted."], ["Lists are sorted."]],
  ["words that a file escapes", ["Lists are List<Row>."], ["Lists are List\\<Row>."]],
  ["a comma in both", ["Sorted, once", "Sorted"], ["Sorted, once", "Sorted"]],
])("lists each source once, before the file is written as after: %s", (_, said, told) => {
  const text = said.map(source).reduce((now, each) => addKnowledgeSource(now, each) ?? "", "# Lists\n");
  const written = parseKnowledgeDocument(FILE, text);
  if (!written) throw new Error("It is no knowledge.");
  expect(written.sources.map((each) => each.said)).toEqual(told);
  const place = { lesson: lesson(...said.map(source)), file: FILE, isNew: false };
  expect(applyLessonPlacements([written], [place])).toEqual([written]);
  expect(applyLessonPlacements([], [place])[0]?.sources).toEqual(written.sources);
});
