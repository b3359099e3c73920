import { stripEvidence } from "#kernel/model/document/id-references.ts";
import { isStopWord, normalizeSearchTerm, splitSearchWords } from "#kernel/model/search/search-terms.ts";

/** Words that occur in any change, so they do not distinguish one change from another. */
const COMMON_CHANGE_WORDS = new Set(
  [
    "add allow avoid big bug build call change clean code complex crash create debug edit enable enhance error file",
    "fix handle implement improve issue large let major make minor modify need new optimize overhaul problem quick",
    "refactor remove rename replace restructure rewrite show simple small start stop support test trivial try typo update",
    "upgrade use user want way work wrong",
  ]
    .join(" ")
    .split(" ")
    .map(normalizeSearchTerm),
);
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
  /\b(?:when a client (?:sends|calls)|when a user runs the command|is (?:stored|received), then|the system shall(?: (?:keep|answer it|hold to what the tests of))?|otherwise it is refused(?: as input)?)\b/gi;

export const stripDraftPhrases = (text: string): string => stripEvidence(text).replace(DRAFT_PHRASES, " ");

const splitCodeWords = (text: string): string[] =>
  splitSearchWords(text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2").replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2"));

export interface TermIndexedItem<Item> {
  readonly item: Item;
  readonly name: ReadonlySet<string>;
  readonly text: ReadonlySet<string>;
}

export interface ScoredItem<Item> {
  readonly item: Item;
  readonly score: number;
  readonly terms: readonly string[];
}

/** A term is rare if it occurs in at most this many items, or in this share of them. */
const RARE_TERM_COUNT = 3;
const RARE_TERM_SHARE = 1 / 5;
const IGNORED_TERM_SHARE = 1 / 2;
const NAME_MATCH_WEIGHT = 2;

/** Best first. Only the rarer terms count, and rarer terms count more. Drops items below half of the best score. */
export function rankItemsByTerms<Item>(
  asked: Iterable<string>,
  spoken: readonly TermIndexedItem<Item>[],
): ScoredItem<Item>[] {
  const weights = weightTermsByRarity([...asked], spoken);
  const scored = spoken.map(({ item, name, text }) => {
    const terms = [...weights.keys()].filter((term) => name.has(term) || text.has(term));
    const score = terms.reduce(
      (sum, term) => sum + (weights.get(term) ?? 0) * (name.has(term) ? NAME_MATCH_WEIGHT : 1),
      0,
    );
    return { item, score, terms };
  });
  const best = scored.reduce((most, { score }) => Math.max(most, score), 0);
  return scored.filter(({ score }) => score > 0 && score >= best / 2).toSorted((a, b) => b.score - a.score);
}

function weightTermsByRarity<Item>(
  asked: readonly string[],
  spoken: readonly TermIndexedItem<Item>[],
): Map<string, number> {
  const often = asked.flatMap((term): [string, number][] => {
    const times = spoken.filter(({ name, text }) => name.has(term) || text.has(term)).length;
    return times > 0 && times <= Math.max(1, spoken.length * IGNORED_TERM_SHARE) ? [[term, times]] : [];
  });
  const rare = often.filter(([, times]) => times <= Math.max(RARE_TERM_COUNT, spoken.length * RARE_TERM_SHARE));
  // If no term is rare, use the terms that occur in at most half of the items.
  return new Map((rare.length > 0 ? rare : often).map(([term, times]) => [term, Math.log2(1 + spoken.length / times)]));
}
