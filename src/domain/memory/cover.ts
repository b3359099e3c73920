import { computeTermWeight } from "./rank.ts";

/** The newest rows that contain a term, and the known number of all such rows. */
export interface TermPosting {
  readonly term: string;
  readonly rows: readonly number[];
  readonly holders: number;
  /** 1 for a term of the question, less for a hint. */
  readonly share: number;
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
  return selectHeaviestRows(covered, most);
}

/** Avoids a full sort, because most rows are far from the best. */
function selectHeaviestRows(covered: ReadonlyMap<number, number>, most: number): number[] {
  const weights = [...covered.values()].toSorted((one, other) => other - one);
  const least = weights[Math.min(most, weights.length) - 1] ?? 0;
  return [...covered]
    .filter(([, weight]) => weight >= least)
    .toSorted(([row, weight], [other, heavier]) => heavier - weight || other - row)
    .slice(0, most)
    .map(([row]) => row);
}
