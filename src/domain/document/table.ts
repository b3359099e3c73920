import type { Line } from "./prose.ts";

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly line: number;
}

export interface Row {
  readonly cells: readonly string[];
  readonly line: number;
}

const RULE = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

export function tablesIn(lines: readonly Line[]): Table[] {
  const tables: Table[] = [];
  let rows: Row[] | undefined;
  for (const [i, line] of lines.entries()) {
    const next = lines[i + 1];
    if (rows === undefined) {
      if (!isRow(line) || !next || next.number !== line.number + 1 || !isRule(next)) continue;
      rows = [];
      tables.push({ columns: cellsOf(line.text), rows, line: line.number });
    } else if (!isRow(line)) rows = undefined;
    else if (!isRule(line) || line.number !== (tables.at(-1)?.line ?? 0) + 1)
      rows.push({ cells: cellsOf(line.text), line: line.number });
  }
  return tables;
}

export function cellIn({ columns }: Table, { cells }: Row, name: string): string | undefined {
  const at = columnOf(columns, name);
  return at < 0 ? undefined : (cells[at] ?? "");
}

export const hasColumn = ({ columns }: Table, name: string): boolean => columnOf(columns, name) >= 0;

const columnOf = (columns: readonly string[], name: string): number =>
  columns.findIndex((column) => column.replace(/[*_`]/g, "").toLowerCase() === name.toLowerCase());

const isRow = ({ text, isCode }: Line): boolean => !isCode && text.includes("|");
const isRule = ({ text }: Line): boolean => text.includes("-") && text.includes("|") && RULE.test(text);

/** A pipe that is escaped or inside inline code does not separate cells. */
function cellsOf(text: string): string[] {
  const cells = [""];
  let isCode = false;
  for (let i = 0; i < text.length; i++) {
    const sign = text[i] ?? "";
    if (sign === "`") isCode = !isCode;
    if (sign === "\\" && text[i + 1] === "|") {
      cells.push(`${cells.pop() ?? ""}|`);
      i++;
    } else if (sign === "|" && !isCode) cells.push("");
    else cells.push(`${cells.pop() ?? ""}${sign}`);
  }
  const trimmed = cells.map((cell) => cell.trim());
  return trimmed.slice(trimmed[0] === "" ? 1 : 0, trimmed.length > 1 && trimmed.at(-1) === "" ? -1 : undefined);
}
