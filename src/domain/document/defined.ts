import { proseLines } from "./prose.ts";
import { definitions, type Family } from "./reference.ts";
import { linesOutside } from "./section.ts";

export interface Defined {
  readonly id: string;
  readonly text: string;
  readonly line: number;
}

const BEGINS = /^\s{0,3}(?:#{1,6}\s|[-*+]\s|\d{1,4}[.)]\s|\|)/;

/** The first definition of an id wins. Ids under the headings `beside` are mentions. */
export function definedItems(markdown: string, family: Family, beside: readonly string[] = []): Defined[] {
  const lines = linesOutside(proseLines(markdown), beside);
  const starts = new Map(definitions(lines, family).map(({ id, line }) => [line, id]));
  const items = new Map<string, { line: number; parts: string[] }>();
  let current: string[] | undefined;
  for (const { number, text } of lines) {
    const id = starts.get(number);
    if (id !== undefined) {
      current = [afterId(text, id)];
      if (!items.has(id)) items.set(id, { line: number, parts: current });
    } else if (BEGINS.test(text)) {
      current = undefined;
    } else if (text.trim() === "") {
      if (current?.some((part) => part !== "")) current = undefined;
    } else {
      current?.push(text.trim());
    }
  }
  return [...items].map(([id, { line, parts }]) => ({ id, line, text: parts.join(" ").trim() }));
}

const afterId = (line: string, id: string): string =>
  line
    .slice(line.indexOf(id) + id.length)
    .replace(/^[\s*_`:.|–—-]+/, "")
    .replace(/\s*\|\s*/g, " ")
    .trim();
