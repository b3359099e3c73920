import { expect, test } from "vitest";
import { computeTermWeight } from "#kernel/model/search/search-ranking.ts";
import { extractIndexTerms, createSearchQuestion } from "./code-search-terms.ts";
import { type RankableEntry, rankIndexEntries } from "./entry-ranking.ts";

const component = (
  key: string,
  more: Partial<NonNullable<RankableEntry["component"]>> = {},
  text = "",
): RankableEntry => {
  const [path = "", ref = ""] = key.split("#");
  const [name = "", within = ""] = ref.split(".").toReversed();
  const own = { kind: "function" as const, name, within, isExported: true, isTest: false, doc: text, ...more };
  return { id: 0, kind: "component", key, path, title: ref, text: `${name}()\n${text}\n${path}`, component: own };
};
const other = (kind: "file" | "spec" | "doc", key: string, text: string): RankableEntry => ({
  id: 0,
  kind,
  key,
  path: key,
  title: key,
  text,
});

function ranked(question: string, ...found: RankableEntry[]): string[] {
  const wording = createSearchQuestion(question, "");
  const all = found.map((each, i) => ({ ...each, id: i + 1 }));
  const terms = [...wording.terms, ...wording.hints.keys()];
  const held = terms.map(
    (term) => [term, all.filter((each) => extractIndexTerms(each.title + each.text).has(term)).length] as const,
  );
  const weights = new Map(
    held.filter(([, n]) => n > 0).map(([term, n]) => [term, computeTermWeight(n, all.length + 20)]),
  );
  return rankIndexEntries(wording, weights, all).map(({ item }) => item.key);
}

test.each([
  {
    why: "ranks a definition before a mention of it",
    question: "how is a date parsed",
    best: component("src/date.ts#parseDate"),
    after: component("src/form.ts#submit", {}, "Submits the form, once the date is parsed."),
  },
  {
    why: "ranks exported code before internal code",
    question: "parse date",
    best: component("src/b.ts#parseDate"),
    after: component("src/a.ts#parseDate", { isExported: false }),
  },
  {
    why: "ranks code before its tests",
    question: "parse date",
    best: component("src/date.ts#parseDate"),
    after: component("test/date.test.ts#parseDate", { isTest: true }),
  },
  {
    why: "ranks a function before a type",
    question: "how does a session expire",
    best: component("src/session.ts#expireSession"),
    after: component("src/session.ts#SessionExpire", { kind: "type" }),
  },
  {
    why: "ranks a file last",
    question: "where are passkeys handled",
    best: component("src/keys.ts#checkPasskey"),
    after: other("file", "src/passkey.ts", ""),
  },
  {
    why: "ranks all words of a question before one word twice",
    question: "retry failed uploads",
    best: component("src/net.ts#again", {}, "Tries a failed upload once more: a retry."),
    after: component("src/retry.ts#retryRetry"),
  },
  {
    why: "matches words with their short forms in code",
    question: "how is the environment read",
    best: component("src/env.ts#readEnv"),
    after: component("src/file.ts#readFile"),
  },
  {
    why: "matches a verb with its particle in one name",
    question: "where is the user looked up",
    best: component("src/a.ts#lookupUser"),
    after: component("src/b.ts#User", { kind: "class" }),
  },
])("$why", ({ question, best, after }) => {
  expect(ranked(question, after, best)).toEqual([best.key, after.key]);
  expect(ranked(question, best, after)).toEqual([best.key, after.key]);
});

test("ranks a class higher for a match inside it", () => {
  const all = [
    component("src/dns.ts#Resolver", { kind: "class" }),
    component("src/dns.ts#Resolver.cacheLookups", { kind: "method" }),
    component("src/other.ts#Other", { kind: "class" }),
  ];
  expect(ranked("how are lookups cached", ...all).slice(0, 2)).toEqual([
    "src/dns.ts#Resolver.cacheLookups",
    "src/dns.ts#Resolver",
  ]);
});
