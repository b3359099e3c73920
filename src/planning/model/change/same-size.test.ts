import { expect, test } from "vitest";
import { proposeChangeSize, suggestTypeAndSize } from "./change-size.ts";

test.each(["A major rewrite that keeps the API simple", "Quick fix of a typo", "Rewrite the parser", "Add a page"])(
  "an exploration and a change propose the same size for %j",
  (text) => {
    const { type, size } = proposeChangeSize(text, {});
    expect(suggestTypeAndSize(text)).toMatchObject({ type, size });
  },
);
