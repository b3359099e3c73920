/** Control characters, line separators, bidirectional and joining marks, and invisible tags and selectors. */
const UNPRINTABLE_PATTERN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}]/gu;
/** Also zero-width and blank-looking characters, combining marks and unassigned code points. */
const INVISIBLE_PATTERN = /[\p{C}\p{M}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;
const DEFAULT_TEXT_LIMIT = 120;

/** Makes untrusted text safe for a message: clipped, quoted, without terminal control characters. */
export function quote(text: string, limit = DEFAULT_TEXT_LIMIT): string {
  return `"${sanitizeText(text, limit)}"`;
}

export function sanitizeText(text: string, limit = DEFAULT_TEXT_LIMIT): string {
  return escapeUnprintable(text.length > limit ? `${text.slice(0, limit)}…` : text);
}

export const escapeUnprintable = (text: string): string =>
  text.toWellFormed().replace(UNPRINTABLE_PATTERN, formatCodePoint);

/**
 * A word the user has to judge, in shell syntax and unabridged. Different words never look the same, unless their
 * letters do.
 */
export const formatExactWord = (word: string): string =>
  quoteShellWord(word).replace(INVISIBLE_PATTERN, formatCodePoint);

function formatCodePoint(mark: string): string {
  const hex = (mark.codePointAt(0) ?? 0).toString(16).padStart(4, "0");
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex}`;
}

export function quoteShellWord(word: string): string {
  return /^[\w./:@%+,=-]+$/.test(word) ? word : `"${word.replace(/["\\$`]/g, "\\$&")}"`;
}
