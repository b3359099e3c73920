import words from "./common-words.json" with { type: "json" };
import { stripEvidence } from "#kernel/model/document/id-references.ts";
import { normalizeSearchTerm, splitSearchWords } from "#kernel/model/search/search-terms.ts";
import { isStopWord } from "#kernel/model/search/stop-words.ts";

/** Words that occur in any change, so they do not distinguish one change from another. */
const COMMON_CHANGE_WORDS = new Set(words.common.map(normalizeSearchTerm));
const MAX_DISTINCTIVE_TERMS = 200;

export function extractDistinctiveTerms(text: string): Map<string, string> {
  const terms = new Map<string, string>();
  for (const word of splitCodeWords(text)) {
    const term = normalizeSearchTerm(word);
    const isLong = word.length > 2 || /\P{ASCII}/u.test(word);
    const isTelling = isLong && !/^\d+$/.test(word) && !isStopWord(word) && !COMMON_CHANGE_WORDS.has(term);
    if (isTelling && !terms.has(term)) terms.set(term, word);
    if (terms.size >= MAX_DISTINCTIVE_TERMS) break;
  }
  return terms;
}

/** Splits identifiers: `emptySearch` and `empty_search` are two terms each. */
export const collectIdentifierTerms = (text: string): Set<string> =>
  new Set(splitCodeWords(text).map(normalizeSearchTerm));

const DRAFT_PHRASES =
  /\b(?:when a client (?:sends|calls)|when a user runs the command|is (?:stored|received), then|the system shall(?: (?:keep the behaviour that the|keep|answer it|hold to what the tests of))?|otherwise it is refused(?: as input)?)\b/gi;

export const stripDraftPhrases = (text: string): string => stripEvidence(text).replace(DRAFT_PHRASES, " ");

const splitCodeWords = (text: string): string[] =>
  splitSearchWords(text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2").replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2"));

export interface TermIndexedItem<Item> {
  readonly item: Item;
  readonly name: ReadonlySet<string>;
  readonly text: ReadonlySet<string>;
}

/** A term is rare if it occurs in at most this many items, or in this share of them. */
const RARE_TERM_COUNT = 3;
const RARE_TERM_SHARE = 1 / 5;
const IGNORED_TERM_SHARE = 1 / 2;
const NAME_MATCH_WEIGHT = 2;

const MIN_ASKED_TERMS = 3;

/** Drops items that share a single word of a longer text, if others share several. */
export function dropIncidentalMatches<Ranked extends { readonly terms: readonly string[] }>(
  asked: number,
  ranked: readonly Ranked[],
): readonly Ranked[] {
  const isTelling = asked >= MIN_ASKED_TERMS && ranked.some(({ terms }) => terms.length > 1);
  return isTelling ? ranked.filter(({ terms }) => terms.length > 1) : ranked;
}

/** Best first. Only the rarer terms count, and rarer terms count more. Drops items below half of the best score. */
export function rankItemsByTerms<Item>(asked: Iterable<string>, spoken: readonly TermIndexedItem<Item>[]) {
  const counted = [...asked].map((term): [term: string, times: number] => [
    term,
    spoken.filter(({ name, text }) => name.has(term) || text.has(term)).length,
  ]);
  const isWithin = (times: number, least: number, share: number): boolean =>
    times > 0 && times <= Math.max(least, spoken.length * share);
  const often = counted.filter(([, times]) => isWithin(times, 1, IGNORED_TERM_SHARE));
  const rare = often.filter(([, times]) => isWithin(times, RARE_TERM_COUNT, RARE_TERM_SHARE));
  // If no term is rare, use the terms that occur in at most half of the items.
  const chosen = rare.length > 0 ? rare : often;
  const weights = new Map(chosen.map(([term, times]) => [term, Math.log2(1 + spoken.length / times)]));
  const scored = spoken.map(({ item, name, text }) => {
    const met = [...weights].filter(([term]) => name.has(term) || text.has(term));
    const score = met.reduce((sum, [term, weight]) => sum + weight * (name.has(term) ? NAME_MATCH_WEIGHT : 1), 0);
    return { item, score, terms: met.map(([term]) => term) };
  });
  const best = scored.reduce((most, { score }) => Math.max(most, score), 0);
  return scored.filter(({ score }) => score > 0 && score >= best / 2).toSorted((a, b) => b.score - a.score);
}
