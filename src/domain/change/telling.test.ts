import { expect, test } from "vitest";
import { codeTerms, likely, type Spoken, tellingTerms } from "./telling.ts";

const spoken = (item: string, text: string): Spoken<string> => ({ item, name: codeTerms(item), text: codeTerms(text) });
const found = (question: string, texts: Readonly<Record<string, string>>): string[] =>
  likely(
    tellingTerms(question).keys(),
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
])("what tells %j from others is %j", (text, words) => {
  expect([...tellingTerms(text).values()]).toEqual(words);
});

test("those that speak the rarer words are meant, best first", () => {
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

test("where no word is rare, all of them count", () => {
  const texts = { "a.ts": "search", "b.ts": "search", "c.ts": "search", "d.ts": "search" };
  expect(found("The search", texts)).toEqual(["a.ts", "b.ts", "c.ts", "d.ts"]);
});

test("what nobody speaks of is found nowhere", () => {
  expect(found("The search", { "a.ts": "invoice" })).toEqual([]);
  expect(found("Fix it", { "a.ts": "fix it" })).toEqual([]);
  expect(found("The search", {})).toEqual([]);
});

test("a word is no part of another", () => {
  expect(found("The address", { "a.ts": "add", "b.ts": "addressee of the add", "c.ts": "addresses" })).toEqual([
    "c.ts",
  ]);
});
