import fc from "fast-check";
import { expect, test } from "vitest";
import { formatLineDiff } from "./line-diff.ts";

const lines = (...all: (string | number)[]): string => all.join("\n");

test.each([
  ["nothing changed", lines("a", "b"), lines("a", "b"), ""],
  ["nothing and nothing", "", "", ""],
  ["all is new", "", "a", "+ a"],
  ["all is gone", "a", "", "- a"],
  ["a line changed", lines("a", "b", "c"), lines("a", "x", "c"), lines("  a", "- b", "+ x", "  c")],
  ["a line end at the end", "a", "a\n", lines("  a", "+")],
  ["a line moved", lines("a", "b"), lines("b", "a"), lines("- a", "  b", "+ a")],
  ["two lines around it", lines(1, 2, 3, 4, 5), lines(1, 2, 3, 4, "x"), lines("  3", "  4", "- 5", "+ x")],
  ["what is far from a change", lines("x", 2, 3, 4, 5), lines("y", 2, 3, 4, 5), lines("- x", "+ y", "  2", "  3")],
  [
    "two changes far apart",
    lines("x", 2, 3, 4, 5, 6, "x"),
    lines("y", 2, 3, 4, 5, 6, "y"),
    lines("- x", "+ y", "  2", "  3", "…", "  5", "  6", "- x", "+ y"),
  ],
  ["a line that is our mark", lines("…", "a"), lines("…", "b"), lines("  …", "- a", "+ b")],
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
