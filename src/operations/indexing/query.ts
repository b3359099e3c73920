import type * as z from "zod";
import { type Answer, type Lean, NOTHING, pageOf } from "#domain/indexing/query/answer.ts";
import { readAsk } from "#domain/indexing/query/ask.ts";
import { fitted } from "#domain/indexing/query/fit.ts";
import type { Ranked } from "#domain/memory/rank.ts";
import type { Engine } from "../engine.ts";
import { defineOperation } from "../operation.ts";
import type { CodeIndex, CodeIndexEntry } from "../ports/code-index.ts";
import { findFor } from "./answering/find.ts";
import { hitsOf } from "./answering/hit.ts";
import type { Answered, Query } from "./schema.ts";
import { readyFor } from "./answering/ready.ts";
import { bringIndexUpToDate } from "./up-to-date.ts";
import { changesIn } from "./answering/recent.ts";
import { carriersOf, factsFor, specsOf } from "./answering/wish.ts";

export const query = defineOperation<z.infer<typeof Query>, z.infer<typeof Answered>>({
  id: "indexing.query",
  effect: "read",
  isLong: true,
  input: async () => (await import("./schema.ts")).Query,
  output: async () => (await import("./schema.ts")).Answered,
  async run(engine, { question }) {
    const { index } = await bringIndexUpToDate(engine);
    return shown(fitted(await answerTo(engine, index, question)));
  },
  page: pageOf,
});

const MOST_HITS = 12;
const MOST_NAMESAKES = 3;
const MOST_BESIDE = 4;
/** Relative to the best score. Weaker matches are off topic. */
const LEAST_SHARE = 0.25;

export async function answerTo(engine: Engine, index: CodeIndex, question: string): Promise<Answer> {
  const ask = readAsk(question);
  if (ask.exact === undefined) {
    const ready = await readyFor(engine, index, question, ask.wish);
    if (ready) return { ...NOTHING, wish: "ready", ready };
    if (ask.wish === "changes") return changesIn(engine, ask);
  }
  const carried = await carriersOf(index, ask);
  const { found, named, repaired, unknown, near } = await findFor(index, ask, engine.clock.now());
  const [best] = carried ? found.slice(0, named) : found;
  if (!best) return { ...NOTHING, ...(carried ?? { repaired, unknown, near }) };
  const close = withoutRepeats(found.filter(({ score }) => score >= LEAST_SHARE * best.score));
  // A question about the callers of a named thing does not ask for similar ones.
  const most = ask.wish === "meaning" ? MOST_HITS : named > 0 ? Math.min(named, MOST_NAMESAKES) : MOST_BESIDE;
  const chosen = close.slice(0, carried ? 1 : most).map(({ item }) => item);
  const { facts, wish } = carried ?? (await factsFor(index, ask, chosen));
  return {
    ...NOTHING,
    wish,
    hits: await hitsOf(engine, index, chosen, ask.exact !== undefined),
    more: carried ? 0 : Math.max(0, (ask.wish === "meaning" || named === 0 ? close.length : named) - chosen.length),
    facts,
    specs: await specsOf(index, chosen),
    repaired,
    unknown,
  };
}

/** Drops a file if something in it matched, and further overloads of a function. */
function withoutRepeats(found: readonly Ranked<CodeIndexEntry>[]): Ranked<CodeIndexEntry>[] {
  const told = new Set(found.filter(({ item }) => item.component).map(({ item }) => item.path));
  return found.filter(({ item: { key } }) => {
    const own = key.replace(/~\d+$/, "");
    if (told.has(own)) return false;
    told.add(own);
    return true;
  });
}

const shown = (answer: Lean): z.infer<typeof Answered> =>
  JSON.parse(JSON.stringify(answer)) as z.infer<typeof Answered>;
