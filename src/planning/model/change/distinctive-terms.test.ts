import { expect, test } from "vitest";
import {
  collectIdentifierTerms,
  rankItemsByTerms,
  stripDraftPhrases,
  type TermIndexedItem,
  extractDistinctiveTerms,
} from "./distinctive-terms.ts";

const spoken = (item: string, text: string): TermIndexedItem<string> => ({
  item,
  name: collectIdentifierTerms(item),
  text: collectIdentifierTerms(text),
});
const found = (question: string, texts: Readonly<Record<string, string>>): string[] =>
  rankItemsByTerms(
    extractDistinctiveTerms(question).keys(),
    Object.entries(texts).map(([item, text]) => spoken(item, text)),
  ).map(({ item }) => item);

test.each([
  ["Fix the search that crashes without a query", ["search", "without", "query"]],
  ["Add new users", []],
  ["emptySearch and XMLReader in read_all", ["empty", "search", "xml", "reader", "read"]],
  ["Searching, searches and searched", ["searching"]],
  ["in 2026 of 12", []],
  ["検索", ["検索"]],
  ["", []],
])("finds the distinctive terms of %j: %j", (text, words) => {
  expect([...extractDistinctiveTerms(text).values()]).toEqual(words);
});

test("ranks matches by their rarer words", () => {
  const others = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`m${i}.ts`, "export const list = 1"]));
  expect(
    found("The list of overdue invoices", {
      ...others,
      "billing.ts": "const overdueInvoices = list()",
      "mail.ts": "remind of an invoice",
      "invoice.ts": "overdue",
    }),
  ).toEqual(["invoice.ts", "billing.ts"]);
});

test("without a rare word, counts those that at most half of the entries contain", () => {
  const texts = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`m${i}.ts`, i < 4 ? "search" : "list"]));
  expect(found("The search", texts)).toEqual(["m0.ts", "m1.ts", "m2.ts", "m3.ts"]);
});

test.each([
  [1, 1, 1],
  [1, 2, 1],
  [2, 2, 0],
  [2, 3, 0],
  [3, 3, 0],
  [5, 8, 0],
])("a word that %i of %i contain finds %i of them", (speaking, all, expected) => {
  const texts = Array.from({ length: all }, (_, i) => [`m${i}.ts`, i < speaking ? "a page" : "a list"]);
  expect(found("Fix typo in page", Object.fromEntries(texts) as Record<string, string>)).toHaveLength(expected);
});

test.each([
  [
    "When a client sends `GET /health`, the system shall answer it. (evidence: src/routes.ts:3; confidence: high)",
    ["health"],
  ],
  [
    "When `Order` is received, then `email` is an e-mail address, otherwise it is refused as input.",
    ["order", "email", "mail", "address"],
  ],
  [
    "When one order is stored, then `id` is unique, otherwise it is refused. (evidence: a.sql:1; confidence: high)",
    ["one", "order", "unique"],
  ],
  ["The system shall refuse an upload over 10 MB.", ["refuse", "upload"]],
])("%j has of its own terms %j", (text, words) => {
  expect([...extractDistinctiveTerms(stripDraftPhrases(text)).values()]).toEqual(words);
});

test("finds nothing for unknown words", () => {
  expect(found("The search", { "a.ts": "invoice" })).toEqual([]);
  expect(found("Fix it", { "a.ts": "fix it" })).toEqual([]);
  expect(found("The search", {})).toEqual([]);
});

test("does not match a part of a word", () => {
  expect(found("The address", { "a.ts": "add", "b.ts": "addressee of the add", "c.ts": "addresses" })).toEqual([
    "c.ts",
  ]);
});
