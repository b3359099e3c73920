import fc from "fast-check";
import { expect, test } from "vitest";
import { parseSearchQuestion, parseSinceDate } from "./search-question.ts";

const NOW = "2026-03-01T12:30:00Z";

test("reads plain words, a phrase and filters", () => {
  const text = 'How was the "login loop" fixed in the dbs? type:bugfix project:"My Shop" since:7d';
  const { hints: _, ...read } = parseSearchQuestion(text, NOW);
  expect(read).toEqual({
    text,
    terms: ["login", "loop", "fix", "databas"],
    spelled: new Map([
      ["databas", "dbs"],
      ["fix", "fixed"],
      ["loop", "loop"],
      ["login", "login"],
    ]),
    phrases: [["login", "loop"]],
    pairs: [
      ["login", "loop"],
      ["loop", "fix"],
      ["fix", "databas"],
    ],
    type: "bugfix",
    project: "My Shop",
    since: "2026-02-22T12:30:00Z",
  });
});

/** What a question asks for, without how it was spelled and paired. */
function asked(text: string) {
  const { terms, phrases, type, project, since } = parseSearchQuestion(text, NOW);
  return { terms, phrases, type, project, since };
}
const words = {
  terms: [] as string[],
  phrases: [] as string[][],
  type: undefined,
  project: undefined,
  since: undefined,
};

test.each([
  ["nothing", "", {}],
  ["a filter alone", "type:decision", { type: "decision" }],
  ["filters in any case", "TYPE:Decision Project:shop", { type: "Decision", project: "shop" }],
  ["the last of two filters", "type:bug type:fix", { type: "fix" }],
  ["a filter within a word", "mytype:bug", { terms: ["mytyp", "bug"] }],
  ["a filter without a value", "type: bug", { terms: ["type", "bug"] }],
  ["a filter with nothing in quotes", 'type:"" bug', { terms: ["type", "bug"] }],
  ["a filter whose quote is not closed", 'type:"bug fix', { terms: ["type", "bug", "fix"] }],
  ["an unknown filter", "scope:all", { terms: ["scope"] }],
  ["since nonsense", "since:yesterday", { terms: ["sinc", "yesterdai"] }],
  ["since with an invalid day", "since:2026-13-01", { terms: ["sinc", "2026", "13", "01"] }],
  ["a quote that is not closed", 'the "login loop', { terms: ["login", "loop"] }],
  ["an empty phrase", 'login "" "..."', { terms: ["login"] }],
  [
    "two phrases",
    '"login loop" "reset"',
    { terms: ["login", "loop", "reset"], phrases: [["login", "loop"], ["reset"]] },
  ],
  [
    "a phrase with stop words",
    '"state of the art"',
    { terms: ["state", "art"], phrases: [["state", "of", "the", "art"]] },
  ],
  ["only stop words", "what is this", { terms: ["what", "is", "thi"] }],
  ["a word in two forms", "build built building", { terms: ["build"] }],
  ["operators as words", "NEAR(login reset) NOT loop*", { terms: ["near", "login", "reset", "loop"] }],
])("reads %s: %s", (_, text, meant) => {
  expect(asked(text)).toEqual({ ...words, ...meant });
});

test("keeps the first spelling of a term, and pairs no term with itself", () => {
  const { spelled, pairs } = parseSearchQuestion("building built a config", NOW);
  expect({ spelled: Object.fromEntries(spelled), pairs }).toEqual({
    spelled: { build: "building", configur: "config" },
    pairs: [["build", "configur"]],
  });
});

test("keeps at most 40 terms of a question, and of a phrase", () => {
  const many = Array.from({ length: 100 }, (_, i) => `word${i}`);
  const { terms, phrases, pairs, spelled } = parseSearchQuestion(`"${many.join(" ")}"`, NOW);
  expect({ terms, phrases, pairs: pairs.length, spelled: spelled.size }).toEqual({
    terms: many.slice(0, 40),
    phrases: [many.slice(0, 40)],
    pairs: 39,
    spelled: 40,
  });
});

test.each([
  ["0d", NOW],
  ["7d", "2026-02-22T12:30:00Z"],
  ["2w", "2026-02-15T12:30:00Z"],
  ["3M", "2025-12-01T12:30:00Z"],
  ["1y", "2025-03-01T12:30:00Z"],
  ["9999y", "0001-01-01T12:30:00Z"],
  ["2026-01-31", "2026-01-31T00:00:00Z"],
  ["2026-01-31T08:15", "2026-01-31T08:15:00Z"],
  ["2026-01-31t08:15:30z", "2026-01-31T08:15:30Z"],
  ["2026-01-31T08:15:30.123Z", "2026-01-31T08:15:30Z"],
  ...["", "d", "-1d", "1.5d", "12345d", "7 d", "7h", "yesterday", "2026", "2026-1-1", "2026-00-10", "2026-01-32"].map(
    (value): [string, undefined] => [value, undefined],
  ),
  ...["2026-01-31T24:00", "2026-01-31T10:60", "2026-01-31T10:00:60", "constructor", "1constructor"].map(
    (value): [string, undefined] => [value, undefined],
  ),
])("reads since %j as %j", (value, since) => {
  expect(parseSinceDate(value, NOW)).toBe(since);
});

const SYNTAX = [
  '"',
  "'",
  ":",
  "*",
  "^",
  "-",
  "+",
  "(",
  ")",
  "{",
  "}",
  "NEAR",
  "AND",
  "OR",
  "NOT",
  "rowid",
  "\0",
  "\ud800",
];
const anyQuestion = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.string({
    unit: fc.constantFrom(...SYNTAX, "\udc00", "type:", "project:", "since:", "7d", " ", "a", "é", "修", "title:"),
    maxLength: 100,
  }),
);

test("accepts any question, and passes no term as syntax", () => {
  fc.assert(
    fc.property(anyQuestion, (text) => {
      const { terms, hints, phrases, pairs, spelled } = parseSearchQuestion(text, NOW);
      const all = [
        ...terms,
        ...hints.keys(),
        ...phrases.flat(),
        ...pairs.flat(),
        ...spelled.keys(),
        ...spelled.values(),
      ];
      expect(all.filter((term) => !/^[\p{L}\p{N}]+$/u.test(term))).toEqual([]);
      expect(terms.filter((term) => hints.has(term))).toEqual([]);
      expect({ few: terms.length <= 40, once: new Set(terms).size, spelled: [...spelled.keys()].toSorted() }).toEqual({
        few: true,
        once: terms.length,
        spelled: terms.toSorted(),
      });
    }),
    { numRuns: 2000 },
  );
});

test("finds a filter at any position and keeps the words", () => {
  const word = fc.constantFrom("login", "reset", "loop", "cache");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 4 }), fc.array(word, { maxLength: 4 }), (before, after) => {
      const text = [...before, "type:bugfix", ...after].join(" ");
      const plain = parseSearchQuestion([...before, ...after].join(" "), NOW);
      expect(parseSearchQuestion(text, NOW)).toEqual({ ...plain, type: "bugfix", text });
    }),
  );
});
