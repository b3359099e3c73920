import { sanitizeText, escapeUnprintable } from "../quote.ts";

/** Longer than any row of backticks in the text, so the text cannot close its own fence. */
export function createTextFence(text: string): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([row]) => row.length));
  return "`".repeat(Math.max(3, longest + 1));
}

/** Makes invisible characters visible, so text cannot hide, move other text or end a line. */
export const splitPrintableLines = (text: string): string[] =>
  text.split(/\r\n|\r|\n/).map((line) => escapeUnprintable(line.replaceAll("\t", "    ")).trimEnd());

/** Text by others inside our own sentence. The limit keeps it too short for an injected instruction. */
export const quoteForeignName = (text: string, limit = 100): string => sanitizeText(text, limit).replaceAll("`", "'");
