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
  const own = {
    kind: "function" as const,
    name,
    within,
    isExported: true,
    isTest: false,
    doc: text,
    line: 1,
    lastLine: 9,
    ...more,
  };
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
  return rankIndexEntries(wording, weights, all, question).map(({ item }) => item.key);
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
    why: "ranks a public function before an internal one for a question about how to do it",
    question: "how do I check for conflicts",
    best: component("src/b.js#Option.checkConflicts"),
    after: component("src/a.js#Option._checkConflicts"),
  },
  {
    why: "ranks deprecated code last",
    question: "track a file",
    best: component("src/b.java#trackFile", {}, "Tracks a file."),
    after: component("src/a.java#trackFile", {}, "Tracks a file.\n@deprecated Use the other one."),
  },
  {
    why: "ranks code that much other code calls first",
    question: "parse date",
    best: { ...component("src/b.ts#parseDate"), callers: 12 },
    after: component("src/a.ts#parseDate"),
  },
  {
    why: "ranks the function that does the work before one that hands on to it",
    question: "parse date",
    best: component("src/b.ts#parseDate"),
    after: component("src/a.ts#parseDate", { lastLine: 2 }),
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
  {
    why: "counts two synonyms of one word once",
    question: "how are users deleted",
    best: component("src/users.ts#gone", {}, "Removes a user."),
    after: component("src/store.ts#clear", {}, "Removes, erases, drops, discards and purges."),
  },
  {
    why: "ranks a word of the question before its synonym",
    question: "how are users deleted",
    best: component("src/a.ts#deleteUsers"),
    after: component("src/b.ts#removeUsers"),
  },
  {
    why: "ranks a class first for a question about a class",
    question: "Which class retries uploads?",
    best: component("src/retry.ts#UploadRetry", { kind: "class" }),
    after: component("src/net.ts#retryUpload"),
  },
  {
    why: "ranks a function first for a question about a way",
    question: "How do I retry uploads?",
    best: component("src/net.ts#retryUpload"),
    after: component("src/retry.ts#RetryUpload", { kind: "class" }),
  },
  {
    why: "ranks the first sentence of a description before its rest",
    question: "where is the archive unpacked",
    best: component("src/a.ts#openBox", {}, "Unpacks an archive. It has many parts."),
    after: component("src/b.ts#openCan", {}, "It has many parts. Unpacks an archive."),
  },
  {
    why: "ranks a method before the constructor",
    question: "where is the session renewed",
    best: component("src/a.py#Session.refresh", { kind: "method" }, "Renews the session."),
    after: component("src/a.py#Session.__init__", { kind: "method" }, "Renews the session."),
  },
  {
    why: "ranks code before documents",
    question: "how are routes visited",
    best: component("mux.go#walkRoutes"),
    after: other("doc", "README.md#walk-routes", "Walk all routes."),
  },
  {
    why: "matches two words that a name writes as one, short or long",
    question: "how is an environment variable resolved",
    best: component("src/core.py#resolve_envvar"),
    after: component("src/path.py#resolve_path"),
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
