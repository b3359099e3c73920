import { expect, test } from "vitest";
import { formatCount } from "./text-format.ts";

test.each([
  [0, "0 changes"],
  [1, "1 change"],
  [2, "2 changes"],
])("%i reads %s", (n, text) => {
  expect(formatCount(n, "change")).toBe(text);
});
