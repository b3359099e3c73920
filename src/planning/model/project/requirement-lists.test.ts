import fc from "fast-check";
import { expect, test } from "vitest";
import {
  findItemProblems,
  numberListItems,
  createIdNumbering,
  renderNumberedItems,
  normalizeItemText,
  splitListItems,
} from "./requirement-lists.ts";

test.each([
  ["marks of every kind", "- a\n* b\n+ c\n1. d\n2) e", ["a", "b", "c", "d", "e"]],
  ["check boxes", "- [ ] a\n- [x] b\n1. [X] c", ["a", "b", "c"]],
  ["lines without marks", "a\nb\n\nc", ["a", "b", "c"]],
  ["lines below an item", "- a\n  more\n\n  still\n- b", ["a\n  more\n\n  still", "b"]],
  ["an item in an item", "- a\n  - b\n- c", ["a\n  - b", "c"]],
  ["a lazy line", "- a\nb\n- c", ["a\nb", "c"]],
  ["words before the first item", "These:\n- a", ["a"]],
  ["carriage returns", "- a\r\n- b", ["a", "b"]],
  ["a line that only looks parted", "- a\u2028b\n- c", ["a\u2028b", "c"]],
])("%s", (_, list, texts) => {
  expect(splitListItems(list)).toEqual(texts.map((text) => ({ text })));
});

test.each([
  ["- FR-001: a", "FR-001", "a"],
  ["- **FR-001**: a", "FR-001", "a"],
  ["- **FR-001:** a", "FR-001", "a"],
  ["- `FR-001` a", "FR-001", "a"],
  ["- _FR-001_ – a", "FR-001", "a"],
  ["- FR-001. a", "FR-001", "a"],
  ["- [ ] NFR-12345 — a", "NFR-12345", "a"],
  ["BR-001", "BR-001", ""],
  ["- FR-001: **all** of it", "FR-001", "**all** of it"],
  ["- FR-001: `tenon init` shall", "FR-001", "`tenon init` shall"],
  ["- **FR-001**: **all** of it", "FR-001", "**all** of it"],
  ["- FR-001: a\u2028b", "FR-001", "a\u2028b"],
  ["- FR-12: a", undefined, "FR-12: a"],
  ["- FR-123456: a", undefined, "FR-123456: a"],
  ["- FR-001a: b", undefined, "FR-001a: b"],
  ["- FR-001-old: b", undefined, "FR-001-old: b"],
  ["- TASK-001: a", undefined, "TASK-001: a"],
  ["- see FR-001", undefined, "see FR-001"],
])("gives %j the id %s", (line, id, text) => {
  expect(splitListItems(line)).toEqual([{ ...(id ? { id } : {}), text }]);
});

/** A line that a person may write, with marks that could be taken for something else. */
const words = fc
  .array(fc.constantFrom("the", "page", "**bold**", "`code`", "FR-002", ":", "-", "_x_", "[ ]", "1.", "é", "*"), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(" "));
const item = fc.record({
  id: fc
    .tuple(fc.constantFrom("FR", "NFR", "BR"), fc.integer({ min: 1, max: 99_999 }))
    .map(([prefix, n]) => `${prefix}-${String(n).padStart(3, "0")}`),
  text: fc
    .tuple(words, fc.array(words.map((text) => `  ${text}`)))
    .map(([first, more]) => [first, ...more].join("\n").trimEnd()),
});

test("reads back the written list unchanged", () => {
  fc.assert(
    fc.property(fc.array(item, { minLength: 1 }), (items) => {
      expect(splitListItems(renderNumberedItems(items))).toEqual(items);
    }),
  );
});

test("gives a new text the number after the highest ever assigned, and a known text its own", () => {
  const chooseId = createIdNumbering("FR", new Map([["known", "FR-002"]]), ["FR-001", "FR-009", "NFR-050", "BR-070"]);
  expect(["new", "Known.", "new"].map((text) => chooseId(text))).toEqual(["FR-010", "FR-002", "FR-011"]);
});

test("finds no items in an empty list", () => {
  const numbering = createIdNumbering("FR", new Map(), []);
  expect([undefined, "", " \n "].map((list) => numberListItems(list, numbering))).toEqual([[], [], []]);
});

test("ignores case, space, emphasis and a full stop when it compares texts", () => {
  const [first, ...others] = ["The page shows.", "the  page\nshows", "**The** `page` _shows_; ", "THE PAGE SHOWS..."];
  expect(new Set([first, ...others].map((text) => normalizeItemText(text ?? "")))).toEqual(new Set(["the page shows"]));
  expect(normalizeItemText("The page shows 1.5 m")).not.toBe(normalizeItemText("The page shows 15 m"));
});

test("reports an item that is empty, belongs elsewhere or has too long a number", () => {
  const items = [
    { id: "FR-001", text: "x" },
    { id: "FR-002", text: " " },
    { id: "NFR-001", text: "x" },
    { id: "FR-100000", text: "x" },
  ];
  expect(findItemProblems(items, "FR", "the list").map(({ problem }) => problem)).toEqual([
    "FR-002 has no text.",
    "NFR-001 does not belong in the list: ids there begin with FR-.",
    "FR-100000 has too many digits: use a lower number.",
  ]);
});
