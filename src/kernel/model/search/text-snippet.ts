import { extractSearchTerms, UNSPACED_SCRIPTS } from "./search-terms.ts";

/** A word, or one letter of an unspaced script with a lookahead to the next. */
const SNIPPET_WORD_PATTERN = new RegExp(
  String.raw`[[\p{L}\p{N}\p{M}]--[${UNSPACED_SCRIPTS}]]+|[${UNSPACED_SCRIPTS}](?=([${UNSPACED_SCRIPTS}]?))`,
  "gv",
);
const MAX_SNIPPET_HITS = 400;

/** The part with most of the terms, cut between words. A text that fits stays whole. */
export function extractSnippet(text: string, terms: ReadonlySet<string>, length: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= length) return line;
  const hit = findBestHit(line, terms, length);
  const from = Math.max(0, hit - Math.floor(length * 0.2));
  const space = line.indexOf(" ", from);
  const aligned = space >= 0 && space < hit ? space + 1 : alignCharacterOffset(line, from);
  const start = from === 0 ? 0 : aligned;
  const end = findSnippetEnd(line, start, length);
  return `${start > 0 ? "… " : ""}${line.slice(start, end)}${end < line.length ? " …" : ""}`;
}

/** Keeps line ends and never splits a character. */
export const cutTextStart = (text: string, length: number): string =>
  `${text.slice(0, alignCharacterOffset(text, length))} …`;

function findSnippetEnd(line: string, start: number, length: number): number {
  const last = start + length;
  if (last >= line.length) return line.length;
  const space = line.lastIndexOf(" ", last);
  return space > start + length * 0.7 ? space : alignCharacterOffset(line, last);
}

/** Moves an offset inside a surrogate pair to its start. */
const alignCharacterOffset = (line: string, at: number): number =>
  /^[\ud800-\udbff][\udc00-\udfff]$/.test(line.slice(at - 1, at + 1)) ? at - 1 : at;

function findBestHit(line: string, terms: ReadonlySet<string>, length: number): number {
  const hits: { at: number; term: string }[] = [];
  for (const match of line.matchAll(SNIPPET_WORD_PATTERN)) {
    if (hits.length >= MAX_SNIPPET_HITS) break;
    const term = extractSearchTerms(match[0] + (match[1] ?? "")).find((each) => terms.has(each));
    if (term !== undefined) hits.push({ at: match.index, term });
  }
  let best = { at: 0, found: 0 };
  for (const [i, hit] of hits.entries()) {
    const inside = hits.slice(i).filter((other) => other.at - hit.at < length * 0.7);
    const found = new Set(inside.map((other) => other.term)).size;
    if (found > best.found) best = { at: hit.at, found };
  }
  return best.at;
}
