import { plain, printable } from "../quote.ts";

/**
 * A line between which nothing can pretend to be outside: longer than any row of backticks in the text. Whoever reads the
 * brief sees where it ends, whatever the text says.
 */
export function fenceAround(text: string): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([row]) => row.length));
  return "`".repeat(Math.max(3, longest + 1));
}

/** Lines as a reader sees them: nothing in them can hide, move others around or end a line. */
export const visibleLines = (text: string): string[] =>
  text.split(/\r\n|\r|\n/).map((line) => printable(line.replaceAll("\t", "    ")).trimEnd());

/** What others named, such as a file, in one line of ours. */
export const named = (text: string): string => plain(text, 300).replaceAll("`", "'");
