import fc from "fast-check";
import { expect, test } from "vitest";
import { redactPrivateText } from "./private-text.ts";

test.each([
  ["nothing", "", "", 0],
  ["no tag", "a < b, private > c, <privately>, <private/>", "a < b, private > c, <privately>, <private/>", 0],
  ["one passage", "a <private>b</private> c", "a [REDACTED] c", 1],
  ["two passages", "<private>a</private>b<private>c</private>", "[REDACTED]b[REDACTED]", 2],
  ["an empty passage", "a<private></private>b", "a[REDACTED]b", 1],
  ["many lines", "a\n<private>\nb\n</private>\nc", "a\n[REDACTED]\nc", 1],
  ["any case", "<PRIVATE>a</Private>b", "[REDACTED]b", 1],
  ["spaces and attributes", '< private why="x">a</ private >b', "[REDACTED]b", 1],
  ["one passage inside another", "a<private>b<private>c</private>d</private>e", "a[REDACTED]e", 1],
  ["a tag that is not closed", "a<private>b", "a[REDACTED]", 1],
  ["a closed passage inside an open one", "a<private>b<private>c</private>d", "a[REDACTED]", 1],
  ["a closing tag alone", "a</private>b", "[REDACTED]b", 1],
  ["closed twice", "a<private>b</private>c</private>d", "[REDACTED]d", 2],
  ["a closing tag that is misspelled", "a<private>b< /private>c", "a[REDACTED]", 1],
  ["a tag that contains another", "<private <private>a</private> b> c", "<private [REDACTED] b> c", 1],
])("%s: %j", (_, text, left, count) => {
  expect(redactPrivateText(text)).toEqual({ text: left, count });
});

const open = fc.constantFrom("<private>", "<PRIVATE>", "<Private >", '<private reason="x">', "< private\n>");
const close = fc.constantFrom("</private>", "</PRIVATE>", "</Private >", "</ private>");
const shown = fc.stringMatching(/^[a-z \n<>/"é🚀]{0,12}$/u).filter((text) => !text.includes("private"));
/** Capitals are only ever inside. */
const hidden = fc.stringMatching(/^[A-Z]{1,8}$/).filter((text) => !"PRIVATE".includes(text));

/** What stands between two tags: texts, and more of the same. */
const { inside } = fc.letrec<{ inside: string; passage: string }>((tie) => ({
  inside: fc
    .tuple(hidden, fc.array(fc.oneof({ withCrossShrink: true }, hidden, tie("passage")), { maxLength: 3 }))
    .map(([text, more]) => text + more.join("")),
  passage: fc.tuple(open, tie("inside"), close).map((parts) => parts.join("")),
}));
const passage = fc.tuple(open, inside, close).map((parts) => parts.join(""));

test("removes the text inside tags and keeps the text outside", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(shown, passage), { maxLength: 6 }), shown, (pieces, end) => {
      const text = pieces.flat().join("") + end;
      const left = pieces.map(([outside]) => `${outside}[REDACTED]`).join("") + end;
      expect(redactPrivateText(text)).toEqual({ text: left, count: pieces.length });
    }),
    { numRuns: 1000 },
  );
});

test("treats a passage without an end as private to the end of the text", () => {
  fc.assert(
    fc.property(shown, open, fc.array(fc.oneof(hidden, passage, open)), (outside, tag, rest) => {
      expect(redactPrivateText(outside + tag + rest.join(""))).toEqual({ text: `${outside}[REDACTED]`, count: 1 });
    }),
    { numRuns: 500 },
  );
});

test("gives the same text when it redacts twice", () => {
  const piece = fc.oneof(
    open,
    close,
    shown,
    fc.constantFrom("<private ", "< ", ">", "private", "[REDACTED]", "/", " "),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const { text } = redactPrivateText(pieces.join(""));
      expect(redactPrivateText(text)).toEqual({ text, count: 0 });
    }),
    { numRuns: 3000 },
  );
});
