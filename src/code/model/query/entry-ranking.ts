import type { SearchQuestion } from "#kernel/model/search/search-question.ts";
import type { RankedItem, TermWeights } from "#kernel/model/search/search-ranking.ts";
import { normalizeSearchTerm, splitSearchWords } from "#kernel/model/search/search-terms.ts";
import { isStopWord } from "#kernel/model/search/stop-words.ts";
import { compareTexts } from "#kernel/model/text-format.ts";
import { isTestPath } from "../scan/test-files.ts";
import type { CodeComponent, ComponentKind } from "../index/code-outline.ts";
import { listTermAlternatives, splitNameParts } from "./code-search-terms.ts";
import words from "./search-words.json" with { type: "json" };

type RankableComponent = Pick<
  CodeComponent,
  "kind" | "name" | "within" | "isExported" | "doc" | "line" | "lastLine"
> & {
  readonly isTest: boolean;
};
export type RankableEntry = Readonly<Record<"key" | "path" | "title" | "text", string>> &
  Readonly<{
    id: number;
    kind: "component" | "file" | "spec" | "doc";
    component?: RankableComponent;
    callers?: number;
  }>;

/** `k1` and `b` of BM25. Names differ less in length than texts. */
const TERM_SATURATION = 0.8;
const NAME_LENGTH_SHARE = 0.3;
const TEXT_LENGTH_SHARE = 0.5;
const FIELD_WEIGHTS = { name: 4, around: 1, signature: 1, lead: 1.5, rest: 0.6, path: 1 };
type EntryField = keyof typeof FIELD_WEIGHTS;
const ENTRY_FIELDS = Object.keys(FIELD_WEIGHTS) as EntryField[];

const NAME_MATCH_BONUS = 0.6;
/** Share of the score that depends on how many question words the entry contains. */
const COVERAGE_SHARE = 0.4;
const MEMBER_BONUS = 0.25;
const PAIR_BONUS = 0.15;
const SYNONYM_WEIGHT = 0.6;
/** A synonym that is rarer than the word itself counts as much as the word, or this share of its own weight. */
const RARE_SYNONYM_SHARE = 0.7;
const SYNONYM_COVERAGE = 0.5;
const MAX_RANKED_TEXT = 1_500;
const MAX_LEAD_TEXT = 300;
const MAX_NAME_TERMS = 8;

/** A word of the question and the words that may stand for it. An entry counts the best of them once. */
type QuestionConcept = Readonly<{ term: string; weight: number; others: ReadonlyMap<string, number> }>;

/** Best first. `asked` is the question as the user wrote it: its form shows what kind of code is meant. */
export function rankIndexEntries<T extends RankableEntry>(
  question: SearchQuestion,
  weights: TermWeights,
  found: readonly T[],
  asked = "",
): RankedItem<T>[] {
  const concepts = listQuestionConcepts(question, weights);
  const entries = found.map((item) => ({ item, fields: readEntryFields(item) }));
  const average = (field: EntryField): number =>
    entries.reduce((sum, { fields }) => sum + new Set(fields[field]).size, 0) / Math.max(1, entries.length) || 1;
  const averages = Object.fromEntries(ENTRY_FIELDS.map((field) => [field, average(field)])) as Record<
    EntryField,
    number
  >;
  const scored = entries.map(({ item, fields }) => {
    const { score, covered } = scoreConcepts(concepts, fields, averages);
    const told =
      (1 + NAME_MATCH_BONUS * computeNameShare(fields.name, weights)) * (1 - COVERAGE_SHARE + COVERAGE_SHARE * covered);
    const pairs = sumPairWeights(question, weights, fields);
    return { item, score: (score + PAIR_BONUS * pairs) * told * weighEntryKind(item, asked) };
  });
  return addMemberScores(scored).toSorted(
    (one, other) => other.score - one.score || compareTexts(one.item.key, other.item.key),
  );
}

function listQuestionConcepts({ terms, hints, spelled }: SearchQuestion, weights: TermWeights): QuestionConcept[] {
  const claimed = new Set<string>(terms);
  const weighOthers = (others: Iterable<string>): Map<string, number> => {
    const present = [...others].filter((word) => weights.has(word) && !terms.includes(word));
    for (const word of present) claimed.add(word);
    return new Map(present.map((word) => [word, (weights.get(word) ?? 0) / (hints.get(word) ?? 1)]));
  };
  const concepts = terms.map((term, i) => ({
    term,
    weight: weights.get(term) ?? 0,
    others: weighOthers(listTermAlternatives(term, spelled.get(term), terms[i - 1], hints)),
  }));
  // Corrected spellings, and hints from words that are too common to count themselves.
  const rest = [...weights.keys()].filter((word) => !claimed.has(word));
  const loose = rest.map((word) => ({ term: word, weight: hints.has(word) ? 0 : (weights.get(word) ?? 0) }));
  return [...concepts, ...loose.map((each) => ({ ...each, others: weighOthers(each.weight > 0 ? [] : [each.term]) }))];
}

type EntryFields = Readonly<Record<EntryField, readonly string[]>>;

function readEntryFields(item: RankableEntry): EntryFields {
  const { component, title, text, path } = item;
  const said = (component?.doc ?? text).slice(0, MAX_RANKED_TEXT);
  const lead = /^[\s\S]*?(?:[.!?](?=\s|$)|\n\s*\n|$)/.exec(said)?.[0].slice(0, MAX_LEAD_TEXT) ?? "";
  return {
    name: extractFieldTerms(component?.name ?? title),
    around: extractFieldTerms(component?.within ?? ""),
    signature: component ? extractFieldTerms(text.slice(0, Math.max(0, text.length - said.length - path.length))) : [],
    lead: extractFieldTerms(lead),
    rest: extractFieldTerms(said.slice(lead.length)),
    path: extractFieldTerms(path),
  };
}

const extractFieldTerms = (text: string): string[] =>
  splitSearchWords(splitNameParts(text))
    .filter((word) => !isStopWord(word))
    .map(normalizeSearchTerm);

function scoreConcepts(
  concepts: readonly QuestionConcept[],
  fields: EntryFields,
  averages: Readonly<Record<EntryField, number>>,
) {
  const sets = ENTRY_FIELDS.map((field) => {
    const held = new Set(fields[field]);
    const share = field === "name" ? NAME_LENGTH_SHARE : TEXT_LENGTH_SHARE;
    return { held, weight: FIELD_WEIGHTS[field] / (1 - share + (share * held.size) / averages[field]) };
  });
  const saturate = (term: string): number => {
    const count = sets.reduce((sum, { held, weight }) => sum + (held.has(term) ? weight : 0), 0);
    return (count * (TERM_SATURATION + 1)) / (count + TERM_SATURATION);
  };
  let [score, met, total] = [0, 0, 0];
  for (const { term, weight, others } of concepts) {
    const own = weight > 0 ? saturate(term) : 0;
    let best = weight * own;
    let isMet = false;
    for (const [other, rarity] of others) {
      const count = saturate(other);
      if (count > 0) isMet = true;
      const most = weight > 0 ? Math.min(rarity, Math.max(weight, RARE_SYNONYM_SHARE * rarity)) : rarity;
      best = Math.max(best, SYNONYM_WEIGHT * most * count);
    }
    score += best;
    total += weight;
    met += weight * (own > 0 ? 1 : isMet ? SYNONYM_COVERAGE : 0);
  }
  return { score, covered: total === 0 ? 1 : met / total };
}

function sumPairWeights({ pairs }: SearchQuestion, weights: TermWeights, fields: EntryFields): number {
  const rows = [fields.name, [...fields.lead, ...fields.rest], fields.signature];
  const isPair = (one: string, other: string): boolean =>
    rows.some((row) => row.some((term, i) => term === one && row[i + 1] === other));
  return pairs
    .filter(([one, other]) => isPair(one, other))
    .reduce((sum, [one, other]) => sum + (weights.get(one) ?? 0) + (weights.get(other) ?? 0), 0);
}

const UNEXPORTED_WEIGHT = 0.7;
const TEST_WEIGHT = 0.35;
const ENTRY_WEIGHTS = { component: 1, spec: 1, file: 0.5, doc: 0.6 };
/** Functions and classes answer more questions than types and constants. */
const KIND_WEIGHTS: Readonly<Partial<Record<ComponentKind, number>>> = {
  interface: 0.9,
  type: 0.9,
  constant: 0.7,
  module: 0.8,
};
/** `Which class …` asks for a class, `How do I …` for a function. */
const CLASS_QUESTION = new RegExp(words.classQuestion, "i");
const WAY_QUESTION = new RegExp(words.wayQuestion, "i");
const CLASS_KINDS: ReadonlySet<string> = new Set<ComponentKind>(["class", "interface", "type", "module"]);
const WANTED_CLASS_WEIGHT = 1.6;
const UNWANTED_CLASS_WEIGHT = 0.8;
/** Constructors and the like share their words with the class. */
const ROUTINE_NAME = new RegExp(words.routineNames, "i");
const ROUTINE_WEIGHT = 0.6;
const LOCAL_FUNCTION_WEIGHT = 0.7;
/** Code that its authors mark as internal or as replaced by something else. */
const INTERNAL_NAME = /^(?:_(?!_)|#)/;
const INTERNAL_DOC = /@(?:private|internal|api private)\b/;
const INTERNAL_WEIGHT = 0.6;
const DEPRECATED_DOC = /^\s*(?:[@[]\s*deprecated|deprecated\b\s*[:.(])/im;
const DEPRECATED_WEIGHT = 0.5;
/** Code that much other code calls is asked for more often than a helper of one function. */
const CALLER_BONUS = 0.07;
/** A function of one or two lines mostly hands on to the one that does the work. */
const SHORT_FUNCTION_WEIGHT = 0.75;
const NESTED_WEIGHT = 0.8;

function weighEntryKind({ kind, path, component, callers = 0 }: RankableEntry, asked: string): number {
  const ofTest = (component?.isTest ?? isTestPath(path)) ? TEST_WEIGHT : 1;
  if (component === undefined) return ENTRY_WEIGHTS[kind] * ofTest;
  const isClass = CLASS_KINDS.has(component.kind);
  const wanted = isClass && CLASS_QUESTION.test(asked) ? WANTED_CLASS_WEIGHT : 1;
  const unwanted = isClass && WAY_QUESTION.test(asked) ? UNWANTED_CLASS_WEIGHT : 1;
  const ofRoutine = ROUTINE_NAME.test(component.name) ? ROUTINE_WEIGHT : 1;
  const isLocal = component.kind === "function" && component.within !== "" && !component.isExported;
  const ofExport = component.isExported ? 1 : UNEXPORTED_WEIGHT;
  const ofLocal = isLocal ? LOCAL_FUNCTION_WEIGHT : 1;
  const isInternal = INTERNAL_NAME.test(component.name) || INTERNAL_DOC.test(component.doc);
  const ofUse = isInternal && WAY_QUESTION.test(asked) ? INTERNAL_WEIGHT : 1;
  const ofAge = DEPRECATED_DOC.test(component.doc) ? DEPRECATED_WEIGHT : 1;
  const ofLength = component.lastLine - component.line < 2 ? SHORT_FUNCTION_WEIGHT : 1;
  const ofNesting = component.within.includes(".") ? NESTED_WEIGHT : 1;
  const ofCode = ofTest * (KIND_WEIGHTS[component.kind] ?? 1) * wanted * unwanted * ofRoutine;
  const ofPlace = ofExport * ofLocal * ofUse * ofAge * ofLength * ofNesting;
  return ofCode * ofPlace * (1 + CALLER_BONUS * Math.log1p(callers));
}

/** Averages two shares: question weight found in the name, and name words found in the question. */
function computeNameShare(name: readonly string[], weights: TermWeights): number {
  const parts = new Set(name.slice(-MAX_NAME_TERMS));
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const met = [...parts].filter((term) => weights.has(term));
  if (total === 0 || parts.size === 0) return 0;
  return (met.reduce((sum, term) => sum + (weights.get(term) ?? 0), 0) / total + met.length / parts.size) / 2;
}

/** Words of the question in the name of an entry and in its text, as index terms. */
export function findMatchedTerms(item: RankableEntry, terms: readonly string[]): { name: string[]; text: string[] } {
  const listMet = (text: string): string[] => {
    const held = new Set(splitSearchWords(splitNameParts(text)).map(normalizeSearchTerm));
    return terms.filter((term) => held.has(term));
  };
  const name = listMet(item.component?.name ?? item.title);
  const rest = `${item.component?.within ?? item.title}\n${item.text.slice(0, MAX_RANKED_TEXT)}`;
  return { name, text: listMet(rest).filter((term) => !name.includes(term)) };
}

/** A class, interface or module also ranks by its members. */
function addMemberScores<T extends RankableEntry>(scored: readonly RankedItem<T>[]): RankedItem<T>[] {
  const best = new Map<string, number>();
  for (const { item, score } of scored) {
    if (!item.component || item.component.within === "") continue;
    const around = `${item.path}#${item.component.within}`;
    best.set(around, Math.max(best.get(around) ?? 0, score));
  }
  return scored.map(({ item, score }) => ({ item, score: score + MEMBER_BONUS * (best.get(item.key) ?? 0) }));
}
