import type { SuggestedFix } from "./fault.ts";
import { sanitizeText, escapeUnprintable } from "./text-format.ts";

export interface PageTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface PageQuotation {
  readonly label: string;
  readonly text: string;
}

export interface Page {
  readonly title: string;
  readonly facts?: readonly (readonly [label: string, value: string])[];
  readonly table?: PageTable;
  /** Texts by other authors, shown as data and never as instructions. */
  readonly quotes?: readonly PageQuotation[];
  readonly points?: readonly string[];
  /** Markdown from an asset, such as the guide of the stage that opens. */
  readonly guide?: string;
  readonly next?: readonly SuggestedFix[];
}

export function renderPageMarkdown(page: Page, renderFix: (fix: SuggestedFix) => string): string {
  const blocks = [
    formatPageLine(page.title),
    ...(page.facts?.length
      ? [page.facts.map(([label, value]) => `- ${label}: ${formatPageLine(value)}`).join("\n")]
      : []),
    ...(page.table?.rows.length
      ? [
          [
            formatMarkdownRow(page.table.columns),
            formatMarkdownRow(page.table.columns.map(() => "---")),
            ...page.table.rows.map(formatMarkdownRow),
          ].join("\n"),
        ]
      : []),
    ...(page.quotes ?? []).map(formatPageQuotation),
    ...(page.points?.length ? [page.points.map((point) => `- ${formatPageLine(point)}`).join("\n")] : []),
    ...(page.guide ? [page.guide] : []),
    ...(page.next?.length ? [page.next.map((fix) => `Next: ${renderFix(fix)}`).join("\n")] : []),
  ];
  return blocks.join("\n\n");
}

/** Keeps untrusted text on one line. Only a guide may have several. */
export const formatPageLine = (text: string): string => sanitizeText(text, 4_000);

const formatMarkdownRow = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => formatPageLine(cell).replaceAll("|", "\\|")).join(" | ")} |`;

/** Marks every line as quoted, so that the text cannot end the quotation. */
function formatPageQuotation({ label, text }: PageQuotation): string {
  const lines = text === "" ? [] : text.split(/\r?\n/).map((line) => `> ${escapeUnprintable(line)}`.trimEnd());
  return [formatPageLine(label), ...lines].join("\n");
}
