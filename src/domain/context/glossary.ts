import { termsOf } from "../memory/words.ts";
import { parseTerms } from "../project/business-rules.ts";
import { type Document, piecesOf } from "./piece.ts";

const EXPLAINING = /^[\d.)\s*_]*(?:definitions?|glossary)\b/i;
const QUOTED = /["“„«]([\p{L}][\p{L}\p{N}'’ -]{2,58})["”“»]/gu;
const CAPITALISED = /(?<![\p{L}\p{N}])\p{Lu}[\p{Ll}\p{N}]+(?: \p{Lu}[\p{Ll}\p{N}]+)+/gu;
const MOST_WORDS = 5;

export function glossaryOf(document: Document): string[] {
  return piecesOf(document)
    .filter(({ under }) => under.some((heading) => EXPLAINING.test(heading)))
    .flatMap(({ text }) => parseTerms(text));
}

/**
 * Finds phrases of several words that are quoted or capitalized. Prefers to miss terms: skips the first word of a
 * sentence and texts in title case.
 */
export function termsUsed(text: string): string[] {
  const found = [...text.matchAll(QUOTED)].map(([, phrase = ""]) => phrase.trim());
  if (!isTitleCase(text)) {
    for (const match of text.matchAll(CAPITALISED)) {
      const words = match[0].split(" ");
      const isFirst = /(?:^|[.!?:;]\s|\n)[\s*_#>+-]*$/.test(text.slice(Math.max(0, match.index - 8), match.index));
      found.push((isFirst ? words.slice(1) : words).join(" "));
    }
  }
  const several = found.filter((term) => {
    const { length } = term.split(/\s+/);
    return length > 1 && length <= MOST_WORDS;
  });
  return [...new Map(several.map((term) => [keyOf(term), term])).values()];
}

/** A term also counts as explained if every word of it is. */
export function unexplained(used: readonly string[], glossary: readonly string[]): string[] {
  const known = new Set(glossary.map(keyOf));
  return used.filter((term) => !known.has(keyOf(term)) && !term.split(/\s+/).every((word) => known.has(keyOf(word))));
}

const keyOf = (term: string): string => termsOf(term).join(" ");

function isTitleCase(text: string): boolean {
  const words = (text.match(/(?<![\p{L}\p{N}])\p{L}[\p{L}\p{N}]*/gu) ?? []).slice(1);
  return words.filter((word) => /^\p{Lu}/u.test(word)).length > words.length * 0.75;
}
