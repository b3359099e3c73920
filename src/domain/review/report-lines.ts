import type { RejectedReport } from "./report-form.ts";

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
