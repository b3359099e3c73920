import { expect, test } from "vitest";
import { CodeMentionSearch, isProsePath } from "./code-mention-search.ts";

test("finds ids as whole words, and each line once", () => {
  const search = new CodeMentionSearch([]);
  search.text("a.ts", "// FR-001, FR-001\r\nXFR-002 FR-0034567 FR-003-x FR_004\n/* NFR-001 BR-010 */");
  search.text("b.ts", "no ids");
  search.text("c.ts", "FR-001");
  expect(Object.fromEntries(search.mentioned)).toEqual({
    "FR-001": ["a.ts:1", "c.ts:1"],
    "NFR-001": ["a.ts:3"],
    "BR-010": ["a.ts:3"],
  });
});

test.each([
  ["TokenStore", "class TokenStore {}"],
  ["Token Store", "class SqliteTokenStore {}"],
  ["Token store", "token_store = 1"],
  ["TokenStore", "see the token store"],
  ["token-store", "import './TokenStore'"],
  ["Übersicht", "const übersicht = 1"],
  ["src/api.ts", "from 'src/api.ts'"],
  ["API", "the API"],
])("finds the component %j in %j", (name, text) => {
  const search = new CodeMentionSearch([name]);
  search.text("x.ts", text);
  expect(search.unseen).toEqual([]);
});

test.each([
  ["TokenStore", "token\nstore"],
  ["TokenStore", "tokens and a store"],
  ["API", "rapid"],
  ["A (b) [c", "abc"],
])("does not find the component %j in %j", (name, text) => {
  const search = new CodeMentionSearch([name]);
  search.text("x.ts", text);
  expect(search.unseen).toEqual(name.startsWith("A (") ? [] : [name]);
});

test("a path names a component too, and a name without a letter does not", () => {
  const search = new CodeMentionSearch(["Token store", "Mailer", "–"]);
  search.path("src/token-store/read.ts");
  expect(search.unseen).toEqual(["Mailer"]);
});

test.each([
  ["README.md", true],
  ["docs/a.RST", true],
  ["src/a.ts", false],
  ["Makefile", false],
])("%s is prose: %s", (path, expected) => {
  expect(isProsePath(path)).toBe(expected);
});
