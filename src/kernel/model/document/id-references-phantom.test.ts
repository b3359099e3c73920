import { expect, test } from "vitest";
import { findMisspelledIds, findUnknownIds } from "./id-references.ts";
import { parseProseLines } from "./markdown-document.ts";

const TEXT = "FR-001 and FR-002\nFR-002, NFR-001\n<!-- FR-003 -->\n```\nFR-004\n```\nBR-001 TASK-001 ADR-001 x/ADR-002";

test.each([
  [
    "requirement",
    ["FR-001"],
    ["1: FR-002 refers to nothing: no requirement", "2: NFR-001 refers to nothing: no requirement"],
  ],
  ["requirement", ["FR-001", "FR-002", "NFR-001"], []],
  ["rule", [], ["7: BR-001 refers to nothing: no business rule"]],
  ["task", [], ["7: TASK-001 refers to nothing: no task"]],
  ["adr", [], ["7: ADR-001 refers to nothing: no decision"]],
] as const)("reports each unknown id of a %s once, with %j known", (family, known, told) => {
  const found = findUnknownIds(parseProseLines(TEXT), family, known);
  expect(found.map(({ problem, line }) => `${line}: ${problem}`)).toEqual(told.map((text) => `${text} has that id.`));
});

test("suggests the id for one with too few digits", () => {
  expect(findMisspelledIds(parseProseLines("FR-7, BR-12\nFR-007, ADR-0007, FR-1007\n<!-- FR-1 -->"))).toEqual([
    { problem: "FR-7 is not an id: write FR-007.", line: 1 },
    { problem: "BR-12 is not an id: write BR-012.", line: 1 },
  ]);
});
