import { stemmer } from "stemmer";
import words from "./search-words.json" with { type: "json" };

const WORD_PATTERN = /[\p{L}\p{N}]+/gu;
/** Scripts without spaces. A run of letters is indexed as pairs of neighbours. */
export const UNSPACED_SCRIPTS = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}`;
const UNSPACED_RUN_PATTERN = new RegExp(`[${UNSPACED_SCRIPTS}]+`, "gu");
const MAX_WORD_LENGTH = 64;

/** In order, in lower case and without diacritics. */
export function splitSearchWords(text: string): string[] {
  if (isAsciiText(text))
    return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).map((word) => word.slice(0, MAX_WORD_LENGTH));
  const folded = text
    .toWellFormed()
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();
  const found = folded.match(WORD_PATTERN) ?? [];
  return found.flatMap((word) => (isAsciiText(word) ? [word.slice(0, MAX_WORD_LENGTH)] : splitUnspacedWord(word)));
}

const cachedTerms = new Map<string, string>();
const MAX_CACHED_TERMS = 200_000;

/** The stem of a word's base form, as the index stores it. */
export function normalizeSearchTerm(word: string): string {
  const found = cachedTerms.get(word);
  if (found !== undefined) return found;
  // `thought` and `thoughts` both become `think`.
  const singular = word.endsWith("s") ? word.slice(0, -1) : word;
  const term = stemEnglishWord(BASE_WORDS.get(word) ?? BASE_WORDS.get(singular) ?? word);
  if (cachedTerms.size >= MAX_CACHED_TERMS) cachedTerms.clear();
  cachedTerms.set(word, term);
  return term;
}

export const extractSearchTerms = (text: string): string[] => splitSearchWords(text).map(normalizeSearchTerm);

// oxlint-disable-next-line no-control-regex -- all of ASCII is meant
const isAsciiText = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

function splitUnspacedWord(word: string): string[] {
  const parts: string[] = [];
  let end = 0;
  for (const match of word.matchAll(UNSPACED_RUN_PATTERN)) {
    if (match.index > end) parts.push(word.slice(end, match.index));
    const letters = Array.from(match[0]);
    if (letters.length === 1) parts.push(match[0]);
    for (let i = 1; i < letters.length; i++) parts.push(`${letters[i - 1]}${letters[i]}`);
    end = match.index + match[0].length;
  }
  if (end < word.length) parts.push(word.slice(end));
  return parts.map((part) => Array.from(part).slice(0, MAX_WORD_LENGTH).join(""));
}

/** `connections`, `connected` and `connecting` become `connect`. Short words and words of other alphabets stay. */
export const stemEnglishWord = (word: string): string =>
  word.length < 3 || !/^[a-z]+$/.test(word) ? word : stemmer(word);

const BASE_WORDS: ReadonlyMap<string, string> = new Map(
  [...Object.entries(words.irregularForms), ...Object.entries(words.abbreviations)].flatMap(([base, forms]) =>
    forms.split(" ").map((form): [string, string] => [form, base]),
  ),
);

/** A question may use one word of a group and the text another. */
const RELATED_TERMS: ReadonlyMap<string, ReadonlySet<string>> = (() => {
  const related = new Map<string, Set<string>>();
  for (const group of words.synonymGroups) {
    const terms = group.split(" ").map(normalizeSearchTerm);
    for (const term of terms) {
      const known = related.get(term) ?? new Set<string>();
      for (const other of terms) if (other !== term) known.add(other);
      related.set(term, known);
    }
  }
  return related;
})();

export const listRelatedTerms = (term: string): Iterable<string> => RELATED_TERMS.get(term) ?? [];
