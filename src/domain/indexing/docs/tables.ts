import { oneLineOf } from "../summary/one-line.ts";

/** Rows of one table; whoever wants more asks the index. */
const MOST_ROWS = 300;
const LONGEST_CELL = 300;

/** A table of markdown with what was left out of it, or that there is nothing to show. */
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

/** Text that others wrote, as one cell or one item: it stays on its line, and is neither a tag nor a column. */
export const cell = (text: string): string =>
  oneLineOf(text)
    .slice(0, LONGEST_CELL)
    .replace(/`[^`]*`|[<>&]/g, (part) => MARKS[part] ?? part)
    .replaceAll("|", "\\|");

const MARKS: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "&": "&amp;" };

/** A path as code, whatever is in it. */
export const code = (text: string): string => `\`${oneLineOf(text).replaceAll("`", "'").replaceAll("|", "\\|")}\``;

/** A link from a document to a file of the repository. */
export function linkTo(from: string, target: string, words: string): string {
  const up = "../".repeat(from.split("/").length - 1);
  const address = target
    .split("/")
    .map((part) => encodeURIComponent(part).replace(/[()'*!~]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`))
    .join("/");
  return `[${words.replace(/[[\]]/g, "\\$&")}](${up}${address})`;
}

/** A count, or a cross where there should be something. */
export const countOrCross = (n: number): string => (n === 0 ? "✗" : String(n));
