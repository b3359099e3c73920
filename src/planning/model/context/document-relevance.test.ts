import fc from "fast-check";
import { expect, test } from "vitest";
import { extractRelevantExcerpt, extractSearchKeywords, rankByRelevance } from "./document-relevance.ts";

const titled = (...titles: string[]) => titles.map((title) => ({ title, text: "" }));
const found = (said: string, ...titles: string[]): string[] =>
  rankByRelevance(extractSearchKeywords(said), titled(...titles)).map(({ item }) => item.title);

test.each<[said: string, titles: string[], expected: string[]]>([
  ["Fix the empty search", ["Fix the clock", "Searching for nothing crashes"], ["Searching for nothing crashes"]],
  ["Fix it", ["Fix the clock", "Search"], ["Fix the clock"]],
  ["prefix", ["Fix the clock"], []],
  ["uploads of customers", ["A customer uploads", "An upload", "Logs"], ["A customer uploads", "An upload"]],
  ["Change FR-002", ["FR-001", "FR-002"], ["FR-002"]],
  ['type:bugfix "empty search"', ["Empty search", "bugfix"], ["Empty search", "bugfix"]],
  ["", ["Search"], []],
  ["the of and", ["Search"], []],
  ["Search", [], []],
])("%j finds in %j %j", (said, titles, expected) => {
  expect(found(said, ...titles)).toEqual(expected);
});

test("weighs a rarer word more, wherever it occurs", () => {
  const common = Array.from({ length: 30 }, (_, i) => `The page number ${i}`);
  expect(found("the page of refunds", ...common, "Refunds")[0]).toBe("Refunds");
});

test("finds nothing for a word that nearly all documents contain", () => {
  const all = Array.from({ length: 50 }, (_, i) => `The shop number ${i}`);
  expect(found("the shop", ...all)).toEqual([]);
});

test("finds each document that shares a word once, always in the same order", () => {
  const word = fc.constantFrom("search", "upload", "clock", "customer", "refund", "limit", "token");
  const sentence = fc.array(word, { maxLength: 6 }).map((words) => words.join(" "));
  fc.assert(
    fc.property(sentence, fc.array(sentence, { maxLength: 12 }), (said, titles) => {
      const answer = found(said, ...titles);
      expect(answer).toEqual(found(said, ...titles));
      expect(answer.length).toBeLessThanOrEqual(titles.length);
      for (const title of answer) expect(title.split(" ").some((each) => said.split(" ").includes(each))).toBe(true);
    }),
  );
});

test("excerpts the part that matches, and gives a short text completely with its lines", () => {
  const long = `${"Nothing of the sort. ".repeat(60)}Refunds end after thirty days. ${"More of nothing. ".repeat(60)}`;
  const question = extractSearchKeywords("refunds after a month");
  expect(extractRelevantExcerpt(long, question)).toContain("Refunds end after thirty days.");
  expect(extractRelevantExcerpt(long, question).length).toBeLessThan(450);
  expect(extractRelevantExcerpt("One\n\nTwo", question)).toBe("One\n\nTwo");
});

test("ranks lower weights later", () => {
  const question = extractSearchKeywords("The upload limit");
  const light = { title: "Upload limit", text: "The upload limit.", weight: 0.1 };
  const heavy = { title: "Files", text: "An upload has a limit, among many other things that are told of it here." };
  expect(rankByRelevance(question, [light, heavy]).map(({ item }) => item)).toEqual([heavy, light]);
});
