import type * as z from "zod";
import type { Page } from "#kernel/model/page.ts";
import { parseSearchQuestion, parseSinceDate, type SearchQuestion } from "#kernel/model/search/search-question.ts";
import { computeTermWeights, SearchRanking, type SessionNeighbours } from "#kernel/model/search/search-ranking.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import type { Observation } from "../model/memory-records.ts";
import { hasWantedType } from "../model/observation.ts";
import { defineMemoryOperation } from "./engine.ts";
import * as views from "./observation-view.ts";
import type { MemoryCandidates, MemoryFilter, MemoryRecords } from "./ports/memory.ts";
import { openEnabledMemory, resolveMemoryProjects } from "./ports/memory.ts";
import type { SearchMemoryOutput } from "./schema.ts";

const MEMORY_SEARCH_LIMIT = 10;
const MAX_REPORTED_TYPOS = 5;

export const searchMemory = defineMemoryOperation({
  id: "memory.search",
  effect: "read",
  input: async () => (await import("./schema.ts")).SearchMemoryInput,
  output: async () => (await import("./schema.ts")).SearchMemoryOutput,
  async run(engine, input) {
    const memory = await openEnabledMemory(engine, input.scope);
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
    const { observations, repaired, matches } =
      question.terms.length === 0
        ? { observations: await memory.recent(filter, limit), repaired: [], matches: undefined }
        : await recallObservations(memory, question, filter);
    const terms = new Set(question.terms);
    const name = project && (await memory.projectName(project));
    return fitAnswer(engine, input.max_tokens ?? DEFAULT_ANSWER_TOKENS, {
      items: observations.slice(0, limit).map((each) => ({
        ...views.createObservationView(each, input.detail_level ?? "standard", terms),
        ...(matches && !matches.has(each.id) ? { is_context: true } : {}),
      })),
      build: (shown, omitted) => ({
        observations: [...shown],
        omitted,
        project: name,
        // Without room for a result there is none for this.
        repaired: shown.length === 0 && omitted > 0 ? [] : repaired.slice(0, MAX_REPORTED_TYPOS),
        ...views.createNotes(memory.warnings, shown.length > 0 || omitted === 0),
      }),
      page: formatSearchPage,
      shorten: views.shortenObservationView,
    });
  },
  page: (output) => formatSearchPage(output),
});

function formatSearchPage({
  observations,
  omitted,
  project,
  repaired,
  notes = [],
}: z.infer<typeof SearchMemoryOutput>): Page {
  const where = project === undefined ? "" : ` in ${project}`;
  const total = observations.length + omitted;
  const beside = observations.filter(({ is_context }) => is_context).length;
  const neighbours = beside === 0 ? "" : `, and ${beside} saved beside ${total - beside === 1 ? "it" : "them"}`;
  return {
    title:
      total === 0
        ? `Nothing found${where}.`
        : `Found ${formatCount(total - beside, "observation")}${where}${neighbours}.`,
    quotes: observations.map((each) => views.quoteObservation(each, each.is_context ? "context " : "")),
    points: [
      ...repaired.map(
        ({ from }) => `No observation contains "${sanitizeText(from, 60)}"; searched for a similar word.`,
      ),
      ...views.formatOmittedNote(omitted),
      ...notes,
    ],
    ...(total === 0 && project !== undefined
      ? { next: [{ operation: "memory.search", input: { query: "…", project: "*" } }] }
      : {}),
  };
}

const RECALL_CANDIDATES = 80;
const RECALL_WITH_NEIGHBOURS = 30;
const NEIGHBOUR_REACH = 2;

/** Ranks the best again with their session neighbours: an answer is often saved right after its question. */
export async function recallObservations(
  memory: Pick<MemoryRecords, "candidates" | "neighbours">,
  question: SearchQuestion,
  filter: MemoryFilter,
): Promise<Pick<MemoryCandidates, "observations" | "repaired"> & { readonly matches: ReadonlySet<number> }> {
  const { observations, total, terms, repaired } = await memory.candidates(question, filter, RECALL_CANDIDATES);
  const ranking = new SearchRanking<Observation>(question, computeTermWeights(terms, total));
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
  const matches = new Set(first.map(({ id }) => id));
  return { observations: ranked.filter(({ score }) => score > 0).map(({ item }) => item), repaired, matches };
}

/** A neighbour may not match the filter. */
const isObservationMatch = (observation: Observation, filter: MemoryFilter): boolean =>
  hasWantedType(observation.type, filter.type) &&
  (["scope", "namespace"] as const).every((field) => (filter[field] ?? observation[field]) === observation[field]) &&
  (filter.since ?? "") <= observation.updated_at;
