import fc from "fast-check";
import { expect, test } from "vitest";
import { type BriefPiece, composeBrief, splitPrintableLines } from "./brief-composition.ts";

/** Words, and the ends of lines. */
const count = (text: string): number => text.match(/\n|[^\s]+/g)?.length ?? 0;

const piece = (label: string, items: readonly string[], changes: Partial<BriefPiece> = {}): BriefPiece => ({
  label,
  where: `\`${label}.md\``,
  items,
  unit: "line",
  rank: 1,
  ...changes,
});
const numbered = (n: number, word = "line"): string[] => Array.from({ length: n }, (_, i) => `${word} ${i + 1}`);
const brief = (material: readonly BriefPiece[], budget: number): string =>
  composeBrief({ head: "# Role\n", material, tail: "The end." }, budget, count).text;

test("shows material that fits completely, each piece in its own fence", () => {
  const material = [piece("design", ["Say:", "```", "x", "```"]), { label: "Intent", remark: "There is none." }];
  expect(composeBrief({ head: "# Role\n", material, tail: "The end." }, 100, count).text).toBe(
    ["# Role", "### design", "````text\nSay:\n```\nx\n```\n````", "### Intent", "There is none.", "The end.\n"].join(
      "\n\n",
    ),
  );
});

test("cuts material that does not fit at its end, and reports the cut", () => {
  expect(brief([piece("design", numbered(100))], 60)).toBe(
    [
      "# Role",
      "### design",
      `\`\`\`text\n${numbered(7).join("\n")}\n\`\`\``,
      "Left out, because it would not fit: 93 of 100 lines. Read them in `design.md`.",
      "The end.\n",
    ].join("\n\n"),
  );
});

test("names a piece that has no room at all", () => {
  expect(brief([piece("design", numbered(100))], 32)).toBe(
    [
      "# Role",
      "### design",
      "Left out, because it would not fit: all 100 lines. Read them in `design.md`.",
      "The end.\n",
    ].join("\n\n"),
  );
});

/** How many lines of each are shown. */
const shownOf = (text: string, ...words: readonly string[]): number[] =>
  words.map((word) => text.split("\n").filter((line) => new RegExp(`^${word} \\d+$`).test(line)).length);

test.each([
  ["the lower rank gets the remaining space", [1, 0.25], [2, 0.25], [97, 32]],
  ["equal ranks are served in the order of the brief", [2, 0.25], [1, 0.25], [32, 97]],
  ["a larger share leaves the others their share", [1, 1], [2, 0.25], [104, 25]],
  ["shares refer to all requested space", [1, 0.5], [2, 1], [43, 86]],
] as const)("divides too little space: %s", (_, [rank, share], [otherRank, otherShare], expected) => {
  const one = piece("one", numbered(500, "a"), { rank, share });
  const other = piece("other", numbered(500, "b"), { rank: otherRank, share: otherShare });
  expect(shownOf(brief([one, other], 460), "a", "b")).toEqual(expected);
});

test("gives space that one piece does not need to the others", () => {
  const text = brief([piece("one", numbered(3, "a")), piece("other", numbered(500, "b"), { rank: 2 })], 400);
  expect(shownOf(text, "a", "b")).toEqual([3, 106]);
});

test("shows a small piece completely beside huge ones, whatever its rank", () => {
  const huge = Array.from({ length: 5 }, (_, i) => piece(`huge ${i}`, numbered(500, "a")));
  expect(shownOf(brief([...huge, piece("small", numbered(9, "b"), { rank: 9 })], 600), "b")).toEqual([9]);
});

test.each([
  ["all of it", ["a few words ".repeat(50)], 36],
  ["the rest of it", [Array.from({ length: 900 }, (_, i) => `w${i}`).join(" ")], 100],
])("reports that it leaves out %s when there is one item", (what, items, budget) => {
  expect(brief([piece("design", items)], budget)).toContain(`would not fit: ${what}. Read it in \`design.md\`.`);
});

test("shows the start of an endless line", () => {
  const text = brief([piece("design", [Array.from({ length: 5_000 }, (_, i) => `w${i}`).join(" "), "next"])], 100);
  expect(count(text)).toBeLessThanOrEqual(100);
  expect(text).toMatch(/^w0 w1 .* w5\d…?$/m);
  expect(text).toContain(
    "Left out, because it would not fit: 2 of 2 lines, one of them in part. Read them in `design.md`.",
  );
});

test("rejects a role whose own text exceeds its budget", () => {
  expect(() => brief([piece("design", ["x"])], 5)).toThrow("larger than what its brief may cost");
});

test("keeps any brief within its budget and reports each cut", () => {
  const item = fc.oneof(fc.string({ maxLength: 40 }), fc.constantFrom("```", "one two three", "`".repeat(9)));
  const any = fc.record({
    items: fc.array(item, { minLength: 1, maxLength: 60 }),
    rank: fc.integer({ min: 1, max: 3 }),
    share: fc.constantFrom(0.1, 0.5, 1),
  });
  fc.assert(
    fc.property(fc.array(any, { maxLength: 5 }), fc.integer({ min: 150, max: 400 }), (all, budget) => {
      const material = all.map(({ items, ...rest }, i) => {
        const lines = items.flatMap((text) => splitPrintableLines(text.trimEnd()));
        return piece(`p${i}`, lines, rest);
      });
      const { text, tokens } = composeBrief({ head: "# Role", material, tail: "The end." }, budget, count);
      expect(tokens).toBe(count(text));
      expect(tokens).toBeLessThanOrEqual(budget);
      for (const { label, items } of material) {
        const [, after = ""] = text.split(`### ${label}\n`);
        const isWhole = after.includes(`\n${items.join("\n")}\n`);
        expect(isWhole || after.includes(`in \`${label}.md\``)).toBe(true);
      }
    }),
  );
});
