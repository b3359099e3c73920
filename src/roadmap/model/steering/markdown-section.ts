import { parseHeadings, parseProseLines, isMatchingHeading } from "#kernel/model/document/markdown-document.ts";
import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";

/** A heading and its text, as offsets into the document. */
export type MarkdownSection = ReturnType<typeof listMarkdownSections>[number];

export function listMarkdownSections(text: string) {
  const starts = [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map((match) => match.index + match[0].length)];
  const at = (line: number): number => starts[line - 1] ?? text.length;
  const found = parseHeadings(parseProseLines(text));
  return found.map((heading, i) => {
    const next = found[i + 1];
    const after = found.slice(i + 1).find(({ level }) => level <= heading.level);
    return {
      heading,
      start: at(heading.line),
      from: at(heading.line + 1),
      /** Start of the next heading of any level: the end of the section's own text. */
      own: next ? at(next.line) : text.length,
      /** Start of the next heading of the same or a higher level. */
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
  const [head, tail] = [text.slice(0, from), text.slice(own)];
  const said = body.trim() === "" ? "" : `${eol}${formatBodyLines(body, eol)}${eol}`;
  return `${head}${isLineEnd(head) ? "" : eol}${said}${tail === "" ? "" : eol}${tail}`;
}

/** A placeholder is replaced, any other text extended. */
export function appendSectionBody(text: string, section: MarkdownSection, addition: string): string {
  const before = getOwnText(text, section);
  if (hasOnlyPlaceholders(before)) return replaceOwnText(text, section, addition);
  const eol = detectLineEnd(text);
  const newline = text.indexOf("\n", section.from + before.trimEnd().length);
  const at = newline < 0 ? text.length : newline + 1;
  const [head, tail] = [text.slice(0, at), text.slice(at)];
  const last = splitTextLines(before.trimEnd()).at(-1) ?? "";
  const isListGoingOn = isListItem(addition) && (isListItem(last) || /^\s{2,}\S/.test(last));
  const gap = isListGoingOn ? "" : eol;
  const rest = tail === "" || /^[ \t]*\r?\n/.test(tail) ? "" : eol;
  return `${head}${isLineEnd(head) ? "" : eol}${gap}${formatBodyLines(addition, eol)}${eol}${rest}${tail}`;
}

export function insertMarkdownSection(
  text: string,
  { title, level, body = "" }: { readonly title: string; readonly level: number; readonly body?: string },
  before = text.length,
): string {
  const eol = detectLineEnd(text);
  const [head, tail] = [text.slice(0, before), text.slice(before)];
  const gap = head.trim() === "" || /\n[ \t]*\r?\n$/.test(head) ? "" : isLineEnd(head) ? eol : eol + eol;
  const said = body.trim() === "" ? "" : `${eol}${formatBodyLines(body, eol)}${eol}`;
  return `${head}${gap}${"#".repeat(level)} ${title}${eol}${said}${tail === "" ? "" : eol}${tail}`;
}

/** List items, or paragraphs in a text without a list. */
export function readListItems(markdown: string): string[] {
  const lines = parseProseLines(markdown).filter(({ isCode }) => !isCode);
  const isList = lines.some(({ text }) => isListItem(text));
  const items: string[][] = [];
  let isOpen = false;
  for (const { text } of lines) {
    const isFilled = text.trim() !== "";
    const isNew: boolean = isList ? isListItem(text) : !isOpen && isFilled;
    if (isNew) items.push([]);
    if (isNew || (isOpen && isFilled)) items.at(-1)?.push(text.replace(LIST_ITEM_PATTERN, "").trim());
    isOpen = isFilled && (isNew || isOpen);
  }
  return items.map((parts) => parts.join(" ")).filter((item) => item !== "" && !hasOnlyPlaceholders(item));
}

/** List items, or lines in a text without a list. */
export function splitGivenItems(text: string): string[] {
  if (splitTextLines(text).some(isListItem)) return readListItems(text);
  return listFilledLines(text).map((line) => line.trim());
}

const splitTextLines = (text: string): string[] => text.split(/\r\n|\r|\n/);
export const listFilledLines = (text: string): string[] => splitTextLines(text).filter((line) => line.trim() !== "");

const LIST_ITEM_PATTERN = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/;
const isListItem = (text: string): boolean => LIST_ITEM_PATTERN.test(text);

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
  const instead = level >= 6 ? "" : `: begin at ${"#".repeat(level + 1)}`;
  return high && `it has the heading "${high.text}"${instead}`;
}

const detectLineEnd = (text: string): string => /\r?\n/.exec(text)?.[0] ?? "\n";
const isLineEnd = (text: string): boolean => text === "" || text.endsWith("\n");
const formatBodyLines = (body: string, eol: string): string =>
  body
    .replace(/\r\n?/g, "\n")
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd()
    .replaceAll("\n", eol);

/** `<purpose of the product>`: several words in angle brackets. Tags, types and addresses do not match. */
const PLACEHOLDER_PATTERN = /(?<![\w>`\\])<\p{L}[^<>=`\n]*\s[^<>=`\n]*>/u;
const ONLY_PLACEHOLDER_PATTERN =
  /^\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:[^<>`\n]{1,60}:\s*)?<\p{L}[^<>=`\n]*\s[^<>=`\n]*>[.\s]*$/u;

export function findPlaceholderLines(markdown: string): { readonly line: number; readonly text: string }[] {
  return parseProseLines(markdown)
    .filter(({ text, isCode }) => !isCode && PLACEHOLDER_PATTERN.test(text))
    .map(({ number, text }) => ({ line: number, text: text.trim() }));
}

/** True where replacing the text loses nothing that a person wrote. */
export const hasOnlyPlaceholders = (markdown: string): boolean =>
  listFilledLines(markdown).every((line) => ONLY_PLACEHOLDER_PATTERN.test(line));

/** An unclosed comment or code block hides every later heading, so nothing is written. */
function requireMarkdownSection(text: string, title: string): MarkdownSection {
  const section = findMarkdownSection(text, title);
  if (section) return section;
  throw new Fault("steering.unreadable", {
    what: `The section ${quote(title, 60)} cannot be written.`,
    why: "A comment or a block of code before it is never closed, and hides the rest.",
    fix: [
      "Close it in the steering file, then try again.",
      { operation: "steering.manage", input: { action: "show" } },
    ],
  });
}

const CODIFIED_HEADING = "Codified";

/** Adds a new line. `Testing: no mocks` goes under an existing heading Testing, any other line under Codified. */
export function addCodifiedLine(text: string, line: string): string {
  const [, name = "", rest = ""] = /^\s*([^:\n]{2,60}):\s+(\S[\s\S]*)$/.exec(line) ?? [];
  const sections = listMarkdownSections(text);
  // Exact words only, and not the title: many lines start with a word and a colon.
  const named = sections.find(({ heading }) => name !== "" && heading.level > 1 && hasSameWords(heading.text, name));
  const said = named ? rest : line;
  const items = sections.flatMap((each) => readListItems(getOwnText(text, each)));
  if (items.some((item) => hasSameWords(item, said) || hasSameWords(item, line))) return text;
  const section = named ?? findMarkdownSection(text, CODIFIED_HEADING);
  if (section) return appendSectionBody(text, section, formatSafeListItem(said));
  const added = insertMarkdownSection(text, { title: CODIFIED_HEADING, level: 2, body: formatSafeListItem(said) });
  requireMarkdownSection(added, CODIFIED_HEADING);
  return added;
}

/** Fills empty sections and adds missing ones from another version. Text that a person wrote stays. */
export function fillEmptySections(text: string, other: string): string {
  const sections = listMarkdownSections(other);
  return sections.reduce((filled, section, i) => {
    const said = getOwnText(other, section);
    if (section.heading.level === 1 || hasOnlyPlaceholders(said)) return filled;
    const present = findMarkdownSection(filled, section.heading.text);
    if (present)
      return hasOnlyPlaceholders(getOwnText(filled, present)) ? replaceOwnText(filled, present, said) : filled;
    let made = filled;
    let end: number | undefined;
    for (const { heading: outer, from, to } of sections.slice(0, i)) {
      if (outer.level === 1 || section.start < from || section.to > to) continue;
      if (!findMarkdownSection(made, outer.text))
        made = insertMarkdownSection(made, { title: outer.text, level: outer.level }, end);
      end = findMarkdownSection(made, outer.text)?.to;
    }
    return insertMarkdownSection(made, { title: section.heading.text, level: section.heading.level, body: said }, end);
  }, text);
}

export type SectionEditMode = "adding" | "replacing";

export function writeTitleText(text: string, said: string, how: SectionEditMode): string {
  const [title] = listMarkdownSections(text);
  return title?.heading.level === 1 ? editSectionBody(text, title, said, how) : `${said.trim()}\n\n${text}`;
}

/** Creates a missing heading before `before`, otherwise at the end. */
export function writeSectionBody(text: string, heading: string, said: string, how: SectionEditMode, before?: string) {
  const section = findMarkdownSection(text, heading);
  if (section) return editSectionBody(text, section, said, how);
  const next = before === undefined ? undefined : findMarkdownSection(text, before)?.start;
  const added = insertMarkdownSection(text, { title: heading, level: 2, body: said }, next);
  requireMarkdownSection(added, heading);
  return added;
}

function editSectionBody(text: string, section: MarkdownSection, said: string, how: SectionEditMode): string {
  const present = getOwnText(text, section);
  if (hasSameWords(present, said)) return text;
  if (how === "replacing") return replaceOwnText(text, section, said);
  const [all, wanted] = [listCollapsedLines(present), listCollapsedLines(said)];
  const isThere = all.some((line, i) => line === (wanted[0] ?? "") && wanted.every((each, k) => all[i + k] === each));
  return isThere ? text : appendSectionBody(text, section, said);
}

const collapseLineSpaces = (line: string): string => line.trim().replace(/\s+/g, " ");
const listCollapsedLines = (text: string): string[] => listFilledLines(text).map(collapseLineSpaces);

/** Whether a line that a person wrote is gone. Placeholders do not count. */
export function hasLostText(before: string, after: string): boolean {
  const left = listCollapsedLines(after);
  return listFilledLines(before).some((line) => {
    const at = left.indexOf(collapseLineSpaces(line));
    if (at >= 0) left.splice(at, 1);
    return at < 0 && !hasOnlyPlaceholders(line);
  });
}

type SectionOrder = readonly (readonly [title: string, within?: string])[];

export function ensureOrderedSection(
  order: SectionOrder,
  text: string,
  title: string,
): [text: string, section: MarkdownSection] {
  const present = findMarkdownSection(text, title);
  if (present) return [text, present];
  const within = order.find(([name]) => name === title)?.[1];
  const [base, parent] = within === undefined ? [text, undefined] : ensureOrderedSection(order, text, within);
  const level = parent ? parent.heading.level + 1 : 2;
  const later = order.slice(order.findIndex(([name]) => name === title) + 1).filter(([, of]) => of === within);
  const isInside = ({ start, to }: MarkdownSection): boolean => !parent || (start >= parent.from && to <= parent.to);
  const next = later.map(([name]) => findMarkdownSection(base, name)).find((section) => section && isInside(section));
  // Before the next known sibling, otherwise at the end of the parent.
  const made = insertMarkdownSection(base, { title, level }, next?.start ?? parent?.to);
  return [made, requireMarkdownSection(made, title)];
}
