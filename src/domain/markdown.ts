import type { Fix } from "./fault.ts";
import type { Page, Quotation } from "./page.ts";
import { plain, printable } from "./quote.ts";

export function renderMarkdown(page: Page, renderFix: (fix: Fix) => string): string {
  const blocks = [
    oneLine(page.title),
    ...(page.facts?.length ? [page.facts.map(([label, value]) => `- ${label}: ${oneLine(value)}`).join("\n")] : []),
    ...(page.table?.rows.length
      ? [[row(page.table.columns), row(page.table.columns.map(() => "---")), ...page.table.rows.map(row)].join("\n")]
      : []),
    ...(page.quotes ?? []).map(quotation),
    ...(page.points?.length ? [page.points.map((point) => `- ${oneLine(point)}`).join("\n")] : []),
    ...(page.guide ? [page.guide] : []),
    ...(page.next?.length ? [page.next.map((fix) => `Next: ${renderFix(fix)}`).join("\n")] : []),
  ];
  return blocks.join("\n\n");
}

/** Keeps untrusted text on one line. Only a guide may have several. */
export const oneLine = (text: string): string => plain(text, 4_000);

const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => oneLine(cell).replaceAll("|", "\\|")).join(" | ")} |`;

/** Marks every line as quoted, so that the text cannot end the quotation. */
function quotation({ label, text }: Quotation): string {
  const lines = text === "" ? [] : text.split(/\r?\n/).map((line) => `> ${printable(line)}`.trimEnd());
  return [oneLine(label), ...lines].join("\n");
}
