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
} from "./report-form.ts";

/**
 * CPF, the Compact Pipe-Delimited Format: `KEYWORD:value` lines, then sections. A section is a line `KEYWORD:` with one
 * record per line below it. `|` separates fields and `+` separates the identifiers of a list. A backslash escapes `|`,
 * `+`, a backslash, or a keyword with its colon at the start of a record. Before anything else it is a plain backslash.
 */

export function parseCpfReport(text: string, form: ReportForm): ParsedReviewReport | RejectedReport {
  const read = readReportLines(text);
  return "problems" in read ? read : parseCpfLines(read.lines, form);
}

export function parseCpfLines(lines: readonly ReportLine[], form: ReportForm): ParsedReviewReport | RejectedReport {
  const reading = new CpfReader(form);
  for (const line of lines) reading.take(line);
  return reading.told();
}

export function formatCpfReport(told: ParsedReviewReport, form: ReportForm): string {
  const metadata = form.metadata.flatMap(({ keyword, name }) => {
    const value = told[name];
    return typeof value === "string" ? [`${keyword}:${escapeCpfText(joinTextLines(value), /\\/g)}`] : [];
  });
  const sections = form.sections.flatMap(({ keyword, name, fields }) => {
    const records = told[name];
    const lines = Array.isArray(records)
      ? records.map((record: string | ReportRow) => formatCpfRecord(record, fields))
      : [];
    return lines.length === 0 ? [] : [`${keyword}:`, ...lines.map((line) => guardCpfLine(line, form))];
  });
  return `${[...metadata, ...sections].join("\n")}\n`;
}

function formatCpfRecord(record: string | ReportRow, fields: ReportSection["fields"]): string {
  if (typeof record === "string") return escapeCpfText(joinTextLines(record), /\\/g);
  return listCpfFields(fields)
    .map(({ name }) => record[name] ?? "")
    .map((value) =>
      typeof value === "string"
        ? escapeCpfText(joinTextLines(value), /[\\|]/g)
        : value.map((item) => escapeCpfText(joinTextLines(item), /[\\|+]/g)).join("+"),
    )
    .join("|");
}

const listCpfFields = (fields: ReportSection["fields"]): readonly ReportField[] =>
  fields === "free" ? [] : fields.filter(({ isJsonOnly }) => !isJsonOnly);

const escapeCpfText = (text: string, marks: RegExp): string => text.replace(marks, "\\$&");
const unescapeCpfText = (raw: string): string => raw.replace(/\\([|+\\])/g, "$1");

const guardCpfLine = (line: string, form: ReportForm): string => (matchCpfKeyword(line, form) ? `\\${line}` : line);
const unguardCpfLine = (line: string, form: ReportForm): string =>
  line.startsWith("\\") && matchCpfKeyword(line.slice(1), form) ? line.slice(1) : line;

function matchCpfKeyword(line: string, form: ReportForm): ReportMetadata | ReportSection | undefined {
  const word = /^[A-Z_]+(?=:)/.exec(line)?.[0];
  return word === undefined ? undefined : listCpfKeywords(form).find(({ keyword }) => keyword === word);
}

const listCpfKeywords = ({ metadata, sections }: ReportForm): readonly (ReportMetadata | ReportSection)[] => [
  ...metadata,
  ...sections,
];

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

  take({ number, text }: ReportLine): void {
    const said = text.trim();
    if (said === "" || this.#stray === "lost") return;
    const found = matchCpfKeyword(said, this.#form);
    if (found) this.#stray = "none";
    if (!found) this.#record(said, number);
    else if ("fields" in found) this.#section(found, said, number);
    else this.#value(found, said, number);
  }

  told(): ParsedReviewReport | RejectedReport {
    const { metadata, sections } = this.#form;
    const missing = metadata.filter((one) => one.missing === "refused" && !this.#metadata.has(one.name));
    if (this.#problems.length === 0) {
      this.#problems.push(...missing.map(({ keyword }) => ({ problem: `${keyword} is missing.` })));
    }
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
    if (this.#open !== undefined) {
      this.#refuse(`${keyword} belongs above the sections; a text that begins so is written \\${keyword}:.`, line);
      return;
    }
    if (this.#isTwice(keyword, line)) return;
    const value = unescapeCpfText(said.slice(keyword.length + 1).trim());
    if (value === "" && missing !== "refused" && !oneOf) return;
    const problem = findReportTextProblem(metadata, value);
    if (problem !== undefined) this.#refuse(`${keyword} ${problem}.`, line);
    this.#metadata.set(name, value);
  }

  #section(section: ReportSection, said: string, line: number): void {
    const { keyword, name } = section;
    const isTwice = this.#isTwice(keyword, line);
    this.#open = isTwice ? "skipped" : section;
    if (isTwice) return;
    this.#sections.set(name, []);
    if (said.length > keyword.length + 1) {
      this.#refuse(`Nothing stands behind ${keyword}: itself; what belongs to it follows line by line.`, line);
    }
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
    this.#open ??= this.#filledSection(line);
    if (this.#open === "skipped") return;
    if (this.#open === undefined) this.#refuseStray(said, line);
    else if (this.#open.fields === "free") this.#free(this.#open, said, line);
    else this.#row(this.#open, said, line);
  }

  /** Rows may follow directly after metadata that applies to all of them. */
  #filledSection(line: number): ReportSection | undefined {
    const { filler, sections } = this.#form;
    if (!filler || !this.#places.has(filler.keyword)) return undefined;
    const section = sections.find(({ keyword }) => keyword === filler.section);
    if (section) this.#section(section, `${section.keyword}:`, line);
    return section;
  }

  #refuseStray(said: string, line: number): void {
    if (this.#stray === "told") return;
    this.#stray = "told";
    if (this.#refuseUnknown(said, line)) return;
    if (this.#places.size > 0) {
      this.#refuse(`${quote(said, 60)} belongs to no section.`, line);
      return;
    }
    this.#stray = "lost";
    const first = this.#form.metadata[0]?.keyword ?? "";
    this.#refuse(`${quote(said, 60)} stands before the report, which begins with a keyword such as ${first}:.`, line);
  }

  #refuseUnknown(said: string, line: number): boolean {
    const word = /^[A-Za-z][A-Za-z_]*(?=:\s*\S*$)/.exec(said)?.[0];
    if (word === undefined) return false;
    const known = listCpfKeywords(this.#form).map(({ keyword }) => keyword);
    const meant = findClosestWord(word.toUpperCase(), known);
    if (!meant && word !== word.toUpperCase()) return false;
    const advice = meant ? `Write ${meant}:.` : `There are ${known.join(", ")}.`;
    this.#refuse(`${quote(word, 40)} is no keyword of ${this.#form.name}. ${advice}`, line);
    return true;
  }

  #free({ keyword, name }: ReportSection, said: string, line: number): void {
    const text = unescapeCpfText(unguardCpfLine(said, this.#form));
    const problem = findReportTextProblem({ name }, text);
    if (problem !== undefined) this.#refuse(`A line of ${keyword} ${problem}.`, line);
    this.#sections.get(name)?.push(text);
  }

  #row(section: ReportSection, said: string, line: number): void {
    const raw = splitCpfFields(unguardCpfLine(said, this.#form), "|");
    const all = listCpfFields(section.fields);
    const { fields, filled } = this.#filled(section, all, raw.length);
    if (raw.length !== fields.length) {
      if (raw.length === 1 && this.#refuseUnknown(said, line)) {
        this.#open = "skipped";
        return;
      }
      const names = all.map(({ name }) => name).join("|");
      const due = `A row of ${section.keyword} has ${formatCount(all.length, "field")}, ${names}, and this has ${raw.length}.`;
      this.#refuse(raw.length > all.length ? `${due} A | within a text is written \\|.` : due, line);
      return;
    }
    const entries = fields.map((field, i) => [field.name, this.#field(field, raw[i] ?? "", line)] as const);
    this.#sections.get(section.name)?.push({ ...filled, ...Object.fromEntries(entries) });
  }

  /** The fields of a row that may omit one, and the value used instead. */
  #filled(
    section: ReportSection,
    all: readonly ReportField[],
    length: number,
  ): { fields: readonly ReportField[]; filled: ReportRow } {
    const { filler } = this.#form;
    const value = filler && this.#metadata.get(filler.field);
    if (!filler || filler.section !== section.keyword || value === undefined || length !== all.length - 1) {
      return { fields: all, filled: {} };
    }
    return { fields: all.filter(({ name }) => name !== filler.field), filled: { [filler.field]: value } };
  }

  #field(field: ReportField, raw: string, line: number): string | readonly string[] {
    const values = field.isList ? splitCpfFields(raw, "+").map(unescapeCpfText) : [unescapeCpfText(raw)];
    const problem = values.map((value) => findReportTextProblem(field, value)).find((one) => one !== undefined);
    if (problem !== undefined) this.#refuse(`The field ${field.name} ${problem}.`, line);
    return field.isList ? values : (values[0] ?? "");
  }

  #refuse(problem: string, line: number): void {
    this.#problems.push({ problem, line });
  }
}
