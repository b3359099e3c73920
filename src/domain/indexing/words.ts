import { termOf, wordsOf } from "../memory/words.ts";

/** Word boundaries within a name: `validateToken`, `HTTPServer`, `sha256sum`. */
const SEAM = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g;

/** Terms of code and prose, each once: whole names and their parts. */
export function termsOfCode(text: string): Set<string> {
  const terms = new Set<string>();
  // Fast path with a cache: most code is ASCII and repeats the same names.
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

/** `parseDate` becomes `parse Date`. */
export const partsOf = (text: string): string => text.replaceAll("_", " ").replaceAll(SEAM, " ");

/** Appends the parts of each name, so that prose about it matches: `parseDate parse Date`. */
export const spoken = (text: string): string =>
  text.replaceAll(/[\p{L}\p{N}_$]+/gu, (name) => {
    const parts = name.replaceAll("_", " ").replaceAll(SEAM, " ").trim();
    return parts === name || parts === "" ? name : `${name.replaceAll("_", "")} ${parts}`;
  });
