import fc from "fast-check";
import { expect, test } from "vitest";
import { listTypoVariants } from "./search-ranking.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

interface Edit {
  readonly kind: "deletion" | "insertion" | "substitution" | "transposition";
  readonly at: number;
  readonly letter: string;
}

function edited(word: string, { kind, at, letter }: Edit): string {
  const i = at % word.length;
  const [before, after] = [word.slice(0, i), word.slice(i)];
  if (kind === "deletion") return before + after.slice(1);
  if (kind === "insertion") return before + letter + after;
  if (kind === "substitution") return before + letter + after.slice(1);
  return before + (after[1] ?? "") + (after[0] ?? "") + after.slice(2);
}

const anyWord = fc.string({ unit: fc.constantFrom(...LETTERS.split("")), minLength: 4, maxLength: 24 });
const anyEdit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom("deletion", "insertion", "substitution", "transposition"),
  at: fc.nat({ max: 1000 }),
  letter: fc.constantFrom(...LETTERS.split("")),
});

test("corrects one typo in words of medium length", () => {
  fc.assert(
    fc.property(anyWord, anyEdit, (word, edit) => {
      const slip = edited(word, edit);
      fc.pre(slip !== word && slip.length >= 4 && slip.length <= 24);
      expect(listTypoVariants(slip).filter((each) => each === word)).toEqual([word]);
    }),
    { numRuns: 2000 },
  );
});

test("lists each variant once, at most a letter longer or shorter", () => {
  fc.assert(
    fc.property(anyWord, (word) => {
      const slips = listTypoVariants(word);
      expect(slips.filter((slip) => slip === word || Math.abs(slip.length - word.length) > 1)).toEqual([]);
      expect(slips.length).toBe(new Set(slips).size);
    }),
  );
});

test.each(["", "a", "abc", "a".repeat(25), "a".repeat(60)])(
  "does not guess %s, which is too short or too long",
  (word) => {
    expect(listTypoVariants(word)).toEqual([]);
  },
);

test.each([
  ["four", "logi", "login"],
  ["twenty-four", "a".repeat(24), "a".repeat(23)],
])("guesses a word of %s letters", (_, slip, word) => {
  expect(listTypoVariants(slip).includes(word)).toBe(true);
});
