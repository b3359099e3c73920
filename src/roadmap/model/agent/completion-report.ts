import { isPlainObject } from "#kernel/model/plain-object.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { quote } from "#kernel/model/text-format.ts";
import { parseAuditReport, parseInspectionReport } from "../review/review-report.ts";
import {
  joinTextLines,
  isRejectedReport,
  type RejectedReport,
  CONTROL_CHARACTER,
  splitReportLines,
  readReportLines,
} from "../review/report-form.ts";
import { isJsonReport, parseReportJsonText } from "../review/report-json.ts";
import type { AgentReport } from "../lead/lead-events.ts";
import {
  type CompletionBlock,
  findCompletionBlocks,
  isEmptyAnswer,
  normalizeFieldLabel,
  type CompletionField,
  parseLessonTag,
  MAX_REPORT_TAGS,
  listLessonTags,
} from "./completion-blocks.ts";
import type { RoadmapRole } from "./agent-roles.ts";

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
const DESIGN_MODES = ["new", "existing"];
const DISCOVERY_LEVELS = ["full", "light", "minimal"];
const MAX_FIELD_LENGTH = 4_000;

/**
 * Parses an agent's final report from text or JSON. Finds the block anywhere in the text. A missing or invalid field is
 * a problem with its line. If `feature` is given, the report must name it.
 */
export function parseCompletionReport(role: RoadmapRole, text: string, feature?: string): AgentReport | RejectedReport {
  const read = parseRoleCompletion(role, text, feature);
  const tags = "problems" in read ? [] : "tags" in read ? (read.tags ?? []) : listInspectionTags(read);
  return tags.length > MAX_REPORT_TAGS ? { problems: [{ problem: formatTooManyTags(tags.length) }] } : read;
}

const listInspectionTags = (report: AgentReport): readonly string[] =>
  report.kind === "inspection" ? listLessonTags(report.inspection.notes) : [];

const formatTooManyTags = (tags: number): string =>
  `It has ${tags} tags, and at most ${MAX_REPORT_TAGS} are taken: keep what is new and holds beyond this task.`;

function parseRoleCompletion(role: RoadmapRole, text: string, feature?: string): AgentReport | RejectedReport {
  const ends = ROLE_KEYWORDS[role];
  if (ends === undefined) return parseReviewCompletion(role, text);
  const block = findCompletionBlock(text, ends);
  if (isRejectedReport(block)) return block;
  const reading = new CompletionFieldReader(block, feature);
  const report = reading.report();
  return reading.problems.length > 0 ? { problems: reading.problems } : report;
}

function parseReviewCompletion(role: RoadmapRole, text: string): AgentReport | RejectedReport {
  if (role.startsWith("auditor-")) {
    const audit = parseAuditReport(text);
    return isRejectedReport(audit) ? audit : { kind: "audit", audit };
  }
  const inspection = parseInspectionReport(text, role.replace("inspector-", ""));
  return isRejectedReport(inspection) ? inspection : { kind: "inspection", inspection };
}

function findCompletionBlock(text: string, ends: readonly ReportKeyword[]): CompletionBlock | RejectedReport {
  const whole = readReportLines(text);
  if (!isRejectedReport(whole) && isJsonReport(whole.lines)) {
    const read = parseReportJsonText(whole.lines);
    return isRejectedReport(read) ? read : parseJsonBlock(read.value, ends);
  }
  const read = splitReportLines(text);
  if (isRejectedReport(read)) return read;
  const blocks = findCompletionBlocks(read.lines, REPORT_KEYWORDS);
  const [first, second] = blocks;
  if (!first) return { problems: [{ problem: `No line says ${ends.join(" or ")}, with which the report begins.` }] };
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
    const field = {
      label: normalizeFieldLabel(key),
      values: values ?? [],
      isList: Array.isArray(said),
      isStrange: !values,
    };
    return said === null ? [] : [field];
  });
  return checkBlockKeyword(
    { keyword: report, fields, tags: (parseFieldValues(tags) ?? []).flatMap((tag) => parseLessonTag(tag) ?? []) },
    ends,
  );
}

/**
 * Accepts texts and whole numbers, single or as a list, and `{"passed": 1, "total": 2}` as `1/2`. Undefined for the
 * rest: the number 1.10 would become task 1.1.
 */
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
        this.#word("Mode", DESIGN_MODES);
        return { kind: "architect", discovery: this.#word("Discovery", DISCOVERY_LEVELS), tags };
      case "TASKGEN_COMPLETE":
        return { kind: "tasks", tags };
      case "BUILDER_COMPLETE":
        return {
          kind: "builder",
          tasks: this.#tasks("Tasks completed"),
          files: this.#files(),
          tests: this.#tests(),
          tags,
        };
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

  #items(label: string): string[] {
    const { values = [], isList } = this.#fields.get(label) ?? {};
    return values
      .flatMap((value) => (isList ? [value] : value.split(/[,;]| and /)))
      .map((item) => item.trim())
      .filter((item) => item !== "" && !isEmptyAnswer(item));
  }

  #tasks(label: string): string[] {
    const ids = this.#items(label).flatMap((item) => parseTaskIds(item) ?? this.#strangeTask(label, item));
    return [...new Set(ids)];
  }

  #strangeTask(label: string, item: string): string[] {
    this.#refuse(label, `has ${quote(item, 40)}, which is no id of a task such as 1.2`);
    return [];
  }

  #files(): string[] {
    return [...new Set(this.#items("Files").map(parseReportedPath))];
  }

  #tests(): { passed: number; total: number } | null {
    const said = this.#text("Tests").replace(/^`(.+)`$/, "$1");
    if (said === "" || isEmptyAnswer(said)) return null;
    const [, passed, total] = /^(\d{1,7})\s*\/\s*(\d{1,7})(?![\d/])/.exec(said) ?? [];
    if (passed === undefined || total === undefined || Number(passed) > Number(total)) {
      this.#refuse("Tests", `is ${quote(said, 40)}, and must be as 11/12: those that passed, of all`);
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

/** Text after the ids describes the tasks. */
function parseTaskIds(item: string): string[] | undefined {
  const said = item.replaceAll("`", "").replace(/^tasks? /i, "");
  const ids = /^\d+(?:\.\d+)*(?:[,;]? \d+(?:\.\d+)*)*(?=$|[\s:(]|\.$)/.exec(said)?.[0];
  return ids?.split(/[,; ]+/);
}

/** Strips annotations: `created src/a.ts (new)`. */
function parseReportedPath(said: string): string {
  return said
    .replace(/^(?:created|modified|changed|updated|added|deleted|removed|new):? /i, "")
    .replace(/(?:: | \(| [-–—←] ).*$/, "")
    .replace(/^[`"'](.+)[`"']$/, "$1")
    .replace(/^\.\//, "");
}
