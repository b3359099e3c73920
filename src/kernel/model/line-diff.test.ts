import fc from "fast-check";
import { expect, test } from "vitest";
import { formatLineDiff } from "./line-diff.ts";

const lines = (...all: (string | number)[]): string => all.join("\n");

test.each([
  ["shows no difference between equal texts", lines("a", "b"), lines("a", "b"), ""],
  ["shows no difference between empty texts", "", "", ""],
  ["shows an added text", "", "a", "+ a"],
  ["shows a removed text", "a", "", "- a"],
  ["shows a changed line", lines("a", "b", "c"), lines("a", "x", "c"), lines("  a", "- b", "+ x", "  c")],
  ["shows a changed line end", "a", "a\n", lines("  a", "+")],
  ["shows a moved line", lines("a", "b"), lines("b", "a"), lines("- a", "  b", "+ a")],
  ["shows two lines of context", lines(1, 2, 3, 4, 5), lines(1, 2, 3, 4, "x"), lines("  3", "  4", "- 5", "+ x")],
  [
    "leaves out lines far from a change",
    lines("x", 2, 3, 4, 5),
    lines("y", 2, 3, 4, 5),
    lines("- x", "+ y", "  2", "  3"),
  ],
  [
    "shows two distant changes separately",
    lines("x", 2, 3, 4, 5, 6, "x"),
    lines("y", 2, 3, 4, 5, 6, "y"),
    lines("- x", "+ y", "  2", "  3", "…", "  5", "  6", "- x", "+ y"),
  ],
  ["shows a line that looks like a mark", lines("…", "a"), lines("…", "b"), lines("  …", "- a", "+ b")],
])("%s", (_, before, after, diff) => {
  expect(formatLineDiff(before, after)).toBe(diff);
});

test("reports texts too long to compare as one change, without the equal beginning and end", () => {
  const many = (mark: string): string[] => Array.from({ length: 2_001 }, (_, i) => `${mark}${i % 7}`);
  const diff = formatLineDiff(lines("a", ...many("x"), "z"), lines("a", ...many("y"), "z")).split("\n");
  expect(diff).toEqual(["  a", ...many("- x"), ...many("+ y"), "  z"]);
});

const text = (maxLength: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom("a", "b", "c", "", "- a", "…"), { maxLength }).map((all) => all.join("\n"));
const linesOf = (all: string): string[] => (all === "" ? [] : all.split("\n"));
const marked = (diff: string, marks: string): string[] =>
  diff.split("\n").flatMap((line) => (line !== "…" && marks.includes(line.padEnd(2)[0] ?? "?") ? [line.slice(2)] : []));

test("restores both texts from a diff that shows every line", () => {
  fc.assert(
    fc.property(text(3), text(3), (before, after) => {
      fc.pre(before !== after);
      const diff = formatLineDiff(before, after).replace(/^$/gm, " ");
      expect({ before: marked(diff, " -"), after: marked(diff, " +") }).toEqual({
        before: linesOf(before),
        after: linesOf(after),
      });
    }),
    { numRuns: 2000 },
  );
});

/** The most lines that both have in common, in order. */
function common(before: readonly string[], after: readonly string[]): number {
  let row = after.map(() => 0);
  for (const line of before) {
    const above = row;
    row = [];
    for (const [j, other] of after.entries()) {
      row.push(line === other ? (above[j - 1] ?? 0) + 1 : Math.max(above[j] ?? 0, row[j - 1] ?? 0));
    }
  }
  return row.at(-1) ?? 0;
}

function isWithin(part: readonly string[], whole: readonly string[]): boolean {
  let i = 0;
  for (const line of whole) if (line === part[i]) i++;
  return i === part.length;
}

test("reports the fewest possible added and removed lines, each at its position", () => {
  fc.assert(
    fc.property(text(14), text(14), (before, after) => {
      const diff = formatLineDiff(before, after);
      const [gone, come] = [marked(diff, "-"), marked(diff, "+")];
      const both = common(linesOf(before), linesOf(after));
      expect({ isEmpty: diff === "", gone: gone.length, come: come.length }).toEqual({
        isEmpty: before === after,
        gone: linesOf(before).length - both,
        come: linesOf(after).length - both,
      });
      expect([isWithin(gone, linesOf(before)), isWithin(come, linesOf(after))]).toEqual([true, true]);
    }),
    { numRuns: 1000 },
  );
});
