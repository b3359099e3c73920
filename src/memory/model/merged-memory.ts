import type { TermFrequency } from "#kernel/model/search/search-ranking.ts";
import type { Observation } from "./memory-records.ts";

/** What one store offers to a search: its best rows, and how many of its texts contain each term. */
interface StoreCandidates {
  readonly observations: readonly Observation[];
  readonly total: number;
  readonly terms: readonly TermFrequency[];
  readonly repaired: readonly { readonly from: string; readonly to: string }[];
}

/** As if one store had the rows of both, so that all are ranked with the same weights. */
export function mergeCandidates(one: StoreCandidates, other: StoreCandidates): StoreCandidates {
  const terms = new Map(one.terms.map((each) => [each.term, each]));
  for (const each of other.terms) {
    const known = terms.get(each.term);
    const share = Math.max(each.share, known?.share ?? 0);
    terms.set(each.term, { ...each, share, holders: each.holders + (known?.holders ?? 0) });
  }
  const isRepairedInBoth = ({ from }: { readonly from: string }): boolean =>
    [one, other].every(({ total, repaired }) => total === 0 || repaired.some((each) => each.from === from));
  const repaired = new Map(
    [...one.repaired, ...other.repaired].filter(isRepairedInBoth).map((each) => [each.from, each]),
  );
  return {
    observations: [...one.observations, ...other.observations],
    total: one.total + other.total,
    terms: [...terms.values()],
    repaired: [...repaired.values()],
  };
}

/** By the last change. Of equal times the own memory comes first. */
export const mergeLatest = (
  own: readonly Observation[],
  team: readonly Observation[],
  limit: number,
): readonly Observation[] =>
  [...own, ...team]
    .toSorted((a, b) => (a.updated_at === b.updated_at ? 0 : a.updated_at < b.updated_at ? 1 : -1))
    .slice(0, limit);
