import type { PlanningEngine } from "../engine.ts";
import type * as z from "zod";
import { splitDocumentPieces } from "#kernel/model/document/document-pieces.ts";
import { extractSearchKeywords, rankByRelevance } from "../../model/context/document-relevance.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import type { Page } from "#kernel/model/page.ts";
import { loadChangeRecords } from "../change/change-records.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { createObservationView } from "#memory/operations/observation-view.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import {
  findRelevantCode,
  createChangeFinding,
  createConventionFinding,
  createDecisionFinding,
  formatDecisionTitle,
  formatContextFindings,
  type ContextFinding,
  createObservationFinding,
  createPieceFinding,
  shortenContextFinding,
  createSkippedFinding,
  listSkippedSources,
  recallRelevantObservations,
} from "./context-findings.ts";
import { readContextSnapshot, loadTemplateLines } from "./context-snapshot.ts";
import type { ContextSuggested } from "./schema.ts";

type ContextSuggestOutput = z.infer<typeof ContextSuggested>;

/** Kinds without an entry have no limit. */
const MAX_SUGGESTIONS_BY_KIND: Readonly<Record<string, number>> = {
  section: 6,
  requirement: 12,
  rule: 6,
  removed: 3,
  change: 5,
  decision: 5,
};
const MAX_REMEMBERED_SUGGESTIONS = 10;
const MAX_CODE_SUGGESTIONS = 8;

export const contextSuggestOperation = defineOperation({
  id: "context.suggest",
  effect: "read",
  input: async () => (await import("./schema.ts")).ContextSuggestQuery,
  output: async () => (await import("./schema.ts")).ContextSuggested,
  async run(
    engine: PlanningEngine,
    { task_description, project_name, detail_level: detail = "standard", max_tokens = DEFAULT_ANSWER_TOKENS },
  ) {
    const question = extractSearchKeywords(task_description);
    const own = await loadTemplateLines(engine);
    const { look, changes } = await engine.store.read((tree) => ({
      look: readContextSnapshot(tree),
      changes: loadChangeRecords(tree).changes,
    }));
    const memory = await recallRelevantObservations(engine, question, {
      project: project_name,
      limit: MAX_REMEMBERED_SUGGESTIONS,
    });
    const code = await findRelevantCode(engine, {
      question,
      said: task_description,
      detail,
      most: MAX_CODE_SUGGESTIONS,
    });
    const terms = new Set(question.terms);
    const candidates = [
      ...look.documents
        .flatMap((each) => splitDocumentPieces(each, own))
        .map((piece) => ({ ...piece, found: () => createPieceFinding(piece, question, detail) })),
      ...look.adrs.map((place) => ({
        title: formatDecisionTitle(place),
        text: "",
        found: () => createDecisionFinding(place),
      })),
      ...changes.map(({ record }) => ({
        title: record.description,
        text: "",
        found: () => createChangeFinding(record),
      })),
      ...memory.observations.map((each) => ({
        title: each.title,
        text: each.content,
        isRemembered: true,
        found: () => createObservationFinding(createObservationView(each, detail, terms), "remembered"),
      })),
    ];
    const ranked = rankByRelevance(question, candidates).map(({ item }) => item);
    // Memory also matches synonyms. Those results come last.
    const rest = candidates.filter((each) => "isRemembered" in each && !ranked.includes(each));
    const findings = [
      ...limitSuggestionsByKind([...ranked, ...rest].map(({ found }) => found())),
      ...code.found,
      ...look.conventions.map((document) => createConventionFinding(document, detail)),
      ...listSkippedSources(look),
      ...(memory.silent === undefined ? [] : [createSkippedFinding("memory", memory.silent)]),
      ...(code.silent === undefined ? [] : [createSkippedFinding("the index of code", code.silent)]),
    ];
    return fitAnswer<ContextFinding, ContextSuggestOutput>(engine, max_tokens, {
      items: findings,
      build: (shown, omitted) => ({ findings: [...shown], omitted }),
      page: formatSuggestionPage,
      shorten: shortenContextFinding,
    });
  },
  page: (output) => formatSuggestionPage(output),
});

function limitSuggestionsByKind(findings: readonly ContextFinding[]): ContextFinding[] {
  const counts = new Map<string, number>();
  return findings.filter(({ kind }) => {
    const n = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, n);
    return n <= (MAX_SUGGESTIONS_BY_KIND[kind] ?? Number.POSITIVE_INFINITY);
  });
}

function formatSuggestionPage({ findings, omitted }: ContextSuggestOutput): Page {
  const found = findings.filter(({ kind }) => kind !== "skipped").length;
  return {
    title: found + omitted === 0 ? "Nothing speaks of that." : `Best first: ${formatCount(found, "finding")}.`,
    ...formatContextFindings(findings, omitted),
  };
}
