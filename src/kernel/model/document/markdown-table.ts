const WIDE_CHARACTER =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const COMBINING_MARK = /\p{Mn}/u;

const measureCharacter = (character: string): number =>
  COMBINING_MARK.test(character) ? 0 : WIDE_CHARACTER.test(character) ? 2 : 1;

const measureCell = (text: string): number =>
  Array.from(text).reduce((width, character) => width + measureCharacter(character), 0);

/** Aligns columns as Prettier does, so that documents pass the user's own format check. Cells are already escaped. */
export function formatMarkdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((_, i) => Math.max(3, ...[columns, ...rows].map((cells) => measureCell(cells[i] ?? ""))));
  const formatRow = (cells: readonly string[]): string =>
    `| ${widths.map((width, i) => (cells[i] ?? "") + " ".repeat(width - measureCell(cells[i] ?? ""))).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [formatRow(columns), rule, ...rows.map(formatRow)].join("\n");
}

const splitTableRow = (line: string): string[] =>
  Array.from(line.matchAll(/\|((?:\\.|[^|\\])*)(?=\|)/g), ([, cell = ""]) => cell.trim());

/** Aligns the tables of a rendered template. */
export const alignMarkdownTables = (text: string): string =>
  text.replaceAll(/^\|.*\|\n\|(?: ?-+ ?\|)+(?:\n\|.*\|)*$/gm, (table) => {
    const [columns = [], , ...rows] = table.split("\n").map(splitTableRow);
    return formatMarkdownTable(columns, rows);
  });
