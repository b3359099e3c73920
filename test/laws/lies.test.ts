import fs from "node:fs";
import { expect, test } from "vitest";
import { formatLieTable } from "../lies/lie-table.ts";

const PAGE = "docs/design/lies.md";
const START = "<!-- generated from test/lies -->\n\n";

test("the page of attempts contains the table of the tests; UPDATE=1 writes it", () => {
  const [head = "", table] = fs.readFileSync(PAGE, "utf8").split(START);
  const isUpdate = process.env["UPDATE"] !== undefined;
  if (isUpdate) fs.writeFileSync(PAGE, `${head}${START}${formatLieTable()}`);
  expect(isUpdate ? formatLieTable() : table).toBe(formatLieTable());
});
