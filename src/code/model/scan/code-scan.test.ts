import { expect, test } from "vitest";
import { findInnermostSpans, pairEnclosingSpans } from "./code-scan.ts";

const span = (start: number, end: number) => ({ start, end });
const [whole, left, inner, right] = [span(0, 10), span(0, 4), span(1, 3), span(4, 9)];

test("lists enclosing ranges from the outside in, without neighbours that touch", () => {
  expect(pairEnclosingSpans([whole, left, inner, right])).toEqual([
    { one: whole, around: [] },
    { one: left, around: [whole] },
    { one: inner, around: [whole, left] },
    { one: right, around: [whole] },
  ]);
});

test("finds the closest enclosing range, and never the range itself", () => {
  const [deep, late, out] = [span(2, 3), span(4, 5), span(20, 21)];
  expect(findInnermostSpans([deep, late, out], [whole, left, right])).toEqual(
    new Map([
      [deep, left],
      [late, right],
    ]),
  );
  expect(findInnermostSpans([left], [whole, left])).toEqual(new Map([[left, whole]]));
});
