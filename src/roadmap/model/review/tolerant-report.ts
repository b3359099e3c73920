import type { Problem } from "#kernel/model/verdict.ts";
import type { ReportField, ReportForm, ReportSection } from "./report-form.ts";
import {
  CLOSING_LINE,
  MARKUP,
  RULE_LINE,
  escapeField,
  findJsonValue,
  isEmptyText,
  plainTypography,
  readSeverity,
  splitCells,
  tidyRowField,
  trimBullet,
  trimMarkup,
} from "./report-text.ts";
import { convertJsonReport, findReportKeyword, findRowField, listRowFields } from "./tolerant-json.ts";

/** A report in its exact form. The doubts name lines that may mean something that the form lacks. */
export interface TidyReport {
  readonly text: string;
  readonly doubts: readonly Problem[];
}

/** Without greetings, fences and Markdown, from tables, lists and JSON. A line that fits nowhere is a doubt. */
export function tidyReportText(text: string, form: ReportForm): TidyReport | undefined {
  const reading = new TolerantReader(form);
  const plain = plainTypography(text)
    .replace(/<(think(?:ing)?|analysis|scratchpad)>[\s\S]*?<\/\1>/gi, (found) => found.replace(/[^\n]+/g, ""))
    .replace(/^(?:[ \t]*>[ \t]?)+|<br ?\/?>[ \t]*$/gm, "")
    // `<scope>cart</scope>`, and `<issues>` above its rows.
    .replace(/^[ \t]*<([a-z]+)>(?:(.*)<\/\1>)?[ \t]*$/gim, (tag, word: string, value?: string) =>
      findReportKeyword(form, word) === undefined ? tag : `${word}: ${value ?? ""}`,
    )
    // TOML, and a definition list.
    .replace(/^\[\[?(\w+)\]?\][ \t]*$/gm, (head, word: string, at: number, whole: string) => {
      if (findReportKeyword(form, word) === undefined) return head;
      return whole.indexOf(head) === at ? `${word}:` : "";
    })
    .replace(/^(\w+) = "(.*)"[ \t]*$/gm, "$1: $2")
    .replace(/^([A-Za-z]+)[ \t]*\n:[ \t]+(.*)$/gm, "\n$1: $2")
    // A row struck out.
    .replace(/^[ \t]*(?:[-*+•][ \t]+)?~~.*~~.*$/gm, "")
    .replaceAll("：", ":")
    .replaceAll("｜", "|");
  // An open fence may mean that the report was cut off.
  if ((plain.match(/^[ \t]*(?:`{3,}|~{3,})/gm) ?? []).length % 2 === 1) return undefined;
  const json = findJsonValue(plain);
  // Broken JSON may have been cut off too.
  if (!json && /^\s*(?:[`~]{3,}\w*\s+)?\{/.test(plain)) return undefined;
  const lines = json ? convertJsonReport(json.value, form) : [];
  if (!lines) return undefined;
  for (const line of lines) reading.take(line, 1);
  const around = json ? plain.replace(json.source, (found) => found.replace(/[^\n]+/g, "")) : plain;
  for (const [i, line] of around.split(/\r\n|\n|\r/).entries()) reading.take(line, i + 1);
  return reading.end();
}

class TolerantReader {
  readonly #form: ReportForm;
  readonly #metadata = new Map<string, string>();
  readonly #rows = new Map<string, string[]>();
  readonly #doubts: Problem[] = [];
  #open: ReportSection | undefined;
  /** Metadata whose value is on the next line. */
  #awaited: string | undefined;
  /** Free metadata, which may go on in the lines below. */
  #continued: string | undefined;
  #columns: readonly (string | undefined)[] = [];
  #group: string | undefined;
  #item = new Map<string, string>();
  #hasRow = false;
  #isLost = false;
  /** Below a title such as `Considered and not reported:`, until the next key. */
  #isDismissed = false;
  /** A numbered or headed line whose labels or rows should follow. */
  #title: { readonly said: string; readonly line: number } | undefined;

  constructor(form: ReportForm) {
    this.#form = form;
  }

  end(): TidyReport | undefined {
    this.#flush();
    if (this.#isLost || this.#metadata.size + this.#rows.size === 0) return undefined;
    const { metadata, sections } = this.#form;
    const verdict = this.#metadata.get("VERDICT") ?? "";
    const isSevere = [...this.#rows.values()].flat().some((row) => /(?:^|\|)[CH]\|/.test(row));
    if (verdict === "NO-GO" && !isSevere) this.#doubts.push({ problem: "VERDICT is NO-GO, and no row is C or H." });
    const lines = [
      ...metadata.flatMap(({ keyword }) => {
        const value = this.#metadata.get(keyword);
        return value === undefined ? [] : [`${keyword}:${value}`];
      }),
      ...sections.flatMap(({ keyword }) => {
        const rows = this.#rows.get(keyword) ?? [];
        return rows.length === 0 ? [] : [`${keyword}:`, ...rows];
      }),
    ];
    return { text: `${lines.join("\n")}\n`, doubts: this.#doubts };
  }

  take(raw: string, line: number): void {
    if (/^\s*(?:`{3,}|~{3,})/.test(raw) || RULE_LINE.test(raw) || /^\s*<\/?[\w-]+>\s*$/.test(raw)) return;
    const said = raw.trim();
    if (said === "") {
      this.#continued = undefined;
      return;
    }
    if (this.#takeKey(said, line)) return;
    if (this.#continued !== undefined) {
      this.#metadata.set(this.#continued, `${this.#metadata.get(this.#continued) ?? ""} ${said}`);
      return;
    }
    if (this.#awaited !== undefined) {
      this.#setMetadata(this.#awaited, trimBullet(said), line);
      this.#awaited = undefined;
      return;
    }
    this.#isDismissed ||= this.#open !== undefined && this.#open.fields !== "free" && DISMISSED_TITLE.test(said);
    if (this.#isDismissed || this.#takeColumns(said)) return;
    const [findings] = this.#form.sections;
    const hasFiller = this.#metadata.has(this.#form.filler?.keyword ?? "");
    const isFirst = !this.#open && !hasFiller && findings?.keyword === "ISSUES" && this.#rows.size === 0;
    if (isFirst && (readGroup(raw) || FINDING_START.test(trimBullet(said)))) this.#openSection(findings);
    if (this.#open?.fields === "free") {
      const plain = said.replace(/^#+\s+/, "");
      if (!isEmptyText(trimBullet(plain))) this.#addRow(plain);
    } else if (this.#open) this.#takeRow(raw, line);
    else
      this.#isLost ||= splitCells(said).filter((cell) => cell !== "").length > 2 || this.#isFinding(trimBullet(said));
  }

  #isFinding = (said: string): boolean =>
    /^[\s*_`"-]*severity[\s*_`"]*[:=]/i.test(said) || this.#readSentence(said) !== undefined;

  #fields(section = this.#open ?? this.#form.sections[0]): readonly ReportField[] {
    return section ? listRowFields(section) : [];
  }

  /** `KEY: value`, or a heading or bold line that is a key alone. */
  #takeKey(said: string, line: number): boolean {
    const plain = said
      .replace(/^[^\p{L}<|[]+/u, "")
      .replace(/^(?:(?:my|the|our|final|overall) )*verdict (?:is|=) /i, "VERDICT: ")
      .replace(/^[^|]*\b(?:so|overall|result|conclusion)[:,]? \W*((?:NO-)?GO|CONDITIONAL)\W*$/, "VERDICT: $1");
    const colon = /^([A-Za-z_]+)\s*(?:\(\d+\))?[*_`"\s]*(?::|[=-]>|→|⇒|=)[*_`]*\s*(.*)$/.exec(plain);
    const alone = /^([A-Za-z_]+)\s*(?:\(\d+\))?[*_`\s]*$/.exec(plain);
    const isHeading = /^(?:#|\*\*|__)/.test(said) || /^(?:ISSUES|Issues|FINDINGS|Findings|NOTES|Notes)$/.test(said);
    const heading = isHeading ? alone : null;
    const [, word = "", value = ""] = colon ?? heading ?? [];
    const isLabel = word.toUpperCase() === "CATEGORY" && (this.#open !== undefined || this.#item.size > 0);
    const keyword = isLabel ? undefined : findReportKeyword(this.#form, word);
    if (keyword === undefined) {
      // A key of its own, such as INSPECTOR, ends a section and means nothing here.
      if (!colon || !/^[A-Z_]{4,}$/.test(word) || this.#open?.fields === "free") return false;
      if (this.#item.size > 0 && findRowField(this.#fields(), word)) return false;
      if (!["INSPECTOR", "AUDITOR", "AGENT", "ROLE", "FEATURE", "WAVE", "VIEW", "REPORT", "SUMMARY"].includes(word))
        this.#doubt("is not a key of the report", said, line);
      return true;
    }
    const section = this.#form.sections.find((each) => each.keyword === keyword);
    this.#isDismissed = false;
    if (!section) {
      // Between notes, it may be a note.
      if (this.#open?.fields === "free" && (keyword !== "VERDICT" || this.#metadata.has(keyword)))
        this.#doubt("may be a note", said, line);
      this.#flush();
      this.#open = undefined;
      this.#continued = keyword === "REASON" ? keyword : undefined;
      if (value.trim() === "" && heading) this.#awaited = keyword;
      else this.#setMetadata(keyword, value, line);
      return true;
    }
    if (section === this.#open && section.fields === "free" && /^[-*+•]/.test(said)) return false;
    if (this.#rows.has(keyword)) this.#doubt("is there twice", said, line);
    this.#openSection(section);
    const isCount = section.fields !== "free" && /^\(?\d+\)?$/.test(value);
    if (!isCount && !isEmptyText(trimMarkup(value))) this.take(value, line);
    return true;
  }

  #openSection(section: ReportSection): void {
    this.#flush();
    this.#continued = undefined;
    this.#open = section;
    [this.#columns, this.#group, this.#hasRow] = [[], undefined, false];
    if (!this.#rows.has(section.keyword)) this.#rows.set(section.keyword, []);
  }

  #setMetadata(keyword: string, said: string, line: number): void {
    // The form itself, quoted.
    if (/^\{.*\}$/.test(said)) return;
    const allowed = this.#form.metadata.find((each) => each.keyword === keyword)?.oneOf;
    const plain = said.replace(MARKUP, "").trim();
    const word = plain
      .toUpperCase()
      .replace(/^[^A-Z]+/, "")
      .replace(/[\s_–—]+/g, "-")
      .replace(/^NOGO/, "NO-GO");
    const found = allowed
      ?.toSorted((a, b) => b.length - a.length)
      .find((each) => new RegExp(`^${each}(?![A-Z])`).test(word));
    // `GO or NO-GO` names two.
    const isUnclear =
      allowed?.some((each) => each !== found && word.replace(found ?? "", "").includes(each)) || word.includes("|");
    const value = found ?? plain.replace(/\s+\(.*\)$/, "").replace(/\.$/, "");
    const before = this.#metadata.get(keyword);
    if (isUnclear || (before !== undefined && before !== value)) {
      this.#doubt("is not clear", `${keyword}: ${said}`, line);
      this.#metadata.delete(keyword);
    } else if (value !== "") this.#metadata.set(keyword, value);
  }

  /** A table's head names the fields. A table without a section belongs to the first section that has them. */
  #takeColumns(said: string): boolean {
    if (!said.includes("|")) return false;
    const cells = splitCells(said);
    const fits = (section: ReportSection): boolean => {
      const names = cells.map((cell) => findRowField(this.#fields(section), cell)?.name);
      return (
        names.filter(Boolean).length >= Math.min(3, this.#fields(section).length) && !names.includes("severity", 9)
      );
    };
    const section = this.#open && this.#open.fields !== "free" ? this.#open : this.#form.sections.find(fits);
    if (!section || section.fields === "free" || !fits(section)) return false;
    if (section !== this.#open) this.#openSection(section);
    this.#columns = cells.map((cell) => findRowField(this.#fields(section), cell)?.name);
    return true;
  }

  #takeRow(raw: string, line: number): void {
    const said = trimBullet(raw.replace(/^\s*#+\s+/, ""));
    if (isEmptyText(trimMarkup(said))) {
      this.#title = undefined;
      return;
    }
    const group = readGroup(raw);
    if (group !== undefined) {
      this.#flush();
      this.#group = group;
      return;
    }
    const labels = said.split(/[,;]\s+(?=[*_`]*(?:category|location|file|description)[*_`]*\s*:)/i);
    if (labels.map((label) => this.#takeLabel(label)).every(Boolean)) return;
    // `[rulebase] H | …` names the inspector first.
    const whole = /^(?:sources|agents?)/.test(this.#fields()[0]?.name ?? "")
      ? said.replace(SIGNED_ROW, "$1 | $2")
      : said;
    const cells = whole.includes("|") ? splitCells(whole) : undefined;
    const row = cells ? this.#readCells(cells) : this.#readSentence(said);
    if (row === null) return;
    // A title may announce its row, but one that names a severity was a finding itself.
    if (row && this.#title && readSeverity(this.#title.said.split(/[\s:]/, 1)[0] ?? "")) this.#flush();
    if (row) return this.#addRow(row);
    const isTitle = /^\s*(?:#|\d+[.)]\s)/.test(raw) || /^(?:finding|issue) *#?\d+\W*$/i.test(said);
    if (isTitle && !cells) {
      this.#flush();
      this.#title = { said, line };
      return;
    }
    const rows = this.#rows.get(this.#open?.keyword ?? "") ?? [];
    const isContinued = this.#hasRow && !cells && (/^\s{2,}\S/.test(raw) || /^\p{Ll}/u.test(said));
    if (isContinued) rows.push(`${rows.pop() ?? ""} ${escapeField(said)}`);
    else if (CLOSING_LINE.test(said.replace(MARKUP, "").trim())) this.#close();
    else if (cells) this.#isLost = true;
    else this.#doubt("is not a row", said, line);
  }

  #close(): void {
    this.#flush();
    this.#open = undefined;
  }

  /** `Severity: High`, one label per line. */
  #takeLabel(said: string): boolean {
    const [, label = "", value = ""] = /^[*_`]*([A-Za-z]+)[*_`]*\s*:[*_`]*\s*(.*)$/.exec(said) ?? [];
    const field = label === "" ? undefined : findRowField(this.#fields(), label);
    if (!field || value === "") return false;
    if (this.#item.has(field.name)) this.#flush();
    this.#item.set(field.name, escapeField(value));
    return true;
  }

  #readCells(all: readonly string[]): string | null | undefined {
    const fields = this.#fields();
    if (all.every((cell) => isEmptyText(cell))) return null;
    if (this.#columns.length > 0) {
      const extra = all.slice(this.#columns.length);
      const cells = all.slice(0, this.#columns.length);
      const last = this.#columns.length - 1;
      if (extra.length > 0) cells[last] = [cells[last], ...extra].join(" \\| ");
      const named = new Map(this.#columns.flatMap((name, i) => (name === undefined ? [] : [[name, cells[i] ?? ""]])));
      return this.#formatItem(named);
    }
    const isGrouped = this.#group !== undefined && readSeverity(all[0] ?? "") === undefined;
    const isLast = readSeverity(all[0] ?? "") === undefined && readSeverity(all.at(-1) ?? "") !== undefined;
    const ordered = isLast ? [all.at(-1) ?? "", ...all.slice(0, -1)] : all;
    const cells = isGrouped ? [this.#group ?? "", ...all] : ordered;
    const fixed = fields.length - 1;
    const isFilled = this.#metadata.has(this.#form.filler?.keyword ?? "") && cells.length === fixed;
    if (isFilled) return cells.map((cell, i) => (i === 0 ? (readSeverity(cell) ?? cell) : cell)).join("|");
    if (cells.length < fields.length) return undefined;
    const joined = [...cells.slice(0, fixed), cells.slice(fixed).join(" \\| ")];
    return this.#formatItem(new Map(fields.map(({ name }, i) => [name, joined[i] ?? ""])));
  }

  /** `[H] category — file:3 — text`, and the same with colons or commas. */
  #readSentence(said: string): string | undefined {
    const names = this.#fields().map(({ name }) => name);
    if (names.join() !== "severity,category,location,description") return undefined;
    // `category (High) at file:3: text` names the severity second.
    const plain = said.replace(/\*\*/g, "").replace(/^([a-z][\w-]*) [[(]([A-Za-z]+)[\])]/, "[$2] $1");
    const hasOwn = readSeverity(/^\W*(\p{L}*)/u.exec(plain)?.[1] ?? "") !== undefined;
    const found = FINDING_SENTENCE.exec(hasOwn || this.#group === undefined ? plain : `[${this.#group}] ${plain}`);
    const severity = found ? readSeverity(found[1] ?? "") : undefined;
    const [, , category = "", location = "", description = ""] = found ?? [];
    if (!found || severity === undefined) return readLooseFinding(said, this.#group);
    return `${severity}|${category}|${location}|${escapeField(description)}`;
  }

  #formatItem(item: ReadonlyMap<string, string>): string {
    return this.#fields()
      .map(({ name }) => tidyRowField(name, item.get(name) ?? (name === "severity" ? this.#group : undefined) ?? ""))
      .join("|");
  }

  #flush(): void {
    const item = this.#item;
    if (item.size === 0) {
      if (this.#title) this.#doubt("is not a row", this.#title.said, this.#title.line);
      this.#title = undefined;
      return;
    }
    this.#item = new Map();
    this.#addRow(this.#formatItem(item));
  }

  #addRow(row: string): void {
    this.#hasRow = true;
    this.#title = undefined;
    this.#rows.get(this.#open?.keyword ?? "")?.push(row);
  }

  #doubt(problem: string, said: string, line: number): void {
    this.#doubts.push({ problem: `"${said.slice(0, 60)}" ${problem}.`, line });
  }
}

/** A title above rows that the inspector does not report. */
const DISMISSED_TITLE =
  /^(?=[^|]*:\W*$|#|\*\*)\W*(?:(?:considered|checked|examined|looked at)\b[^|]*\b(?:not|dropped|dismissed|rejected)\b|not (?:reported|counted|findings?)\b|dismissed\b|discarded\b|ruled out\b|withdrawn\b|false positives?\b)/i;

const SIGNED_ROW = /^[[(]([\w+, -]+)[\])]:?\s+(.*\|.*)$/;

/** `H | …` and `Severity: High` begin a finding. */
const FINDING_START = /^(?:[CHML]|critical|high|medium|low)\s*\||^[*_`]*severity[*_`]*\s*:/i;

const SENTENCE_LOCATION =
  /(?:[\w@.-]+\/)*[\w@.-]+\.\w+(?::\d+(?:[-–]\d+)?)?|[Ss]pec(?:ification)? ?\d+(?:\.\d+)?(?:[ .,]*AC ?\d+)?/u.source;
const FINDING_SENTENCE = new RegExp(
  String.raw`^\W*?([A-Za-z]+)\W*?[\s\]):,–—-]+\(?([A-Za-z][A-Za-z_-]*)\)?(?:\s*[:,–—→]\s*|\s+(?:-|->|at|in)\s+|\s+(?=[(\x60]))[(\x60"„“]*(${SENTENCE_LOCATION})(?!:\d)[)\x60"”“]*(?:(?<=\))\W*|(?:\s*[:,–—→]\s*|\s+(?:-|->)\s+)(\S.*))$`,
  "u",
);

const LEADING_LOCATION = new RegExp(String.raw`^[\x60"]*(${SENTENCE_LOCATION})[\x60"]*[\s:–—-]*`);
const NEXT_LOCATION = new RegExp(String.raw`^(?:\s*(?:at|in)\s+|\W*)[\x60"]*(${SENTENCE_LOCATION})[\x60"]*`);
const LAST_LOCATION = new RegExp(String.raw`\s*[([][\x60"]*(${SENTENCE_LOCATION})[\x60"]*[)\]]\.?$`);

/** The same in any order: `file:3 (category): text`, `category at file:3: text (severity: high)`, `[H] category: text (file:3)`. */
function readLooseFinding(said: string, group: string | undefined): string | undefined {
  let rest = said.replace(/\*\*/g, "").replace(/^\[ ?\]\s*/, "");
  const cut = (form: RegExp): string | undefined => {
    const found = form.exec(rest);
    if (found) rest = rest.slice(0, found.index) + rest.slice(found.index + found[0].length);
    return found?.[1];
  };
  const last = cut(/\s*[([]severity\s*[:=]\s*([A-Za-z]+)[)\]]\.?$/i);
  const isFirst = readSeverity(/^\W*([A-Za-z]+)(?!-?\w)/.exec(rest)?.[1] ?? "") !== undefined;
  const severity = readSeverity(last ?? (isFirst ? cut(/^\W*([A-Za-z]+)(?!-?\w)\W*/) : group) ?? "");
  const before = cut(LEADING_LOCATION);
  const category = cut(/^\W*([a-z][a-z_]*(?:-[a-z]+)*)(?=[\s*_`]*[:·–—()[\],@]| +(?:-|at|in) )[)\]]*/);
  const location = before ?? cut(NEXT_LOCATION) ?? cut(LAST_LOCATION);
  const description = rest.replace(/^[\s:·–—,-]+/, "");
  if (!severity || !category || !location || description === "") return undefined;
  return `${severity}|${category}|${location}|${escapeField(description)}`;
}

/** The severity that a heading such as `## High issues (2)` gives to the rows below it. */
function readGroup(raw: string): string | undefined {
  const isHeading = /^\s*(?:#|\*\*)/.test(raw) || /^\s*\w+:?\s*$/.test(raw);
  const words = trimBullet(raw.replace(/^\s*#+\s+/, ""));
  return isHeading ? readSeverity(words.replace(/\b(?:severity|issues?|findings?)\b|\(\d+\)/gi, "")) : undefined;
}
