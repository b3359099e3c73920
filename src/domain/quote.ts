/** C0 and C1 controls, and the marks that reorder, join or hide text. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;
const LIMIT = 120;

/** Text from outside, made safe to stand in a message: clipped, in quotes, nothing in it can act on a terminal. */
export function quote(text: string, limit = LIMIT): string {
  return `"${plain(text, limit)}"`;
}

/** As `quote`, without the quotes. */
export function plain(text: string, limit = LIMIT): string {
  const clipped = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return clipped
    .toWellFormed()
    .replace(UNPRINTABLE, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
