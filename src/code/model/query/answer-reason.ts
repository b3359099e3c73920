import type { RankedItem, TermWeights } from "#kernel/model/search/search-ranking.ts";
import type { SearchQuestion } from "#kernel/model/search/search-question.ts";
import { findMatchedTerms, type RankableEntry } from "./entry-ranking.ts";
import type { CodeQuestion } from "./question-intent.ts";

const MAX_HINTS_SHOWN = 8;

/** How a question was read: what it asks for, and which words of it count. */
export function explainQuestion({ intent, about, exact }: CodeQuestion): string {
  if (exact !== undefined) return `Read as a name: ${exact}`;
  return intent === "meaning" ? "Read as a description of code." : `Read as a question about ${intent}: ${about}`;
}

/** How the answers were found, one line each, best first. */
export function explainMatches(
  { terms, hints, spelled }: SearchQuestion,
  { weights, compared }: { readonly weights: TermWeights; readonly compared: number },
  hits: readonly RankedItem<RankableEntry>[],
): string[] {
  const [best] = hits;
  const formatWords = (found: readonly string[]): string => found.map((term) => spelled.get(term) ?? term).join(", ");
  const related = [...hints.keys()]
    .filter((term) => weights.has(term))
    .slice(0, MAX_HINTS_SHOWN)
    .join(", ");
  return [
    `Words that count: ${formatWords(terms) || "none"}${related === "" ? "" : `. Related, at less weight: ${related}`}`,
    `Entries of the index compared: ${compared}`,
    ...hits.map(({ item, score }) => {
      const { name, text } = findMatchedTerms(item, terms);
      const parts = [
        `${Math.round((100 * score) / (best?.score ?? 1))} % of the best score`,
        ...(name.length > 0 ? [`name has ${formatWords(name)}`] : []),
        ...(text.length > 0 ? [`text has ${formatWords(text)}`] : []),
        ...(name.length + text.length === 0 ? ["the name matches exactly, or related words do"] : []),
      ];
      return `${item.key}: ${parts.join("; ")}`;
    }),
  ];
}
