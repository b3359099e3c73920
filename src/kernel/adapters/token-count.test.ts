import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { countTokens } from "./token-count.ts";

test.each(["", "a", "Hello, world.", "<|endoftext|> is text here", "naïve 認証 🚀", "word ".repeat(500)])(
  "counts %j as the tokenizer does",
  (text) => {
    expect(countTokens(text)).toBe(encode(text, { disallowedSpecial: new Set() }).length);
  },
);

test.each(["a".repeat(2_000), `${"x".repeat(700)} and then ${"=".repeat(900)}`, `so ${"認".repeat(400)} it is`])(
  "counts an endless word in pieces, and never below its cost",
  (text) => {
    const cost = encode(text).length;
    expect(countTokens(text)).toBeGreaterThanOrEqual(cost);
    expect(countTokens(text)).toBeLessThanOrEqual(cost * 2 + 10);
  },
);
