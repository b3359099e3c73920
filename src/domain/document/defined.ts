import { parseProseLines } from "./prose.ts";
import { findIdDefinitions, type IdFamily } from "./reference.ts";
import { excludeSections } from "./section.ts";

export interface DefinedItem {
  readonly id: string;
  readonly text: string;
  readonly line: number;
}

const BLOCK_START_PATTERN = /^\s{0,3}(?:#{1,6}\s|[-*+]\s|\d{1,4}[.)]\s|\|)/;

/** The first definition of an id wins. Ids under the headings `beside` are mentions. */
export function parseDefinedItems(markdown: string, family: IdFamily, beside: readonly string[] = []): DefinedItem[] {
  const lines = excludeSections(parseProseLines(markdown), beside);
  const starts = new Map(findIdDefinitions(lines, family).map(({ id, line }) => [line, id]));
  const items = new Map<string, { line: number; parts: string[] }>();
  let current: string[] | undefined;
  for (const { number, text } of lines) {
    const id = starts.get(number);
    if (id !== undefined) {
      current = [extractTextAfterId(text, id)];
      if (!items.has(id)) items.set(id, { line: number, parts: current });
    } else if (BLOCK_START_PATTERN.test(text)) {
      current = undefined;
    } else if (text.trim() === "") {
      if (current?.some((part) => part !== "")) current = undefined;
    } else {
      current?.push(text.trim());
    }
  }
  return [...items].map(([id, { line, parts }]) => ({ id, line, text: parts.join(" ").trim() }));
}

const extractTextAfterId = (line: string, id: string): string =>
  line
    .slice(line.indexOf(id) + id.length)
    .replace(/^[\s*_`:.|–—-]+/, "")
    .replace(/\s*\|\s*/g, " ")
    .trim();
