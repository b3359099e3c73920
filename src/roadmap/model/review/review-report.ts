import { findClosestWord, formatCount, quote } from "#kernel/model/text-format.ts";
import { limitShownProblems, type Problem } from "#kernel/model/verdict.ts";
import {
  type ReportField,
  joinTextLines,
  type ReportMetadata,
  type RejectedReport,
  type ReportForm,
  type ReportRow,
  type ReportSection,
  findReportTextProblem,
  type ParsedReviewReport,
  type ReportLine,
  readReportLines,
  isRejectedReport,
  isJsonReport,
  parseJsonReport,
} from "./report-form.ts";
import type { ReviewFinding, InspectionResult, AuditResult } from "./review-finding.ts";
import { REVIEW_VERDICTS, FINDING_SEVERITIES, STEERING_FILE_PATTERN } from "./review-finding.ts";
import { formatLocation, splitEscapedLines } from "./report-text.ts";
import { tidyReportText } from "./tolerant-report.ts";
import type { ReviewScope } from "../lead/lead-state.ts";

/** Reads the exact form, else what a careful person would understand. */
function parseReviewReport(said: string, form: ReportForm): ParsedReviewReport | RejectedReport {
  const text = splitEscapedLines(said);
  const strict = parseExactReport(text, form);
  if (!isRejectedReport(strict)) return strict;
  const tidy = tidyReportText(text, form);
  const tolerant = tidy && parseExactReport(tidy.text, form);
  // Lines of the original are reported, so that the reporter finds them.
  if (!tidy || !tolerant || isRejectedReport(tolerant)) return strict;
  return tidy.doubts.length === 0 ? tolerant : { problems: limitShownProblems(tidy.doubts), corrected: tidy.text };
}

function parseExactReport(text: string, form: ReportForm): ParsedReviewReport | RejectedReport {
  const read = readReportLines(text);
  if ("problems" in read) return read;
  return isJsonReport(read.lines) ? parseJsonReport(read.lines, form) : parseCpfLines(read.lines, form);
}

const FINDING_FIELDS: readonly ReportField[] = [
  { name: "severity", oneOf: FINDING_SEVERITIES },
  { name: "category" },
  { name: "location" },
  { name: "description" },
];

/** Inspectors of dead code may give one category for all rows, which then have three fields. */
export const INSPECTION_FORM: ReportForm = {
  name: "an inspection",
  metadata: [
    { keyword: "VERDICT", name: "verdict", oneOf: REVIEW_VERDICTS, missing: "absent" },
    { keyword: "SCOPE", name: "scope", missing: "empty" },
    { keyword: "CATEGORY", name: "category", missing: "absent" },
  ],
  sections: [
    {
      keyword: "ISSUES",
      name: "findings",
      fields: [...FINDING_FIELDS, { name: "sources", isList: true, isJsonOnly: true }],
    },
    { keyword: "NOTES", name: "notes", fields: "free" },
  ],
  filler: { keyword: "CATEGORY", section: "ISSUES", field: "category" },
};

/** Findings without sources belong to the inspector. */
export function parseInspectionReport(text: string, inspector?: string): InspectionResult | RejectedReport {
  const told = parseReviewReport(text, INSPECTION_FORM);
  if (isRejectedReport(told)) return told;
  if (Object.values(told).every((said) => said.length === 0))
    return { problems: [{ problem: "The inspection is empty. Without findings, give a verdict." }] };
  const { category: _category, ...inspection } = told as unknown as UnsignedInspection;
  const sources = inspector === undefined ? [] : [inspector];
  return { ...inspection, findings: inspection.findings.map((finding) => ({ sources, ...tidyLocation(finding) })) };
}

const tidyLocation = <Finding extends { readonly location: string }>(finding: Finding): Finding => ({
  ...finding,
  location: formatLocation(finding.location),
});

interface UnsignedInspection extends Omit<InspectionResult, "findings"> {
  readonly category?: string;
  readonly findings: readonly (Omit<ReviewFinding, "sources"> & Partial<Pick<ReviewFinding, "sources">>)[];
}

/** CPF has no sources: the reporter is the source. */
export const formatInspectionReport = (inspection: InspectionResult): string =>
  formatCpfReport({ ...inspection, findings: inspection.findings.map((finding) => ({ ...finding })) }, INSPECTION_FORM);

export const AUDIT_FORM: ReportForm = {
  name: "an audit",
  metadata: [
    { keyword: "VERDICT", name: "verdict", oneOf: REVIEW_VERDICTS, missing: "refused" },
    { keyword: "REASON", name: "reason", missing: "absent" },
    { keyword: "SCOPE", name: "scope", missing: "empty" },
    // The engine already knows the wave.
    { keyword: "WAVE_SCOPE", name: "wave_scope", missing: "absent", isDropped: true },
    { keyword: "SPECS_IN_SCOPE", name: "specs_in_scope", missing: "absent", isDropped: true },
  ],
  sections: [
    { keyword: "VERIFIED", name: "verified", fields: [{ name: "sources", isList: true }, ...FINDING_FIELDS] },
    { keyword: "REMOVED", name: "removed", fields: [{ name: "agent" }, { name: "reason" }, { name: "finding" }] },
    {
      keyword: "RESOLVED",
      name: "resolved",
      fields: [{ name: "agents", isList: true }, { name: "resolution" }, { name: "conflict" }],
    },
    { keyword: "UNRESOLVED", name: "unresolved", fields: "free" },
    {
      keyword: "SPEC_FEEDBACK",
      name: "spec_feedback",
      fields: [{ name: "part", oneOf: ["specifications", "design"] }, { name: "spec" }, { name: "description" }],
    },
    {
      keyword: "STEERING",
      name: "steering",
      fields: [
        { name: "level", oneOf: ["CODIFY", "PROPOSE"] },
        { name: "file", like: [STEERING_FILE_PATTERN, "the bare name of a file in sdd/steering, such as tech.md"] },
        { name: "text" },
      ],
    },
    { keyword: "NOTES", name: "notes", fields: "free" },
    { keyword: "ROADMAP_ADVISORY", name: "roadmap_advisory", fields: "free" },
  ],
};

export function parseAuditReport(text: string): AuditResult | RejectedReport {
  const told = parseReviewReport(text, AUDIT_FORM);
  if (isRejectedReport(told)) return told;
  const audit = told as unknown as AuditResult;
  return { ...audit, verified: audit.verified.map(tidyLocation) };
}

export const formatAuditReport = (audit: AuditResult): string =>
  formatCpfReport(audit as unknown as ParsedReviewReport, AUDIT_FORM);

export const formatReviewScope = (scope: ReviewScope): string =>
  scope.of === "feature" ? scope.feature : scope.of === "wave" ? `wave-1..${scope.wave}` : "cross-check";

/** Why a report has the wrong scope. A report without a scope is accepted. */
export function findScopeMismatch(scope: ReviewScope, said: string): string | undefined {
  const told = said
    .replace(/\s+\(.*\)\.?$/, "")
    .replace(/["'`“”„]/g, "")
    .trim()
    .toLowerCase()
    .replace(/^(?:the )?feature:? /, "");
  const name = formatReviewScope(scope);
  const aliases =
    scope.of === "wave" ? [`wave-${scope.wave}`, "wave-scoped-cross-check"] : scope.of === "all" ? ["all"] : [];
  if (told === "" || told === name || aliases.includes(told)) return undefined;
  return `The report is of ${quote(said, 60)}, and ${name} was requested. Inspect that, and report it with SCOPE:${name}.`;
}

/**
 * CPF, the Compact Pipe-Delimited Format: `KEYWORD:value` lines, then sections. A section is a line `KEYWORD:` with one
 * record per line below it. `|` separates fields and `+` separates the identifiers of a list. A backslash escapes `|`,
 * `+`, a backslash, or a keyword with its colon at the start of a record. Before anything else it is a plain backslash.
 */

export function parseCpfLines(lines: readonly ReportLine[], form: ReportForm): ParsedReviewReport | RejectedReport {
  const reading = new CpfReader(form);
  for (const line of lines) reading.take(line);
  return reading.told();
}

export function formatCpfReport(told: ParsedReviewReport, form: ReportForm): string {
  const metadata = form.metadata.flatMap(({ keyword, name }) => {
    const value = told[name];
    return typeof value === "string" ? [`${keyword}:${escapeCpfText(value, /\\/g)}`] : [];
  });
  const sections = form.sections.flatMap(({ keyword, name, fields }) => {
    const records = told[name];
    if (!Array.isArray(records) || records.length === 0) return [];
    const lines = records.map((record: string | ReportRow) => formatCpfRecord(record, fields));
    return [`${keyword}:`, ...lines.map((line) => (matchCpfKeyword(line, form) ? `\\${line}` : line))];
  });
  return `${[...metadata, ...sections].join("\n")}\n`;
}

function formatCpfRecord(record: string | ReportRow, fields: ReportSection["fields"]): string {
  if (typeof record === "string") return escapeCpfText(record, /\\/g);
  const values = listCpfFields(fields).map(({ name }) => record[name] ?? "");
  return values
    .map((value) =>
      typeof value === "string"
        ? escapeCpfText(value, /[\\|]/g)
        : value.map((item) => escapeCpfText(item, /[\\|+]/g)).join("+"),
    )
    .join("|");
}

const listCpfFields = (fields: ReportSection["fields"]): readonly ReportField[] =>
  fields === "free" ? [] : fields.filter(({ isJsonOnly }) => !isJsonOnly);

const escapeCpfText = (text: string, marks: RegExp): string => joinTextLines(text).replace(marks, "\\$&");
const unescapeCpfText = (raw: string): string => raw.replace(/\\([|+\\])/g, "$1");

function matchCpfKeyword(line: string, { metadata, sections }: ReportForm): ReportMetadata | ReportSection | undefined {
  const word = /^[A-Z_]+(?=:)/.exec(line)?.[0];
  return [...metadata, ...sections].find(({ keyword }) => keyword === word);
}

function splitCpfFields(raw: string, mark: "|" | "+"): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const found of raw.matchAll(/\\[|+\\]|[|+]/g)) {
    if (found[0] !== mark) continue;
    parts.push(raw.slice(start, found.index));
    start = found.index + 1;
  }
  return [...parts, raw.slice(start)].map((part) => part.trim());
}

class CpfReader {
  readonly #form: ReportForm;
  readonly #metadata = new Map<string, string>();
  readonly #sections = new Map<string, (string | ReportRow)[]>();
  readonly #places = new Map<string, number>();
  readonly #problems: Problem[] = [];
  /** Undefined above the sections; `skipped` below a rejected line, whose records are ignored. */
  #open: ReportSection | "skipped" | undefined;
  /** Stray lines above the sections are reported once. If they come before everything else, nothing more is read. */
  #stray: "none" | "told" | "lost" = "none";

  constructor(form: ReportForm) {
    this.#form = form;
  }

  take({ number: line, text }: ReportLine): void {
    const said = text.trim();
    if (said === "" || this.#stray === "lost") return;
    const found = matchCpfKeyword(said, this.#form);
    if (!found) return this.#record(said, line);
    this.#stray = "none";
    if ("fields" in found) this.#section(found, said, line);
    else this.#value(found, said, line);
  }

  told(): ParsedReviewReport | RejectedReport {
    const { metadata, sections } = this.#form;
    if (this.#problems.length === 0)
      for (const { keyword, name, missing } of metadata)
        if (missing === "refused" && !this.#metadata.has(name))
          this.#problems.push({ problem: `${keyword} is missing.` });
    if (this.#problems.length > 0) return { problems: limitShownProblems(this.#problems) };
    return Object.fromEntries([
      ...metadata.flatMap((one) => {
        const value = this.#metadata.get(one.name) ?? (one.missing === "empty" ? "" : undefined);
        return value === undefined || one.isDropped ? [] : [[one.name, value] as const];
      }),
      ...sections.map(({ name }) => [name, this.#sections.get(name) ?? []] as const),
    ]) as ParsedReviewReport;
  }

  #value(metadata: ReportMetadata, said: string, line: number): void {
    const { keyword, name, missing, oneOf } = metadata;
    if (this.#open !== undefined)
      return this.#refuse(
        `${keyword} belongs above the sections; a text that begins so is written \\${keyword}:.`,
        line,
      );
    if (this.#isTwice(keyword, line)) return;
    const value = unescapeCpfText(said.slice(keyword.length + 1).trim());
    if (value === "" && missing !== "refused" && !oneOf) return;
    this.#check(metadata, value, keyword, line);
    this.#metadata.set(name, value);
  }

  #section(section: ReportSection, said: string, line: number): void {
    const { keyword, name } = section;
    const isTwice = this.#isTwice(keyword, line);
    this.#open = isTwice ? "skipped" : section;
    if (isTwice) return;
    this.#sections.set(name, []);
    if (said.length > keyword.length + 1)
      this.#refuse(`Write nothing after ${keyword}: on its line. Its entries go on the lines below.`, line);
  }

  #isTwice(keyword: string, line: number): boolean {
    const before = this.#places.get(keyword);
    this.#places.set(keyword, before ?? line);
    if (before === undefined) return false;
    this.#refuse(
      `${keyword} is there already, on line ${before}; a text that begins so is written \\${keyword}:.`,
      line,
    );
    return true;
  }

  #record(said: string, line: number): void {
    const { filler, sections } = this.#form;
    // Rows may follow directly after metadata that applies to all of them.
    if (this.#open === undefined && filler && this.#places.has(filler.keyword)) {
      const filled = sections.find(({ keyword }) => keyword === filler.section);
      if (filled) this.#section(filled, `${filled.keyword}:`, line);
    }
    const section = this.#open;
    if (section === "skipped") return;
    if (section === undefined) return this.#refuseStray(said, line);
    const own = said.startsWith("\\") && matchCpfKeyword(said.slice(1), this.#form) ? said.slice(1) : said;
    if (section.fields !== "free") return this.#row(section, said, own, line);
    const text = unescapeCpfText(own);
    this.#check({ name: section.name }, text, `A line of ${section.keyword}`, line);
    this.#sections.get(section.name)?.push(text);
  }

  #refuseStray(said: string, line: number): void {
    if (this.#stray === "told") return;
    this.#stray = "told";
    if (this.#refuseUnknown(said, line)) return;
    if (this.#places.size > 0) return this.#refuse(`${quote(said, 60)} belongs to no section.`, line);
    this.#stray = "lost";
    const first = this.#form.metadata[0]?.keyword ?? "";
    this.#refuse(
      `${quote(said, 60)} comes before the report, which must begin with a keyword such as ${first}:.`,
      line,
    );
  }

  #refuseUnknown(said: string, line: number): boolean {
    const word = /^[A-Za-z][A-Za-z_]*(?=:\s*\S*$)/.exec(said)?.[0];
    if (word === undefined) return false;
    const known = [...this.#form.metadata, ...this.#form.sections].map(({ keyword }) => keyword);
    const meant = findClosestWord(word.toUpperCase(), known);
    if (!meant && word !== word.toUpperCase()) return false;
    const advice = meant ? `Write ${meant}:.` : `There are ${known.join(", ")}.`;
    this.#refuse(`${quote(word, 40)} is not a keyword of ${this.#form.name}. ${advice}`, line);
    return true;
  }

  #row({ keyword, name, fields }: ReportSection, said: string, own: string, line: number): void {
    const raw = splitCpfFields(own, "|");
    const all = listCpfFields(fields);
    const { filler } = this.#form;
    const value = filler && this.#metadata.get(filler.field);
    // A row may omit the field that the metadata gives for all rows.
    const isFilled = filler?.section === keyword && value !== undefined && raw.length === all.length - 1;
    const given = isFilled ? all.filter((field) => field.name !== filler.field) : all;
    if (raw.length !== given.length) {
      if (raw.length === 1 && this.#refuseUnknown(said, line)) {
        this.#open = "skipped";
        return;
      }
      const names = all.map((field) => field.name).join("|");
      const due = `A row of ${keyword} has ${formatCount(all.length, "field")}, ${names}, and this has ${raw.length}.`;
      return this.#refuse(raw.length > all.length ? `${due} A | within a text is written \\|.` : due, line);
    }
    const entries = given.map((field, i) => [field.name, this.#field(field, raw[i] ?? "", line)] as const);
    this.#sections.get(name)?.push({ ...(isFilled ? { [filler.field]: value } : {}), ...Object.fromEntries(entries) });
  }

  #field(field: ReportField, raw: string, line: number): string | readonly string[] {
    const values = field.isList ? splitCpfFields(raw, "+").map(unescapeCpfText) : [unescapeCpfText(raw)];
    const wrong = values.find((value) => findReportTextProblem(field, value) !== undefined);
    if (wrong !== undefined) this.#check(field, wrong, `The field ${field.name}`, line);
    return field.isList ? values : (values[0] ?? "");
  }

  #check(field: ReportField, text: string, what: string, line: number): void {
    const problem = findReportTextProblem(field, text);
    if (problem !== undefined) this.#refuse(`${what} ${problem}.`, line);
  }

  #refuse(problem: string, line: number): void {
    this.#problems.push({ problem, line });
  }
}
