import { weightOf } from "./rank.ts";

/** Where a term stands: the newest of the rows that hold it, and how many hold it in all, as far as that is known. */
export interface Posting {
  readonly term: string;
  readonly rows: readonly number[];
  readonly holders: number;
  /** What it counts: 1, or less for what was not asked for itself. */
  readonly share: number;
}

/** Rows that are weighed at most; a term that more hold tells little. */
export const MOST_ROWS = 20_000;

/** The rows that cover most of what the question weighs; of equals the newer. Rare terms choose first. */
export function cover(postings: readonly Posting[], total: number, most: number): number[] {
  const covered = new Map<number, number>();
  for (const { rows, holders, share } of postings.toSorted((one, other) => one.holders - other.holders)) {
    const weight = share * weightOf(holders, total);
    for (const row of rows) {
      const before = covered.get(row);
      if (before === undefined && covered.size >= MOST_ROWS) continue;
      covered.set(row, (before ?? 0) + weight);
    }
  }
  return largest(covered, most);
}

/** Without sorting all: most rows are far from the best. */
function largest(covered: ReadonlyMap<number, number>, most: number): number[] {
  const weights = [...covered.values()].toSorted((one, other) => other - one);
  const least = weights[Math.min(most, weights.length) - 1] ?? 0;
  return [...covered]
    .filter(([, weight]) => weight >= least)
    .toSorted(([row, weight], [other, heavier]) => heavier - weight || other - row)
    .slice(0, most)
    .map(([row]) => row);
}
