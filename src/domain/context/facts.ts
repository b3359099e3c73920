import { findMisspelledIds, ID_FAMILY_NOUNS } from "../document/phantom.ts";
import { type ProseLine, parseProseLines } from "../document/prose.ts";
import { findIdDefinitions, type IdFamily, findIdMentions } from "../document/reference.ts";
import { sanitizeText } from "../quote.ts";
import {
  type ContextFact,
  MAX_FACT_LENGTH,
  MAX_FACTS_PER_SEVERITY,
  FACT_SEVERITIES,
  type FactSeverity,
} from "./fact.ts";
import { listExplainedTerms, listUsedTerms, findUnexplainedTerms } from "./glossary.ts";
import { type PlanningDocument, isRemovedPiece, type DocumentPiece, getPieceText } from "./piece.ts";

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

function limitFactsOfSeverity(all: readonly UnnumberedFact[], severity: FactSeverity): UnnumberedFact[] {
  const own = all.filter((fact) => fact.severity === severity);
  if (own.length <= MAX_FACTS_PER_SEVERITY) return own;
  const shown = own.slice(0, MAX_FACTS_PER_SEVERITY - 1);
  return [...shown, { severity, fact: `${own.length - shown.length} more of this kind are not listed.` }];
}

function listNamedIds(said: readonly PlanningDocument[]): NamedId[] {
  const found = new Map<string, NamedId>();
  for (const { path, text } of said) {
    const lines = parseProseLines(text);
    for (const family of CONTEXT_ID_FAMILIES) {
      for (const { id } of findIdMentions(lines, family))
        if (!found.has(id)) found.set(id, { id, family, where: path });
    }
  }
  return [...found.values()];
}

function findMissingIds(named: readonly NamedId[], { pieces, tasks, spec, adrs }: ContextMaterial): UnnumberedFact[] {
  const removed = new Map(pieces.flatMap((piece) => (piece.id && isRemovedPiece(piece) ? [[piece.id, piece]] : [])));
  const items = pieces.flatMap((piece) => (piece.id && !isRemovedPiece(piece) ? [piece.id] : []));
  const own =
    spec === undefined
      ? []
      : SHARED_ID_FAMILIES.flatMap((family) => listIdsDefinedInLines(parseProseLines(spec), family));
  const known = new Set([
    ...items,
    ...own,
    ...adrs,
    ...tasks.flatMap((text) => listIdsDefinedInLines(parseProseLines(text), "task")),
  ]);
  return named
    .filter(({ id }) => !known.has(id))
    .map(({ id, family, where }) => {
      const left = removed.get(id);
      const fact =
        left === undefined
          ? `${where} names ${id}, which does not exist: no ${ID_FAMILY_NOUNS[family]} has that id.`
          : `${where} names ${id}, which ${describeRemovedItem(left)}`;
      return { severity: "critical", fact };
    });
}

/** A removed item's text may name its successor. */
function describeRemovedItem(left: DocumentPiece): string {
  const [, to] = /^Now ((?:N?FR|BR)-\d+)\b/.exec(getPieceText(left)) ?? [];
  return to === undefined ? `${left.path} has removed.` : `is now ${to}.`;
}

const listIdsDefinedInLines = (lines: readonly ProseLine[], family: IdFamily): string[] =>
  findIdDefinitions(lines, family).map(({ id }) => id);

function findSharedIds(named: readonly NamedId[], { others }: ContextMaterial): UnnumberedFact[] {
  const ids = new Set(named.filter(({ family }) => SHARED_ID_FAMILIES.includes(family)).map(({ id }) => id));
  return others.flatMap(({ id, texts }) =>
    listSharedIds(texts)
      .filter((each) => ids.has(each))
      .map((each): UnnumberedFact => ({ severity: "critical", fact: `The open change ${id} names ${each} too.` })),
  );
}

function findOverlappingIds(named: readonly NamedId[], { others, likely }: ContextMaterial): UnnumberedFact[] {
  const own = new Set(named.map(({ id }) => id));
  const ids = new Set(likely.filter((id) => !own.has(id)));
  return others.flatMap(({ id, texts }) =>
    listSharedIds(texts)
      .filter((each) => ids.has(each))
      .map((each): UnnumberedFact => ({
        severity: "warning",
        fact: `The open change ${id} names ${each}, which this change seems to be about.`,
      })),
  );
}

function listSharedIds(texts: readonly string[]): string[] {
  const lines = texts.flatMap((text) => parseProseLines(text));
  return [
    ...new Set(SHARED_ID_FAMILIES.flatMap((family) => findIdMentions(lines, family).map(({ id }) => id))),
  ].toSorted();
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
