import { type QueryAnswer, EMPTY_ANSWER, formatAnswerPage, shrinkQueryAnswer } from "../../model/query/query-answer.ts";
import { parseCodeQuestion } from "../../model/query/question-intent.ts";
import type { RankedItem } from "#kernel/model/search/search-ranking.ts";
import type { CodeEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { CodeIndex, CodeIndexEntry } from "../ports/code-index.ts";
import { findQueryMatches, createQueryHits } from "./query-hits.ts";
import { findPreparedAnswer } from "./prepare-answers.ts";
import { refreshCodeIndex } from "./refresh-index.ts";
import { findNamedChanges, findSpecLocations, loadIntentFacts, loadHitSpecs } from "./query-facts.ts";

export const queryIndex = defineOperation({
  id: "indexing.query",
  effect: "read",
  isLong: true,
  input: async () => (await import("./schema.ts")).IndexQueryInput,
  output: async () => (await import("./schema.ts")).IndexQueryOutput,
  async run(engine: CodeEngine, { question }) {
    const { index } = await refreshCodeIndex(engine);
    return shrinkQueryAnswer(await answerCodeQuestion(engine, index, question));
  },
  page: formatAnswerPage,
});

const MAX_QUERY_HITS = 12;
const MAX_NAMED_HITS = 3;
const MAX_CONTEXT_HITS = 4;
/** Relative to the best score. Weaker matches are off topic. */
const MIN_HIT_SCORE_SHARE = 0.25;

export async function answerCodeQuestion(engine: CodeEngine, index: CodeIndex, question: string): Promise<QueryAnswer> {
  const ask = parseCodeQuestion(question);
  if (ask.exact === undefined) {
    const ready = await findPreparedAnswer(engine, index, question, ask.wish);
    if (ready) return { ...EMPTY_ANSWER, wish: "ready", ready };
    if (ask.wish === "changes") return findNamedChanges(engine, ask);
  }
  const carried = await findSpecLocations(index, ask);
  const { found, named, repaired, unknown, near } = await findQueryMatches(index, ask, engine.clock.now());
  const [best] = carried ? found.slice(0, named) : found;
  if (!best) return { ...EMPTY_ANSWER, ...(carried ?? { repaired, unknown, near }) };
  const close = removeRepeatedHits(found.filter(({ score }) => score >= MIN_HIT_SCORE_SHARE * best.score));
  // A question about the callers of a named thing does not ask for similar ones.
  const most = ask.wish === "meaning" ? MAX_QUERY_HITS : named > 0 ? Math.min(named, MAX_NAMED_HITS) : MAX_CONTEXT_HITS;
  const chosen = close.slice(0, carried ? 1 : most).map(({ item }) => item);
  const facts = carried?.facts ?? (await loadIntentFacts(index, ask, chosen));
  return {
    ...EMPTY_ANSWER,
    wish: carried?.wish ?? ask.wish,
    hits: await createQueryHits(engine, index, chosen, ask.exact !== undefined),
    more: carried ? 0 : Math.max(0, (ask.wish === "meaning" || named === 0 ? close.length : named) - chosen.length),
    facts,
    specs: await loadHitSpecs(index, chosen),
    repaired,
    unknown,
  };
}

/** Drops a file if something in it matched, and further overloads of a function. */
function removeRepeatedHits(found: readonly RankedItem<CodeIndexEntry>[]): RankedItem<CodeIndexEntry>[] {
  const told = new Set(found.filter(({ item }) => item.component).map(({ item }) => item.path));
  return found.filter(({ item: { key } }) => {
    const own = key.replace(/~\d+$/, "");
    if (told.has(own)) return false;
    told.add(own);
    return true;
  });
}
