import type { SearchQuestion } from "#kernel/model/search/search-question.ts";
import { type RankedItem, SearchRanking, type TermWeights } from "#kernel/model/search/search-ranking.ts";
import { normalizeSearchTerm, splitSearchWords } from "#kernel/model/search/search-terms.ts";
import { isStopWord } from "#kernel/model/search/stop-words.ts";
import { compareTexts } from "#kernel/model/text-format.ts";
import { isTestPath } from "../scan/test-files.ts";
import type { CodeComponent, ComponentKind } from "../index/code-outline.ts";
import { splitNameParts } from "./code-search-terms.ts";

type RankableComponent = Pick<CodeComponent, "kind" | "name" | "within" | "isExported" | "doc"> & {
  readonly isTest: boolean;
};
export type RankableEntry = Readonly<Record<"key" | "path" | "title" | "text", string>> &
  Readonly<{ id: number; kind: "component" | "file" | "spec" | "doc"; component?: RankableComponent }>;

const NAME_MATCH_BONUS = 0.6;
/** Share of the score that depends on how many question words the entry contains. */
const COVERAGE_SHARE = 0.4;
const MEMBER_BONUS = 0.25;
const MAX_RANKED_TEXT = 700;
const MAX_NAME_TERMS = 8;

export function rankIndexEntries<T extends RankableEntry>(
  question: SearchQuestion,
  weights: TermWeights,
  found: readonly T[],
): RankedItem<T>[] {
  const asked = new Map([...weights].filter(([term]) => question.terms.includes(term)));
  const byId = new Map(found.map((each) => [each.id, each]));
  const items = found.map((each) => ({
    id: each.id,
    title: extractDistinctWords(each.component?.name ?? each.title),
    content: extractDistinctWords(formatRankedContent(each)),
    revision: 0,
    updated_at: "",
  }));
  const scored = new SearchRanking<(typeof items)[number]>(question, weights)
    .rank(items)
    .flatMap(({ item: { id }, score }) => {
      const item = byId.get(id);
      if (!item) return [];
      const told =
        (1 + NAME_MATCH_BONUS * computeNameShare(item, weights)) *
        (1 - COVERAGE_SHARE + COVERAGE_SHARE * computeCoverageShare(item, asked));
      return [{ item, score: score * weighEntryKind(item) * told }];
    });
  return addMemberScores(scored).toSorted(
    (one, other) => other.score - one.score || compareTexts(one.item.key, other.item.key),
  );
}

const formatRankedContent = ({ component, title, text }: RankableEntry): string =>
  `${component?.within ?? title}\n${text.slice(0, MAX_RANKED_TEXT)}`;

/** Each word once, because signatures repeat their types; without stop words. */
const extractDistinctWords = (text: string): string =>
  [...new Set(splitSearchWords(splitNameParts(text)))].filter((word) => !isStopWord(word)).join(" ");

const UNEXPORTED_WEIGHT = 0.85;
const TEST_WEIGHT = 0.35;
const ENTRY_WEIGHTS = { component: 1, spec: 1, file: 0.5, doc: 0.8 };
/** Functions and classes answer more questions than types and constants. */
const KIND_WEIGHTS: Readonly<Partial<Record<ComponentKind, number>>> = {
  interface: 0.9,
  type: 0.7,
  constant: 0.7,
  module: 0.8,
};

function weighEntryKind({ kind, path, component }: RankableEntry): number {
  const ofTest = (component?.isTest ?? isTestPath(path)) ? TEST_WEIGHT : 1;
  const ofKind = component ? (KIND_WEIGHTS[component.kind] ?? 1) : 1;
  return ENTRY_WEIGHTS[kind] * (component?.isExported === false ? UNEXPORTED_WEIGHT : 1) * ofKind * ofTest;
}

/** Averages two shares: question weight found in the name, and name words found in the question. */
function computeNameShare({ component, title }: RankableEntry, weights: TermWeights): number {
  const words = extractDistinctWords(component?.name ?? title).split(" ");
  const parts = new Set(words.slice(-MAX_NAME_TERMS).map(normalizeSearchTerm));
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const met = [...parts].filter((term) => weights.has(term));
  if (total === 0 || parts.size === 0) return 0;
  return (met.reduce((sum, term) => sum + (weights.get(term) ?? 0), 0) / total + met.length / parts.size) / 2;
}

function computeCoverageShare(item: RankableEntry, asked: TermWeights): number {
  const words = splitSearchWords(splitNameParts(`${item.title} ${formatRankedContent(item)}`));
  const held = new Set(words.map(normalizeSearchTerm));
  let [met, total] = [0, 0];
  for (const [term, weight] of asked) {
    total += weight;
    if (held.has(term)) met += weight;
  }
  return total === 0 ? 1 : met / total;
}

/** Words of the question in the name of an entry and in its text, as index terms. */
export function findMatchedTerms(item: RankableEntry, terms: readonly string[]): { name: string[]; text: string[] } {
  const listMet = (text: string): string[] => {
    const held = new Set(splitSearchWords(splitNameParts(text)).map(normalizeSearchTerm));
    return terms.filter((term) => held.has(term));
  };
  const name = listMet(item.component?.name ?? item.title);
  return { name, text: listMet(formatRankedContent(item)).filter((term) => !name.includes(term)) };
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
