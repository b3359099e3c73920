import { proseLines } from "../document/prose.ts";

/** `<what it is for>`: several words in angle brackets, which no tag, type or address looks like. */
const PLACE = /(?<![\w>`\\])<\p{L}[^<>=`\n]*\s[^<>=`\n]*>/u;
/** Nothing but a place to fill in, with its mark and label at most. */
const ONLY_PLACE = /^\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:[^<>`\n]{1,60}:\s*)?<\p{L}[^<>=`\n]*\s[^<>=`\n]*>[.\s]*$/u;

export interface Blank {
  readonly line: number;
  readonly text: string;
}

/** What a template left to be said and nobody has. */
export function blanksIn(markdown: string): Blank[] {
  return proseLines(markdown)
    .filter(({ text, isCode }) => !isCode && PLACE.test(text))
    .map(({ number, text }) => ({ line: number, text: text.trim() }));
}

/** Whether nothing stands there but places to fill in: then nobody's words are lost with it. */
export function isBlank(markdown: string): boolean {
  return markdown.split(/\r\n|\r|\n/).every((line) => line.trim() === "" || ONLY_PLACE.test(line));
}
