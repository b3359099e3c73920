import { expect, test } from "vitest";
import { findFreeKnowledgeFile, deriveLessonName, normalizeLessonName, parseKnowledgeFileName } from "./lesson.ts";

test.each([
  ["Sessions are renewed at login.", "sessions-renewed-login"],
  ["api: Parse at the edge", "parse-edge"],
  ["(security) Tokens rotate", "tokens-rotate"],
  ["[data] Rows are counted", "rows-counted"],
  ["note: Tokens rotate", "note-tokens-rotate"],
  ["../../etc/passwd", "etc-passwd"],
  ["Größe über alles", "grosse-uber-alles"],
  ["再試行は安全", expect.stringMatching(/^lesson-[a-z0-9]{7}$/)],
  ["con", expect.stringMatching(/^lesson-[a-z0-9]{7}$/)],
  ["the", expect.stringMatching(/^lesson-[a-z0-9]{7}$/)],
])("names %j %j", (text, name) => {
  expect(deriveLessonName(text)).toEqual(name);
});

test("keeps a name short, for any text", () => {
  expect(deriveLessonName("very ".repeat(2_000)).length).toBeLessThanOrEqual(48);
});

test.each([
  ["parse-edge", "parse-edge"],
  ["Parse at the Edge.md", "parse-at-the-edge"],
  ["pattern-api-parse-edge", "parse-edge"],
  ["pattern-api-parse-edge.md", "parse-edge"],
])("turns the name %j into %j", (said, name) => {
  expect(normalizeLessonName(said)).toBe(name);
});

test.each([
  ["pattern-api-parse-edge.md", { type: "pattern", category: "api", name: "parse-edge" }],
  ["incident-data-a.md", { type: "incident", category: "data", name: "a" }],
  ["index.md", undefined],
  ["pattern-weather-a.md", undefined],
  ["pattern-api-.md", undefined],
  ["Pattern-api-a.md", undefined],
  ["pattern-api-a.txt", undefined],
])("reads the file name %j", (file, name) => {
  expect(parseKnowledgeFileName(file)).toEqual(name);
});

test.each([
  [[], "pattern-api-a.md"],
  [["pattern-api-a.md"], "pattern-api-a-2.md"],
  [["PATTERN-API-A.MD", "pattern-api-a-2.md"], "pattern-api-a-3.md"],
  [["incident-api-a.md"], "pattern-api-a.md"],
])("beside %j chooses the file %j, in any case", (taken, file) => {
  const names = new Set(taken.map((name) => name.toLowerCase()));
  expect(findFreeKnowledgeFile({ type: "pattern", category: "api", name: "a" }, names)).toBe(file);
});
