import type { SearchQuestion } from "./search-question.ts";
import { extractSearchTerms } from "./search-terms.ts";

export interface RankableText {
  readonly id: number;
  readonly title: string;
  readonly content: string;
  readonly revision: number;
  readonly updated_at: string;
}

export interface SessionNeighbours<T> {
  readonly before: readonly T[];
  readonly after: readonly T[];
}

export interface RankedItem<T> {
  readonly item: T;
  readonly score: number;
}

export type TermWeights = ReadonlyMap<string, number>;

/** `k1` and `b` of BM25, with the usual values. */
const BM25_SATURATION = 1.2;
const BM25_LENGTH_SHARE = 0.75;
/** Weight of a title word, in words of the text. */
const TITLE_FACTOR = 4;
const PAIR_BONUS = 0.15;
/** The shares that the first and second neighbour contribute, of their words and of their length. */
const NEIGHBOUR_SHARES = [0.6, 0.3];
const MAX_BORROWED_COUNT = 3;
/** In words, each counted once. A longer text does not borrow from its neighbours. */
const SELF_SUFFICIENT_LENGTH = 160;
/** A very long text shows its subject well before this. */
const MAX_RANKED_CHARACTERS = 16_384;

export const computeTermWeight = (holders: number, total: number): number =>
  Math.log(1 + (Math.max(total, holders) - holders + 0.5) / (holders + 0.5));

/** How many texts contain a term, and how much it counts. */
export interface TermFrequency {
  readonly term: string;
  readonly holders: number;
  /** 1 for a term of the question, less for a hint. */
  readonly share: number;
}

export const computeTermWeights = (terms: readonly TermFrequency[], total: number): TermWeights =>
  new Map(terms.map(({ term, holders, share }) => [term, share * computeTermWeight(holders, total)]));

interface TermCounts {
  /** Occurrences of the question's terms. Those in the title count four times. */
  readonly counts: Map<string, number>;
  readonly inContent: ReadonlyMap<string, number>;
  /** In words of the text. Those in the title count four times. */
  readonly length: number;
  readonly words: number;
  readonly pairs: number;
}

export class SearchRanking<T extends RankableText> {
  readonly #question: SearchQuestion;
  readonly #weights: TermWeights;
  readonly #counted = new Map<number, TermCounts>();
  readonly #pairs: ReadonlyMap<string, number>;

  constructor(question: SearchQuestion, weights: TermWeights) {
    this.#question = question;
    this.#weights = weights;
    this.#pairs = new Map(
      question.pairs.map(([a, b]) => [`${a} ${b}`, PAIR_BONUS * ((weights.get(a) ?? 0) + (weights.get(b) ?? 0))]),
    );
  }

  /** Best first. Of equal texts the newer wins, then the one with more revisions. */
  rank(items: readonly T[], neighboursOf?: (item: T) => SessionNeighbours<T> | undefined): RankedItem<T>[] {
    const average = items.reduce((sum, item) => sum + this.#count(item).length, 0) / Math.max(1, items.length);
    return items
      .map((item) => ({ item, score: this.#score(item, average, neighboursOf?.(item)) }))
      .toSorted((one, other) => other.score - one.score || compareRecency(one.item, other.item));
  }

  hasPhrases(item: T): boolean {
    const { phrases } = this.#question;
    if (phrases.length === 0) return true;
    const texts = [item.title, item.content].map((text) => ` ${extractSearchTerms(text).join(" ")} `);
    return phrases.every((phrase) => texts.some((text) => text.includes(` ${phrase.join(" ")} `)));
  }

  #score(item: T, average: number, neighbours: SessionNeighbours<T> | undefined): number {
    const own = this.#count(item);
    const { counts, length } = neighbours ? this.#withLoans(own, neighbours) : own;
    const room = BM25_SATURATION * (1 - BM25_LENGTH_SHARE + BM25_LENGTH_SHARE * (length / Math.max(1, average)));
    let score = own.pairs;
    for (const [term, count] of counts) {
      score += ((this.#weights.get(term) ?? 0) * count * (BM25_SATURATION + 1)) / (count + room);
    }
    return score;
  }

  /** A question and its answer are often two observations, so a short one borrows terms from its neighbours. */
  #withLoans(own: TermCounts, neighbours: SessionNeighbours<T>): Pick<TermCounts, "counts" | "length"> {
    const need = Math.max(0, 1 - own.words / SELF_SUFFICIENT_LENGTH);
    if (need === 0) return own;
    const counts = new Map(own.counts);
    let { length } = own;
    for (const side of [neighbours.before, neighbours.after]) {
      for (const [i, share] of NEIGHBOUR_SHARES.entries()) {
        const neighbour = side[i];
        if (!neighbour) continue;
        const lender = this.#count(neighbour);
        for (const [term, count] of lender.inContent) {
          counts.set(term, (counts.get(term) ?? 0) + Math.min(count, MAX_BORROWED_COUNT) * share * need);
        }
        length += share * need * lender.length;
      }
    }
    return { counts, length };
  }

  #count(item: T): TermCounts {
    const known = this.#counted.get(item.id);
    if (known) return known;
    const title = extractSearchTerms(item.title);
    const content = extractSearchTerms(item.content.slice(0, MAX_RANKED_CHARACTERS));
    const inContent = this.#occurrences(content);
    const counts = new Map(inContent);
    for (const [term, count] of this.#occurrences(title))
      counts.set(term, (counts.get(term) ?? 0) + TITLE_FACTOR * count);
    const length = TITLE_FACTOR * title.length + content.length;
    const words = title.length + content.length;
    const counted = { counts, inContent, length, words, pairs: this.#pairBonus(title, content) };
    this.#counted.set(item.id, counted);
    return counted;
  }

  #occurrences(terms: readonly string[]): Map<string, number> {
    const counts = new Map<string, number>();
    for (const term of terms) if (this.#weights.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
    return counts;
  }

  #pairBonus(...texts: readonly (readonly string[])[]): number {
    const found = new Set<string>();
    for (const terms of texts) {
      for (let i = 1; i < terms.length; i++) {
        const pair = `${terms[i - 1]} ${terms[i]}`;
        if (this.#pairs.has(pair)) found.add(pair);
      }
    }
    return [...found].reduce((sum, pair) => sum + (this.#pairs.get(pair) ?? 0), 0);
  }
}

function compareRecency(one: RankableText, other: RankableText): number {
  if (one.updated_at !== other.updated_at) return one.updated_at < other.updated_at ? 1 : -1;
  return other.revision - one.revision || other.id - one.id;
}

/** The newest rows that contain a term, and the known number of all such rows. */
export interface TermPosting extends TermFrequency {
  readonly rows: readonly number[];
}

export const MAX_WEIGHED_ROWS = 20_000;

/** Rare terms choose first. Of equal rows the newer wins. */
export function selectCoveringRows(postings: readonly TermPosting[], total: number, most: number): number[] {
  const covered = new Map<number, number>();
  for (const { rows, holders, share } of postings.toSorted((one, other) => one.holders - other.holders)) {
    const weight = share * computeTermWeight(holders, total);
    for (const row of rows) {
      const before = covered.get(row);
      if (before === undefined && covered.size >= MAX_WEIGHED_ROWS) continue;
      covered.set(row, (before ?? 0) + weight);
    }
  }
  // Avoids a full sort of the rows, because most are far from the best.
  const weights = [...covered.values()].toSorted((one, other) => other - one);
  const least = weights[Math.min(most, weights.length) - 1] ?? 0;
  return [...covered]
    .filter(([, weight]) => weight >= least)
    .toSorted(([row, weight], [other, heavier]) => heavier - weight || other - row)
    .slice(0, most)
    .map(([row]) => row);
}

const TYPO_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
/** Shorter words are one typo away from too many others. */
const MIN_TYPO_LENGTH = 4;
const MAX_TYPO_LENGTH = 24;

/** Words with one letter missing, added, wrong, or swapped with the next. */
export function listTypoVariants(word: string): string[] {
  if (word.length < MIN_TYPO_LENGTH || word.length > MAX_TYPO_LENGTH) return [];
  const slips = new Set<string>();
  for (let i = 0; i <= word.length; i++) {
    const [before, after] = [word.slice(0, i), word.slice(i)];
    if (after !== "") slips.add(before + after.slice(1));
    if (after.length > 1) slips.add(before + after[1] + after[0] + after.slice(2));
    for (const letter of TYPO_LETTERS) {
      slips.add(before + letter + after);
      if (after !== "") slips.add(before + letter + after.slice(1));
    }
  }
  slips.delete(word);
  return [...slips];
}
