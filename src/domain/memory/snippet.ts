import { termOf } from "./words.ts";

const WORD = /[\p{L}\p{N}]+/gu;
/** Starts of windows that are looked at in a very long text. */
const MOST_HITS = 400;

/** The part of a text that speaks most of the terms, cut between words; whole if it fits. */
export function snippetOf(text: string, terms: ReadonlySet<string>, length: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= length) return line;
  const from = bestStart(line, terms, length);
  const start = from === 0 ? 0 : line.indexOf(" ", from) + 1;
  const end = start + length >= line.length ? line.length : Math.max(start + 1, line.lastIndexOf(" ", start + length));
  return `${start > 0 ? "… " : ""}${line.slice(start, end).toWellFormed()}${end < line.length ? " …" : ""}`;
}

function bestStart(line: string, terms: ReadonlySet<string>, length: number): number {
  const hits: { at: number; term: string }[] = [];
  for (const match of line.matchAll(WORD)) {
    if (hits.length >= MOST_HITS) break;
    const term = termOf(match[0].toLowerCase());
    if (terms.has(term)) hits.push({ at: match.index, term });
  }
  let best = { at: 0, found: 0 };
  for (const [i, hit] of hits.entries()) {
    const inside = hits.slice(i).filter((other) => other.at - hit.at < length * 0.8);
    const found = new Set(inside.map((other) => other.term)).size;
    if (found > best.found) best = { at: hit.at, found };
  }
  // A little of what stands before a match helps to read it.
  return Math.max(0, best.at - Math.floor(length * 0.2));
}
