import type { Problem } from "#kernel/model/verdict.ts";
import { quote } from "#kernel/model/text-format.ts";

export interface ReportForm {
  readonly name: string;
  readonly metadata: readonly ReportMetadata[];
  readonly sections: readonly ReportSection[];
  /** Metadata that replaces a field in all rows of a section. */
  readonly filler?: { readonly keyword: string; readonly section: string; readonly field: string };
}

/** `KEYWORD:value` above the sections. */
export interface ReportMetadata extends ReportField {
  readonly keyword: string;
  /** How to treat a report without it: reject it, use an empty text, or leave it out. */
  readonly missing: "refused" | "empty" | "absent";
  readonly isDropped?: true;
}

/** `KEYWORD:` and lines below it: free text, or rows of fields. */
export interface ReportSection {
  readonly keyword: string;
  readonly name: string;
  readonly fields: readonly ReportField[] | "free";
}

export interface ReportField {
  readonly name: string;
  readonly oneOf?: readonly string[];
  readonly isList?: true;
  readonly isJsonOnly?: true;
  readonly like?: { readonly holds: (text: string) => boolean; readonly said: string };
}

export type ParsedReviewReport = Readonly<Record<string, string | readonly string[] | readonly ReportRow[]>>;
export type ReportRow = Readonly<Record<string, string | readonly string[]>>;

export interface RejectedReport {
  readonly problems: readonly Problem[];
}

export const isRejectedReport = (read: object): read is RejectedReport => "problems" in read;

const MAX_REPORT_FIELD = 4_000;

/** The problem as a predicate, to follow the name of the text. */
export function findReportTextProblem({ oneOf, like }: ReportField, text: string): string | undefined {
  if (oneOf && !oneOf.includes(text))
    return text === ""
      ? `is empty, and ${formatAllowedValues(oneOf)}`
      : `is ${quote(text, 40)}, and ${formatAllowedValues(oneOf)}`;
  if (text === "") return "is empty";
  if (text.length > MAX_REPORT_FIELD) return `is longer than ${MAX_REPORT_FIELD.toLocaleString("en")} characters`;
  return like && !like.holds(text) ? `is ${quote(text, 40)}, and must be ${like.said}` : undefined;
}

const formatAllowedValues = (allowed: readonly string[]): string =>
  `may be ${allowed.slice(0, -1).join(", ")} or ${allowed.at(-1)}`;

export const joinTextLines = (text: string): string =>
  text
    .toWellFormed()
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");

export interface ReportLine {
  readonly number: number;
  readonly text: string;
}

const MAX_REVIEW_REPORT_LENGTH = 200_000;
// oxlint-disable-next-line no-control-regex -- what no text has is what it looks for.
export const CONTROL_CHARACTER = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Agents often wrap a report in a code fence. It must enclose the whole report. */
export function readReportLines(text: string): { readonly lines: readonly ReportLine[] } | RejectedReport {
  const read = splitReportLines(text);
  return "problems" in read ? read : removeReportFence(read.lines);
}

/** Drops blank lines at both ends and rejects an empty text. */
export function splitReportLines(text: string): { readonly lines: readonly ReportLine[] } | RejectedReport {
  if (text.length > MAX_REVIEW_REPORT_LENGTH) {
    return {
      problems: [{ problem: `The report is longer than ${MAX_REVIEW_REPORT_LENGTH.toLocaleString("en")} characters.` }],
    };
  }
  const lines = text
    .replace(/^\ufeff/, "")
    .toWellFormed()
    .split(/\r\n|\n|\r/)
    .map((line, i) => ({ number: i + 1, text: line }));
  const unclean = lines.find((line) => CONTROL_CHARACTER.test(line.text));
  if (unclean) {
    return { problems: [{ problem: "A control character stands where only text may.", line: unclean.number }] };
  }
  const told = trimBlankReportLines(lines);
  return told.length === 0 ? { problems: [{ problem: "The report is empty." }] } : { lines: told };
}

function removeReportFence(lines: readonly ReportLine[]): { readonly lines: readonly ReportLine[] } | RejectedReport {
  const [first, ...rest] = lines;
  const fence = first && matchFenceStart(first);
  if (!fence) return { lines };
  const end = rest.findIndex((line) => isFenceEnd(line, fence));
  const { number } = first;
  if (end < 0) {
    return { problems: [{ problem: "The fence is not closed: the report may be cut off.", line: number }] };
  }
  const behind = rest.slice(end + 1).find(({ text }) => text.trim() !== "");
  if (behind) {
    const problem = "Something stands behind the fence: the report is all in one fence, or in none.";
    return { problems: [{ problem, line: behind.number }] };
  }
  const inside = trimBlankReportLines(rest.slice(0, end));
  return inside.length === 0 ? { problems: [{ problem: "The report is empty.", line: number }] } : { lines: inside };
}

export const matchFenceStart = ({ text }: Pick<ReportLine, "text">): string | undefined =>
  /^\s*(?<fence>`{3,}(?=[^`]*$)|~{3,})/.exec(text)?.groups?.["fence"];

export function isFenceEnd({ text }: Pick<ReportLine, "text">, fence: string): boolean {
  const said = text.trim();
  return said.startsWith(fence) && said === (fence[0] ?? "").repeat(said.length);
}

function trimBlankReportLines(lines: readonly ReportLine[]): readonly ReportLine[] {
  const isTold = ({ text }: ReportLine): boolean => text.trim() !== "";
  return lines.slice(Math.max(0, lines.findIndex(isTold)), lines.findLastIndex(isTold) + 1);
}
