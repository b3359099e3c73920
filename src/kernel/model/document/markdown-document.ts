import type { Problem } from "../verdict.ts";
import { quote } from "../text-format.ts";

export interface ProseLine {
  readonly number: number;
  readonly text: string;
  /** A line of a code block. Its text is blank, but its number is kept. */
  readonly isCode?: boolean;
}

export interface MarkdownHeading {
  readonly level: number;
  readonly text: string;
  readonly line: number;
  readonly hasText: boolean;
}

/** A fence may follow a list marker. Backticks that close on the same line are inline code. */
const CODE_FENCE_PATTERN = /^ {0,12}(?:(?:[-*+]|\d{1,9}[.)]) {1,4}){0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const HEADING_PATTERN = /^ {0,3}(#{1,6})[ \t]+(.*)$/;

/** Drops HTML comments and the content of code blocks. Line numbers start at 1. */
export function parseProseLines(markdown: string): ProseLine[] {
  const lines: ProseLine[] = [];
  let fence: string | undefined;
  let isComment = false;
  for (const [i, raw] of markdown.split(/\r\n|\r|\n/).entries()) {
    const mark = isComment ? undefined : CODE_FENCE_PATTERN.exec(raw)?.[1];
    if (fence !== undefined) {
      if (mark && mark.startsWith(fence) && raw.trim() === mark) fence = undefined;
      else if (raw.trim() !== "") lines.push({ number: i + 1, text: "", isCode: true });
      continue;
    }
    if (mark) {
      fence = mark;
      continue;
    }
    const [text, opensComment] = stripHtmlComments(raw, isComment);
    isComment = opensComment;
    lines.push({ number: i + 1, text });
  }
  return lines;
}

export function parseHeadings(lines: readonly ProseLine[]): MarkdownHeading[] {
  const found: { level: number; text: string; line: number; hasText: boolean }[] = [];
  const above: (typeof found)[number][] = [];
  for (const line of lines) {
    const match = HEADING_PATTERN.exec(line.text);
    if (match) {
      const level = match[1]?.length ?? 1;
      while ((above.at(-1)?.level ?? 0) >= level) above.pop();
      const text = (match[2] ?? "").replace(/[ \t]#+[ \t]*$/, "").trim();
      const heading = { level, text, line: line.number, hasText: false };
      found.push(heading);
      above.push(heading);
    } else if (line.isCode || line.text.trim() !== "") {
      for (const heading of above) heading.hasText = true;
    }
  }
  return found;
}

/** Linear in the length of the line. A comment inside inline code is text. */
function stripHtmlComments(raw: string, isInside: boolean): [text: string, isInside: boolean] {
  let text = "";
  let inside = isInside;
  let isCode = false;
  let start = 0;
  for (let at = 0; at < raw.length; at++) {
    if (inside) {
      const end = raw.indexOf("-->", at);
      if (end < 0) return [text, true];
      inside = false;
      start = end + 3;
      at = end + 2;
    } else if (raw[at] === "`") {
      isCode = !isCode;
    } else if (!isCode && raw.startsWith("<!--", at)) {
      text += raw.slice(start, at);
      inside = true;
      at += 3;
    }
  }
  return [inside ? text : text + raw.slice(start), inside];
}

/** "2. **Out of Scope**:" and "✅ Out of scope" match "Out of scope", and "Proposed solution" matches "Solution". */
export function isMatchingHeading(text: string, name: string): boolean {
  const bare = text
    .replace(/^[^\p{L}]+/u, "")
    .toLowerCase()
    .replaceAll("’", "'")
    .replaceAll("-", " ");
  const wanted = name.toLowerCase().replaceAll("-", " ");
  return [bare, bare.replace(/^(?:the|our|proposed|suggested|planned|open)\s+/, "")].some(
    (each) => each.startsWith(wanted) && !/^[\p{L}\p{N}]/u.test(each.slice(wanted.length)),
  );
}

export function findHeadingProblems(found: readonly MarkdownHeading[], required: readonly string[]): Problem[] {
  return required.flatMap((name): Problem[] => {
    const heading = found.find((candidate) => isMatchingHeading(candidate.text, name));
    if (!heading) return [{ problem: `The heading ${quote(name)} is missing.` }];
    return heading.hasText ? [] : [{ problem: `There is no text under ${quote(name)}.`, line: heading.line }];
  });
}

/** Each group runs from one start to the next. Both lists are sorted. */
export function groupLinesByStart(lines: readonly ProseLine[], starts: readonly number[]): ProseLine[][] {
  let next = 0;
  return starts.map((start, i) => {
    const end = starts[i + 1] ?? Number.POSITIVE_INFINITY;
    const own: ProseLine[] = [];
    for (let line = lines[next]; line && line.number < end; line = lines[++next])
      if (line.number >= start) own.push(line);
    return own;
  });
}

export function excludeSections(lines: readonly ProseLine[], names: readonly string[]): readonly ProseLine[] {
  let level = Number.POSITIVE_INFINITY;
  const at = new Map(parseHeadings(lines).map((heading) => [heading.line, heading]));
  return lines.filter(({ number }) => {
    const heading = at.get(number);
    if (heading && heading.level <= level)
      level = names.some((name) => isMatchingHeading(heading.text, name)) ? heading.level : Number.POSITIVE_INFINITY;
    return level === Number.POSITIVE_INFINITY;
  });
}

export function findSectionLines(lines: readonly ProseLine[], name: string): readonly ProseLine[] | undefined {
  const place = locateSection(lines, name);
  return place && lines.filter(({ number }) => number > place.from && number < place.to);
}

/** Like `findSectionLines`, but returns the raw text with code and comments. */
export function extractSectionText(markdown: string, name: string): string | undefined {
  const place = locateSection(parseProseLines(markdown), name);
  const lines = place && markdown.split(/\r\n|\r|\n/).slice(place.from, place.to - 1);
  return lines?.join("\n").trim();
}

function locateSection(lines: readonly ProseLine[], name: string): { from: number; to: number } | undefined {
  const start = findHeading(lines, name);
  if (!start) return undefined;
  const next = parseHeadings(lines).find(({ line, level }) => line > start.line && level <= start.level);
  return { from: start.line, to: next?.line ?? Number.POSITIVE_INFINITY };
}

export const findHeading = (lines: readonly ProseLine[], name: string): MarkdownHeading | undefined =>
  parseHeadings(lines).find((heading) => isMatchingHeading(heading.text, name));

/** Includes the heading. Returns all lines if the heading does not exist. */
export function selectSectionOrAll(lines: readonly ProseLine[], name: string): readonly ProseLine[] {
  const place = locateSection(lines, name);
  return place ? lines.filter(({ number }) => number >= place.from && number < place.to) : lines;
}

export type MarkdownTableRow = { readonly cells: readonly string[]; readonly line: number };

export interface MarkdownTable {
  readonly columns: readonly string[];
  readonly rows: readonly MarkdownTableRow[];
  readonly line: number;
}

const TABLE_RULE_PATTERN = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

export function parseMarkdownTables(lines: readonly ProseLine[]): MarkdownTable[] {
  const tables: MarkdownTable[] = [];
  let rows: MarkdownTableRow[] | undefined;
  for (const [i, line] of lines.entries()) {
    const next = lines[i + 1];
    if (rows === undefined) {
      if (!isTableRow(line) || !next || next.number !== line.number + 1 || !isTableRule(next)) continue;
      rows = [];
      tables.push({ columns: splitTableCells(line.text), rows, line: line.number });
    } else if (!isTableRow(line)) rows = undefined;
    else if (!isTableRule(line) || line.number !== (tables.at(-1)?.line ?? 0) + 1)
      rows.push({ cells: splitTableCells(line.text), line: line.number });
  }
  return tables;
}

export function getTableCell(
  { columns }: MarkdownTable,
  { cells }: MarkdownTableRow,
  name: string,
): string | undefined {
  const at = findColumnIndex(columns, name);
  return at < 0 ? undefined : (cells[at] ?? "");
}

export const hasTableColumn = ({ columns }: MarkdownTable, name: string): boolean =>
  findColumnIndex(columns, name) >= 0;

const findColumnIndex = (columns: readonly string[], name: string): number =>
  columns.findIndex((column) => column.replace(/[*_`]/g, "").toLowerCase() === name.toLowerCase());

const isTableRow = ({ text, isCode }: ProseLine): boolean => !isCode && text.includes("|");
const isTableRule = ({ text }: ProseLine): boolean =>
  text.includes("-") && text.includes("|") && TABLE_RULE_PATTERN.test(text);

/** A pipe that is escaped or inside inline code does not separate cells. */
function splitTableCells(text: string): string[] {
  const cells = [""];
  let isCode = false;
  for (let i = 0; i < text.length; i++) {
    const sign = text[i] ?? "";
    if (sign === "`") isCode = !isCode;
    if (sign === "\\" && text[i + 1] === "|") {
      cells.push(`${cells.pop() ?? ""}|`);
      i++;
    } else if (sign === "|" && !isCode) cells.push("");
    else cells.push(`${cells.pop() ?? ""}${sign}`);
  }
  const trimmed = cells.map((cell) => cell.trim());
  return trimmed.slice(trimmed[0] === "" ? 1 : 0, trimmed.length > 1 && trimmed.at(-1) === "" ? -1 : undefined);
}

/** The middle marker (`=======`) is left out, because it may underline a heading. */
const CONFLICT_MARKER_PATTERN = /^(?:<{7}|>{7})(?:\s|$)/;

/** Reports only the first marker: other problems may follow from it. */
export function findConflictMarkers(lines: readonly ProseLine[]): Problem[] {
  const mark = lines.find(({ text }) => CONFLICT_MARKER_PATTERN.test(text));
  if (!mark) return [];
  const problem = "A merge left conflict marks here: keep the right text, remove the marks, then check again.";
  return [{ problem, line: mark.number }];
}

/** Lines of a guide's skeleton with a placeholder, such as `- <file>`. */
export function listGuidePlaceholders(guide: string): string[] {
  const skeletons = [...guide.matchAll(/^```markdown\n([\s\S]*?)^```/gm)].map(([, lines]) => lines ?? "");
  const lines = skeletons.flatMap((skeleton) => skeleton.split("\n"));
  return lines.map((line) => line.trim()).filter((line) => /<[^>]+>/.test(line));
}
