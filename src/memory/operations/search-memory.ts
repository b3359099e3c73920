import type { MemoryEngine } from "./engine.ts";
import type * as z from "zod";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { parseSearchQuestion, parseSinceDate } from "#kernel/model/search/search-question.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { openEnabledMemory, resolveMemoryProjects } from "./ports/memory.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { recallObservations } from "./recall-observations.ts";
import type { SearchMemoryOutputSchema, SearchMemoryInputSchema } from "./schema.ts";
import {
  formatOmittedNote,
  quoteObservation,
  shortenObservationView,
  createObservationView,
} from "./observation-view.ts";

type SearchMemoryOutput = z.infer<typeof SearchMemoryOutputSchema>;

const MEMORY_SEARCH_LIMIT = 10;
const MAX_REPORTED_TYPOS = 5;

export const searchMemory = defineOperation<z.infer<typeof SearchMemoryInputSchema>, SearchMemoryOutput, MemoryEngine>({
  id: "memory.search",
  effect: "read",
  isUsers: true,
  input: async () => (await import("./schema.ts")).SearchMemoryInputSchema,
  output: async () => (await import("./schema.ts")).SearchMemoryOutputSchema,
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
      build: (shown, omitted): SearchMemoryOutput => ({
        observations: [...shown],
        omitted,
        ...(name === undefined ? {} : { project: name }),
        // Without room for a result there is none for this.
        repaired: shown.length === 0 && omitted > 0 ? [] : repaired.slice(0, MAX_REPORTED_TYPOS),
      }),
      page: formatMemorySearchPage,
      shorten: shortenObservationView,
    });
  },
  page: (output) => formatMemorySearchPage(output),
});

function formatMemorySearchPage({ observations, omitted, project, repaired }: SearchMemoryOutput) {
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
