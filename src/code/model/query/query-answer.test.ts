import fc from "fast-check";
import { expect, test } from "vitest";
import type { SuggestedFix } from "#kernel/model/fault.ts";
import { renderPageMarkdown } from "#kernel/model/page.ts";
import { formatOneLine } from "../summary/summary-text.ts";
import {
  type QueryAnswer,
  EMPTY_ANSWER,
  formatAnswerPage,
  countUtf8Bytes,
  shrinkQueryAnswer,
  MAX_ANSWER_BYTES,
} from "./query-answer.ts";

const word = fc.string({ unit: "grapheme", maxLength: 300 });
const text = fc.oneof(
  word,
  fc.string({ unit: "binary", maxLength: 4_000 }),
  fc.constantFrom('"'.repeat(900), "\u0007".repeat(300), "\u{e0041}".repeat(200), "…".repeat(800), "a\n> b\n\n# c"),
);
const some = <T>(of: fc.Arbitrary<T>, most = 12): fc.Arbitrary<T[]> => fc.array(of, { maxLength: most });
const hit = fc.record(
  { key: text, at: text, is: fc.constantFrom("method", "file", "spec"), signature: text, summary: text },
  { requiredKeys: ["key", "at", "is"] },
);
const answer: fc.Arbitrary<QueryAnswer> = fc.record(
  {
    intent: fc.constantFrom("meaning", "callers", "tests", "ready", "nothing", "changes"),
    hits: some(hit),
    more: fc.nat(),
    facts: some(fc.record({ what: fc.constantFrom("called by", "tests"), values: some(text), more: fc.nat() }), 3),
    specs: some(text),
    repaired: some(fc.record({ from: text, to: text }), 5),
    unknown: some(text, 5),
    near: some(text),
    ready: fc.record({ question: text, answer: text, isStale: fc.boolean() }),
  },
  { requiredKeys: ["intent", "hits", "more", "facts", "specs", "repaired", "unknown", "near"] },
);

/** The longest way in which a door names what to call next. */
const sayFix = (fix: SuggestedFix): string =>
  typeof fix === "string" ? fix : `ask the user to run: tenon trace --id ${JSON.stringify(fix.input?.["id"])}`;

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

test("keeps an answer within a kilobyte, as text and as data, and no line of it comes from the repository alone", () => {
  fc.assert(
    fc.property(answer, (given) => {
      const shown = shrinkQueryAnswer(given);
      const page = renderPageMarkdown(formatAnswerPage(shown), sayFix);
      expect(new TextEncoder().encode(JSON.stringify(shown)).length).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
      expect(new TextEncoder().encode(page).length).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
      // oxlint-disable-next-line no-control-regex -- none of them may be there
      expect(page).not.toMatch(/[\0-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/);
      expect(stringsIn(shown).filter((each) => each !== formatOneLine(each))).toEqual([]);
      const marks =
        /^(?:>|-|Next: |From the repository:$|$|.*(?:matches, best first|match|No match in the index|Found by name|Recent changes)\.$|.*\?$)/;
      expect(page.split("\n").filter((line) => !marks.test(line))).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

const HIT = {
  key: "src/auth.ts#login",
  at: "10-42",
  is: "function",
  signature: "(name: string): Token",
  summary: "Logs in.",
};

test("keeps what fits unchanged, and leaves out empty parts", () => {
  expect(shrinkQueryAnswer({ ...EMPTY_ANSWER, intent: "meaning", hits: [HIT] })).toEqual({
    intent: "meaning",
    hits: [HIT],
  });
});

test("gives the best match the most room", () => {
  const hits = Array.from({ length: 30 }, (_, i) => ({
    ...HIT,
    key: `src/auth.ts#login${i}`,
    summary: "It ".repeat(60),
  }));
  const { hits: shown = [], more = 0 } = shrinkQueryAnswer({ ...EMPTY_ANSWER, intent: "meaning", hits });
  expect(shown[0]).toEqual({ ...hits[0], summary: shown[0]?.summary });
  expect((shown[0]?.summary ?? "").length).toBeGreaterThan(100);
  expect(shown.at(-1)?.summary).toBe(undefined);
  expect(shown.length + more).toBe(30);
});

test.each([
  ["a", 1],
  ["é", 2],
  ["…", 3],
  ["𝒳", 4],
  ["\ud800", 3],
])("counts the bytes of %j", (sign, bytes) => {
  expect(countUtf8Bytes(sign)).toBe(bytes);
});

test("prints locations in a form that editors open", () => {
  const lines = [
    HIT,
    { key: "docs/guide.md#install", at: "3", is: "doc", summary: "How to install it." },
    { key: "AUTH-001", at: "sdd/specs/AUTH-001.yaml:1", is: "spec", summary: "Login." },
    { key: "src/auth.ts", at: "1", is: "file" },
    { key: "src/auth.ts#Session", at: "5", is: "class", signature: "extends Base" },
  ];
  const { quotes } = formatAnswerPage(shrinkQueryAnswer({ ...EMPTY_ANSWER, intent: "meaning", hits: lines }));
  expect(quotes?.[0]?.text.split("\n")).toEqual([
    "src/auth.ts:10-42 function login(name: string): Token: Logs in.",
    "docs/guide.md:3 doc install: How to install it.",
    "sdd/specs/AUTH-001.yaml:1 spec AUTH-001: Login.",
    "src/auth.ts:1 file",
    "src/auth.ts:5 class Session extends Base",
  ]);
});
