import { type SearchQuestion, parseSearchQuestion } from "../../memory/question.ts";
import type { TermWeights } from "../../memory/rank.ts";
import { listRelatedTerms } from "../../memory/thesaurus.ts";
import { isStopWord, normalizeSearchTerm, splitSearchWords } from "../../memory/words.ts";
import { appendNameParts } from "../words.ts";
import { listCodeSynonyms } from "./thesaurus.ts";

const QUESTION_FILLER_WORDS: ReadonlySet<string> = new Set(
  [
    "actually anybody anything anyone become becomes came code codebase come comes define defined defines describe",
    "exactly exist exists explain function give given gives go goes handle handled handles happen happened happens help implement",
    "implemented implements know known let lets located make makes making mean meant project repository responsible",
    "say says somebody someone something tell thing things turn turned turns want way ways work worked working works",
  ]
    .join(" ")
    .split(" "),
);
const SYNONYM_SHARE = 0.4;
const DERIVED_WORD_SHARE = 0.6;
const MIN_DERIVED_WORD = 4;
const MAX_SEARCH_HINTS = 60;

/** Names join a verb and its particle: `lookup`, `login`, `rollback`. */
const VERB_PARTICLES: ReadonlySet<string> = new Set("up down in out off on back over".split(" "));
/** Converts a question about code to index terms: without filler words, with names and their parts. */
export function createSearchQuestion(about: string, now: string): SearchQuestion {
  const question = parseSearchQuestion(appendNameParts(removeFillerWords(about)), now);
  const hints = new Map(question.hints);
  const add = (word: string, share: number): void => {
    const term = normalizeSearchTerm(word);
    if (!question.terms.includes(term) && !hints.has(term) && hints.size < MAX_SEARCH_HINTS) hints.set(term, share);
  };
  for (const word of joinVerbParticles(about)) add(word, 1);
  // Some stop words mean something in code: `before` is a hook.
  for (const word of splitSearchWords(about))
    for (const other of listCodeSynonyms(normalizeSearchTerm(word))) add(other, SYNONYM_SHARE);
  for (const word of question.spelled.values()) for (const made of deriveCodeVerbs(word)) add(made, DERIVED_WORD_SHARE);
  return { ...question, hints, phrases: [] };
}

function joinVerbParticles(about: string): string[] {
  const words = splitSearchWords(about);
  return words
    .slice(1)
    .flatMap((word, i) => (VERB_PARTICLES.has(word) ? [`${normalizeSearchTerm(words[i] ?? "")}${word}`] : []));
}

export const hasIndexedTerm = (term: string, weights: TermWeights): boolean =>
  [term, ...listRelatedTerms(term), ...listCodeSynonyms(term)].some((each) => weights.has(each));

/** Keeps all words if nothing else would remain. */
function removeFillerWords(about: string): string {
  const words = about.split(/\s+/);
  const telling = words.filter((word) => !QUESTION_FILLER_WORDS.has(word.toLowerCase().replaceAll(/[^\p{L}]/gu, "")));
  const isEmpty = telling.every((word) => splitSearchWords(word).every(isStopWord));
  return isEmpty ? about : telling.join(" ");
}

/** Verbs that programmers derive: `flatten`, `slugify`, `normalize`. Also the base word of such a verb. */
function deriveCodeVerbs(word: string): string[] {
  if (word.length < MIN_DERIVED_WORD || !/^[a-z]+$/.test(word)) return [];
  const root = word.replace(/[ey]$/, "");
  const made = [`${root}ify`, `${root}ize`, `${root}ise`, `${root}en`, `${root}${root.at(-1)}en`];
  const [, base] = /^([a-z]{4,})(?:ify|i[sz]e|ifier|i[sz]er|i[sz]ation)s?$/.exec(word) ?? [];
  return base === undefined ? made : [...made, base, `${base}y`];
}
