import type { Problem } from "../gate/verdict.ts";
import { quote } from "../quote.ts";

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
