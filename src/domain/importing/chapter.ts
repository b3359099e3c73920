import { parseHeadings, parseProseLines } from "../document/prose.ts";

export interface Chapter {
  readonly level: number;
  readonly title: string;
  /** Exact text up to the next heading of any level. */
  readonly own: string;
  readonly parts: readonly Chapter[];
}

interface Growing extends Chapter {
  readonly parts: Growing[];
}

/**
 * Parses text into a tree of headings. Text before the first heading belongs to the root; headings in code do not
 * count.
 */
export function chaptersOf(markdown: string): Chapter {
  const lines = markdown.split(/\r\n|\r|\n/);
  const found = parseHeadings(parseProseLines(markdown));
  const ownOf = (from: number, i: number): string =>
    lines.slice(from, (found[i]?.line ?? lines.length + 1) - 1).join("\n");
  const root: Growing = { level: 0, title: "", own: ownOf(0, 0), parts: [] };
  const above = [root];
  for (const [i, { level, text, line }] of found.entries()) {
    while ((above.at(-1)?.level ?? 0) >= level) above.pop();
    const chapter: Growing = { level, title: bare(text), own: ownOf(line, i + 1), parts: [] };
    above.at(-1)?.parts.push(chapter);
    above.push(chapter);
  }
  return root;
}

export function* eachChapter(chapter: Chapter): Generator<Chapter> {
  yield chapter;
  for (const part of chapter.parts) yield* eachChapter(part);
}

export function chapterNamed(root: Chapter, name: RegExp): Chapter | undefined {
  for (const chapter of eachChapter(root)) if (chapter.level > 0 && name.test(chapter.title)) return chapter;
  return undefined;
}

export function textOf({ level, title, own, parts }: Chapter): string {
  const head = level === 0 ? "" : `${"#".repeat(level)} ${title}\n`;
  return `${head}${own.trimEnd()}\n${parts.map((part) => `\n${textOf(part)}`).join("")}`;
}

/** The first paragraph of prose, not a list, table, label, quote or comment. */
export function firstParagraph(text: string): string {
  const blocks = text
    .replace(/<!--[\s\S]*?(?:-->|$)/g, "")
    .split(/\n\s*\n/)
    .map((block) => block.trim());
  const prose = blocks.find((block) => /^[\p{L}\p{N}"'“‘«(`_]/u.test(block) && !/^\d{1,4}[.)]\s/.test(block));
  return oneLine(prose ?? "");
}

export interface Item {
  /** Such as `1.2` or `FR-001`; undefined for a bullet. */
  readonly label?: string;
  readonly text: string;
}

const ITEM = /^ {0,3}(?:(\d{1,4}(?:\.\d{1,4})?)[.)]?|[-*+])[ \t]+(?:\[[ xX~-]\][ \t]+)?(.*)$/;
const LABELLED = /^\*\*([A-Z]{1,6}-?\d{1,4}[a-z]?)\*\*\s*:?\s*|^([A-Z]{2,6}-\d{1,4}[a-z]?)\s*:\s*/;

/** Items of the outermost lists. Indented lines belong to the item above. */
export function itemsIn(text: string): Item[] {
  const items: { label?: string; lines: string[] }[] = [];
  let isOpen = false;
  for (const { text: line, isCode } of parseProseLines(text)) {
    const [whole, number, said = ""] = ITEM.exec(line) ?? [];
    if (whole !== undefined) {
      const [mark, bold, plain] = LABELLED.exec(said) ?? [];
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
    .map(({ lines, ...label }) => ({ ...label, text: oneLine(lines.join(" ")) }))
    .filter(({ text: said }) => said !== "");
}

export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

const bare = (title: string): string => title.replace(/^\s*[*_]{1,3}|[*_]{1,3}\s*$/g, "").trim();
