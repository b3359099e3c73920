import {
  findMisspelledIds,
  ID_FAMILY_NOUNS,
  type IdFamily,
  listDefinedIds,
  listMentionedIds,
} from "#kernel/model/document/id-references.ts";
import { stripAnnouncedIds, stripDeniedIds } from "../change/change-artifact.ts";
import { parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { type ContextFact, MAX_FACT_LENGTH, MAX_FACTS_PER_SEVERITY, FACT_SEVERITIES } from "../change/change-record.ts";
import type { PlanningDocument, DocumentPiece } from "#kernel/model/document/document-pieces.ts";
import { isRemovedPiece, getPieceText, splitDocumentPieces } from "#kernel/model/document/document-pieces.ts";
import { extractSearchTerms, splitSearchWords } from "#kernel/model/search/search-terms.ts";
import { isFiller } from "../project/clarity-gate.ts";
import { parseTermDefinitions } from "../project/requirement-items.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { describeContradictions, type KnownDecision } from "./decision-conflicts.ts";

export interface ContextMaterial {
  readonly said: readonly PlanningDocument[];
  readonly pieces: readonly DocumentPiece[];
  readonly rules?: PlanningDocument | undefined;
  readonly tasks: readonly string[];
  readonly spec?: string | undefined;
  readonly adrs: readonly string[];
  /** Decisions of other changes and of the workspace. */
  readonly decisions?: readonly KnownDecision[];
  readonly others: readonly { readonly id: string; readonly texts: readonly string[] }[];
  readonly likely: readonly string[];
  /** Convention files that were read because there are no specs. */
  readonly conventions?: number;
}

/** Families whose ids mean the same in every change. */
const SHARED_ID_FAMILIES: readonly IdFamily[] = ["requirement", "rule"];

export function collectContextFacts(material: ContextMaterial): ContextFact[] {
  const { said, pieces, others, likely } = material;
  const named = listNamedIds(said);
  const ids = named.map(({ id }) => id);
  const overlapping = likely.filter((id) => !ids.includes(id));
  const misspelled = said.flatMap(({ text }) => findMisspelledIds(parseProseLines(text)).map(({ problem }) => problem));
  const live = new Map(pieces.flatMap((piece) => (piece.id && !isRemovedPiece(piece) ? [[piece.id, piece]] : [])));
  const facts: Readonly<Record<ContextFact["severity"], readonly string[]>> = {
    critical: [
      // Conflicts with other changes come first, so that a long list of unknown ids does not crowd them out.
      ...listIdsInOtherChanges(others, ids).map(([change, id]) => `The open change ${change} names ${id} too.`),
      ...describeContradictions(
        said.map(({ text }) => text),
        material.decisions ?? [],
      ),
      ...describeMissingIds(named, live, material),
    ],
    warning: [
      ...new Set(misspelled),
      ...listIdsInOtherChanges(others, overlapping).map(
        ([change, id]) => `The open change ${change} names ${id}, which this change seems to be about.`,
      ),
      ...describeNewTerms(material),
    ],
    info: [
      ...(material.conventions ? ["This project has conventions, but no specs in sdd/."] : []),
      ...named.flatMap(({ id, where }) => {
        const piece = live.get(id);
        return piece ? [`${where} names ${id} (${piece.path}:${piece.line}): ${getPieceText(piece)}`] : [];
      }),
    ],
  };
  const limited = FACT_SEVERITIES.flatMap((severity) => {
    const [all, shown] = [facts[severity], facts[severity].slice(0, MAX_FACTS_PER_SEVERITY - 1)];
    const rest = `${all.length - shown.length} more of this kind are not listed.`;
    const kept = all.length > MAX_FACTS_PER_SEVERITY ? [...shown, rest] : all;
    return kept.map((fact) => ({ severity, fact: sanitizeText(fact, MAX_FACT_LENGTH) }));
  });
  return limited.map((fact, i) => ({ id: `CF-${i + 1}`, ...fact }));
}

function listNamedIds(said: readonly PlanningDocument[]) {
  const families = Object.keys(ID_FAMILY_NOUNS) as IdFamily[];
  const all = said.flatMap(({ path, text }) => {
    const lines = parseProseLines(text);
    const stated = new Set(listMentionedIds(stripAnnouncedIds(stripDeniedIds(lines)), ...families));
    return families.flatMap((family) =>
      listMentionedIds(lines, family).map((id) => ({ id, family, where: path, isDenied: !stated.has(id) })),
    );
  });
  return [...Map.groupBy(all, ({ id }) => id).values()].flatMap(([first]) => first ?? []);
}

function describeMissingIds(
  named: ReturnType<typeof listNamedIds>,
  live: ReadonlyMap<string, DocumentPiece>,
  { pieces, tasks, spec = "", adrs }: ContextMaterial,
): string[] {
  const removed = new Map(pieces.filter(isRemovedPiece).map((piece) => [piece.id, piece]));
  const known = new Set([
    ...live.keys(),
    ...listDefinedIds(spec, ...SHARED_ID_FAMILIES),
    ...adrs,
    ...tasks.flatMap((text) => listDefinedIds(text, "task")),
  ]);
  return named
    .filter(({ id, isDenied }) => !known.has(id) && !isDenied)
    .map(({ id, family, where }) => {
      const left = removed.get(id);
      if (!left) return `${where} names ${id}, which does not exist: no ${ID_FAMILY_NOUNS[family]} has that id.`;
      // A removed item's text may name its successor.
      const [, to] = /^Now ((?:N?FR|BR)-\d+)\b/.exec(getPieceText(left)) ?? [];
      return `${where} names ${id}, which ${to === undefined ? `${left.path} has removed.` : `is now ${to}.`}`;
    });
}

/** Only ids that mean the same in every change. */
function listIdsInOtherChanges(others: ContextMaterial["others"], ids: readonly string[]) {
  return others.flatMap(({ id: change, texts }) => {
    const lines = texts.flatMap((text) => parseProseLines(text));
    const shared = listMentionedIds(lines, ...SHARED_ID_FAMILIES).filter((id) => ids.includes(id));
    return shared.toSorted().map((id) => [change, id] as const);
  });
}

/** Reads only the description: longer texts contain too many capitalized names. */
function describeNewTerms({ said: [description], rules }: ContextMaterial): string[] {
  const glossary = rules ? listExplainedTerms(rules) : [];
  if (!rules || !description || glossary.length === 0) return [];
  return findUnexplainedTerms(listUsedTerms(description.text), glossary).map(
    (term) => `The term "${term}" is not in the glossary of ${rules.path}.`,
  );
}

const GLOSSARY_HEADING_PATTERN = /^[\d.)\s*_]*(?:definitions?|glossary)\b/i;
const QUOTED_PHRASE_PATTERN = /["“„«]([\p{L}][\p{L}\p{N}'’ -]{2,58})["”“»]/gu;
const CAPITALIZED_PHRASE_PATTERN = /(?<![\p{L}\p{N}])\p{Lu}[\p{Ll}\p{N}]+(?: \p{Lu}[\p{Ll}\p{N}]+)+/gu;
const MAX_TERM_WORDS = 5;

export const listExplainedTerms = (document: PlanningDocument): string[] =>
  splitDocumentPieces(document)
    .filter(({ under }) => under.some((heading) => GLOSSARY_HEADING_PATTERN.test(heading)))
    .flatMap(({ text }) => parseTermDefinitions(text));

/** Quoted or capitalized phrases. Rather misses terms: skips first words of sentences and texts in title case. */
export function listUsedTerms(text: string): string[] {
  const found = [...text.matchAll(QUOTED_PHRASE_PATTERN)].map(([, phrase = ""]) => phrase.trim());
  const others = (text.match(/(?<![\p{L}\p{N}])\p{L}[\p{L}\p{N}]*/gu) ?? []).slice(1);
  const isTitleCase = others.filter((word) => /^\p{Lu}/u.test(word)).length > others.length * 0.75;
  if (!isTitleCase) {
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
  const isKnown = (term: string): boolean => known.has(normalizeGlossaryTerm(term));
  return used.filter((term) => !isKnown(term) && !term.split(/\s+/).every(isKnown));
}

const normalizeGlossaryTerm = (term: string): string => extractSearchTerms(term).join(" ");

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
      return new Set(words).size >= MIN_ANSWER_WORDS && !isRepeated && !isFiller(words.join(" "));
    });
    if (severity !== "critical" || isAnswered) return [];
    const wanted =
      own.length > 0
        ? `its line needs at least ${MIN_ANSWER_WORDS} words that explain how it is settled, without repeating the fact.`
        : `start a line with "${id}:" and write how it is settled.`;
    return [{ problem: `${id} is not answered: ${wanted} The fact: ${sanitizeText(fact, 300)}` }];
  });
}
