import { findClosestWord, quote } from "#kernel/model/text-format.ts";
import { isPlainObject } from "#kernel/model/plain-object.ts";
import { limitShownProblems, type Problem } from "#kernel/model/verdict.ts";

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
  readonly like?: readonly [pattern: RegExp, said: string];
}

export type ParsedReviewReport = Readonly<Record<string, string | readonly string[] | readonly ReportRow[]>>;
export type ReportRow = Readonly<Record<string, string | readonly string[]>>;

export interface RejectedReport {
  readonly problems: readonly Problem[];
  /** The report in its form, as far as it could be understood, for the reporter to confirm. */
  readonly corrected?: string;
}

export const isRejectedReport = (read: object): read is RejectedReport => "problems" in read;

const rejectReport = (problem: string, line?: number): RejectedReport => ({
  problems: [line === undefined ? { problem } : { problem, line }],
});

const MAX_REPORT_FIELD = 4_000;

/** The problem as a predicate, to follow the name of the text. */
export function findReportTextProblem({ oneOf, like }: ReportField, text: string): string | undefined {
  if (oneOf && !oneOf.includes(text)) {
    const allowed = `may be ${oneOf.slice(0, -1).join(", ")} or ${oneOf.at(-1)}`;
    return `is ${text === "" ? "empty" : quote(text, 40)}, and ${allowed}`;
  }
  if (text === "") return "is empty";
  if (text.length > MAX_REPORT_FIELD) return `is longer than ${MAX_REPORT_FIELD.toLocaleString("en")} characters`;
  return like && !like[0].test(text) ? `is ${quote(text, 40)}, and must be ${like[1]}` : undefined;
}

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
type ReportLines = { readonly lines: readonly ReportLine[] };

const MAX_REVIEW_REPORT_LENGTH = 200_000;
// oxlint-disable-next-line no-control-regex -- it looks for characters that no text has.
export const CONTROL_CHARACTER = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Agents often wrap a report in a code fence. It must enclose the whole report. */
export function readReportLines(text: string): ReportLines | RejectedReport {
  const read = splitReportLines(text);
  if ("problems" in read) return read;
  const [first, ...rest] = read.lines;
  const fence = first && matchFenceStart(first);
  if (!fence) return read;
  const end = rest.findIndex((line) => isFenceEnd(line, fence));
  if (end < 0) return rejectReport("The fence is not closed: the report may be cut off.", first.number);
  const behind = rest.slice(end + 1).find(({ text: said }) => said.trim() !== "");
  if (behind) {
    const problem = "There is text after the fence. Put the whole report in one fence, or use none.";
    return rejectReport(problem, behind.number);
  }
  const lines = trimBlankReportLines(rest.slice(0, end));
  return lines.length === 0 ? rejectReport("The report is empty.", first.number) : { lines };
}

/** Drops blank lines at both ends and rejects an empty text. */
export function splitReportLines(text: string): ReportLines | RejectedReport {
  if (text.length > MAX_REVIEW_REPORT_LENGTH)
    return rejectReport(`The report is longer than ${MAX_REVIEW_REPORT_LENGTH.toLocaleString("en")} characters.`);
  const all = text
    .replace(/^\ufeff/, "")
    .toWellFormed()
    .split(/\r\n|\n|\r/)
    .map((line, i) => ({ number: i + 1, text: line }));
  const unclean = all.find((line) => CONTROL_CHARACTER.test(line.text));
  if (unclean) return rejectReport("The text contains a control character.", unclean.number);
  const lines = trimBlankReportLines(all);
  return lines.length === 0 ? rejectReport("The report is empty.") : { lines };
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

export const MAX_REPORT_ITEMS = 1_000;

export const isJsonReport = (lines: readonly ReportLine[]): boolean => /^\s*[{[]/.test(lines[0]?.text ?? "");

/** Each problem names its path: `findings[2].severity`. */
export function parseJsonReport(lines: readonly ReportLine[], form: ReportForm): ParsedReviewReport | RejectedReport {
  const read = parseReportJsonText(lines);
  if ("problems" in read) return read;
  const { value } = read;
  if (!isPlainObject(value)) return rejectReport(`As JSON, ${form.name} is one object.`);
  if (typeof value["error"] === "string" && Object.keys(value).length === 1)
    return rejectReport(`An error was reported instead of ${form.name}: ${quote(value["error"])}.`);
  const problems: Problem[] = [];
  reportUnknownKeys(value, [...form.metadata, ...form.sections], "", problems);
  const metadata = form.metadata.flatMap((one) => {
    const said = value[one.name];
    if (one.isDropped) return [];
    if (said === undefined || said === null || (said === "" && one.missing !== "refused" && !one.oneOf)) {
      if (one.missing === "refused") problems.push({ problem: `${one.name} is missing.` });
      return one.missing === "empty" ? [[one.name, ""] as const] : [];
    }
    return [[one.name, readReportText(said, one, one.name, problems)] as const];
  });
  const filling = metadata.find(([name]) => name === form.filler?.field);
  const sections = form.sections.map((section) => {
    const filled = filling && form.filler?.section === section.keyword ? Object.fromEntries([filling]) : {};
    return [section.name, readReportRecords(value[section.name], section, filled, problems)] as const;
  });
  return problems.length > 0
    ? { problems: limitShownProblems(problems) }
    : Object.fromEntries([...metadata, ...sections]);
}

export function parseReportJsonText(lines: readonly ReportLine[]): { readonly value: unknown } | RejectedReport {
  try {
    return { value: JSON.parse(lines.map(({ text }) => text).join("\n")) as unknown };
  } catch (error) {
    const why = String(error).replace(/^\w+: /, "");
    const line = / \(line (?<line>\d+) column/.exec(why)?.groups?.["line"];
    const place = why.startsWith("Unexpected end") ? lines.at(-1) : lines[Number(line) - 1];
    return rejectReport(`The report begins as JSON, but is not valid: ${quote(why)}.`, place?.number);
  }
}

function readReportRecords(value: unknown, section: ReportSection, filled: ReportRow, problems: Problem[]) {
  const { name, fields } = section;
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > MAX_REPORT_ITEMS) {
    const problem = Array.isArray(value)
      ? `${name} has more than ${MAX_REPORT_ITEMS} items.`
      : `${name} is not a list.`;
    problems.push({ problem });
    return [];
  }
  const items: readonly unknown[] = value;
  if (fields === "free") return items.map((item, i) => readReportText(item, section, `${name}[${i}]`, problems));
  return items.map((item, i) => {
    const path = `${name}[${i}]`;
    if (!isPlainObject(item)) {
      problems.push({ problem: `${path} is not an object.` });
      return {};
    }
    reportUnknownKeys(item, fields, `${path}.`, problems);
    const entries = fields.flatMap((field) => {
      const said = item[field.name] ?? filled[field.name];
      if (said === undefined && field.isJsonOnly) return [];
      const read = field.isList ? readReportList : readReportText;
      return [[field.name, read(said, field, `${path}.${field.name}`, problems)] as const];
    });
    return Object.fromEntries(entries);
  });
}

function readReportList(value: unknown, field: ReportField, path: string, problems: Problem[]): readonly string[] {
  if (!Array.isArray(value) || value.length > MAX_REPORT_ITEMS) {
    problems.push({ problem: value === undefined ? `${path} is missing.` : `${path} is not a list of texts.` });
    return [];
  }
  if (value.length === 0 && !field.isJsonOnly) problems.push({ problem: `${path} is empty.` });
  return value.map((item: unknown, i) => readReportText(item, field, `${path}[${i}]`, problems));
}

function readReportText(value: unknown, field: ReportField, path: string, problems: Problem[]): string {
  if (typeof value !== "string") {
    problems.push({ problem: value === undefined ? `${path} is missing.` : `${path} is not a text.` });
    return "";
  }
  const text = joinTextLines(value);
  const problem = CONTROL_CHARACTER.test(text) ? "has a control character in it" : findReportTextProblem(field, text);
  if (problem !== undefined) problems.push({ problem: `${path} ${problem}.` });
  return text;
}

function reportUnknownKeys(
  value: object,
  fields: readonly { readonly name: string }[],
  path: string,
  problems: Problem[],
): void {
  const known = fields.map(({ name }) => name);
  for (const key of Object.keys(value).filter((each) => !known.includes(each))) {
    const meant = findClosestWord(key, known);
    const advice = meant ? `Write ${meant}.` : `There are ${known.join(", ")}.`;
    problems.push({ problem: `${path}${quote(key, 40)} is not known here. ${advice}` });
  }
}
