import fc from "fast-check";
import { expect, test } from "vitest";
import { maskSecrets } from "#kernel/adapters/secret-scan.ts";
import { Fault } from "#kernel/model/fault.ts";
import { TextCleaner, rejectLongContent } from "./text-cleaner.ts";

/** Made from parts, so that no token stands in the repository. */
const TOKEN = ["ghp", "Qz7xR2mK9pLw4TvB8nYc3HdF6sJgA1eU5oXi"].join("_");
const cleaner = (): TextCleaner => new TextCleaner({ secrets: { mask: maskSecrets } });

test("cleans every text in a value at any depth, and leaves everything else alone", async () => {
  const said = {
    title: "a <private>b</private> c",
    count: 3,
    flag: false,
    nothing: null,
    missing: undefined,
    list: [TOKEN, { deep: [[`x ${TOKEN} y`, "<private>never closed"]] }],
  };
  expect(await cleaner().all(said)).toEqual({
    title: "a [REDACTED] c",
    count: 3,
    flag: false,
    nothing: null,
    missing: undefined,
    list: ["[MASKED github-token]", { deep: [["x [MASKED github-token] y", "[REDACTED]"]] }],
  });
});

test("masks a secret that only its name shows, and a name that is a secret", async () => {
  const said = { db_password: "Hunter2!xyz", user: "bob", [TOKEN]: 1 };
  expect(await cleaner().all(said)).toEqual({
    db_password: "[MASKED password]",
    user: "bob",
    "[MASKED github-token]": 1,
  });
});

test.each([
  ["nothing", ["plain text"], []],
  ["one passage", ["<private>a</private>"], ["1 private passage left out."]],
  ["two passages", ["<private>a</private>", "b <private>c"], ["2 private passages left out."]],
  ["secrets, each kind once", [TOKEN, TOKEN], ["Masked what looks like a secret: github-token."]],
  [
    "both",
    [`<private>a</private> ${TOKEN} password="Hunter2!"`],
    ["1 private passage left out.", "Masked what looks like a secret: github-token, password."],
  ],
  ["a secret in private", [`<private>${TOKEN}</private>`], ["1 private passage left out."]],
])("reports %s that it removed", async (_, texts, notes) => {
  const cleaning = cleaner();
  await cleaning.all(texts);
  expect(cleaning.notes()).toEqual(notes);
});

test("leaves a clean text unchanged", async () => {
  const clean = fc.jsonValue({ maxDepth: 3, stringUnit: "grapheme-ascii" }).filter((value) => {
    const text = JSON.stringify(value);
    return !/private|passw|secret|token|key|credential|:\/\//i.test(text) && !text.includes("__proto__");
  });
  await fc.assert(
    fc.asyncProperty(clean, async (value) => {
      const cleaning = cleaner();
      expect(await cleaning.all(value)).toEqual(value);
      expect(cleaning.notes()).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

test.each([
  ["nothing", ""],
  ["65,536 letters", "a".repeat(65_536)],
  ["65,536 bytes of two each", "é".repeat(32_768)],
  ["65,536 bytes of four each", "🚀".repeat(16_384)],
])("accepts %s", (_, text) => {
  expect(rejectLongContent(text) === text).toBe(true);
});

test.each([
  ["65,537 letters", "a".repeat(65_537), 65_537],
  ["a letter of two bytes at the limit", `${"a".repeat(65_535)}é`, 65_537],
  ["half as many letters of three bytes", "修".repeat(32_768), 98_304],
])("rejects %s as too long", (_, text, bytes) => {
  expect(() => rejectLongContent(text)).toThrow(
    expect.objectContaining({
      code: "memory.too-long",
      message: `Nothing was saved. The text has ${bytes} bytes; the limit is 65536.`,
    }),
  );
  expect(() => rejectLongContent(text)).toThrow(Fault);
});
