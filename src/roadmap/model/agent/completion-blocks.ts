import { isFenceEnd, matchFenceStart, type ReportLine } from "../review/report-form.ts";

export interface CompletionField {
  readonly label: string;
  readonly values: readonly string[];
  /** True if each value is an item of its own. */
  readonly isList?: boolean;
  /** True if the JSON value had an unsupported type. */
  readonly isStrange?: boolean;
  readonly line?: number;
}

export interface CompletionBlock {
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

/**
 * Finds blocks that start with a keyword on its own line. Accepts prose around them, a fence, and Markdown inside:
 * bold, headings, bullets.
 */
export function findCompletionBlocks(lines: readonly ReportLine[], keywords: readonly string[]): CompletionBlock[] {
  const reader = new CompletionBlockReader(keywords);
  for (const line of lines) reader.take(line);
  return reader.blocks;
}

/** Normalizes spelling: `Tasks completed`, `tasks_completed`. */
export const normalizeFieldLabel = (said: string): string =>
  said
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, " ");

export function parseLessonTag(text: string): string | undefined {
  const { tag, text: said } = TAG_LINE.exec(text)?.groups ?? {};
  if (tag === undefined || said === undefined || isEmptyAnswer(said)) return undefined;
  return `[${tag.toUpperCase()}] ${said.slice(0, MAX_TAG_LENGTH).trim()}`;
}

export const listLessonTags = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => parseLessonTag(line.trim().replace(/^[-*+]\s+/, "")) ?? []);

export const MAX_REPORT_TAGS = 20;

export const isEmptyAnswer = (text: string): boolean => /^\(?(?:none|nothing|n\/a|-|–|—)\)?\.?$/i.test(text.trim());

interface PlainReportLine {
  readonly indent: number;
  readonly isBullet: boolean;
  readonly text: string;
}

function stripLineMarkdown({ text }: ReportLine): PlainReportLine {
  const indent = text.length - text.trimStart().length;
  const said = text.trim().replace(/^#{1,6}\s+/, "");
  const bullet = /^(?:[-*+•]|\d+[.)])\s+/.exec(said)?.[0] ?? "";
  return { indent, isBullet: bullet !== "", text: said.slice(bullet.length).replace(/^\*\*([^*]+)\*\*/, "$1") };
}

interface OpenField {
  readonly said: { label: string; values: string[]; line: number; isList: boolean };
  readonly indent: number;
  readonly isBullet: boolean;
  /** True if the value is on the label's line, so no list follows. */
  readonly isInline: boolean;
  hasEnded: boolean;
}

class CompletionBlockReader {
  readonly blocks: { keyword: string; line: number; fields: CompletionField[]; tags: string[] }[] = [];
  readonly #keywords: readonly string[];
  #fence: string | undefined;
  #open: OpenField | undefined;
  /** True after the fence of the last block: only tags count from here. */
  #isClosed = false;

  constructor(keywords: readonly string[]) {
    this.#keywords = keywords;
  }

  take(line: ReportLine): void {
    if (this.#isFence(line)) return;
    const plain = stripLineMarkdown(line);
    const keyword = this.#keywords.find((one) => one === plain.text.replace(/^`?([A-Z_]+)`?:?`?$/, "$1"));
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
    if (this.#open && this.#isMore(this.#open, plain)) {
      this.#open.said.values.push(plain.text);
      this.#open.said.isList = true;
      return;
    }
    const { label, value = "" } = LABEL_LINE.exec(plain.text)?.groups ?? {};
    if (label === undefined) {
      if (this.#open?.hasEnded || plain.isBullet) this.#open = undefined;
      else this.#open?.said.values.push(plain.text);
      return;
    }
    const said = {
      label: normalizeFieldLabel(label),
      values: value.trim() === "" ? [] : [value.trim()],
      line,
      isList: false,
    };
    this.#open = {
      said,
      indent: plain.indent,
      isBullet: plain.isBullet,
      isInline: said.values.length > 0,
      hasEnded: false,
    };
    this.blocks.at(-1)?.fields.push(said);
  }

  /** A list item may look like a field itself. */
  #isMore(open: OpenField, { indent, isBullet }: PlainReportLine): boolean {
    return isBullet && !open.isInline && !open.hasEnded && (!open.isBullet || indent > open.indent);
  }
}
