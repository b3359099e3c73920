import { type MarkdownHeading, parseHeadings, parseProseLines } from "../document/prose.ts";
import { isMatchingHeading } from "../document/section.ts";
import { isBlank } from "./blank.ts";

/** A heading and its text, as offsets into the document. */
export interface Section {
  readonly heading: MarkdownHeading;
  readonly start: number;
  readonly from: number;
  /** Start of the next heading of any level: the end of the section's own text. */
  readonly own: number;
  /** Start of the next heading of the same or a higher level. */
  readonly to: number;
}

export function sectionsIn(text: string): Section[] {
  const starts = lineStarts(text);
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
export function findSection(text: string, name: string): Section | undefined {
  const all = sectionsIn(text);
  return (
    all.find(({ heading }) => heading.text.toLowerCase() === name.trim().toLowerCase()) ??
    all.find(({ heading }) => isMatchingHeading(heading.text, name.trim()))
  );
}

export const ownText = (text: string, { from, own }: Section): string => text.slice(from, own);

/** Keeps every byte outside the section's own text. */
export function withOwnText(text: string, { from, own }: Section, body: string): string {
  const eol = lineEnd(text);
  const head = text.slice(0, from);
  const tail = text.slice(own);
  const said = body.trim() === "" ? "" : `${eol}${inLines(body, eol)}${eol}`;
  return `${head}${endsLine(head) ? "" : eol}${said}${tail === "" ? "" : eol}${tail}`;
}

/** A placeholder is replaced, any other text extended. */
export function withAdded(text: string, section: Section, addition: string): string {
  const before = ownText(text, section);
  if (isBlank(before)) return withOwnText(text, section, addition);
  const eol = lineEnd(text);
  const last = section.from + before.trimEnd().length;
  const newline = text.indexOf("\n", last);
  const at = newline < 0 ? text.length : newline + 1;
  const head = text.slice(0, at);
  const tail = text.slice(at);
  const isListGoingOn = isItem(addition) && endsInList(before);
  const gap = isListGoingOn ? "" : eol;
  const rest = tail === "" || /^[ \t]*\r?\n/.test(tail) ? "" : eol;
  return `${head}${endsLine(head) ? "" : eol}${gap}${inLines(addition, eol)}${eol}${rest}${tail}`;
}

export function withSection(
  text: string,
  { title, level, body = "" }: { readonly title: string; readonly level: number; readonly body?: string },
  before?: number,
): string {
  const eol = lineEnd(text);
  const at = before ?? text.length;
  const head = text.slice(0, at);
  const tail = text.slice(at);
  const gap = head.trim() === "" || /\n[ \t]*\r?\n$/.test(head) ? "" : endsLine(head) ? eol : eol + eol;
  const said = body.trim() === "" ? "" : `${eol}${inLines(body, eol)}${eol}`;
  return `${head}${gap}${"#".repeat(level)} ${title}${eol}${said}${tail === "" ? "" : eol}${tail}`;
}

/** List items, or paragraphs in a text without a list. */
export function itemsIn(markdown: string): string[] {
  const lines = parseProseLines(markdown).filter(({ isCode }) => !isCode);
  const isList = lines.some(({ text }) => ITEM.test(text));
  const items: string[][] = [];
  let isOpen = false;
  for (const { text } of lines) {
    const isNew: boolean = isList ? ITEM.test(text) : !isOpen && text.trim() !== "";
    if (isNew) items.push([]);
    if (isNew || (isOpen && text.trim() !== "")) items.at(-1)?.push(text.replace(ITEM, "").trim());
    isOpen = text.trim() !== "" && (isNew || isOpen);
  }
  return items.map((parts) => parts.join(" ")).filter((item) => item !== "" && !isBlank(item));
}

/** List items, or lines in a text without a list. */
export function saidItems(text: string): string[] {
  if (text.split(/\r\n|\r|\n/).some(isItem)) return itemsIn(text);
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/;
const isItem = (text: string): boolean => ITEM.test(text);
const endsInList = (text: string): boolean => {
  const last =
    text
      .trimEnd()
      .split(/\r\n|\r|\n/)
      .at(-1) ?? "";
  return isItem(last) || /^\s{2,}\S/.test(last);
};

/** Ignores case, spacing and a final period. */
export const sameWords = (one: string, other: string): boolean => wordsOf(one) === wordsOf(other);
const wordsOf = (text: string): string =>
  text.normalize("NFC").replace(/\s+/g, " ").trim().replace(/\.$/, "").toLowerCase();

/** One list line. The start of a comment or code block is escaped, because it would hide the lines that follow. */
export function asItem(text: string): string {
  const line = text.trim().replace(/\s+/g, " ").replaceAll("<!--", "&lt;!--");
  return `- ${line.replace(/^((?:(?:[-*+]|\d{1,9}[.)]) +)*)(?=```|~~~)/, "$1\\")}`;
}

export function bodyProblem(body: string, level: number): string | undefined {
  const end = "The end of what was said";
  const found = parseHeadings(parseProseLines(`${body}\n\n${"#".repeat(level)} ${end}`));
  if (found.at(-1)?.text !== end) return "it opens a comment or a block of code that it does not close";
  const high = found.slice(0, -1).find((heading) => heading.level <= level);
  if (!high) return undefined;
  return level >= 6
    ? `it has the heading "${high.text}"`
    : `it has the heading "${high.text}": begin at ${"#".repeat(level + 1)}`;
}

const lineEnd = (text: string): string => /\r?\n/.exec(text)?.[0] ?? "\n";
const endsLine = (text: string): boolean => text === "" || text.endsWith("\n");
const inLines = (body: string, eol: string): string =>
  body
    .replace(/\r\n?/g, "\n")
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd()
    .replaceAll("\n", eol);

/** As `proseLines` counts lines. */
function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map((match) => match.index + match[0].length)];
}
