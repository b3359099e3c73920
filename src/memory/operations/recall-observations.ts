import type { Observation } from "../model/observation.ts";
import type { SearchQuestion } from "#kernel/model/search/search-question.ts";
import { type SessionNeighbours, SearchRanking } from "#kernel/model/search/search-ranking.ts";
import type { MemoryFilter, MemoryStore } from "./ports/memory.ts";

const RECALL_CANDIDATES = 80;
const RECALL_WITH_NEIGHBOURS = 30;
const NEIGHBOUR_REACH = 2;

export interface RecalledObservations {
  readonly observations: readonly Observation[];
  readonly repaired: readonly { readonly from: string; readonly to: string }[];
}

/**
 * Best first. The best are ranked again together with their session neighbours, because a question and its answer are
 * often saved one after the other.
 */
export async function recallObservations(
  memory: MemoryStore,
  question: SearchQuestion,
  filter: MemoryFilter,
): Promise<RecalledObservations> {
  const { observations, weights, repaired } = await memory.candidates(question, filter, RECALL_CANDIDATES);
  const ranking = new SearchRanking<Observation>(question, weights);
  const first = ranking.rank(observations).map(({ item }) => item);
  const best = first.slice(0, RECALL_WITH_NEIGHBOURS);
  const windows = await memory.neighbours(best, 2 * NEIGHBOUR_REACH);
  const neighbours = new Map<number, SessionNeighbours<Observation>>();
  const pool = new Map(first.map((item) => [item.id, item]));
  for (const item of best) {
    const { before = [], after = [] } = windows.get(item.id) ?? {};
    const row = [...before.toReversed(), item, ...after];
    const centre = before.length;
    for (let i = Math.max(0, centre - NEIGHBOUR_REACH); i <= centre + NEIGHBOUR_REACH && i < row.length; i++) {
      const each = row[i] ?? item;
      // For a question with a phrase, only texts that contain it match.
      if (question.phrases.length === 0 && isObservationMatch(each, filter))
        pool.set(each.id, pool.get(each.id) ?? each);
      const beside = {
        before: row.slice(Math.max(0, i - NEIGHBOUR_REACH), i).toReversed(),
        after: row.slice(i + 1, i + 1 + NEIGHBOUR_REACH),
      };
      if (each === item || !neighbours.has(each.id)) neighbours.set(each.id, beside);
    }
  }
  const ranked = ranking.rank([...pool.values()], ({ id }) => neighbours.get(id));
  return { observations: ranked.filter(({ score }) => score > 0).map(({ item }) => item), repaired };
}

/** A neighbour may not match the filter. */
function isObservationMatch(observation: Observation, { type, scope, namespace, since }: MemoryFilter): boolean {
  return (
    (type === undefined || observation.type === type) &&
    (scope === undefined || observation.scope === scope) &&
    (namespace === undefined || observation.namespace === namespace) &&
    (since === undefined || observation.updated_at >= since)
  );
}
