/** Controls, line separators, the marks that reorder or join text, and the tags and selectors that hide some. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}]/gu;
/** As well what takes no room, looks like a blank, joins the letter before it or has no known look. */
const UNSEEN = /[\p{C}\p{M}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;
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

/**
 * One word or line that somebody has to judge, as a shell would take it: whole, and no two that differ are shown alike as
 * long as their letters can be told apart.
 */
export const exactWord = (word: string): string => shellWord(word).replace(UNSEEN, codeOf);

function codeOf(mark: string): string {
  const hex = (mark.codePointAt(0) ?? 0).toString(16).padStart(4, "0");
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex}`;
}

/** A word as a shell takes it, quoted where it has to be. */
export function shellWord(word: string): string {
  return /^[\w./:@%+,=-]+$/.test(word) ? word : `"${word.replace(/["\\$`]/g, "\\$&")}"`;
}
