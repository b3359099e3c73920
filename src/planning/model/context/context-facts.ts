import {
  findMisspelledIds,
  ID_FAMILY_NOUNS,
  type IdFamily,
  listDefinedIds,
  listMentionedIds,
} from "#kernel/model/document/id-references.ts";
import { parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { type ContextFact, MAX_FACT_LENGTH, MAX_FACTS_PER_SEVERITY, FACT_SEVERITIES } from "../change/change-record.ts";
import {
  type PlanningDocument,
  isRemovedPiece,
  type DocumentPiece,
  getPieceText,
  splitDocumentPieces,
} from "#kernel/model/document/document-pieces.ts";
import { extractSearchTerms, splitSearchWords } from "#kernel/model/search/search-terms.ts";
import { parseTermDefinitions } from "../project/requirement-items.ts";
import type { Problem } from "#kernel/model/verdict.ts";

export interface ContextMaterial {
  readonly said: readonly PlanningDocument[];
  readonly pieces: readonly DocumentPiece[];
  readonly rules?: PlanningDocument | undefined;
  readonly tasks: readonly string[];
  readonly spec?: string | undefined;
  readonly adrs: readonly string[];
  readonly others: readonly { readonly id: string; readonly texts: readonly string[] }[];
  readonly likely: readonly string[];
}

type UnnumberedFact = Omit<ContextFact, "id">;

const CONTEXT_ID_FAMILIES = Object.keys(ID_FAMILY_NOUNS) as IdFamily[];
/** Families whose ids mean the same in every change. */
const SHARED_ID_FAMILIES: readonly IdFamily[] = ["requirement", "rule"];

interface NamedId {
  readonly id: string;
  readonly family: IdFamily;
  readonly where: string;
}

export function collectContextFacts(material: ContextMaterial): ContextFact[] {
  const named = listNamedIds(material.said);
  const all: UnnumberedFact[] = [
    // Conflicts with other changes come first, so that a long list of unknown ids does not crowd them out.
    ...findSharedIds(named, material),
    ...findMissingIds(named, material),
    ...describeMisspelledIds(material.said),
    ...findOverlappingIds(named, material),
    ...findNewTerms(material),
    ...describeNamedRequirements(named, material),
  ];
  const kept = FACT_SEVERITIES.flatMap((severity) => limitFactsOfSeverity(all, severity));
  return kept.map(({ severity, fact }, i) => ({
    id: `CF-${i + 1}`,
    severity,
    fact: sanitizeText(fact, MAX_FACT_LENGTH),
  }));
}

function limitFactsOfSeverity(all: readonly UnnumberedFact[], severity: ContextFact["severity"]): UnnumberedFact[] {
  const own = all.filter((fact) => fact.severity === severity);
  if (own.length <= MAX_FACTS_PER_SEVERITY) return own;
  const shown = own.slice(0, MAX_FACTS_PER_SEVERITY - 1);
  return [...shown, { severity, fact: `${own.length - shown.length} more of this kind are not listed.` }];
}

function listNamedIds(said: readonly PlanningDocument[]): NamedId[] {
  const found = new Map<string, NamedId>();
  for (const { path, text } of said) {
    const lines = parseProseLines(text);
    for (const family of CONTEXT_ID_FAMILIES)
      for (const id of listMentionedIds(lines, family)) if (!found.has(id)) found.set(id, { id, family, where: path });
  }
  return [...found.values()];
}

function findMissingIds(
  named: readonly NamedId[],
  { pieces, tasks, spec = "", adrs }: ContextMaterial,
): UnnumberedFact[] {
  const removed = new Map(pieces.filter(isRemovedPiece).map((piece) => [piece.id, piece]));
  const known = new Set([
    ...pieces.flatMap((piece) => (piece.id && !isRemovedPiece(piece) ? [piece.id] : [])),
    ...listDefinedIds(spec, ...SHARED_ID_FAMILIES),
    ...adrs,
    ...tasks.flatMap((text) => listDefinedIds(text, "task")),
  ]);
  return named
    .filter(({ id }) => !known.has(id))
    .map(({ id, family, where }) => {
      const left = removed.get(id);
      const fate = left ? describeRemovedItem(left) : `does not exist: no ${ID_FAMILY_NOUNS[family]} has that id.`;
      return { severity: "critical", fact: `${where} names ${id}, which ${fate}` };
    });
}

/** A removed item's text may name its successor. */
function describeRemovedItem(left: DocumentPiece): string {
  const [, to] = /^Now ((?:N?FR|BR)-\d+)\b/.exec(getPieceText(left)) ?? [];
  return to === undefined ? `${left.path} has removed.` : `is now ${to}.`;
}

const findSharedIds = (named: readonly NamedId[], { others }: ContextMaterial): UnnumberedFact[] =>
  listIdsInOtherChanges(
    others,
    named.map(({ id }) => id),
  ).map(([change, id]) => ({ severity: "critical", fact: `The open change ${change} names ${id} too.` }));

function findOverlappingIds(named: readonly NamedId[], { others, likely }: ContextMaterial): UnnumberedFact[] {
  const own = new Set(named.map(({ id }) => id));
  const ids = likely.filter((id) => !own.has(id));
  return listIdsInOtherChanges(others, ids).map(([change, id]) => ({
    severity: "warning",
    fact: `The open change ${change} names ${id}, which this change seems to be about.`,
  }));
}

/** Only ids that mean the same in every change. */
function listIdsInOtherChanges(
  others: ContextMaterial["others"],
  ids: readonly string[],
): (readonly [change: string, id: string])[] {
  return others.flatMap(({ id: change, texts }) => {
    const lines = texts.flatMap((text) => parseProseLines(text));
    const shared = listMentionedIds(lines, ...SHARED_ID_FAMILIES).filter((id) => ids.includes(id));
    return shared.toSorted().map((id) => [change, id] as const);
  });
}

function describeMisspelledIds(said: readonly PlanningDocument[]): UnnumberedFact[] {
  const told = new Set(
    said.flatMap(({ text }) => findMisspelledIds(parseProseLines(text)).map(({ problem }) => problem)),
  );
  return [...told].map((fact) => ({ severity: "warning", fact }));
}

/** Reads only the description: longer texts contain too many capitalized names. */
function findNewTerms({ said: [description], rules }: ContextMaterial): UnnumberedFact[] {
  const glossary = rules ? listExplainedTerms(rules) : [];
  if (!rules || !description || glossary.length === 0) return [];
  return findUnexplainedTerms(listUsedTerms(description.text), glossary).map((term) => ({
    severity: "warning",
    fact: `The term "${term}" is not in the glossary of ${rules.path}.`,
  }));
}

function describeNamedRequirements(named: readonly NamedId[], { pieces }: ContextMaterial): UnnumberedFact[] {
  const texts = new Map(pieces.flatMap((piece) => (piece.id && !isRemovedPiece(piece) ? [[piece.id, piece]] : [])));
  return named.flatMap(({ id, where }) => {
    const piece = texts.get(id);
    if (!piece) return [];
    return [{ severity: "info", fact: `${where} names ${id} (${piece.path}:${piece.line}): ${getPieceText(piece)}` }];
  });
}

const GLOSSARY_HEADING_PATTERN = /^[\d.)\s*_]*(?:definitions?|glossary)\b/i;
const QUOTED_PHRASE_PATTERN = /["“„«]([\p{L}][\p{L}\p{N}'’ -]{2,58})["”“»]/gu;
const CAPITALIZED_PHRASE_PATTERN = /(?<![\p{L}\p{N}])\p{Lu}[\p{Ll}\p{N}]+(?: \p{Lu}[\p{Ll}\p{N}]+)+/gu;
const MAX_TERM_WORDS = 5;

export function listExplainedTerms(document: PlanningDocument): string[] {
  return splitDocumentPieces(document)
    .filter(({ under }) => under.some((heading) => GLOSSARY_HEADING_PATTERN.test(heading)))
    .flatMap(({ text }) => parseTermDefinitions(text));
}

/**
 * Finds phrases of several words that are quoted or capitalized. Prefers to miss terms: skips the first word of a
 * sentence and texts in title case.
 */
export function listUsedTerms(text: string): string[] {
  const found = [...text.matchAll(QUOTED_PHRASE_PATTERN)].map(([, phrase = ""]) => phrase.trim());
  if (!isTitleCaseText(text)) {
    for (const match of text.matchAll(CAPITALIZED_PHRASE_PATTERN)) {
      const words = match[0].split(" ");
      const isFirst = /(?:^|[.!?:;]\s|\n)[\s*_#>+-]*$/.test(text.slice(Math.max(0, match.index - 8), match.index));
      found.push((isFirst ? words.slice(1) : words).join(" "));
    }
  }
  const several = found.filter((term) => {
    const { length } = term.split(/\s+/);
    return length > 1 && length <= MAX_TERM_WORDS;
  });
  return [...new Map(several.map((term) => [normalizeGlossaryTerm(term), term])).values()];
}

/** A term also counts as explained if every word of it is. */
export function findUnexplainedTerms(used: readonly string[], glossary: readonly string[]): string[] {
  const known = new Set(glossary.map(normalizeGlossaryTerm));
  return used.filter(
    (term) =>
      !known.has(normalizeGlossaryTerm(term)) &&
      !term.split(/\s+/).every((word) => known.has(normalizeGlossaryTerm(word))),
  );
}

const normalizeGlossaryTerm = (term: string): string => extractSearchTerms(term).join(" ");

function isTitleCaseText(text: string): boolean {
  const words = (text.match(/(?<![\p{L}\p{N}])\p{L}[\p{L}\p{N}]*/gu) ?? []).slice(1);
  return words.filter((word) => /^\p{Lu}/u.test(word)).length > words.length * 0.75;
}

const FACT_ANSWER_PATTERN =
  /^\s{0,12}(?:#{1,6}\s+|(?:[-*+]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?|\|\s*)?[*_`]{0,3}(CF-\d{1,3})(?!\d)(.*)$/;
const MIN_ANSWER_WORDS = 3;

/** An answer that only repeats the fact does not count. */
export function findUnansweredFacts(facts: readonly ContextFact[], artifact: string): Problem[] {
  const answers = parseProseLines(artifact).flatMap(({ text }) => {
    const [, id, said = ""] = FACT_ANSWER_PATTERN.exec(text) ?? [];
    return id === undefined ? [] : [{ id, words: splitSearchWords(said.replace(/<[^<>]*>/g, " ")) }];
  });
  return facts.flatMap(({ id, severity, fact }): Problem[] => {
    const given = splitSearchWords(fact).join(" ");
    const own = answers.filter((answer) => answer.id === id);
    const isAnswered = own.some(({ words }) => {
      const isRepeated = [given, `critical ${given}`].includes(words.join(" "));
      return new Set(words).size >= MIN_ANSWER_WORDS && !isRepeated;
    });
    if (severity !== "critical" || isAnswered) return [];
    const wanted =
      own.length > 0
        ? `its line needs at least ${MIN_ANSWER_WORDS} words that say how it is settled and do not repeat the fact.`
        : `begin a line with "${id}:" and say how it is settled.`;
    return [{ problem: `${id} is not answered: ${wanted} It says: ${sanitizeText(fact, 300)}` }];
  });
}
