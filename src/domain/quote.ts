/** Controls, line separators, the marks that reorder or join text, and the tags and selectors that hide some. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}]/gu;
const LIMIT = 120;

/** Text from outside, made safe to stand in a message: clipped, in quotes, nothing in it can act on a terminal. */
export function quote(text: string, limit = LIMIT): string {
  return `"${plain(text, limit)}"`;
}

/** As `quote`, without the quotes. */
export function plain(text: string, limit = LIMIT): string {
  return printable(text.length > limit ? `${text.slice(0, limit)}…` : text);
}

/** The whole text, with what could act on a terminal or hide from a reader shown by its code. */
export const printable = (text: string): string => text.toWellFormed().replace(UNPRINTABLE, codeOf);

function codeOf(mark: string): string {
  const hex = (mark.codePointAt(0) ?? 0).toString(16).padStart(4, "0");
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex}`;
}

/** A word as a shell takes it, quoted where it has to be. */
export function shellWord(word: string): string {
  return /^[\w./:@%+,=-]+$/.test(word) ? word : `"${word.replace(/["\\$`]/g, "\\$&")}"`;
}
