import { findClosestWord, quote } from "#kernel/model/text-format.ts";
import { isPlainObject } from "#kernel/model/plain-object.ts";
import { limitShownProblems, type Problem } from "#kernel/model/verdict.ts";
import {
  type ReportField,
  joinTextLines,
  type RejectedReport,
  type ReportForm,
  type ReportRow,
  type ReportSection,
  findReportTextProblem,
  type ParsedReviewReport,
  CONTROL_CHARACTER,
  type ReportLine,
} from "./report-form.ts";

const MAX_REPORT_ITEMS = 1_000;

export const isJsonReport = (lines: readonly ReportLine[]): boolean => /^\s*[{[]/.test(lines[0]?.text ?? "");

/** Each problem names its path: `findings[2].severity`. */
export function parseJsonReport(lines: readonly ReportLine[], form: ReportForm): ParsedReviewReport | RejectedReport {
  const read = parseReportJsonText(lines);
  if ("problems" in read) return read;
  const { value } = read;
  if (!isPlainObject(value)) return { problems: [{ problem: `As JSON, ${form.name} is one object.` }] };
  if (typeof value["error"] === "string" && Object.keys(value).length === 1) {
    return { problems: [{ problem: `An error was reported instead of ${form.name}: ${quote(value["error"])}.` }] };
  }
  const problems: Problem[] = [];
  const told = readReportFields(value, form, problems);
  return problems.length > 0 ? { problems: limitShownProblems(problems) } : told;
}

export function parseReportJsonText(lines: readonly ReportLine[]): { readonly value: unknown } | RejectedReport {
  const text = lines.map((line) => line.text).join("\n");
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    const why = String(error).replace(/^\w+: /, "");
    return {
      problems: [{ problem: `The report begins as JSON and is none: ${quote(why)}.`, ...locateJsonError(why, lines) }],
    };
  }
}

function locateJsonError(why: string, lines: readonly ReportLine[]): { readonly line: number } | Record<string, never> {
  const line = / \(line (?<line>\d+) column/.exec(why)?.groups?.["line"];
  const place = why.startsWith("Unexpected end") ? lines.at(-1) : lines[Number(line) - 1];
  return place ? { line: place.number } : {};
}

type JsonEntries = Readonly<Record<string, unknown>>;

function readReportFields(value: JsonEntries, form: ReportForm, problems: Problem[]): ParsedReviewReport {
  const names = [...form.metadata, ...form.sections].map(({ name }) => name);
  reportUnknownKeys(value, names, "", problems);
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
  return Object.fromEntries([...metadata, ...sections]);
}

function readReportRecords(
  value: unknown,
  section: ReportSection,
  filled: ReportRow,
  problems: Problem[],
): readonly string[] | readonly ReportRow[] {
  const { name, fields } = section;
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > MAX_REPORT_ITEMS) {
    problems.push({
      problem: Array.isArray(value) ? `${name} has more than ${MAX_REPORT_ITEMS} items.` : `${name} is no list.`,
    });
    return [];
  }
  const items: readonly unknown[] = value;
  if (fields === "free") return items.map((item, i) => readReportText(item, section, `${name}[${i}]`, problems));
  return items.map((item, i) => readReportRow(item, { fields, filled, path: `${name}[${i}]` }, problems));
}

interface ReportRowContext {
  readonly fields: readonly ReportField[];
  readonly filled: ReportRow;
  readonly path: string;
}

function readReportRow(item: unknown, { fields, filled, path }: ReportRowContext, problems: Problem[]): ReportRow {
  if (!isPlainObject(item)) {
    problems.push({ problem: `${path} is no object.` });
    return {};
  }
  reportUnknownKeys(
    item,
    fields.map(({ name }) => name),
    `${path}.`,
    problems,
  );
  const entries = fields.flatMap((field) => {
    const said = item[field.name] ?? filled[field.name];
    if (said === undefined && field.isJsonOnly) return [];
    const where = `${path}.${field.name}`;
    const told = field.isList
      ? readReportList(said, field, where, problems)
      : readReportText(said, field, where, problems);
    return [[field.name, told] as const];
  });
  return Object.fromEntries(entries);
}

function readReportList(value: unknown, field: ReportField, path: string, problems: Problem[]): readonly string[] {
  if (!Array.isArray(value) || value.length > MAX_REPORT_ITEMS) {
    problems.push({ problem: value === undefined ? `${path} is missing.` : `${path} is no list of texts.` });
    return [];
  }
  if (value.length === 0 && !field.isJsonOnly) problems.push({ problem: `${path} is empty.` });
  return value.map((item: unknown, i) => readReportText(item, field, `${path}[${i}]`, problems));
}

function readReportText(value: unknown, field: ReportField, path: string, problems: Problem[]): string {
  if (typeof value !== "string") {
    problems.push({ problem: value === undefined ? `${path} is missing.` : `${path} is no text.` });
    return "";
  }
  const text = joinTextLines(value);
  const problem = CONTROL_CHARACTER.test(text) ? "has a control character in it" : findReportTextProblem(field, text);
  if (problem !== undefined) problems.push({ problem: `${path} ${problem}.` });
  return text;
}

function reportUnknownKeys(value: JsonEntries, known: readonly string[], path: string, problems: Problem[]): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const meant = findClosestWord(key, known);
    const advice = meant ? `Write ${meant}.` : `There are ${known.join(", ")}.`;
    problems.push({ problem: `${path}${quote(key, 40)} is not known here. ${advice}` });
  }
}
