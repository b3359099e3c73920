import { isPlainObject } from "#kernel/model/plain-object.ts";
import { MAX_REPORT_ITEMS, type ReportField, type ReportForm, type ReportSection } from "./report-form.ts";
import { escapeField } from "./report-text.ts";

const KEY_NAMES: Readonly<Record<string, string>> = {
  FINDINGS: "ISSUES",
  ISSUE: "ISSUES",
  NOTE: "NOTES",
  READ: "NOTES",
};
const FIELD_NAMES: Readonly<Record<string, string>> = {
  file: "location",
  path: "location",
  message: "description",
  issue: "description",
  finding: "description",
  detail: "description",
  details: "description",
  problem: "description",
  what: "description",
  where: "location",
  type: "category level",
  kind: "category level",
  sev: "severity",
  level: "severity",
  inspectors: "sources agents",
  inspector: "sources agent",
  auditor: "sources agent",
  rule: "text",
};
const NOTE_KEYS: ReadonlySet<string> = new Set(["summary", "overview", "comment", "rationale"]);
const IGNORED_KEYS: ReadonlySet<string> = new Set(["error", "agent", "inspector", "role", "feature"]);

export function findReportKeyword({ metadata, sections }: ReportForm, word: string): string | undefined {
  const keyword = KEY_NAMES[word.toUpperCase()] ?? word.toUpperCase();
  return [...metadata, ...sections].some((each) => each.keyword === keyword) ? keyword : undefined;
}

export const listRowFields = ({ fields }: ReportSection): readonly ReportField[] =>
  fields === "free" ? [] : fields.filter(({ isJsonOnly }) => !isJsonOnly);

export function findRowField(fields: readonly ReportField[], said: string): ReportField | undefined {
  const word = said.replace(/[^\p{L}]+/gu, "").toLowerCase();
  const names = [word, `${word}s`, ...(FIELD_NAMES[word]?.split(" ") ?? [])];
  return fields.find((field) => names.includes(field.name));
}

/** A JSON report as lines. A list holds the rows of the first section. Undefined if a value fits nowhere. */
export function convertJsonReport(value: unknown, form: ReportForm): string[] | undefined {
  const [first] = form.sections;
  const told = Array.isArray(value) && first ? { [first.keyword]: value as unknown } : value;
  if (!isPlainObject(told)) return undefined;
  const lines: string[] = [];
  const notes: string[] = [];
  const [[only, inner] = ["", undefined]] = Object.entries(told);
  if (Object.keys(told).length === 1 && isPlainObject(inner) && findReportKeyword(form, only) === undefined)
    return convertJsonReport(inner, form);
  for (const [name, one] of Object.entries(told)) {
    const keyword = findReportKeyword(form, name.replaceAll(/[\s-]/g, "_"));
    const section = form.sections.find((each) => each.keyword === keyword);
    if (NOTE_KEYS.has(name.toLowerCase()) && typeof one === "string") {
      notes.push(one.replace(/\s*\n\s*/g, " "));
      continue;
    }
    if (keyword === undefined && !IGNORED_KEYS.has(name.toLowerCase())) return undefined;
    if (keyword === undefined || one === null || one === "") continue;
    if (!section && typeof one === "string") lines.unshift(`${keyword}: ${one}`);
    else if (section && Array.isArray(one) && one.length <= MAX_REPORT_ITEMS) {
      const rows = (one as unknown[]).map((item) => convertJsonRow(section, item));
      if (rows.includes(undefined)) return undefined;
      lines.push(`${keyword}:`, ...rows.flatMap((row) => row ?? []));
    } else return undefined;
  }
  if (lines.length === 0 || notes.length === 0) return lines.length === 0 ? undefined : lines;
  const at = lines.indexOf("NOTES:");
  return at < 0 ? [...lines, "NOTES:", ...notes] : lines.toSpliced(at + 1, 0, ...notes);
}

function convertJsonRow(section: ReportSection, item: unknown): string | undefined {
  const fields = listRowFields(section);
  if (section.fields === "free" && typeof item === "string") return item.replace(/\s*\n\s*/g, " ");
  if (section.fields === "free" || !isPlainObject(item)) return undefined;
  const line = item["line"] ?? item["lines"];
  const isLine = typeof line === "number" || typeof line === "string";
  const found = new Map<string, string>();
  for (const [name, one] of Object.entries(item)) {
    const field = findRowField(fields, name);
    if (field && Array.isArray(one)) found.set(field.name, one.map((each) => escapeField(String(each))).join("+"));
    else if (field && typeof one === "string") {
      const place = field.name === "location" && isLine && !/:\d+/.test(one) ? `${one}:${line}` : one;
      found.set(field.name, escapeField(place.replace(/\s*\n\s*/g, " ")));
    } else if (!field && !["line", "lines", "id"].includes(name.toLowerCase())) return undefined;
  }
  return fields.map(({ name }) => found.get(name) ?? "").join("|");
}
