import { termOf, wordsOf } from "../memory/words.ts";

/** Where words that were written as one part: `validateToken`, `HTTPServer`, `sha256sum`. */
const SEAM = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g;

/** The terms of code and prose about it, each once: names count as a whole and by their parts. */
export function termsOfCode(text: string): Set<string> {
  const terms = new Set<string>();
  for (const word of wordsOf(text)) terms.add(termOf(word));
  for (const word of wordsOf(text.replaceAll(SEAM, " "))) terms.add(termOf(word));
  return terms;
}

/** A text with its names taken apart: `parseDate` is `parse Date`. */
export const partsOf = (text: string): string => text.replaceAll("_", " ").replaceAll(SEAM, " ");

/** A text with the parts of each name behind it, so that prose about a name finds it: `parseDate parse Date`. */
export const spoken = (text: string): string =>
  text.replaceAll(/[\p{L}\p{N}_$]+/gu, (name) => {
    const parts = name.replaceAll("_", " ").replaceAll(SEAM, " ").trim();
    return parts === name || parts === "" ? name : `${name.replaceAll("_", "")} ${parts}`;
  });
