import { expect, test } from "vitest";
import { parseProseLines, getTableCell, hasTableColumn, parseMarkdownTables } from "./markdown-document.ts";

const tables = (text: string): unknown =>
  parseMarkdownTables(parseProseLines(text)).map(({ columns, rows, line }) => [
    line,
    columns,
    ...rows.map(({ cells }) => cells),
  ]);

test.each<[string, string, unknown]>([
  ["none", "a | b\nc | d", []],
  ["one", "text\n\n| a | b |\n|---|:-:|\n| c | d |\n| e |\n\n| f | g |", [[3, ["a", "b"], ["c", "d"], ["e"]]]],
  ["without strokes at the ends", "a | b\n--- | ---\nc | d", [[1, ["a", "b"], ["c", "d"]]]],
  ["with empty cells", "|a|b|\n|-|-|\n||c|\n| | |", [[1, ["a", "b"], ["", "c"], ["", ""]]]],
  ["with strokes that are text", "|a|b|\n|-|-|\n| `x|y` | x\\|y |", [[1, ["a", "b"], ["`x|y`", "x|y"]]]],
  [
    "two",
    "|a|\n|-|\n|b|\n\n|c|\n|-|\n|d|",
    [
      [1, ["a"], ["b"]],
      [5, ["c"], ["d"]],
    ],
  ],
  ["in a block of code", "```\n|a|\n|-|\n|b|\n```", []],
])("reads a text with %s", (_, text, expected) => {
  expect(tables(text)).toEqual(expected);
});

test("finds a cell by the name of its column", () => {
  const [table] = parseMarkdownTables(parseProseLines("| **Files** | `Req Coverage` |\n|-|-|\n| x | 1.1 |\n| y |"));
  const [first, second] = table?.rows ?? [];
  expect(
    table &&
      first &&
      second && [
        getTableCell(table, first, "req coverage"),
        getTableCell(table, second, "Req Coverage"),
        getTableCell(table, first, "Owner"),
        hasTableColumn(table, "files"),
      ],
  ).toEqual(["1.1", "", undefined, true]);
});

test("reads a table as long as a book in one pass", () => {
  const [table] = parseMarkdownTables(parseProseLines(`|a|\n|-|\n${"|b|\n".repeat(50_000)}${"|".repeat(50_000)}`));
  expect(table?.rows.length).toBe(50_001);
});
