import { expect, test } from "vitest";
import { type ChangeOutlook, proposeChangeSize } from "./change-size.ts";

const files = (count: number): ChangeOutlook => ({
  files: { count, best: ["a.ts", "b.ts", "c.ts", "d.ts", "e.ts"].slice(0, count), words: ["search"] },
});
const ids = (n: number): ChangeOutlook => ({
  requirements: Array.from({ length: n }, (_, i) => `FR-${String(i + 1).padStart(3, "0")}`),
});

/** From words alone, as far as that goes. The first four are what a search for substrings gets wrong. */
test.each([
  ["Add prefix search", "feature", "medium"],
  ["Show the debugger in the sidebar", "feature", "medium"],
  ["Add a warning for ambiguous names", "feature", "medium"],
  ["A major rewrite that keeps the API simple", "feature", "medium"],
  ["Quick fix of a typo", "fix", "small"],
  ["Fix typo in page", "fix", "small"],
  ["Typo in page", "fix", "small"],
  ["Rename the health route", "refactor", "medium"],
  ["Fix the crash", "fix", "medium"],
  ["Refactor the large module", "refactor", "large"],
  ["Improve the cache", "enhancement", "medium"],
  ["Überarbeite die Suche", "feature", "medium"],
  ["検索を直す", "feature", "medium"],
  ["…", "feature", "medium"],
])("suggests from the words of %j a %s of size %s", (description, type, size) => {
  const { because: _, ...proposed } = proposeChangeSize(description, {});
  expect(proposed).toEqual({ type, size });
});

test.each([
  ["few files", "Fix the search", files(1), "small"],
  ["the maximum of a small change", "Fix the search", files(5), "small"],
  ["one file more than a small change", "Fix the search", files(6), "medium"],
  ["one file more than a medium change", "Fix the search", files(21), "large"],
  ["two requirements", "Fix the search", { ...files(1), ...ids(2) }, "small"],
  ["three requirements", "Fix the search", { ...files(1), ...ids(3) }, "medium"],
  ["eleven requirements", "Fix the search", ids(11), "large"],
  ["no mention at all", "Fix the search", { ...files(0), ...ids(0) }, "medium"],
  ["no mention, and a word", "A trivial fix of the search", { ...files(0), ...ids(0) }, "small"],
  ["a word for small with few files", "A simple fix of the search", files(8), "small"],
  ["a word for small with many files", "A simple fix of the search", files(40), "medium"],
  ["a word for small in a change that is small already", "A simple fix of the search", files(1), "small"],
  ["a word for large", "A major fix of the search", files(1), "medium"],
  ["a word for large in a change that is large already", "A major fix of the search", files(40), "large"],
  ["words for both", "A major fix that stays simple", files(1), "medium"],
  ["words for both, and large", "A major fix that stays simple", files(40), "large"],
  ["a feature that few files mention", "Add a search", files(1), "medium"],
  ["a small feature that few files mention", "Add a small search", files(1), "small"],
] as const)("%s: %j with %j gives %s", (_, description, outlook, size) => {
  expect(proposeChangeSize(description, outlook).size).toBe(size);
});

test("keeps given values and proposes the others", () => {
  expect(proposeChangeSize("Fix the big search", files(30), { type: "refactor" })).toMatchObject({
    type: "refactor",
    size: "large",
  });
  expect(proposeChangeSize("Fix the big search", files(30), { size: "small" })).toEqual({
    type: "fix",
    size: "small",
    because: ['fix: the description has "fix"', "small: as given"],
  });
});

test("explains the proposal with measurements", () => {
  const outlook = { ...files(7), ...ids(6) };
  expect(proposeChangeSize("A simple fix", outlook).because).toEqual([
    'fix: the description has "fix"',
    '7 files mention "search": a.ts, b.ts, c.ts, d.ts, e.ts and 2 more',
    "requirements and rules that mention it: FR-001, FR-002, FR-003, FR-004, FR-005 and 1 more",
    "a medium change has at most 20 files and 10 requirements",
    'the description has "simple", which moves it one step',
  ]);
  expect(proposeChangeSize("Add search by prefix", files(1)).because).toEqual([
    'feature: the description has "add"',
    '1 file mentions "search": a.ts',
    "a small change has at most 5 files and 2 requirements",
    "a feature adds new code, so few mentions do not make it small",
  ]);
  // The type is only the default, so it does not make the change larger.
  expect(proposeChangeSize("Search keeps two spaces", files(1))).toEqual({
    type: "feature",
    size: "small",
    because: [
      "feature: the default, as the description names no other type",
      '1 file mentions "search": a.ts',
      "a small change has at most 5 files and 2 requirements",
    ],
  });
  expect(proposeChangeSize("Fix it", {}).because).toEqual([
    'fix: the description has "fix"',
    "medium: the default, as nothing suggests another size",
  ]);
  expect(proposeChangeSize("Fix the search", files(40)).because.at(-1)).toBe(
    "a large change is more than 20 files or 10 requirements",
  );
});
