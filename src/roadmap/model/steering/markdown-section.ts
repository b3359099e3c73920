import {
  type MarkdownHeading,
  parseHeadings,
  parseProseLines,
  isMatchingHeading,
} from "#kernel/model/document/markdown-document.ts";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";

/** A heading and its text, as offsets into the document. */
export interface MarkdownSection {
  readonly heading: MarkdownHeading;
  readonly start: number;
  readonly from: number;
  /** Start of the next heading of any level: the end of the section's own text. */
  readonly own: number;
  /** Start of the next heading of the same or a higher level. */
  readonly to: number;
}

export function listMarkdownSections(text: string): MarkdownSection[] {
  const starts = listMarkdownLineStarts(text);
  const at = (line: number): number => starts[line - 1] ?? text.length;
  const found = parseHeadings(parseProseLines(text));
  return found.map((heading, i) => {
    const next = found[i + 1];
    const after = found.slice(i + 1).find(({ level }) => level <= heading.level);
    return {
      heading,
      start: at(heading.line),
      from: at(heading.line + 1),
      own: next ? at(next.line) : text.length,
      to: after ? at(after.line) : text.length,
    };
  });
}

/** Exact words first, then the start of the heading: `2. Vision (draft)` matches Vision. */
export function findMarkdownSection(text: string, name: string): MarkdownSection | undefined {
  const all = listMarkdownSections(text);
  return (
    all.find(({ heading }) => heading.text.toLowerCase() === name.trim().toLowerCase()) ??
    all.find(({ heading }) => isMatchingHeading(heading.text, name.trim()))
  );
}

export const getOwnText = (text: string, { from, own }: MarkdownSection): string => text.slice(from, own);

/** Keeps every byte outside the section's own text. */
export function replaceOwnText(text: string, { from, own }: MarkdownSection, body: string): string {
  const eol = detectLineEnd(text);
  const head = text.slice(0, from);
  const tail = text.slice(own);
  const said = body.trim() === "" ? "" : `${eol}${formatBodyLines(body, eol)}${eol}`;
  return `${head}${isLineEnd(head) ? "" : eol}${said}${tail === "" ? "" : eol}${tail}`;
}

/** A placeholder is replaced, any other text extended. */
export function appendSectionBody(text: string, section: MarkdownSection, addition: string): string {
  const before = getOwnText(text, section);
  if (hasOnlyPlaceholders(before)) return replaceOwnText(text, section, addition);
  const eol = detectLineEnd(text);
  const last = section.from + before.trimEnd().length;
  const newline = text.indexOf("\n", last);
  const at = newline < 0 ? text.length : newline + 1;
  const head = text.slice(0, at);
  const tail = text.slice(at);
  const isListGoingOn = isListItem(addition) && hasTrailingList(before);
  const gap = isListGoingOn ? "" : eol;
  const rest = tail === "" || /^[ \t]*\r?\n/.test(tail) ? "" : eol;
  return `${head}${isLineEnd(head) ? "" : eol}${gap}${formatBodyLines(addition, eol)}${eol}${rest}${tail}`;
}

export function insertMarkdownSection(
  text: string,
  { title, level, body = "" }: { readonly title: string; readonly level: number; readonly body?: string },
  before?: number,
): string {
  const eol = detectLineEnd(text);
  const at = before ?? text.length;
  const head = text.slice(0, at);
  const tail = text.slice(at);
  const gap = head.trim() === "" || /\n[ \t]*\r?\n$/.test(head) ? "" : isLineEnd(head) ? eol : eol + eol;
  const said = body.trim() === "" ? "" : `${eol}${formatBodyLines(body, eol)}${eol}`;
  return `${head}${gap}${"#".repeat(level)} ${title}${eol}${said}${tail === "" ? "" : eol}${tail}`;
}

/** List items, or paragraphs in a text without a list. */
export function readListItems(markdown: string): string[] {
  const lines = parseProseLines(markdown).filter(({ isCode }) => !isCode);
  const isList = lines.some(({ text }) => LIST_ITEM_PATTERN.test(text));
  const items: string[][] = [];
  let isOpen = false;
  for (const { text } of lines) {
    const isNew: boolean = isList ? LIST_ITEM_PATTERN.test(text) : !isOpen && text.trim() !== "";
    if (isNew) items.push([]);
    if (isNew || (isOpen && text.trim() !== "")) items.at(-1)?.push(text.replace(LIST_ITEM_PATTERN, "").trim());
    isOpen = text.trim() !== "" && (isNew || isOpen);
  }
  return items.map((parts) => parts.join(" ")).filter((item) => item !== "" && !hasOnlyPlaceholders(item));
}

/** List items, or lines in a text without a list. */
export function splitGivenItems(text: string): string[] {
  if (text.split(/\r\n|\r|\n/).some(isListItem)) return readListItems(text);
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

const LIST_ITEM_PATTERN = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/;
const isListItem = (text: string): boolean => LIST_ITEM_PATTERN.test(text);
const hasTrailingList = (text: string): boolean => {
  const last =
    text
      .trimEnd()
      .split(/\r\n|\r|\n/)
      .at(-1) ?? "";
  return isListItem(last) || /^\s{2,}\S/.test(last);
};

/** Ignores case, spacing and a final period. */
export const hasSameWords = (one: string, other: string): boolean =>
  normalizeItemWords(one) === normalizeItemWords(other);
const normalizeItemWords = (text: string): string =>
  text.normalize("NFC").replace(/\s+/g, " ").trim().replace(/\.$/, "").toLowerCase();

/** One list line. The start of a comment or code block is escaped, because it would hide the lines that follow. */
export function formatSafeListItem(text: string): string {
  const line = text.trim().replace(/\s+/g, " ").replaceAll("<!--", "&lt;!--");
  return `- ${line.replace(/^((?:(?:[-*+]|\d{1,9}[.)]) +)*)(?=```|~~~)/, "$1\\")}`;
}

export function findBodyProblem(body: string, level: number): string | undefined {
  const end = "The end of what was said";
  const found = parseHeadings(parseProseLines(`${body}\n\n${"#".repeat(level)} ${end}`));
  if (found.at(-1)?.text !== end) return "it opens a comment or a block of code that it does not close";
  const high = found.slice(0, -1).find((heading) => heading.level <= level);
  if (!high) return undefined;
  return level >= 6
    ? `it has the heading "${high.text}"`
    : `it has the heading "${high.text}": begin at ${"#".repeat(level + 1)}`;
}

const detectLineEnd = (text: string): string => /\r?\n/.exec(text)?.[0] ?? "\n";
const isLineEnd = (text: string): boolean => text === "" || text.endsWith("\n");
const formatBodyLines = (body: string, eol: string): string =>
  body
    .replace(/\r\n?/g, "\n")
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd()
    .replaceAll("\n", eol);

/** As `proseLines` counts lines. */
function listMarkdownLineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map((match) => match.index + match[0].length)];
}

/** `<purpose of the product>`: several words in angle brackets. Tags, types and addresses do not match. */
const PLACEHOLDER_PATTERN = /(?<![\w>`\\])<\p{L}[^<>=`\n]*\s[^<>=`\n]*>/u;
const ONLY_PLACEHOLDER_PATTERN =
  /^\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:[^<>`\n]{1,60}:\s*)?<\p{L}[^<>=`\n]*\s[^<>=`\n]*>[.\s]*$/u;

export interface PlaceholderLine {
  readonly line: number;
  readonly text: string;
}

export function findPlaceholderLines(markdown: string): PlaceholderLine[] {
  return parseProseLines(markdown)
    .filter(({ text, isCode }) => !isCode && PLACEHOLDER_PATTERN.test(text))
    .map(({ number, text }) => ({ line: number, text: text.trim() }));
}

/** True where replacing the text loses nothing that a person wrote. */
export function hasOnlyPlaceholders(markdown: string): boolean {
  return markdown.split(/\r\n|\r|\n/).every((line) => line.trim() === "" || ONLY_PLACEHOLDER_PATTERN.test(line));
}

/** An unclosed comment or code block hides every later heading, so nothing is written. */
export const createHiddenSectionFault = (section: string): Fault =>
  new Fault("steering.unreadable", {
    what: `The section ${quote(section, 60)} cannot be written.`,
    why: "A comment or a block of code before it is never closed, and hides whatever follows.",
    fix: [
      "Close it in the steering file, then try again.",
      { operation: "steering.manage", input: { action: "show" } },
    ],
  });
