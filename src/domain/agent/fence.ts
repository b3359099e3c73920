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

/** What others named, such as a task, in a line of ours; by itself it is too short to talk anybody into something. */
export const named = (text: string, limit = 100): string => plain(text, limit).replaceAll("`", "'");
