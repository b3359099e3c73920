import words from "../change/common-words.json" with { type: "json" };
import { type SearchQuestion, parseSearchQuestion } from "#kernel/model/search/search-question.ts";
import type { RankedItem, RankableText } from "#kernel/model/search/search-ranking.ts";
import { SearchRanking, computeTermWeight } from "#kernel/model/search/search-ranking.ts";
import { extractSnippet } from "#kernel/model/search/text-snippet.ts";
import { normalizeSearchTerm, extractSearchTerms } from "#kernel/model/search/search-terms.ts";

/** Verbs that nearly every change contains, and id prefixes, of which only the number is specific. */
const UBIQUITOUS_TERMS: ReadonlySet<string> = new Set(words.ubiquitous.map(normalizeSearchTerm));
/** A term in more than half of the texts is ignored, unless it occurs in at most this many. */
const COMMON_TERM_COUNT = 20;
const RANKED_TEXT_LENGTH = 16_384;

/** A number is a keyword only as a part of an id or a name. */
const BARE_NUMBER_PATTERN = /(?<![\p{L}\p{N}_-])\d+(?:[.,]\d+)*(?![\p{L}\p{N}_-])/gu;

/** Treats the text as plain words: colons and quotes do not filter the search. */
export function extractSearchKeywords(said: string): SearchQuestion {
  const text = said.replace(BARE_NUMBER_PATTERN, " ").replace(/[:"]/g, " ");
  const question = parseSearchQuestion(text, "1970-01-01T00:00:00Z");
  const telling = question.terms.filter((term) => !UBIQUITOUS_TERMS.has(term));
  return telling.length === 0 ? question : { ...question, terms: telling };
}

/** Best first; equal scores keep their order. Rare words count more. A candidate weighs 1 by default. */
export function rankByRelevance<T extends { readonly title: string; readonly text: string; readonly weight?: number }>(
  question: SearchQuestion,
  candidates: readonly T[],
): RankedItem<T>[] {
  const held = candidates.map(
    ({ title, text }) => new Set(extractSearchTerms(`${title}\n${text.slice(0, RANKED_TEXT_LENGTH)}`)),
  );
  const holdersOf = (term: string): number => held.filter((terms) => terms.has(term)).length;
  const total = candidates.length;
  const weights = new Map(question.terms.map((term) => [term, computeTermWeight(holdersOf(term), total)]));
  const telling = question.terms.filter((term) => {
    const holders = holdersOf(term);
    return holders > 0 && holders <= Math.max(COMMON_TERM_COUNT, total / 2);
  });
  for (const [hint, share] of question.hints)
    if (!weights.has(hint)) weights.set(hint, share * computeTermWeight(holdersOf(hint), total));
  const readable = candidates.flatMap((item, i): (RankableText & { item: T })[] =>
    telling.some((term) => held[i]?.has(term))
      ? [{ item, id: -i, title: item.title, content: item.text, revision: 1, updated_at: "" }]
      : [],
  );
  const ranked = new SearchRanking<(typeof readable)[number]>(question, weights).rank(readable);
  return ranked
    .map(({ item: { item }, score }) => ({ item, score: score * (item.weight ?? 1) }))
    .toSorted((one, other) => other.score - one.score);
}

export const matchesQuestion = ({ terms, hints }: SearchQuestion, text: string): boolean =>
  extractSearchTerms(text).some((term) => terms.includes(term) || hints.has(term));

const EXCERPT_LENGTH = 400;
const WHOLE_TEXT_LENGTH = 600;
const SEARCHED_TEXT_LENGTH = 131_072;

export function extractRelevantExcerpt(text: string, { terms }: SearchQuestion): string {
  return text.length <= WHOLE_TEXT_LENGTH
    ? text
    : extractSnippet(text.slice(0, SEARCHED_TEXT_LENGTH), new Set(terms), EXCERPT_LENGTH);
}
