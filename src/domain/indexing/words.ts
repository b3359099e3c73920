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
