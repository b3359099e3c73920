import type * as z from "zod";
import { piecesOf } from "#domain/context/piece.ts";
import { keywordsOf, mostRelevant } from "#domain/context/relevance.ts";
import { count } from "#domain/count.ts";
import type { Page } from "#domain/page.ts";
import { everyChange } from "../change/census.ts";
import { CEILING, fit } from "../fit.ts";
import { view } from "../memory/view.ts";
import { operation } from "../operation.ts";
import { lookAtCode } from "./code.ts";
import {
  changeFound,
  conventionFound,
  decisionFound,
  decisionTitle,
  findingsPage,
  type Found,
  observationFound,
  pieceFound,
  shortenFound,
  skipped,
  skippedIn,
} from "./finding.ts";
import { lookAround } from "./look.ts";
import { ownLines } from "./own-lines.ts";
import { recollect } from "./recollection.ts";
import type { ContextSuggested, ContextSuggestQuery } from "./schema.ts";

type Output = z.infer<typeof ContextSuggested>;

/** Kinds without an entry have no limit. */
const MOST: Readonly<Record<string, number>> = {
  section: 6,
  requirement: 12,
  rule: 6,
  removed: 3,
  change: 5,
  decision: 5,
};
const MOST_REMEMBERED = 10;
const MOST_CODE = 8;

export const suggest = operation<z.infer<typeof ContextSuggestQuery>, Output>({
  id: "context.suggest",
  effect: "read",
  input: async () => (await import("./schema.ts")).ContextSuggestQuery,
  output: async () => (await import("./schema.ts")).ContextSuggested,
  async run(engine, { task_description, project_name, detail_level: detail = "standard", max_tokens = CEILING }) {
    const question = keywordsOf(task_description);
    const own = await ownLines(engine);
    const { look, changes } = await engine.store.read((tree) => ({
      look: lookAround(tree),
      changes: everyChange(tree).changes,
    }));
    const memory = await recollect(engine, question, { project: project_name, limit: MOST_REMEMBERED });
    const code = await lookAtCode(engine, { question, said: task_description, detail, most: MOST_CODE });
    const terms = new Set(question.terms);
    const candidates = [
      ...look.documents
        .flatMap((each) => piecesOf(each, own))
        .map((piece) => ({ ...piece, found: () => pieceFound(piece, question, detail) })),
      ...look.adrs.map((place) => ({ title: decisionTitle(place), text: "", found: () => decisionFound(place) })),
      ...changes.map(({ record }) => ({ title: record.description, text: "", found: () => changeFound(record) })),
      ...memory.observations.map((each) => ({
        title: each.title,
        text: each.content,
        isRemembered: true,
        found: () => observationFound(view(each, detail, terms), "remembered"),
      })),
    ];
    const ranked = mostRelevant(question, candidates).map(({ item }) => item);
    // Memory also matches synonyms. Those results come last.
    const rest = candidates.filter((each) => "isRemembered" in each && !ranked.includes(each));
    const findings = [
      ...atMost([...ranked, ...rest].map(({ found }) => found())),
      ...code.found,
      ...look.conventions.map((document) => conventionFound(document, detail)),
      ...skippedIn(look),
      ...(memory.silent === undefined ? [] : [skipped("memory", memory.silent)]),
      ...(code.silent === undefined ? [] : [skipped("the index of code", code.silent)]),
    ];
    return fit<Found, Output>(engine, max_tokens, {
      items: findings,
      build: (shown, omitted) => ({ findings: [...shown], omitted }),
      page,
      shorten: shortenFound,
    });
  },
  page: (output) => page(output),
});

function atMost(findings: readonly Found[]): Found[] {
  const counts = new Map<string, number>();
  return findings.filter(({ kind }) => {
    const n = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, n);
    return n <= (MOST[kind] ?? Number.POSITIVE_INFINITY);
  });
}

function page({ findings, omitted }: Output): Page {
  const found = findings.filter(({ kind }) => kind !== "skipped").length;
  return {
    title: found + omitted === 0 ? "Nothing speaks of that." : `Best first: ${count(found, "finding")}.`,
    ...findingsPage(findings, omitted),
  };
}
