import fc from "fast-check";
import { expect, test } from "vitest";
import {
  formatDecisionFileName,
  formatDecisionId,
  parseDecisionFileName,
  getNextDecisionNumber,
  parseDecisionId,
} from "./decision-record.ts";

test.each(["ADR-001", "ADR-0001", "ADR-99999"])("%s names a decision", (text) => {
  expect(parseDecisionId(text)).toBe(text);
});

test.each([
  ["", '""'],
  ["ADR-01", '"ADR-01"'],
  ["ADR-123456", '"ADR-123456"'],
  ["adr-001", '"adr-001"'],
  ["ADR-001 ", '"ADR-001 "'],
  ["ADR-001\n", '"ADR-001\\u000a"'],
  ["x/ADR-001", '"x/ADR-001"'],
  ["ADR-../1", '"ADR-../1"'],
])("%j names no decision", (text, shown) => {
  expect(() => parseDecisionId(text)).toThrow(
    expect.objectContaining({
      code: "adr.bad-id",
      what: `${shown} does not name a decision.`,
      why: "A decision is named ADR-0001, or ADR-001 within a change.",
      fixes: [{ operation: "adr.list" }],
    }),
  );
});

test.each([
  [1, true, "ADR-001"],
  [1, false, "ADR-0001"],
  [999, true, "ADR-999"],
  [1000, true, "ADR-1000"],
  [9999, false, "ADR-9999"],
  [10_000, false, "ADR-10000"],
])("decision %i (in a change: %s) has the id %s", (n, isInChange, id) => {
  expect(formatDecisionId(n, isInChange)).toBe(id);
});

test.each([
  ["Keep state in SQLite", false, "ADR-0001-keep-state-in-sqlite.md"],
  ["../../etc/passwd\n", false, "ADR-0001-etc-passwd.md"],
  ["CON", false, "ADR-0001-decision-0e9h8x7.md"],
  ["修复", false, "ADR-0001-修复.md"],
  ["../../etc/passwd\n", true, "ADR-001.md"],
])("names the file of %j (in a change: %s) %s", (title, isInChange, name) => {
  expect(formatDecisionFileName(formatDecisionId(1, isInChange), title, isInChange)).toBe(name);
});

test.each([
  ["ADR-001.md", { id: "ADR-001", number: 1 }],
  ["ADR-0042-keep-state.md", { id: "ADR-0042", number: 42 }],
  ["ADR-10000-x.md", { id: "ADR-10000", number: 10_000 }],
])("%s has the title %j", (name, carried) => {
  expect(parseDecisionFileName(name)).toEqual(carried);
});

test.each([
  "README.md",
  "ADR-1.md",
  "ADR-001.txt",
  "ADR-001",
  "ADR-001.md.bak",
  "x-ADR-001.md",
  "adr-001.md",
  "ADR-0001-Über.md",
])("%s is not a decision file", (name) => {
  expect(parseDecisionFileName(name)).toBe(undefined);
});

test.each([
  [[], 0, 1],
  [["README.md"], 0, 1],
  [["ADR-0001-a.md", "ADR-0003-c.md"], 0, 4],
  [["ADR-0001-a.md"], 7, 8],
  [[], 7, 8],
  [["ADR-0999-a.md"], 3, 1000],
  [["ADR-9999-a.md"], 3, 10_000],
  [["ADR-001-a.md", "ADR-0002-b.md"], 0, 3],
])("after %j and the number %i, the next number is %i", (names, lastGiven, next) => {
  expect(getNextDecisionNumber(names, lastGiven)).toBe(next);
});

test("reads back a file name made of a number and any title", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 99_999 }), fc.string({ unit: "binary" }), fc.boolean(), (n, title, isIn) => {
      const id = formatDecisionId(n, isIn);
      expect(parseDecisionFileName(formatDecisionFileName(id, title, isIn))).toEqual({ id, number: n });
      expect(parseDecisionId(id)).toBe(id);
    }),
  );
});

test("never assigns a number twice", () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 30 }), (deletions) => {
      const given: number[] = [];
      let names: string[] = [];
      for (const isDeleted of deletions) {
        const n = getNextDecisionNumber(names, given.at(-1) ?? 0);
        given.push(n);
        names = isDeleted ? [] : [...names, formatDecisionFileName(formatDecisionId(n, false), "x", false)];
      }
      expect(given).toEqual(deletions.map((_, i) => i + 1));
    }),
  );
});
