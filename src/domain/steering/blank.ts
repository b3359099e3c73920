import { parseProseLines } from "../document/prose.ts";

/** `<purpose of the product>`: several words in angle brackets. Tags, types and addresses do not match. */
const PLACE = /(?<![\w>`\\])<\p{L}[^<>=`\n]*\s[^<>=`\n]*>/u;
const ONLY_PLACE = /^\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:[^<>`\n]{1,60}:\s*)?<\p{L}[^<>=`\n]*\s[^<>=`\n]*>[.\s]*$/u;

export interface Blank {
  readonly line: number;
  readonly text: string;
}

export function blanksIn(markdown: string): Blank[] {
  return parseProseLines(markdown)
    .filter(({ text, isCode }) => !isCode && PLACE.test(text))
    .map(({ number, text }) => ({ line: number, text: text.trim() }));
}

/** True where replacing the text loses nothing that a person wrote. */
export function isBlank(markdown: string): boolean {
  return markdown.split(/\r\n|\r|\n/).every((line) => line.trim() === "" || ONLY_PLACE.test(line));
}
