import { isPlainObject } from "#kernel/model/plain-object.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import type { AgentReport } from "../lead/lead-state.ts";
import {
  CONTROL_CHARACTER,
  isFenceEnd,
  isJsonReport,
  isRejectedReport,
  joinTextLines,
  matchFenceStart,
  parseReportJsonText,
  readReportLines,
  type RejectedReport,
  type ReportLine,
  splitReportLines,
} from "../review/report-form.ts";
import { parseAuditReport, parseInspectionReport } from "../review/review-report.ts";
import type { RoadmapRole } from "./agent-roles.ts";
import { parsePanelReport } from "./panel-report.ts";
import { splitEscapedLines } from "../review/report-text.ts";
import { type ReportedWork, tidyCompletionText, trimFileRemark } from "./tolerant-completion.ts";

/** Required fields of each report. Other fields are ignored. */
const REPORT_FIELDS = {
  ARCHITECT_COMPLETE: ["Feature", "Mode", "Artifacts", "Discovery", "Key findings"],
  TASKGEN_COMPLETE: ["Feature", "Tasks", "Parallel tasks", "Specs covered", "Execution"],
  BUILDER_COMPLETE: ["Feature", "Tasks completed", "Files", "Tests"],
  BUILDER_BLOCKED: ["Feature", "Blocker", "Tasks affected", "Attempted"],
} as const;
type ReportKeyword = keyof typeof REPORT_FIELDS;
const REPORT_KEYWORDS = Object.keys(REPORT_FIELDS) as readonly ReportKeyword[];

const ROLE_KEYWORDS: Readonly<Record<string, readonly ReportKeyword[]>> = {
  architect: ["ARCHITECT_COMPLETE"],
  "task-generator": ["TASKGEN_COMPLETE"],
  builder: ["BUILDER_COMPLETE", "BUILDER_BLOCKED"],
};

const SHORT_LABELS: Readonly<Record<string, string>> = { "tasks completed": "tasks", "tasks affected": "tasks" };
const OPTIONAL_VALUE_FIELDS: ReadonlySet<string> = new Set(["Parallel tasks"]);
const MAX_FIELD_LENGTH = 4_000;

/** Finds the block anywhere in text or JSON. If `feature` is given, the report must name it. */
export function parseCompletionReport(
  role: RoadmapRole,
  said: string,
  feature?: string,
  { views = [], work }: { readonly views?: readonly string[] | undefined; readonly work?: ReportedWork } = {},
): AgentReport | RejectedReport {
  const text = splitEscapedLines(said);
  const read =
    views.length > 1 ? parsePanelReport(role, text, views) : parseTolerantCompletion(role, text, feature, work);
  if ("problems" in read) return read;
  const inspections = read.kind === "inspection" ? [read.inspection, ...Object.values(read.others ?? {})] : [];
  const lessons = listLessonTags(inspections.flatMap(({ notes }) => notes));
  const { length: tags } = "tags" in read ? (read.tags ?? []) : lessons;
  if (tags <= MAX_REPORT_TAGS) return read;
  const problem = `It has ${tags} tags, and at most ${MAX_REPORT_TAGS} are accepted: keep lessons that are new and general.`;
  return { problems: [{ problem }] };
}

/** The exact form, else what a careful person would understand. What needed a guess is for the reporter to confirm. */
function parseTolerantCompletion(role: RoadmapRole, text: string, feature?: string, work?: ReportedWork) {
  const strict = parseRoleCompletion(role, text, feature);
  const ends = ROLE_KEYWORDS[role];
  if (!isRejectedReport(strict) || !ends || !work) return strict;
  const tidy = tidyCompletionText(text, ends, (keyword) => REPORT_FIELDS[keyword as ReportKeyword], work);
  const tolerant = tidy && parseRoleCompletion(role, tidy.text, feature);
  if (!tidy || !tolerant || isRejectedReport(tolerant)) return strict;
  return tidy.isSure ? tolerant : { ...strict, corrected: tidy.text };
}

function parseRoleCompletion(role: RoadmapRole, text: string, feature?: string): AgentReport | RejectedReport {
  if (role.startsWith("auditor-")) {
    const audit = parseAuditReport(text);
    return isRejectedReport(audit) ? audit : { kind: "audit", audit };
  }
  if (role.startsWith("inspector-")) {
    const inspection = parseInspectionReport(text, role.replace("inspector-", ""));
    return isRejectedReport(inspection) ? inspection : { kind: "inspection", inspection };
  }
  const block = findCompletionBlock(text, ROLE_KEYWORDS[role] ?? []);
  if (isRejectedReport(block)) return block;
  const reading = new CompletionFieldReader(block, feature);
  const report = reading.report();
  return reading.problems.length > 0 ? { problems: reading.problems } : report;
}

function findCompletionBlock(text: string, ends: readonly ReportKeyword[]): CompletionBlock | RejectedReport {
  const whole = readReportLines(text);
  if (!isRejectedReport(whole) && isJsonReport(whole.lines)) {
    const read = parseReportJsonText(whole.lines);
    return isRejectedReport(read) ? read : parseJsonBlock(read.value, ends);
  }
  const read = splitReportLines(text);
  if (isRejectedReport(read)) return read;
  const reader = new CompletionBlockReader();
  for (const line of read.lines) reader.take(line);
  const [first, second] = reader.blocks;
  if (!first) return { problems: [{ problem: `No line starts with ${ends.join(" or ")}, as a report must.` }] };
  if (second) {
    const problem = `A second report begins here with ${second.keyword}; the first is on line ${first.line}.`;
    return { problems: [{ problem, line: second.line ?? 0 }] };
  }
  return checkBlockKeyword(first, ends);
}

function parseJsonBlock(value: unknown, ends: readonly ReportKeyword[]): CompletionBlock | RejectedReport {
  if (!isPlainObject(value)) return { problems: [{ problem: "As JSON, a report is one object." }] };
  const { report, tags, ...rest } = value;
  if (typeof report !== "string")
    return { problems: [{ problem: `report is missing: it says ${ends.join(" or ")}.` }] };
  const fields = Object.entries(rest).flatMap(([key, said]) => {
    const values = parseFieldValues(said);
    const known = { label: normalizeFieldLabel(key), values: values ?? [] };
    return said === null ? [] : [{ ...known, isList: Array.isArray(said), isStrange: !values }];
  });
  const lessons = (parseFieldValues(tags) ?? []).flatMap((tag) => parseLessonTag(tag) ?? []);
  return checkBlockKeyword({ keyword: report, fields, tags: lessons }, ends);
}

/** Texts and whole numbers, and `{"passed": 1, "total": 2}` as `1/2`. The number 1.10 would become task 1.1. */
function parseFieldValues(said: unknown): string[] | undefined {
  const counted = isPlainObject(said) ? [said["passed"], said["total"]] : [];
  if (isPlainObject(said)) return counted.every((one) => Number.isSafeInteger(one)) ? [counted.join("/")] : undefined;
  const values: readonly unknown[] = Array.isArray(said) ? said : [said];
  const texts = values.flatMap((one) =>
    typeof one === "string" || Number.isSafeInteger(one) ? [joinTextLines(String(one))] : [],
  );
  return texts.length === values.length ? texts.filter((one) => one !== "") : undefined;
}

function checkBlockKeyword(block: CompletionBlock, ends: readonly ReportKeyword[]): CompletionBlock | RejectedReport {
  if (ends.some((keyword) => keyword === block.keyword)) return block;
  const problem = `The report is ${quote(block.keyword, 40)}, and ${ends.join(" or ")} was asked for.`;
  return { problems: [block.line === undefined ? { problem } : { problem, line: block.line }] };
}

class CompletionFieldReader {
  readonly problems: Problem[] = [];
  readonly #block: CompletionBlock;
  readonly #fields = new Map<string, CompletionField>();

  constructor(block: CompletionBlock, feature: string | undefined) {
    this.#block = block;
    for (const label of REPORT_FIELDS[block.keyword as ReportKeyword]) this.#find(label);
    const said = this.#text("Feature").replace(/^`(.+)`$/, "$1");
    if (feature !== undefined && said !== "" && said !== feature) {
      this.#refuse("Feature", `is ${quote(said, 60)}, and ${feature} was asked for`);
    }
  }

  report(): AgentReport {
    const { tags } = this.#block;
    switch (this.#block.keyword as ReportKeyword) {
      case "ARCHITECT_COMPLETE":
        this.#word("Mode", ["new", "existing"]);
        return { kind: "architect", discovery: this.#word("Discovery", ["full", "light", "minimal"]), tags };
      case "TASKGEN_COMPLETE":
        return { kind: "tasks", tags };
      case "BUILDER_COMPLETE": {
        const tasks = this.#tasks("Tasks completed");
        const files = this.#items("Files").map(trimFileRemark);
        return { kind: "builder", tasks, files: [...new Set(files)], tests: this.#tests(), tags };
      }
      case "BUILDER_BLOCKED":
        return {
          kind: "builder-blocked",
          blocker: this.#text("Blocker"),
          tasks: this.#tasks("Tasks affected"),
          attempted: this.#text("Attempted"),
          ...(tags.length > 0 ? { tags } : {}),
        };
    }
  }

  #find(label: string): void {
    const name = normalizeFieldLabel(label);
    const names = [name, SHORT_LABELS[name] ?? name];
    const found = this.#block.fields.filter((field) => names.includes(field.label));
    const [said, again] = found;
    if (again) this.#refuse(label, "is there twice", again.line);
    if (!said) this.#refuse(label, "is missing");
    const problem = said && findFieldProblem(label, said);
    if (problem !== undefined) this.#refuse(label, problem, said?.line);
    else if (said) this.#fields.set(label, { ...said, values: said.values.map((value) => value.replace(/\s+/g, " ")) });
  }

  #text(label: string): string {
    return this.#fields.get(label)?.values.join(" ") ?? "";
  }

  #word(label: string, allowed: readonly string[]): string {
    const said = this.#text(label);
    const word = /^[`*]*([a-z]+)/i.exec(said)?.[1]?.toLowerCase() ?? "";
    if (said !== "" && !allowed.includes(word))
      this.#refuse(label, `is ${quote(said, 40)}, and may be ${allowed.join(", ")}`);
    return word;
  }

  #items(label: string, remark = /(?!)/): string[] {
    const { values = [], isList } = this.#fields.get(label) ?? {};
    return values
      .flatMap((value) => (isList ? [value] : value.replace(remark, "").split(/[,;]| and /)))
      .map((item) => item.trim())
      .filter((item) => item !== "" && !isEmptyAnswer(item));
  }

  #tasks(label: string): string[] {
    const ids = this.#items(label, / \([^)]*\)/g).flatMap((item) => {
      const said = item.replaceAll("`", "").replace(/^tasks? /i, "");
      // Text after the ids describes the tasks.
      const found = /^\d+(?:\.\d+)*(?:[,;]? \d+(?:\.\d+)*)*(?=$|[\s:(]|\.$)/.exec(said)?.[0];
      if (found === undefined) this.#refuse(label, `has ${quote(item, 40)}, which is not a task id such as 1.2`);
      return found?.split(/[,; ]+/) ?? [];
    });
    return [...new Set(ids)];
  }

  #tests(): { passed: number; total: number } | null {
    const said = this.#text("Tests").replace(/^`(.+)`$/, "$1");
    if (said === "" || isEmptyAnswer(said)) return null;
    const [, passed, total] = /^(\d{1,7})\s*\/\s*(\d{1,7})(?![\d/])/.exec(said) ?? [];
    if (passed === undefined || total === undefined || Number(passed) > Number(total)) {
      this.#refuse("Tests", `is ${quote(said, 40)}, but must be like 11/12: passed/total`);
      return null;
    }
    return { passed: Number(passed), total: Number(total) };
  }

  #refuse(label: string, problem: string, place?: number): void {
    const line = place ?? this.#fields.get(label)?.line ?? this.#block.line;
    const said = `${label} ${problem}.`;
    this.problems.push(line === undefined ? { problem: said } : { problem: said, line });
  }
}

function findFieldProblem(label: string, { values, isStrange }: CompletionField): string | undefined {
  if (isStrange) return "is neither a text nor a list of texts";
  if (values.length === 0 && !OPTIONAL_VALUE_FIELDS.has(label)) return "is empty";
  if (values.some((value) => CONTROL_CHARACTER.test(value))) return "has a control character in it";
  const isLong = values.some((value) => value.length > MAX_FIELD_LENGTH);
  return isLong ? `has a line longer than ${MAX_FIELD_LENGTH.toLocaleString("en")} characters` : undefined;
}

interface CompletionField {
  readonly label: string;
  readonly values: readonly string[];
  readonly isList?: boolean;
  /** True if the JSON value had an unsupported type. */
  readonly isStrange?: boolean;
  readonly line?: number;
}

interface CompletionBlock {
  readonly keyword: string;
  readonly line?: number;
  readonly fields: readonly CompletionField[];
  /** Such as `[PATTERN] Retries are safe.` */
  readonly tags: readonly string[];
}

/** A longer text is a document, not a tag. */
const MAX_TAG_LENGTH = 1_000;
const TAG_LINE = /^`?\[(?<tag>PATTERN|INCIDENT|REFERENCE)\]`?:?\s+(?<text>\S.*)$/i;
const LABEL_LINE = /^(?<label>[A-Z][A-Za-z -]{0,39}):(?:\s+(?<value>.*))?$/;

/** Normalizes spelling: `Tasks completed`, `tasks_completed`. */
const normalizeFieldLabel = (said: string): string =>
  said
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, " ");

function parseLessonTag(text: string): string | undefined {
  const { tag, text: said } = TAG_LINE.exec(text)?.groups ?? {};
  if (tag === undefined || said === undefined || isEmptyAnswer(said)) return undefined;
  return `[${tag.toUpperCase()}] ${said.slice(0, MAX_TAG_LENGTH).trim()}`;
}

export const listLessonTags = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => parseLessonTag(line.trim().replace(/^[-*+]\s+/, "")) ?? []);

const MAX_REPORT_TAGS = 20;

const isEmptyAnswer = (text: string): boolean => /^\(?(?:none|nothing|n\/a|-|–|—)\)?\.?$/i.test(text.trim());

interface PlainReportLine {
  readonly indent: number;
  readonly isBullet: boolean;
  readonly text: string;
}

interface OpenField {
  readonly said: { label: string; values: string[]; line: number; isList: boolean };
  readonly indent: number;
  readonly isBullet: boolean;
  /** True if the value is on the label's line, so no list follows. */
  readonly isInline: boolean;
  hasEnded: boolean;
}

/** They start with a keyword on a line of its own. Accepts prose around them, a fence, and Markdown inside. */
class CompletionBlockReader {
  readonly blocks: { keyword: string; line: number; fields: CompletionField[]; tags: string[] }[] = [];
  #fence: string | undefined;
  #open: OpenField | undefined;
  /** True after the fence of the last block: only tags count from here. */
  #isClosed = false;

  take(line: ReportLine): void {
    if (this.#isFence(line)) return;
    const heading = line.text.trim().replace(/^#{1,6}\s+/, "");
    const bullet = /^(?:[-*+•]|\d+[.)])\s+/.exec(heading)?.[0] ?? "";
    const plain: PlainReportLine = {
      indent: line.text.length - line.text.trimStart().length,
      isBullet: bullet !== "",
      text: heading.slice(bullet.length).replace(/^\*\*([^*]+)\*\*/, "$1"),
    };
    const keyword = REPORT_KEYWORDS.find((one) => one === plain.text.replace(/^`?([A-Z_]+)`?:?`?$/, "$1"));
    if (keyword) {
      this.blocks.push({ keyword, line: line.number, fields: [], tags: [] });
      this.#open = undefined;
      this.#isClosed = false;
      return;
    }
    const tag = parseLessonTag(plain.text);
    if (tag !== undefined) this.blocks.at(-1)?.tags.push(tag);
    if (tag !== undefined || TAG_LINE.test(plain.text)) this.#open = undefined;
    else if (!this.#isClosed) this.#field(plain, line.number);
  }

  #isFence(line: ReportLine): boolean {
    if (this.#fence !== undefined && isFenceEnd(line, this.#fence)) {
      this.#fence = undefined;
      this.#isClosed = this.blocks.length > 0;
      return true;
    }
    if (this.#fence !== undefined) return false;
    this.#fence = matchFenceStart(line);
    return this.#fence !== undefined;
  }

  #field(plain: PlainReportLine, line: number): void {
    if (plain.text === "") {
      if (this.#open && this.#open.said.values.length > 0) this.#open.hasEnded = true;
      return;
    }
    const open = this.#open;
    const mayHaveItems = open !== undefined && !open.isInline && !open.hasEnded;
    // A list item may look like a field itself.
    if (mayHaveItems && plain.isBullet && (!open.isBullet || plain.indent > open.indent)) {
      open.said.values.push(plain.text);
      open.said.isList = true;
      return;
    }
    const { label, value = "" } = LABEL_LINE.exec(plain.text)?.groups ?? {};
    if (label === undefined) {
      if (this.#open?.hasEnded || plain.isBullet) this.#open = undefined;
      else this.#open?.said.values.push(plain.text);
      return;
    }
    const values = value.trim() === "" ? [] : [value.trim()];
    const said = { label: normalizeFieldLabel(label), values, line, isList: false };
    const { indent, isBullet } = plain;
    this.#open = { said, indent, isBullet, isInline: values.length > 0, hasEnded: false };
    this.blocks.at(-1)?.fields.push(said);
  }
}
