import type * as z from "zod";
import type { Page } from "#kernel/model/page.ts";
import { parseSearchQuestion, parseSinceDate, type SearchQuestion } from "#kernel/model/search/search-question.ts";
import { SearchRanking, type SessionNeighbours } from "#kernel/model/search/search-ranking.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { Observation } from "../model/memory-records.ts";
import type { MemoryEngine } from "./engine.ts";
import {
  createObservationView,
  formatOmittedNote,
  quoteObservation,
  shortenObservationView,
} from "./observation-view.ts";
import {
  type MemoryCandidates,
  type MemoryFilter,
  type MemoryStore,
  openEnabledMemory,
  resolveMemoryProjects,
} from "./ports/memory.ts";
import type { SearchMemoryOutput } from "./schema.ts";

const MEMORY_SEARCH_LIMIT = 10;
const MAX_REPORTED_TYPOS = 5;

export const searchMemory = defineOperation({
  id: "memory.search",
  effect: "read",
  isUsers: true,
  input: async () => (await import("./schema.ts")).SearchMemoryInput,
  output: async () => (await import("./schema.ts")).SearchMemoryOutput,
  async run(engine: MemoryEngine, input) {
    const memory = await openEnabledMemory(engine);
    const now = engine.clock.now();
    const question = parseSearchQuestion(input.query, now);
    const project = await resolveMemoryProjects(engine, question.project ?? input.project);
    const filter = {
      project,
      type: question.type ?? input.type,
      scope: input.scope,
      namespace: input.namespace,
      since: question.since ?? (input.since === undefined ? undefined : parseSinceDate(input.since, now)),
    };
    const limit = input.limit ?? MEMORY_SEARCH_LIMIT;
    const { observations, repaired } =
      question.terms.length === 0
        ? { observations: await memory.recent(filter, limit), repaired: [] }
        : await recallObservations(memory, question, filter);
    const terms = new Set(question.terms);
    const name = project && (await memory.projectName(project));
    return fitAnswer(engine, input.max_tokens ?? DEFAULT_ANSWER_TOKENS, {
      items: observations
        .slice(0, limit)
        .map((each) => createObservationView(each, input.detail_level ?? "standard", terms)),
      build: (shown, omitted) => ({
        observations: [...shown],
        omitted,
        project: name,
        // Without room for a result there is none for this.
        repaired: shown.length === 0 && omitted > 0 ? [] : repaired.slice(0, MAX_REPORTED_TYPOS),
      }),
      page: formatSearchPage,
      shorten: shortenObservationView,
    });
  },
  page: (output) => formatSearchPage(output),
});

function formatSearchPage({ observations, omitted, project, repaired }: z.infer<typeof SearchMemoryOutput>): Page {
  const where = project === undefined ? "" : ` in ${project}`;
  const total = observations.length + omitted;
  return {
    title: total === 0 ? `Nothing found${where}.` : `Found ${formatCount(total, "observation")}${where}.`,
    quotes: observations.map((each) => quoteObservation(each)),
    points: [
      ...repaired.map(({ from }) => `Nobody wrote "${sanitizeText(from, 60)}"; a word spelled like it was looked for.`),
      ...formatOmittedNote(omitted),
      ...(total === 0 && project !== undefined ? ["Other projects: project * looks in all of them."] : []),
    ],
  };
}

const RECALL_CANDIDATES = 80;
const RECALL_WITH_NEIGHBOURS = 30;
const NEIGHBOUR_REACH = 2;

/**
 * Best first. The best are ranked again together with their session neighbours, because a question and its answer are
 * often saved one after the other.
 */
export async function recallObservations(
  memory: MemoryStore,
  question: SearchQuestion,
  filter: MemoryFilter,
): Promise<Pick<MemoryCandidates, "observations" | "repaired">> {
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
  const { type: ownType, scope: ownScope, namespace: ownNamespace, updated_at } = observation;
  return (
    (type ?? ownType) === ownType &&
    (scope ?? ownScope) === ownScope &&
    (namespace ?? ownNamespace) === ownNamespace &&
    (since ?? "") <= updated_at
  );
}
