import type { PageTable } from "#kernel/model/page.ts";
import { measureTextWidth, shortenPath, wrapLine } from "./text-wrap.ts";

const GAP = "  ";
/** A column of prose below this width reads as a list of words. */
const MIN_PROSE_WIDTH = 16;
const MIN_PATH_WIDTH = 20;

export interface TableStyle {
  readonly width: number;
  head(text: string): string;
  readonly cell: (text: string) => string;
}

/** Aligns a table. Where it is too wide it wraps cells, and where that is not enough it stacks them. */
export function renderAlignedTable({ columns, rows }: PageTable, style: TableStyle): string {
  const natural = measureColumns(columns, rows);
  const isTooWide = sumColumns(natural) > style.width;
  if (!isTooWide) return renderTableRows({ columns, rows }, natural, style);
  const kept = columns.flatMap((_, i) => (rows.some((row) => !isBlankCell(row[i])) ? [i] : []));
  const pick = (cells: readonly string[]): string[] => kept.map((i) => cells[i] ?? "");
  const table = { columns: pick(columns), rows: rows.map(pick) };
  const widths = shrinkColumns(table, style.width);
  return widths ? renderTableRows(table, widths, style) : renderStackedRows(table, style);
}

const isBlankCell = (cell = ""): boolean => /^[–-]?$/.test(cell.trim());

const measureColumns = (columns: readonly string[], rows: PageTable["rows"]): number[] =>
  columns.map((name, i) => Math.max(measureTextWidth(name), ...rows.map((row) => measureTextWidth(row[i] ?? ""))));

const sumColumns = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);

/** Takes columns from the widest cells first. Without a result the table does not fit. */
function shrinkColumns({ columns, rows }: PageTable, available: number): number[] | undefined {
  const widths = measureColumns(columns, rows);
  const floors = columns.map((name, i) => {
    const words = rows.flatMap((row) => (row[i] ?? "").split(/\s+/));
    const longest = words.map((word) => Math.min(measureTextWidth(word), isPath(word) ? MIN_PATH_WIDTH : Infinity));
    const prose = Math.min(widths[i] ?? 0, MIN_PROSE_WIDTH);
    return Math.max(measureTextWidth(name), prose, ...longest);
  });
  if (sumColumns(floors) > available) return undefined;
  while (sumColumns(widths) > available) {
    const spare = widths.map((width, i) => (width > (floors[i] ?? 0) ? width : 0));
    const widest = spare.indexOf(Math.max(...spare));
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

const isPath = (word: string): boolean => word.includes("/") && !word.includes("://");

const shortenPaths = (text: string, width: number): string =>
  text.replaceAll(/\S+/g, (word) => (isPath(word) ? shortenPath(word, width) : word));

function renderTableRows({ columns, rows }: PageTable, widths: readonly number[], style: TableStyle): string {
  const renderRow = (row: readonly string[], paint: (text: string) => string): string => {
    const cells = row.map((cell, i) => {
      const width = widths[i] ?? 0;
      return wrapLine(shortenPaths(cell, width), width).split("\n");
    });
    const height = Math.max(...cells.map((lines) => lines.length));
    const lines = Array.from({ length: height }, (_, at) => {
      const last = cells.findLastIndex((cell) => (cell[at] ?? "") !== "");
      const painted = cells.slice(0, last + 1).map((cell, i) => {
        const text = cell[at] ?? "";
        const blanks = i === last ? 0 : Math.max(0, (widths[i] ?? 0) - measureTextWidth(text));
        return `${text === "" ? "" : paint(text)}${" ".repeat(blanks)}`;
      });
      return painted.join(GAP);
    });
    return lines.join("\n");
  };
  const head = renderRow(columns, (text) => text);
  return [style.head(head), ...rows.map((row) => renderRow(row, style.cell))].join("\n");
}

/** One block per row: each cell after the name of its column. */
function renderStackedRows({ columns, rows }: PageTable, style: TableStyle): string {
  const blocks = rows.map((row) => {
    const lines = row.map((cell, i) => {
      const name = columns[i] ?? "";
      if (isBlankCell(cell)) return [];
      const lead = `${i === 0 ? "" : "  "}${name === "" ? "" : `${name}: `}`;
      const wrapped = wrapLine(`${lead}${shortenPaths(cell, style.width - lead.length)}`, style.width, "    ");
      const text = wrapped.slice(lead.length);
      return [`${lead.trim() === "" ? lead : `${style.head(lead.trimEnd())} `}${style.cell(text)}`];
    });
    return lines.flat().join("\n");
  });
  return blocks.join("\n\n");
}
