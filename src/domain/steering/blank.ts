import { parseProseLines } from "../document/prose.ts";

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
