import type * as z from "zod";
import { type QueryAnswer, type CompactAnswer, EMPTY_ANSWER, formatAnswerPage } from "#domain/indexing/query/answer.ts";
import { parseCodeQuestion } from "#domain/indexing/query/ask.ts";
import { shrinkQueryAnswer } from "#domain/indexing/query/fit.ts";
import type { RankedItem } from "#domain/memory/rank.ts";
import type { Engine } from "../engine.ts";
import { defineOperation } from "../operation.ts";
import type { CodeIndex, CodeIndexEntry } from "../ports/code-index.ts";
import { findQueryMatches } from "./answering/find.ts";
import { createQueryHits } from "./answering/hit.ts";
import type { IndexQueryOutput, IndexQueryInput } from "./schema.ts";
import { findPreparedAnswer } from "./answering/ready.ts";
import { refreshCodeIndex } from "./up-to-date.ts";
import { findNamedChanges } from "./answering/recent.ts";
import { findSpecLocations, loadIntentFacts, loadHitSpecs } from "./answering/wish.ts";

export const queryIndex = defineOperation<z.infer<typeof IndexQueryInput>, z.infer<typeof IndexQueryOutput>>({
  id: "indexing.query",
  effect: "read",
  isLong: true,
  input: async () => (await import("./schema.ts")).IndexQueryInput,
  output: async () => (await import("./schema.ts")).IndexQueryOutput,
  async run(engine, { question }) {
    const { index } = await refreshCodeIndex(engine);
    return copyMutableAnswer(shrinkQueryAnswer(await answerCodeQuestion(engine, index, question)));
  },
  page: formatAnswerPage,
});

const MAX_QUERY_HITS = 12;
const MAX_NAMED_HITS = 3;
const MAX_CONTEXT_HITS = 4;
/** Relative to the best score. Weaker matches are off topic. */
const MIN_HIT_SCORE_SHARE = 0.25;

export async function answerCodeQuestion(engine: Engine, index: CodeIndex, question: string): Promise<QueryAnswer> {
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
  const { facts, wish } = carried ?? (await loadIntentFacts(index, ask, chosen));
  return {
    ...EMPTY_ANSWER,
    wish,
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

const copyMutableAnswer = (answer: CompactAnswer): z.infer<typeof IndexQueryOutput> =>
  JSON.parse(JSON.stringify(answer)) as z.infer<typeof IndexQueryOutput>;
