import type { Observation } from "#domain/memory/observation.ts";
import type { Question } from "#domain/memory/question.ts";
import { Ranking } from "#domain/memory/rank.ts";
import type { Filter, Memory } from "../memory.ts";

/** How many are weighed, and how many of them are read with those beside them. */
const CANDIDATES = 80;
const READ_WITH_NEIGHBOURS = 30;

export interface Recalled {
  readonly observations: readonly Observation[];
  readonly repaired: readonly { readonly from: string; readonly to: string }[];
}

/**
 * What answers a question, best first. The best are ranked a second time together with what stands beside them in
 * their sessions, for a question and its answer are often saved one after the other.
 */
export async function recall(memory: Memory, question: Question, filter: Filter): Promise<Recalled> {
  const { observations, weights, repaired } = await memory.candidates(question, filter, CANDIDATES);
  const ranking = new Ranking<Observation>(question, weights);
  const first = ranking.rank(observations).map(({ item }) => item);
  const best = first.slice(0, READ_WITH_NEIGHBOURS);
  const neighbours = await memory.neighbours(best);
  const beside = [...neighbours.values()].flatMap(({ before, after }) => [...before, ...after]);
  const known = new Set(first.map(({ id }) => id));
  const joined = new Map(
    beside.filter((each) => !known.has(each.id) && passes(each, filter)).map((each) => [each.id, each]),
  );
  const further = await memory.neighbours([...joined.values()]);
  // Where a phrase was asked for, only what holds it answers.
  const pool = question.phrases.length > 0 ? first : [...first, ...joined.values()];
  const ranked = ranking.rank(pool, ({ id }) => neighbours.get(id) ?? further.get(id));
  return { observations: ranked.filter(({ score }) => score > 0).map(({ item }) => item), repaired };
}

/** A neighbour may be of another kind than was asked for. */
function passes(observation: Observation, { type, scope, namespace, since }: Filter): boolean {
  return (
    (type === undefined || observation.type === type) &&
    (scope === undefined || observation.scope === scope) &&
    (namespace === undefined || observation.namespace === namespace) &&
    (since === undefined || observation.updated_at >= since)
  );
}
