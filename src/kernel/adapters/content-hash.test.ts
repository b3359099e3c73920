import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { hashText } from "./content-hash.ts";

const hashWithNode = (text: string): string => createHash("sha256").update(text).digest("hex");

test("hashes texts of every length around a block as Node does", () => {
  const texts = Array.from({ length: 200 }, (_, length) => "a".repeat(length));
  expect(texts.map(hashText)).toEqual(texts.map(hashWithNode));
});

test.for([
  ["letters of several bytes", "Größe 漢字 🦊"],
  ["half of a surrogate pair", "a\ud800b"],
  ["a text as long as a short one may be", "é".repeat(8 * 1024)],
  ["a text that is one byte longer", `${"é".repeat(8 * 1024)}!`],
  ["a long text", "line\n".repeat(100_000)],
])("hashes %s as Node does, also after other texts", ([, text = ""]) => {
  hashText("x".repeat(5_000));
  expect(hashText(text)).toBe(hashWithNode(text));
});
