import { normalizeSearchTerm, splitSearchWords } from "../memory/words.ts";

/** Word boundaries within a name: `validateToken`, `HTTPServer`, `sha256sum`. */
const NAME_PART_BOUNDARY = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g;

/** Terms of code and prose, each once: whole names and their parts. */
export function extractIndexTerms(text: string): Set<string> {
  const terms = new Set<string>();
  // Fast path with a cache: most code is ASCII and repeats the same names.
  if (ASCII_TEXT.test(text)) {
    for (const name of text.match(/[A-Za-z0-9]+/g) ?? []) for (const term of extractNameTerms(name)) terms.add(term);
    return terms;
  }
  for (const word of splitSearchWords(text)) terms.add(normalizeSearchTerm(word));
  for (const word of splitSearchWords(text.replaceAll(NAME_PART_BOUNDARY, " "))) terms.add(normalizeSearchTerm(word));
  return terms;
}

// oxlint-disable-next-line no-control-regex -- all of ASCII is meant
const ASCII_TEXT = /^[\0-\x7f]*$/;
const knownNameTerms = new Map<string, readonly string[]>();
const MAX_KNOWN_NAMES = 100_000;

function extractNameTerms(name: string): readonly string[] {
  const found = knownNameTerms.get(name);
  if (found !== undefined) return found;
  const terms = [
    ...new Set(
      [...splitSearchWords(name), ...splitSearchWords(name.replaceAll(NAME_PART_BOUNDARY, " "))].map(
        normalizeSearchTerm,
      ),
    ),
  ];
  if (knownNameTerms.size >= MAX_KNOWN_NAMES) knownNameTerms.clear();
  knownNameTerms.set(name, terms);
  return terms;
}

/** `parseDate` becomes `parse Date`. */
export const splitNameParts = (text: string): string => text.replaceAll("_", " ").replaceAll(NAME_PART_BOUNDARY, " ");

/** Appends the parts of each name, so that prose about it matches: `parseDate parse Date`. */
export const appendNameParts = (text: string): string =>
  text.replaceAll(/[\p{L}\p{N}_$]+/gu, (name) => {
    const parts = name.replaceAll("_", " ").replaceAll(NAME_PART_BOUNDARY, " ").trim();
    return parts === name || parts === "" ? name : `${name.replaceAll("_", "")} ${parts}`;
  });
