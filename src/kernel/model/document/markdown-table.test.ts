import { expect, test } from "vitest";
import { alignMarkdownTables, formatMarkdownTable } from "./markdown-table.ts";

test("pads every cell to the widest of its column", () => {
  expect(
    formatMarkdownTable(
      ["a", "name"],
      [
        ["1", "潮"],
        ["longer", ""],
      ],
    ),
  ).toBe(["| a      | name |", "| ------ | ---- |", "| 1      | 潮   |", "| longer |      |"].join("\n"));
});

test("aligns the tables of a text and keeps the rest", () => {
  const text = "# T\n\n| Field | Value |\n|---|---|\n| Category | a \\| b |\n\n| no table\n";
  expect(alignMarkdownTables(text)).toBe(
    "# T\n\n| Field    | Value  |\n| -------- | ------ |\n| Category | a \\| b |\n\n| no table\n",
  );
});
