import fc from "fast-check";
import { expect, test } from "vitest";
import { parseProseLines } from "./markdown-document.ts";
import { findIdDefinitions, type IdFamily, findIdMentions, listCoveredIds } from "./id-references.ts";

const found = (look: typeof findIdMentions, text: string, family: IdFamily): string[] =>
  look(parseProseLines(text), family).map((reference) => `${reference.id} @${reference.line}`);

test.each<[string, IdFamily, string[]]>([
  ["FR-001 and FR-002\nFR-001", "requirement", ["FR-001 @1", "FR-002 @1", "FR-001 @2"]],
  ["NFR-001, FR-0012, FR-12345", "requirement", ["NFR-001 @1", "FR-0012 @1", "FR-12345 @1"]],
  ["(FR-001) **FR-002** `FR-003` |FR-004| FR-005.", "requirement", [1, 2, 3, 4, 5].map((n) => `FR-00${n} @1`)],
  ["_FR-001_ __FR-002__", "requirement", ["FR-001 @1", "FR-002 @1"]],
  ["FR-001/FR-002", "requirement", ["FR-001 @1", "FR-002 @1"]],
  ["FR-1 FR-12 FR-123456", "requirement", []],
  ["XFR-001 x-FR-001 FR-001-x FR-001a FR-001_a a_FR-001 fr-001", "requirement", []],
  ["TASK-001 SUBTASK-002 TASK-003x TASK-04", "task", ["TASK-001 @1"]],
  ["ADR-001 ADR-0001 ADR-12345", "adr", ["ADR-001 @1", "ADR-0001 @1", "ADR-12345 @1"]],
  ["fix-login/ADR-001 fix-404/ADR-002 sdd/adrs/ADR-0001.md", "adr", []],
  ["FR-001 TASK-001", "adr", []],
])("%j mentions these ids of %s: %j", (text, family, ids) => {
  expect(found(findIdMentions, text, family)).toEqual(ids);
});

test.each<[string, string[]]>([
  ["FR-004 to FR-006", ["FR-004", "FR-005", "FR-006"]],
  ["**FR-004** through **FR-006**, FR-009", ["FR-004", "FR-005", "FR-006", "FR-009"]],
  ["FR-004–FR-006 FR-008...FR-010", ["FR-004", "FR-005", "FR-006", "FR-008", "FR-009", "FR-010"]],
  ["NFR-004–006", ["NFR-004", "NFR-005", "NFR-006"]],
  ["FR-0009 - FR-0010", ["FR-0009", "FR-0010"]],
  ["FR-004 - 100 ms, FR-005 to NFR-007", ["FR-004", "FR-005", "NFR-007"]],
  ["FR-006 to FR-004 FR-001 to FR-999", ["FR-006", "FR-004", "FR-001", "FR-999"]],
])("%j covers %j", (text, ids) => {
  expect(listCoveredIds(parseProseLines(text), "requirement")).toEqual(ids);
});

test.each([
  "FR-001: The user logs in",
  "- FR-001: The user logs in",
  "* FR-001",
  "+ FR-001",
  "  - FR-001",
  "            - FR-001",
  "1. FR-001",
  "12) FR-001",
  "- [ ] FR-001",
  "- [x] FR-001",
  "1. [X] FR-001",
  "## FR-001: Login",
  "###### FR-001",
  "| FR-001 | Login |",
  "|FR-001|",
  "**FR-001**: Login",
  "- **FR-001** Login",
  "- __FR-001__: Login",
  "- *FR-001*: Login",
  "`FR-001` Login",
])("%j defines FR-001", (text) => {
  expect(found(findIdDefinitions, text, "requirement")).toEqual(["FR-001 @1"]);
});

test.each([
  "See FR-001",
  "As FR-001 says",
  "- covers FR-001",
  "> FR-001",
  "FR-001-draft",
  "FR-0011111",
  "-FR-001",
  "- **`FR-001`**",
  "fix-login/FR-001",
  "TASK-001: FR-001",
])("%j defines no requirement", (text) => {
  expect(found(findIdDefinitions, text, "requirement")).toEqual([]);
});

const id = fc.integer({ min: 1, max: 99_999 }).map((n) => `FR-${String(n).padStart(3, "0")}`);

test("counts a defined id as mentioned", () => {
  const lead = fc.constantFrom("", "- ", "1. ", "### ", "| ", "- [ ] ", "**", "- **", "`", "_", "  * ");
  fc.assert(
    fc.property(fc.array(fc.tuple(lead, id), { minLength: 1 }), (items) => {
      const lines = parseProseLines(items.map(([mark, name]) => `${mark}${name}: text`).join("\n"));
      const defined = findIdDefinitions(lines, "requirement");
      expect(defined).toEqual(items.map(([, name], i) => ({ id: name, line: i + 1 })));
      expect(findIdMentions(lines, "requirement")).toEqual(defined);
    }),
  );
});

test("finds every id of a sentence", () => {
  const between = fc.constantFrom(" ", ", ", " and ", "/", " (", ") ", "|", "\t", "; ", "–", "…", "\u00a0");
  fc.assert(
    fc.property(fc.array(fc.tuple(id, between), { minLength: 1 }), (parts) => {
      const text = parts.flat().join("");
      expect(found(findIdMentions, text, "requirement")).toEqual(parts.map(([name]) => `${name} @1`));
    }),
  );
});

test("reads a line a megabyte long", () => {
  const count = (unit: string): number =>
    findIdMentions(parseProseLines(unit.repeat(2 ** 20 / unit.length)), "requirement").length +
    findIdDefinitions(parseProseLines(unit.repeat(2 ** 20 / unit.length)), "requirement").length;
  expect(["FR-001 ", "FR-", "FR-001_", "N", " ", "_", "/FR-001/", "0"].map(count)).toEqual([
    149_797, 0, 0, 0, 0, 0, 0, 0,
  ]);
});
