import { expect, test } from "vitest";
import { createRenamedTexts } from "./code-drift.ts";

test.each([
  ["open(reopen)", "open", "unlock", ["unlock(reopen)"]],
  ['open("open")', "open", "unlock", ['unlock("open")', 'unlock("unlock")']],
  ["$a + a$ + $a$", "$a", "b", ["b + a$ + $a$"]],
  ["größe + größer", "größe", "maß", ["maß + größer"]],
  ['test("lets in", run)', "lets in", "lets $& in", ['test("lets $& in", run)']],
  ["open()", "", "unlock", ["open()"]],
])("%s with %s as %s", (text, was, is, said) => {
  expect(createRenamedTexts(text, [[was, is]])).toEqual(said);
});

test("does not confuse names that change places", () => {
  expect(
    createRenamedTexts("a(b)", [
      ["a", "b"],
      ["b", "a"],
    ]),
  ).toEqual(["b(a)"]);
});
