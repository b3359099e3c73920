import type * as z from "zod";
import { storeContextCheck } from "../../model/change/change-lifecycle.ts";
import type { ChangeRecord, ContextCheck, ContextFact } from "../../model/change/change-record.ts";
import { splitDocumentPieces } from "#kernel/model/document/document-pieces.ts";
import { extractSearchKeywords, rankByRelevance } from "../../model/context/document-relevance.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import { chooseActiveChange, createChangeRecordStep, listActiveChanges } from "../change/change-records.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { PlanningEngine } from "../engine.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import * as contextFindings from "./context-findings.ts";
import { readContextSnapshot, loadTemplateLines } from "./context-snapshot.ts";
import {
  collectSourceFacts,
  type ContextSources,
  createContextCheck,
  readContextSources,
  selectMostRelevant,
} from "./context-sources.ts";
import type { ContextChecked, ContextCheckQuery, ContextSuggested } from "./schema.ts";

type ContextCheckInput = z.infer<typeof ContextCheckQuery>;
type ContextCheckOutput = z.infer<typeof ContextChecked>;
type ContextSuggestOutput = z.infer<typeof ContextSuggested>;

const MAX_CHECK_DECISIONS = 5;
const MAX_CHECK_EXPLORATIONS = 5;

export const contextCheckOperation = defineOperation({
  id: "context.check",
  effect: "change",
  input: async () => (await import("./schema.ts")).ContextCheckQuery,
  output: async () => (await import("./schema.ts")).ContextChecked,
  async run(engine: PlanningEngine, input) {
    const own = await loadTemplateLines(engine);
    const seen = await engine.store.read((tree) => readCheckedSources(tree, input, own));
    const { change } = seen;
    const facts = collectSourceFacts(seen);
    const isKept = change?.record.status === "active";
    if (change && isKept) await storeCheckInChange(engine, change.record, createContextCheck(engine, seen, facts));
    const findings = await collectContextFindings(engine, seen, input);
    const critical = facts.filter(({ severity }) => severity === "critical").length;
    const { max_tokens = DEFAULT_ANSWER_TOKENS } = input;
    return fitAnswer<ContextFact | contextFindings.ContextFinding, ContextCheckOutput>(engine, max_tokens, {
      items: [...facts, ...findings],
      build: (shown, omitted) => ({
        // An empty answer has no room for the change id either.
        ...(change && isKept && (shown.length > 0 || omitted === 0) ? { change_id: change.record.id } : {}),
        critical,
        facts: shown.filter(isFactItem),
        findings: shown.filter((each): each is contextFindings.ContextFinding => !isFactItem(each)),
        omitted,
      }),
      page: formatContextCheckPage,
      shorten: (item, length) => (isFactItem(item) ? undefined : contextFindings.shortenContextFinding(item, length)),
    });
  },
  page: (output) => formatContextCheckPage(output),
});

const isFactItem = (item: ContextFact | contextFindings.ContextFinding): item is ContextFact => "severity" in item;

function readCheckedSources(tree: StoreTree, input: ContextCheckInput, own: ReadonlySet<string>) {
  const change = chooseChangeToCheck(tree, input);
  return readContextSources(tree, { change, own, description: input.change_description?.trim(), isWithHistory: true });
}

/** The named change, or the only active one. Undefined if none is active but a description is given. */
function chooseChangeToCheck(tree: StoreTree, { change_id, change_description }: ContextCheckInput) {
  if (change_id !== undefined || listActiveChanges(tree).length > 0)
    return chooseActiveChange(tree, change_id, "context.check");
  if (change_description !== undefined) return undefined;
  throw new Fault("input.missing", {
    what: "There is nothing to check.",
    why: "No change is active, and no description was given.",
    fix: [
      { operation: "context.check", input: { change_description: "…" } },
      { operation: "change.start", input: { description: "…" } },
    ],
  });
}

/** The sources may change before the commit. The stage gate detects that. */
async function storeCheckInChange(engine: PlanningEngine, { id }: ChangeRecord, made: ContextCheck): Promise<void> {
  await commitStoreWrite(engine, (tree) => {
    const { record } = chooseActiveChange(tree, id, "context.check");
    const kept = record.status === "active" ? storeContextCheck(record, made) : record;
    if (kept === record) return { steps: [], occurrences: [], result: undefined };
    const data = { tree: made.tree, facts: made.facts.map((fact) => fact.fact) };
    return {
      steps: [createChangeRecordStep(kept)],
      occurrences: [{ kind: "change.context-checked", subject: id, data }],
      result: undefined,
    };
  });
}

async function collectContextFindings(
  engine: PlanningEngine,
  { look, question, said, sections, closed, prior }: ContextSources,
  { project_name: project, detail_level: detail = "standard" }: ContextCheckInput,
): Promise<contextFindings.ContextFinding[]> {
  const explored = { project, type: "explore", limit: MAX_CHECK_EXPLORATIONS };
  const memory = await contextFindings.recallRelevantObservations(engine, question, explored);
  const code = await contextFindings.findRelevantCode(engine, question, said, detail);
  const decisions = look.decisions.map(contextFindings.createDecisionCandidate);
  const places = [
    `${formatCount(look.documents.length, "document")} in sdd/`,
    formatCount(look.decisions.length, "decision"),
    formatCount(look.others.length, "other open change"),
    formatCount(closed, "closed change"),
    ...(look.documents.length > 0 ? [] : [formatCount(look.conventions.length, "convention file")]),
  ];
  return [
    ...sections.map((piece) => contextFindings.createPieceFinding(piece, question, detail)),
    ...code.found,
    ...selectMostRelevant(question, decisions, MAX_CHECK_DECISIONS).map(({ known }) =>
      contextFindings.createDecisionFinding(known, question, detail),
    ),
    ...prior.map(contextFindings.createChangeFinding),
    ...memory.observations.map((each) => contextFindings.createMemoryFinding("explored", each, question, detail)),
    ...look.documents.map((document) => contextFindings.createFileFinding("artifact", document)),
    ...contextFindings.listConventionFindings(look, detail),
    { kind: "looked", ref: "workspace", text: places.join(", ") },
    ...contextFindings.listSkippedSources(look),
    ...memory.skipped,
    ...code.skipped,
  ];
}

function formatContextCheckPage({ change_id, critical, facts, findings, omitted }: ContextCheckOutput): Page {
  const about = change_id === undefined ? "" : ` for ${change_id}`;
  return {
    title: `Context check${about}: ${formatCount(critical, "critical fact")}.`,
    facts: facts.map(({ id, severity, fact }) => [`${id} ${severity}`, fact]),
    ...contextFindings.formatContextFindings(findings, omitted),
    next: change_id === undefined ? [] : [{ operation: "change.advance", input: { change_id } }],
  };
}

/** Kinds without an entry have no limit. */
const MAX_BY_KIND: Record<string, number> = {
  section: 6,
  requirement: 12,
  rule: 6,
  removed: 3,
  change: 5,
  decision: 5,
};
const MAX_REMEMBERED_SUGGESTIONS = 10;

export const contextSuggestOperation = defineOperation({
  id: "context.suggest",
  effect: "read",
  input: async () => (await import("./schema.ts")).ContextSuggestQuery,
  output: async () => (await import("./schema.ts")).ContextSuggested,
  async run(
    engine: PlanningEngine,
    { task_description, project_name: project, detail_level: detail = "standard", max_tokens = DEFAULT_ANSWER_TOKENS },
  ) {
    const question = extractSearchKeywords(task_description);
    const own = await loadTemplateLines(engine);
    const look = await engine.store.read((tree) => readContextSnapshot(tree, { isWithHistory: true }));
    const memory = await contextFindings.recallRelevantObservations(engine, question, {
      project,
      limit: MAX_REMEMBERED_SUGGESTIONS,
    });
    const code = await contextFindings.findRelevantCode(engine, question, task_description, detail);
    const remembered = memory.observations.map((each) => ({
      title: each.title,
      text: each.content,
      found: () => contextFindings.createMemoryFinding("remembered", each, question, detail),
    }));
    const pieces = look.documents.flatMap((each) => splitDocumentPieces(each, own));
    const candidates = [
      ...pieces.map((piece) => ({
        ...piece,
        found: () => contextFindings.createPieceFinding(piece, question, detail),
      })),
      ...look.decisions.map((known) => ({
        ...contextFindings.createDecisionCandidate(known),
        found: () => contextFindings.createDecisionFinding(known, question, detail),
      })),
      ...look.changes.map((record) => ({
        title: record.description,
        text: "",
        found: () => contextFindings.createChangeFinding(record),
      })),
      ...remembered,
    ];
    const ranked = rankByRelevance(question, candidates).map(({ item }) => item);
    // Memory also matches synonyms. Those results come last.
    const rest = remembered.filter((each) => !ranked.includes(each));
    const counts = new Map<string, number>();
    const suggested = [...ranked, ...rest].map(({ found }) => found());
    const findings = [
      ...suggested.filter(({ kind }) => {
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
        return (counts.get(kind) ?? 0) <= (MAX_BY_KIND[kind] ?? Infinity);
      }),
      ...code.found,
      ...contextFindings.listConventionFindings(look, detail),
      ...contextFindings.listSkippedSources(look),
      ...memory.skipped,
      ...code.skipped,
    ];
    return fitAnswer<contextFindings.ContextFinding, ContextSuggestOutput>(engine, max_tokens, {
      items: findings,
      build: (shown, omitted) => ({ findings: [...shown], omitted }),
      page: formatSuggestionPage,
      shorten: contextFindings.shortenContextFinding,
    });
  },
  page: (output) => formatSuggestionPage(output),
});

function formatSuggestionPage({ findings, omitted }: ContextSuggestOutput): Page {
  const found = findings.filter(({ kind }) => kind !== "skipped").length;
  return {
    title: found + omitted === 0 ? "No match." : `Best first: ${formatCount(found, "finding")}.`,
    ...contextFindings.formatContextFindings(findings, omitted),
  };
}
