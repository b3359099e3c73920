import { fingerprintSpecs, describeSpecChanges } from "../../model/context/spec-fingerprint.ts";
import { collectContextFacts, findUnansweredFacts } from "../../model/context/context-facts.ts";
import type { ContextCheck, ContextFact } from "../../model/change/change-record.ts";
import { stripRequiredHeadings } from "../../model/change/change-artifact.ts";
import { extractSearchKeywords, rankByRelevance } from "../../model/context/document-relevance.ts";
import { isRemovedPiece, splitDocumentPieces } from "#kernel/model/document/document-pieces.ts";
import type { SearchQuestion } from "#kernel/model/search/search-question.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { BUSINESS_RULES_PATH, TASKS_PATH } from "#kernel/model/workspace-paths.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { isOpenChange, type StoredChange } from "../change/change-records.ts";
import type { PlanningEngine } from "../engine.ts";
import { readContextSnapshot } from "./context-snapshot.ts";

const MAX_CHECK_SECTIONS = 12;
const MAX_CHECK_CHANGES = 10;
const MAX_LIKELY_ITEMS = 3;
const MAX_SHOWN_CHANGES = 5;

export type ContextSources = ReturnType<typeof readContextSources>;

interface ContextSubject {
  readonly change?: StoredChange | undefined;
  /** Adds to the description of the change. */
  readonly description?: string | undefined;
  /** Lines of templates, which say nothing about the project. */
  readonly own: ReadonlySet<string>;
  readonly isWithHistory: boolean;
}

export function readContextSources(tree: StoreTree, { change, description: more, own, isWithHistory }: ContextSubject) {
  const description = [change?.record.description, more].filter((text) => text !== undefined).join("\n");
  const look = readContextSnapshot(tree, { change, isWithHistory });
  const said = [description, ...look.own.map(({ text }) => text)].join("\n");
  const question = extractSearchKeywords(stripRequiredHeadings(said));
  const pieces = look.documents.flatMap((each) => splitDocumentPieces(each, own));
  const closed = look.changes.filter((record) => !isOpenChange(record) && record.id !== change?.record.id);
  const prior = closed.map((record) => ({ title: record.description, text: "", record }));
  return {
    change,
    look,
    description,
    said,
    question,
    pieces,
    sections: selectMostRelevant(question, pieces, MAX_CHECK_SECTIONS),
    closed: closed.length,
    prior: selectMostRelevant(question, prior, MAX_CHECK_CHANGES).map(({ record }) => record),
  };
}

export const selectMostRelevant = <T extends { title: string; text: string }>(
  question: SearchQuestion,
  of: readonly T[],
  most: number,
): T[] =>
  rankByRelevance(question, of)
    .slice(0, most)
    .map(({ item }) => item);

/** Decisions of the change itself do not contradict it. */
export function collectSourceFacts({ change, look, description, pieces, sections }: ContextSources): ContextFact[] {
  const own = (stage: string): string[] => look.own.flatMap((each) => (each.stage === stage ? [each.text] : []));
  const tasks = look.documents.filter(({ path }) => path === TASKS_PATH).map(({ text }) => text);
  const live = sections.flatMap((piece) => (piece.id && !isRemovedPiece(piece) ? [piece.id] : []));
  return collectContextFacts({
    said: [{ path: "The description", text: description }, ...look.own],
    pieces,
    rules: look.documents.find(({ path }) => path === BUSINESS_RULES_PATH),
    tasks: [...tasks, ...own("tasks")],
    spec: own("spec")[0],
    adrs: [...look.adrs, ...(change?.record.adrs ?? [])],
    decisions: look.decisions.filter(({ ref }) => !ref.startsWith(`${change?.record.id}/`)),
    others: look.others,
    likely: live.slice(0, MAX_LIKELY_ITEMS),
    conventions: look.hasSpecs ? 0 : look.conventions.length,
  });
}

export function createContextCheck(
  engine: PlanningEngine,
  sources: ContextSources,
  facts: ContextFact[],
): ContextCheck {
  const fingerprint = fingerprintSpecs(engine.digest, sources.pieces, listRelevantPieces(sources));
  return { at: engine.clock.now(), tree: engine.digest(JSON.stringify(fingerprint)), ...fingerprint, facts };
}

const listRelevantPieces = ({ pieces, sections, said }: ContextSources) =>
  pieces.filter((piece) => sections.includes(piece) || (piece.id !== undefined && said.includes(piece.id)));

/** A check stays valid until a spec that the change is about changes, or a new critical fact appears. */
export function findContextCheckProblems(
  engine: PlanningEngine,
  tree: StoreTree,
  { change, own }: Pick<ContextSubject, "own"> & { readonly change: StoredChange },
  text: string,
): Problem[] {
  const { context_check: check } = change.record;
  if (!check) return [{ problem: "This change has no context check yet. Run it, and answer its critical facts." }];
  // Recording a decision is part of the work, so it never asks for another check.
  const sources = readContextSources(tree, { change, own, isWithHistory: false });
  const { pieces, quoted } = check;
  const changes =
    pieces && quoted
      ? describeSpecChanges(engine.digest, { pieces, quoted }, sources.pieces, listRelevantPieces(sources))
      : [];
  const known = new Set(check.facts.map(({ fact }) => fact));
  const fresh = collectSourceFacts(sources).filter(({ severity, fact }) => severity === "critical" && !known.has(fact));
  const since = [...changes, ...fresh.map(({ fact }) => fact)];
  if (since.length === 0) return findUnansweredFacts(check.facts, text);
  const rest = since.length - MAX_SHOWN_CHANGES;
  const shown = [...since.slice(0, MAX_SHOWN_CHANGES), ...(rest > 0 ? [`And ${rest} more.`] : [])].join(" ");
  return [{ problem: `The context check of ${check.at} is out of date. Run it again. Since then: ${shown}` }];
}
