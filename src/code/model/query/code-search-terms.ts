import { type SearchQuestion, parseSearchQuestion } from "#kernel/model/search/search-question.ts";
import type { TermWeights } from "#kernel/model/search/search-ranking.ts";
import { listRelatedTerms, normalizeSearchTerm, splitSearchWords } from "#kernel/model/search/search-terms.ts";
import { isStopWord } from "#kernel/model/search/stop-words.ts";
import words from "./search-words.json" with { type: "json" };

const QUESTION_FILLER_WORDS: ReadonlySet<string> = new Set(words.fillers.split(" "));
const SYNONYM_SHARE = 0.4;
const DERIVED_WORD_SHARE = 0.6;
const MIN_DERIVED_WORD = 4;
const MAX_SEARCH_HINTS = 120;

/** Names join a verb and its particle: `lookup`, `login`, `rollback`. */
const VERB_PARTICLES: ReadonlySet<string> = new Set(words.particles.split(" "));
/** Converts a question about code to index terms: without filler words, with names and their parts. */
export function createSearchQuestion(about: string, now: string): SearchQuestion {
  const question = parseSearchQuestion(appendNameParts(removeFillerWords(about)), now);
  const hints = new Map(question.hints);
  const add = (word: string, share: number): void => {
    const term = normalizeSearchTerm(word);
    if (!question.terms.includes(term) && !hints.has(term) && hints.size < MAX_SEARCH_HINTS) hints.set(term, share);
  };
  const said = splitSearchWords(about);
  for (const [i, word] of said.entries())
    if (i > 0 && VERB_PARTICLES.has(word)) add(`${normalizeSearchTerm(said[i - 1] ?? "")}${word}`, 1);
  for (const [i, word] of said.entries())
    if (i > 0) for (const joined of joinShortForms(said[i - 1] ?? "", word)) add(joined, 1);
  // Some stop words mean something in code: `before` is a hook.
  for (const word of said) for (const other of listCodeSynonyms(normalizeSearchTerm(word))) add(other, SYNONYM_SHARE);
  for (const word of question.spelled.values()) for (const made of deriveCodeVerbs(word)) add(made, DERIVED_WORD_SHARE);
  return { ...question, hints, phrases: [] };
}

const hasIndexedTerm = (term: string, weights: TermWeights): boolean =>
  [term, ...listRelatedTerms(term), ...listCodeSynonyms(term)].some((each) => weights.has(each));

/** Keeps all words if nothing else would remain. */
function removeFillerWords(about: string): string {
  const telling = about
    .split(/\s+/)
    .filter((word) => !QUESTION_FILLER_WORDS.has(word.toLowerCase().replaceAll(/[^\p{L}]/gu, "")));
  const isEmpty = telling.every((word) => splitSearchWords(word).every(isStopWord));
  return isEmpty ? about : telling.join(" ");
}

/** Names may write two words as one, short or long: `envvar`, `filename`, `hostname`. */
function joinShortForms(one: string, other: string): string[] {
  if (isStopWord(one) || isStopWord(other)) return [];
  const listForms = (word: string): string[] => [word, ...(SHORT_FORMS.get(word.replace(/s$/, "")) ?? [])];
  return listForms(one).flatMap((first) => listForms(other).map((second) => `${first}${second}`));
}

const SHORT_FORMS: ReadonlyMap<string, readonly string[]> = new Map(
  words.abbreviations.map((line): [string, string[]] => {
    const [word = "", ...forms] = line.split(" ");
    return [word, forms.filter((form) => form.length > 1)];
  }),
);

/** Verbs that programmers derive: `flatten`, `slugify`, `normalize`. Also the base word of such a verb. */
function deriveCodeVerbs(word: string): string[] {
  if (word.length < MIN_DERIVED_WORD || !/^[a-z]+$/.test(word)) return [];
  const root = word.replace(/[ey]$/, "");
  const made = [`${root}ify`, `${root}ize`, `${root}ise`, `${root}en`, `${root}${root.at(-1)}en`];
  const [, base] = /^([a-z]{4,})(?:ify|i[sz]e|ifier|i[sz]er|i[sz]ation)s?$/.exec(word) ?? [];
  return base === undefined ? made : [...made, base, `${base}y`];
}

/** Hints that stand for one term of a question: synonyms, derived verbs, and the term joined with the one before it. */
export function* listTermAlternatives(
  term: string,
  spelled: string | undefined,
  before: string | undefined,
  hints: ReadonlyMap<string, number>,
): Iterable<string> {
  yield* listRelatedTerms(term);
  yield* listCodeSynonyms(term);
  for (const made of spelled === undefined ? [] : deriveCodeVerbs(spelled)) yield normalizeSearchTerm(made);
  for (const hint of hints.keys())
    if (hint === `${before}${term}` || [...VERB_PARTICLES].some((particle) => hint === `${term}${particle}`))
      yield hint;
}

const CODE_SYNONYMS: ReadonlyMap<string, ReadonlySet<string>> = (() => {
  const related = new Map<string, Set<string>>();
  const relate = (word: string, other: string): void => {
    const known = related.get(normalizeSearchTerm(word)) ?? new Set<string>();
    related.set(normalizeSearchTerm(word), known.add(normalizeSearchTerm(other)));
  };
  // A word is followed by its abbreviations in code.
  for (const [word = "", ...forms] of words.abbreviations.map((line) => line.split(" ")))
    for (const form of forms) {
      relate(word, form);
      relate(form, word);
    }
  for (const group of words.synonyms.map((line) => line.split(" ")))
    for (const word of group) for (const other of group) if (other !== word) relate(word, other);
  return related;
})();

export const listCodeSynonyms = (term: string): Iterable<string> => CODE_SYNONYMS.get(term) ?? [];

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
  for (const word of splitWordsAndParts(text)) terms.add(normalizeSearchTerm(word));
  return terms;
}

const splitWordsAndParts = (text: string): string[] => [
  ...splitSearchWords(text),
  ...splitSearchWords(text.replaceAll(NAME_PART_BOUNDARY, " ")),
];

// oxlint-disable-next-line no-control-regex -- all of ASCII is meant
const ASCII_TEXT = /^[\0-\x7f]*$/;
const knownNameTerms = new Map<string, readonly string[]>();
const MAX_KNOWN_NAMES = 100_000;

function extractNameTerms(name: string): readonly string[] {
  const found = knownNameTerms.get(name);
  if (found !== undefined) return found;
  const terms = [...new Set(splitWordsAndParts(name).map(normalizeSearchTerm))];
  if (knownNameTerms.size >= MAX_KNOWN_NAMES) knownNameTerms.clear();
  knownNameTerms.set(name, terms);
  return terms;
}

/** `parseDate` becomes `parse Date`. */
export const splitNameParts = (text: string): string => text.replaceAll("_", " ").replaceAll(NAME_PART_BOUNDARY, " ");

/** Appends the parts of each name, so that prose about it matches: `parseDate parse Date`. */
const appendNameParts = (text: string): string =>
  text.replaceAll(/[\p{L}\p{N}_$]+/gu, (name) => {
    const parts = splitNameParts(name).trim();
    return parts === name || parts === "" ? name : `${name.replaceAll("_", "")} ${parts}`;
  });

/** `format_filename` as the index spells it whole: `formatfilename`. */
const joinNameParts = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

/** Words of a question that the index does not know, as the user spelled them. */
export function listUnknownWords(
  { terms, spelled }: SearchQuestion,
  weights: TermWeights,
  expected: readonly string[],
): string[] {
  const known = new Set([...expected, ...expected.map(joinNameParts)]);
  const unknown = terms.filter((term) => !hasIndexedTerm(term, weights)).map((term) => spelled.get(term) ?? term);
  return unknown.filter((word) => !known.has(word) && !known.has(joinNameParts(word)));
}
