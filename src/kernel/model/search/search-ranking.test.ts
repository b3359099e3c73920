import fc from "fast-check";
import { expect, test } from "vitest";
import { selectCoveringRows, MAX_WEIGHED_ROWS, type TermPosting, computeTermWeight } from "./search-ranking.ts";

const posting = (term: string, rows: readonly number[], more: Partial<TermPosting> = {}): TermPosting => ({
  term,
  rows,
  holders: rows.length,
  share: 1,
  ...more,
});

test.each([
  ["nothing", [], 10, []],
  ["selects no row if none is wanted", [posting("a", [1, 2])], 0, []],
  ["selects the newer of two equal rows", [posting("a", [3, 1, 2])], 2, [3, 2]],
  ["selects the row that covers more", [posting("a", [1, 2]), posting("b", [2, 3])], 2, [2, 3]],
  ["prefers a rare term to a common one", [posting("a", [9, 8], { holders: 900 }), posting("b", [1])], 1, [1]],
  ["prefers a term of the question to a hint", [posting("a", [9], { share: 0.4 }), posting("b", [1])], 1, [1]],
])("%s", (_, postings, most, rows) => {
  expect(selectCoveringRows(postings, 1000, most)).toEqual(rows);
});

test("takes the rows of rare terms before a common one fills all rows", () => {
  const common = Array.from({ length: MAX_WEIGHED_ROWS }, (_, i) => i + 10);
  const postings = [posting("common", common), posting("rare", [1, 2]), posting("rarer", [3])];
  const found = selectCoveringRows(postings, 100_000, MAX_WEIGHED_ROWS + 10);
  expect([found.slice(0, 3), found.length, found.at(-1)]).toEqual([[3, 2, 1], MAX_WEIGHED_ROWS, 10]);
});

/** Weighs every row and sorts them all. */
function naive(postings: readonly TermPosting[], total: number, most: number): number[] {
  const rarest = postings.toSorted((one, other) => one.holders - other.holders);
  const weigh = (row: number): number =>
    rarest
      .filter(({ rows }) => rows.includes(row))
      .reduce((sum, { share, holders }) => sum + share * computeTermWeight(holders, total), 0);
  return [...new Set(postings.flatMap(({ rows }) => rows))]
    .toSorted((one, other) => weigh(other) - weigh(one) || other - one)
    .slice(0, most);
}

const anyPosting = fc
  .record({
    rows: fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 15 }),
    unseen: fc.nat({ max: 50 }),
    share: fc.constantFrom(1, 0.4),
  })
  .map(({ rows, unseen, share }) => posting("term", rows, { holders: rows.length + unseen, share }));

test("chooses the same rows as weighing all of them", () => {
  fc.assert(
    fc.property(fc.array(anyPosting, { maxLength: 8 }), fc.nat({ max: 40 }), (postings, most) => {
      expect(selectCoveringRows(postings, 100, most)).toEqual(naive(postings, 100, most));
    }),
    { numRuns: 1000 },
  );
});
