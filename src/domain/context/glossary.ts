import { extractSearchTerms } from "../memory/words.ts";
import { parseTermDefinitions } from "../project/business-rules.ts";
import { type PlanningDocument, splitDocumentPieces } from "./piece.ts";

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
