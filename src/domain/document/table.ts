import type { ProseLine } from "./prose.ts";

export interface MarkdownTable {
  readonly columns: readonly string[];
  readonly rows: readonly MarkdownTableRow[];
  readonly line: number;
}

export interface MarkdownTableRow {
  readonly cells: readonly string[];
  readonly line: number;
}

const TABLE_RULE_PATTERN = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

export function parseMarkdownTables(lines: readonly ProseLine[]): MarkdownTable[] {
  const tables: MarkdownTable[] = [];
  let rows: MarkdownTableRow[] | undefined;
  for (const [i, line] of lines.entries()) {
    const next = lines[i + 1];
    if (rows === undefined) {
      if (!isTableRow(line) || !next || next.number !== line.number + 1 || !isTableRule(next)) continue;
      rows = [];
      tables.push({ columns: splitTableCells(line.text), rows, line: line.number });
    } else if (!isTableRow(line)) rows = undefined;
    else if (!isTableRule(line) || line.number !== (tables.at(-1)?.line ?? 0) + 1)
      rows.push({ cells: splitTableCells(line.text), line: line.number });
  }
  return tables;
}

export function getTableCell(
  { columns }: MarkdownTable,
  { cells }: MarkdownTableRow,
  name: string,
): string | undefined {
  const at = findColumnIndex(columns, name);
  return at < 0 ? undefined : (cells[at] ?? "");
}

export const hasTableColumn = ({ columns }: MarkdownTable, name: string): boolean =>
  findColumnIndex(columns, name) >= 0;

const findColumnIndex = (columns: readonly string[], name: string): number =>
  columns.findIndex((column) => column.replace(/[*_`]/g, "").toLowerCase() === name.toLowerCase());

const isTableRow = ({ text, isCode }: ProseLine): boolean => !isCode && text.includes("|");
const isTableRule = ({ text }: ProseLine): boolean =>
  text.includes("-") && text.includes("|") && TABLE_RULE_PATTERN.test(text);

/** A pipe that is escaped or inside inline code does not separate cells. */
function splitTableCells(text: string): string[] {
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
