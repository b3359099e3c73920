import fc from "fast-check";
import { expect, test } from "vitest";
import { parseSearchQuestion } from "./search-question.ts";
import { SearchRanking, type RankableText, computeTermWeight } from "./search-ranking.ts";

const NOW = "2026-03-01T12:00:00Z";
const PAD = "one two three four five six seven eight nine ten eleven twelve";

let next = 0;
const note = (title: string, content: string, more: Partial<RankableText> = {}): RankableText => ({
  id: ++next,
  title,
  content,
  revision: 1,
  updated_at: NOW,
  ...more,
});

/** A ranking for a question whose terms all weigh the same, unless said otherwise. */
function ranking(asked: string, weights: Readonly<Record<string, number>> = {}): SearchRanking<RankableText> {
  const question = parseSearchQuestion(asked, NOW);
  return new SearchRanking(question, new Map(question.terms.map((term) => [term, weights[term] ?? 1])));
}

const ids = (ranked: readonly { item: RankableText }[]): number[] => ranked.map(({ item }) => item.id);

test.each([
  ["a match in the title before one in the content", "cache", note("cache", PAD), note("other", `${PAD} cache`)],
  ["more mentions", "cache", note("t", `cache cache ${PAD}`), note("t", `cache again ${PAD}`)],
  ["more of the terms", "cache reset", note("t", `cache x reset ${PAD}`), note("t", `cache x cache ${PAD}`)],
  ["the shorter of two with the same terms", "cache", note("t", `cache ${PAD}`), note("t", `cache ${PAD} ${PAD}`)],
  ["adjacent words", "login loop", note("t", `login loop x ${PAD}`), note("t", `login x loop ${PAD}`)],
  ["adjacent words in the title", "login loop", note("login loop", PAD), note("loop login", PAD)],
  ["another form of the word", "built", note("t", `building ${PAD}`), note("t", `bricks ${PAD}`)],
  ["the newer of equals", "cache", note("t", "cache"), note("t", "cache", { updated_at: "2026-02-28T12:00:00Z" })],
  ["the more revised of equals", "cache", note("t", "cache", { revision: 3 }), note("t", "cache", { revision: 2 })],
])("ranks %s first", (_, asked, first, second) => {
  expect([ids(ranking(asked).rank([second, first])), ids(ranking(asked).rank([first, second]))]).toEqual([
    [first.id, second.id],
    [first.id, second.id],
  ]);
});

test("ranks the later of equal results first", () => {
  const [one, other] = [note("t", "cache"), note("t", "cache")];
  expect(ids(ranking("cache").rank([one, other]))).toEqual([other.id, one.id]);
});

test("ranks a rare term above a common one", () => {
  const [rare, common] = [note("t", "kerberos x"), note("t", "cache x")];
  const weights = { kerbero: computeTermWeight(1, 1000), cach: computeTermWeight(800, 1000) };
  expect(ids(ranking("cache kerberos", weights).rank([common, rare]))).toEqual([rare.id, common.id]);
});

test("weighs a term more the rarer it is, and above zero even if all texts have it", () => {
  const weights = [0, 1, 10, 500, 1000, 2000].map((holders) => computeTermWeight(holders, 1000));
  expect(weights).toEqual(weights.toSorted((one, other) => other - one));
  expect(weights.every((weight) => weight > 0)).toBe(true);
});

test("scores a text without any of the terms as zero", () => {
  expect(
    ranking("cache")
      .rank([note("t", PAD)])
      .map(({ score }) => score),
  ).toEqual([0]);
});

test("adds words of neighbours, the nearer ones more, and only from their content", () => {
  const [near, far, titled, alone] = [1, 2, 3, 4].map(() => note("t", "the answer is forty two"));
  const [asking, filler, named] = [note("t", "how large is the cache"), note("t", "x"), note("cache", "x")];
  const beside = new Map([
    [near, { before: [asking], after: [] }],
    [far, { before: [filler], after: [filler, asking] }],
    [titled, { before: [named], after: [] }],
  ]);
  const items = [alone, titled, far, near].filter((item) => item !== undefined);
  const ranked = ranking("cache").rank(items, (item) => beside.get(item));
  expect(ids(ranked).slice(0, 2)).toEqual([near?.id, far?.id]);
  expect(ranked.slice(2).map(({ score }) => score)).toEqual([0, 0]);
});

test("weighs own words above borrowed words", () => {
  const own = note("t", "the cache is small");
  const borrowing = note("t", "the answer is small");
  const beside = (item: RankableText) => (item === borrowing ? { before: [own], after: [] } : undefined);
  expect(ids(ranking("cache").rank([borrowing, own], beside))).toEqual([own.id, borrowing.id]);
});

test("borrows no words for a long text", () => {
  const long = note("t", "word ".repeat(160));
  const short = note("t", "word ".repeat(100));
  const asking = note("t", "cache");
  const ranked = ranking("cache").rank([long, short], () => ({ before: [asking], after: [asking] }));
  expect(ranked.map(({ item, score }) => [item.id, score > 0])).toEqual([
    [short.id, true],
    [long.id, false],
  ]);
});

test("lends to a short text with a long title, whose words count once", () => {
  const titled = note("word ".repeat(50), "x");
  const asking = note("t", "cache");
  const [best] = ranking("cache").rank([titled], () => ({ before: [asking], after: [] }));
  expect(best?.score).toBeGreaterThan(0);
});

test("ignores words after the first sixteen thousand letters", () => {
  const far = note("t", `${"x ".repeat(8_192)}cache`);
  expect(
    ranking("cache")
      .rank([far])
      .map(({ score }) => score),
  ).toEqual([0]);
});

test.each([
  ["in the content", '"login loops"', note("t", "it logins, loop after"), true],
  ["in the title", '"login loops"', note("The login loops", ""), true],
  ["apart", '"login loop"', note("t", "login and loop"), false],
  ["in reverse order", '"login loop"', note("t", "loop login"), false],
  ["partly in the title", '"login loop"', note("login", "loop"), false],
  ["as part of a longer word", '"log in"', note("t", "blog in"), false],
  ["with only one of two phrases", '"login loop" "cache"', note("t", "login loop"), false],
  ["with both phrases", '"login loop" "cache"', note("cache", "login loop"), true],
  ["that the question does not contain", "login", note("t", ""), true],
])("matches a phrase %s: %s", (_, asked, item, has) => {
  expect(ranking(asked).hasPhrases(item)).toBe(has);
});

const anyNote = fc
  .record({
    title: fc.array(fc.constantFrom("cache", "login", "loop", "x"), { maxLength: 3 }),
    content: fc.array(fc.constantFrom("cache", "login", "loop", "reset", "x", "y"), { maxLength: 12 }),
    revision: fc.integer({ min: 1, max: 3 }),
    updated_at: fc.constantFrom(NOW, "2026-02-01T12:00:00Z"),
  })
  .map(({ title, content, ...rest }) => ({ ...rest, title: title.join(" "), content: content.join(" ") }));

const shuffled = fc
  .array(anyNote, { maxLength: 12 })
  .map((notes) => notes.map((each, i): RankableText => ({ ...each, id: i + 1 })))
  .chain((notes) => fc.tuple(fc.constant(notes), fc.shuffledSubarray(notes, { minLength: notes.length })));

test("ranks the same in any order of rows, and in a second run", () => {
  fc.assert(
    fc.property(shuffled, ([notes, others]) => {
      const asked = ranking("login loop cache", { cach: 2, loop: 0.5 });
      const ranked = asked.rank(notes);
      expect(asked.rank(others)).toEqual(ranked);
      expect(ranking("login loop cache", { cach: 2, loop: 0.5 }).rank(others)).toEqual(ranked);
      expect(ids(ranked).toSorted((one, other) => one - other)).toEqual(notes.map(({ id }) => id));
      expect(ranked.map(({ score }) => score)).toEqual(ranked.map(({ score }) => score).toSorted((a, b) => b - a));
    }),
    { numRuns: 500 },
  );
});
