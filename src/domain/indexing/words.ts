import { termOf, wordsOf } from "../memory/words.ts";

/** Where words that were written as one part: `validateToken`, `HTTPServer`, `sha256sum`. */
const SEAM = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g;

/** The terms of code and prose about it, each once: names count as a whole and by their parts. */
export function termsOfCode(text: string): Set<string> {
  const terms = new Set<string>();
  // Most code is written in plain letters, in which a name is met again and again.
  if (PLAIN.test(text)) {
    for (const name of text.match(/[A-Za-z0-9]+/g) ?? []) for (const term of termsOfName(name)) terms.add(term);
    return terms;
  }
  for (const word of wordsOf(text)) terms.add(termOf(word));
  for (const word of wordsOf(text.replaceAll(SEAM, " "))) terms.add(termOf(word));
  return terms;
}

// oxlint-disable-next-line no-control-regex -- all of ASCII is meant
const PLAIN = /^[\0-\x7f]*$/;
const known = new Map<string, readonly string[]>();
const MOST_KNOWN = 100_000;

function termsOfName(name: string): readonly string[] {
  const found = known.get(name);
  if (found !== undefined) return found;
  const terms = [...new Set([...wordsOf(name), ...wordsOf(name.replaceAll(SEAM, " "))].map(termOf))];
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(name, terms);
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
