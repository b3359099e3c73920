import { parseHeadings, parseProseLines } from "../document/prose.ts";

export interface MarkdownChapter {
  readonly level: number;
  readonly title: string;
  /** Exact text up to the next heading of any level. */
  readonly own: string;
  readonly parts: readonly MarkdownChapter[];
}

interface OpenMarkdownChapter extends MarkdownChapter {
  readonly parts: OpenMarkdownChapter[];
}

/**
 * Parses text into a tree of headings. Text before the first heading belongs to the root; headings in code do not
 * count.
 */
export function parseMarkdownChapters(markdown: string): MarkdownChapter {
  const lines = markdown.split(/\r\n|\r|\n/);
  const found = parseHeadings(parseProseLines(markdown));
  const ownOf = (from: number, i: number): string =>
    lines.slice(from, (found[i]?.line ?? lines.length + 1) - 1).join("\n");
  const root: OpenMarkdownChapter = { level: 0, title: "", own: ownOf(0, 0), parts: [] };
  const above = [root];
  for (const [i, { level, text, line }] of found.entries()) {
    while ((above.at(-1)?.level ?? 0) >= level) above.pop();
    const chapter: OpenMarkdownChapter = { level, title: stripTitleMarks(text), own: ownOf(line, i + 1), parts: [] };
    above.at(-1)?.parts.push(chapter);
    above.push(chapter);
  }
  return root;
}

export function* walkMarkdownChapters(chapter: MarkdownChapter): Generator<MarkdownChapter> {
  yield chapter;
  for (const part of chapter.parts) yield* walkMarkdownChapters(part);
}

export function findMarkdownChapter(root: MarkdownChapter, name: RegExp): MarkdownChapter | undefined {
  for (const chapter of walkMarkdownChapters(root)) if (chapter.level > 0 && name.test(chapter.title)) return chapter;
  return undefined;
}

export function formatMarkdownChapter({ level, title, own, parts }: MarkdownChapter): string {
  const head = level === 0 ? "" : `${"#".repeat(level)} ${title}\n`;
  return `${head}${own.trimEnd()}\n${parts.map((part) => `\n${formatMarkdownChapter(part)}`).join("")}`;
}

/** The first paragraph of prose, not a list, table, label, quote or comment. */
export function findFirstParagraph(text: string): string {
  const blocks = text
    .replace(/<!--[\s\S]*?(?:-->|$)/g, "")
    .split(/\n\s*\n/)
    .map((block) => block.trim());
  const prose = blocks.find((block) => /^[\p{L}\p{N}"'“‘«(`_]/u.test(block) && !/^\d{1,4}[.)]\s/.test(block));
  return collapseWhitespace(prose ?? "");
}

export interface MarkdownListItem {
  /** Such as `1.2` or `FR-001`; undefined for a bullet. */
  readonly label?: string;
  readonly text: string;
}

const MARKDOWN_LIST_ITEM = /^ {0,3}(?:(\d{1,4}(?:\.\d{1,4})?)[.)]?|[-*+])[ \t]+(?:\[[ xX~-]\][ \t]+)?(.*)$/;
const LIST_ITEM_LABEL = /^\*\*([A-Z]{1,6}-?\d{1,4}[a-z]?)\*\*\s*:?\s*|^([A-Z]{2,6}-\d{1,4}[a-z]?)\s*:\s*/;

/** Items of the outermost lists. Indented lines belong to the item above. */
export function parseMarkdownListItems(text: string): MarkdownListItem[] {
  const items: { label?: string; lines: string[] }[] = [];
  let isOpen = false;
  for (const { text: line, isCode } of parseProseLines(text)) {
    const [whole, number, said = ""] = MARKDOWN_LIST_ITEM.exec(line) ?? [];
    if (whole !== undefined) {
      const [mark, bold, plain] = LIST_ITEM_LABEL.exec(said) ?? [];
      const label = bold ?? plain ?? number;
      items.push({
        ...(label === undefined ? {} : { label }),
        lines: [mark === undefined ? said : said.slice(mark.length)],
      });
      isOpen = true;
    } else if (!isCode && isOpen && /^\s+\S/.test(line)) items.at(-1)?.lines.push(line.trim());
    else if (line.trim() !== "" && !/^\s/.test(line)) isOpen = false;
  }
  return items
    .map(({ lines, ...label }) => ({ ...label, text: collapseWhitespace(lines.join(" ")) }))
    .filter(({ text: said }) => said !== "");
}

export const collapseWhitespace = (text: string): string => text.replace(/\s+/g, " ").trim();

const stripTitleMarks = (title: string): string => title.replace(/^\s*[*_]{1,3}|[*_]{1,3}\s*$/g, "").trim();
