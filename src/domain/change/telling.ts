import { withoutEvidence } from "../document/evidence.ts";
import { isStopWord, termOf, wordsOf } from "../memory/words.ts";

/** Words that any change may have, so they tell none from another. */
const EVERYDAY = new Set(
  [
    "add allow avoid big bug build call change clean code complex crash create debug edit enable enhance error file",
    "fix handle implement improve issue large let major make minor modify need new optimize overhaul problem quick",
    "refactor remove rename replace restructure rewrite show simple small start stop support test trivial try typo update",
    "upgrade use user want way work wrong",
  ]
    .join(" ")
    .split(" ")
    .map(termOf),
);
const MOST_ASKED = 200;

/** The terms of a text that may tell it from others, each with its spelling, in order. */
export function tellingTerms(text: string): Map<string, string> {
  const terms = new Map<string, string>();
  for (const word of codeWords(text)) {
    const term = termOf(word);
    const isLong = word.length > 2 || /\P{ASCII}/u.test(word);
    const isTelling = isLong && !/^\d+$/.test(word) && !isStopWord(word) && !EVERYDAY.has(term);
    if (isTelling && !terms.has(term)) terms.set(term, word);
    if (terms.size >= MOST_ASKED) break;
  }
  return terms;
}

/** The terms of a text in which names are written as one word: `emptySearch` and `empty_search` are two. */
export const codeTerms = (text: string): Set<string> => new Set(codeWords(text).map(termOf));

/** Phrases in which a draft words its items, whatever they are about. */
const PHRASES =
  /\b(?:when a client (?:sends|calls)|when a user runs the command|is (?:stored|received), then|the system shall(?: (?:keep|answer it|hold to what the tests of))?|otherwise it is refused(?: as input)?)\b/gi;

/** What a requirement or a rule says of its own: not where it was found, and not what every drafted one says. */
export const ownWords = (text: string): string => withoutEvidence(text).replace(PHRASES, " ");

const codeWords = (text: string): string[] =>
  wordsOf(text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2").replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2"));

/** Something with a name and a text, as terms. */
export interface Spoken<Item> {
  readonly item: Item;
  readonly name: ReadonlySet<string>;
  readonly text: ReadonlySet<string>;
}

export interface Likely<Item> {
  readonly item: Item;
  readonly score: number;
  /** Which of the rarer terms it speaks. */
  readonly terms: readonly string[];
}

/** A word in so many of them, or in this share of them, is not rare. */
const FEW = 3;
const SHARE = 1 / 5;
/** A word in more than this share of them tells nothing, however few they are. */
const HALF = 1 / 2;
/** What a name says counts twice. */
const NAMED = 2;

/**
 * Those that speak most of what was asked for, best first: only the rarer terms count, each the more the rarer it is,
 * and what comes to less than half of the best is not meant.
 */
export function likely<Item>(asked: Iterable<string>, spoken: readonly Spoken<Item>[]): Likely<Item>[] {
  const weights = weigh([...asked], spoken);
  const scored = spoken.map(({ item, name, text }) => {
    const terms = [...weights.keys()].filter((term) => name.has(term) || text.has(term));
    const score = terms.reduce((sum, term) => sum + (weights.get(term) ?? 0) * (name.has(term) ? NAMED : 1), 0);
    return { item, score, terms };
  });
  const best = scored.reduce((most, { score }) => Math.max(most, score), 0);
  return scored.filter(({ score }) => score > 0 && score >= best / 2).toSorted((a, b) => b.score - a.score);
}

function weigh<Item>(asked: readonly string[], spoken: readonly Spoken<Item>[]): Map<string, number> {
  const often = asked.flatMap((term): [string, number][] => {
    const times = spoken.filter(({ name, text }) => name.has(term) || text.has(term)).length;
    return times > 0 && times <= Math.max(1, spoken.length * HALF) ? [[term, times]] : [];
  });
  const rare = often.filter(([, times]) => times <= Math.max(FEW, spoken.length * SHARE));
  // Where no word is rare, those have to do that at least tell one half from the other.
  return new Map((rare.length > 0 ? rare : often).map(([term, times]) => [term, Math.log2(1 + spoken.length / times)]));
}
