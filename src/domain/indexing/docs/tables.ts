import { formatOneLine } from "../summary/one-line.ts";

const MAX_TABLE_ROWS = 300;
const MAX_TABLE_CELL = 300;

export function formatMarkdownTable(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  more = 0,
): string {
  if (rows.length === 0) return "Nothing yet.";
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const left = rows.length - MAX_TABLE_ROWS + more;
  return [
    line(columns),
    line(columns.map(() => "---")),
    ...rows.slice(0, MAX_TABLE_ROWS).map((row) => line(row)),
    ...(left > 0 && rows.length + more > MAX_TABLE_ROWS ? ["", `And ${left} more.`] : []),
  ].join("\n");
}

/** Escapes repository text for a table cell or list item: one line, without HTML tags or column separators. */
export const escapeSectionCell = (text: string): string =>
  formatOneLine(text)
    .slice(0, MAX_TABLE_CELL)
    .replace(/`[^`]*`|[<>&]/g, (part) => HTML_ESCAPES[part] ?? part)
    .replaceAll("|", "\\|");

const HTML_ESCAPES: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "&": "&amp;" };

export const formatInlineCode = (text: string): string =>
  `\`${formatOneLine(text).replaceAll("`", "'").replaceAll("|", "\\|")}\``;

export function formatFileLink(from: string, target: string, words: string): string {
  const up = "../".repeat(from.split("/").length - 1);
  const address = target
    .split("/")
    .map((part) => encodeURIComponent(part).replace(/[()'*!~]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`))
    .join("/");
  return `[${words.replace(/[[\]]/g, "\\$&")}](${up}${address})`;
}

export const formatCountOrCross = (n: number): string => (n === 0 ? "✗" : String(n));
