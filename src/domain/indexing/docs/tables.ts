import { oneLineOf } from "../summary/one-line.ts";

const MOST_ROWS = 300;
const LONGEST_CELL = 300;

export function tableOf(columns: readonly string[], rows: readonly (readonly string[])[], more = 0): string {
  if (rows.length === 0) return "Nothing yet.";
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const left = rows.length - MOST_ROWS + more;
  return [
    line(columns),
    line(columns.map(() => "---")),
    ...rows.slice(0, MOST_ROWS).map((row) => line(row)),
    ...(left > 0 && rows.length + more > MOST_ROWS ? ["", `And ${left} more.`] : []),
  ].join("\n");
}

/** Escapes repository text for a table cell or list item: one line, without HTML tags or column separators. */
export const cell = (text: string): string =>
  oneLineOf(text)
    .slice(0, LONGEST_CELL)
    .replace(/`[^`]*`|[<>&]/g, (part) => MARKS[part] ?? part)
    .replaceAll("|", "\\|");

const MARKS: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "&": "&amp;" };

export const code = (text: string): string => `\`${oneLineOf(text).replaceAll("`", "'").replaceAll("|", "\\|")}\``;

export function linkTo(from: string, target: string, words: string): string {
  const up = "../".repeat(from.split("/").length - 1);
  const address = target
    .split("/")
    .map((part) => encodeURIComponent(part).replace(/[()'*!~]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`))
    .join("/");
  return `[${words.replace(/[[\]]/g, "\\$&")}](${up}${address})`;
}

export const countOrCross = (n: number): string => (n === 0 ? "✗" : String(n));
