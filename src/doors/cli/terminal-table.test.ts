import { expect, test } from "vitest";
import { renderAlignedTable } from "./terminal-table.ts";

const style = (width: number) => ({ width, head: (text: string) => text, cell: (text: string) => text });
const render = (columns: readonly string[], rows: readonly (readonly string[])[], width: number): string =>
  `\n${renderAlignedTable({ columns, rows }, style(width))}\n`;

const CHECKS = [
  ["ledger", "ok", "", "Every record of the ledger was read and none of them is damaged"],
  ["config", "fails", "–", "sdd/config.yaml names a profile that does not exist"],
];

test("parses every command example", () => {
  expect(render(["check", "result"], [["ledger", "ok"]], 80)).toBe("\ncheck   result\nledger  ok\n");
});

test("drops empty columns and wraps the widest cells of a table that is too wide", () => {
  expect(render(["check", "result", "note", "found"], CHECKS, 50)).toMatchInlineSnapshot(`
    "
    check   result  found
    ledger  ok      Every record of the ledger was
                    read and none of them is damaged
    config  fails   sdd/config.yaml names a profile
                    that does not exist
    "
  `);
});

test("shortens paths in the middle before it wraps", () => {
  const rows = [["packages/server/src/http/routes/login.ts:12", "calls", "packages/server/src/model/session/token.ts"]];
  expect(render(["from", "how", "to"], rows, 60)).toMatchInlineSnapshot(`
    "
    from                       how    to
    packages/…/login.ts:12     calls  packages/…/token.ts
    "
  `);
});

test("stacks the cells of a row where the columns cannot fit", () => {
  const steps = ["design", "design review", "implementation", "implementation review"];
  const rows = [
    ["1", "item-tags", "ready", "waits for its design", "waits for its design", "waits for its implementation"],
    ["2", "search", "ready", "–", "", "waits"],
  ];
  expect(render(["wave", "feature", ...steps], rows, 60)).toMatchInlineSnapshot(`
    "
    wave: 1
      feature: item-tags
      design: ready
      design review: waits for its design
      implementation: waits for its design
      implementation review: waits for its implementation

    wave: 2
      feature: search
      design: ready
      implementation review: waits
    "
  `);
});

test("aligns a styled heading and styled cells as plain ones", () => {
  const marks = { width: 20, head: (text: string) => `[${text}]`, cell: (text: string) => `<${text}>` };
  const table = { columns: ["a", "found"], rows: [["x", "one two three four five"]] };
  expect(renderAlignedTable(table, marks)).toBe("[a  found]\n<x>  <one two three>\n   <four five>");
});
