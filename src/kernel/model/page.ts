import type { SuggestedFix } from "./fault.ts";
import { sanitizeText, escapeUnprintable } from "./text-format.ts";

export interface PageTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface PageQuotation {
  readonly label: string;
  readonly text: string;
  /** Code, commands or a diff, whose lines a terminal must not wrap. */
  readonly isVerbatim?: boolean;
  /** Tenon's own words are among it, so each door names its own calls. */
  readonly namesCalls?: boolean;
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
  /** The guide is a file to save, so a terminal must not wrap it. */
  readonly isGuideVerbatim?: boolean;
  readonly next?: readonly SuggestedFix[];
}

export function renderPageMarkdown(page: Page, renderFix: (fix: SuggestedFix) => string): string {
  const { title, facts = [], table, quotes = [], points = [], guide, next = [] } = page;
  const rows = table?.rows.length ? [table.columns, table.columns.map(() => "---"), ...table.rows] : [];
  const blocks = [
    formatPageLine(title),
    ...joinPageBlock(facts.map(([label, value]) => `- ${label}: ${formatPageLine(value)}`)),
    ...joinPageBlock(rows.map(formatMarkdownRow)),
    ...quotes.map(formatPageQuotation),
    ...joinPageBlock(points.map((point) => `- ${formatPageLine(point)}`)),
    ...(guide ? [guide] : []),
    ...joinPageBlock(next.map((fix) => `Next: ${renderFix(fix)}`)),
  ];
  return blocks.join("\n\n");
}

export const joinPageBlock = (lines: readonly string[]): string[] => (lines.length === 0 ? [] : [lines.join("\n")]);

/** Keeps untrusted text on one line. Only a guide may have several. */
export const formatPageLine = (text: string): string => sanitizeText(text, 4_000);

const formatMarkdownRow = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => formatPageLine(cell).replaceAll("|", "\\|")).join(" | ")} |`;

/** Marks every line as quoted, so that the text cannot end the quotation. */
function formatPageQuotation({ label, text }: PageQuotation): string {
  const lines = text === "" ? [] : text.split(/\r?\n/).map((line) => `> ${escapeUnprintable(line)}`.trimEnd());
  return [formatPageLine(label), ...lines].join("\n");
}
