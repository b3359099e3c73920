import { type Question, readQuestion } from "../memory/question.ts";
import { type Ranked, Ranking, type Readable, weightOf } from "../memory/rank.ts";
import { snippetOf } from "../memory/snippet.ts";
import { termOf, termsOf } from "../memory/words.ts";

/** Something that may have to do with what is said. */
export interface Candidate {
  readonly title: string;
  readonly text: string;
  /** What it counts for beside others; one whole where nothing is said. */
  readonly weight?: number;
}

/** They say what is done, and nearly every change does one of these; or they begin an id, of which only the number tells. */
const EVERYWHERE: ReadonlySet<string> = new Set(
  [
    "add allow build bug change create enable fix handle implement improve make new refactor remove support update use",
    "adr br fr nfr task",
  ]
    .flatMap((words) => words.split(" "))
    .map(termOf),
);
/** A word that most texts hold tells nothing, unless there are only a few texts. */
const FEW = 20;
/** Characters of a long text that are weighed, as ranking reads them. */
const READ = 16_384;

/** What is said, as the terms by which others are found. Nothing in it narrows the search: it is a text, not a query. */
export function keywordsOf(said: string): Question {
  const question = readQuestion(said.replace(/[:"]/g, " "), "1970-01-01T00:00:00Z");
  const telling = question.terms.filter((term) => !EVERYWHERE.has(term));
  return telling.length === 0 ? question : { ...question, terms: telling };
}

/** Those that speak of what is said, best first; of equals the one that came first. The rarer a word, the more it counts. */
export function mostRelevant<T extends Candidate>(question: Question, candidates: readonly T[]): Ranked<T>[] {
  const held = candidates.map(({ title, text }) => new Set(termsOf(`${title}\n${text.slice(0, READ)}`)));
  const holdersOf = (term: string): number => held.filter((terms) => terms.has(term)).length;
  const total = candidates.length;
  const weights = new Map<string, number>();
  const telling: string[] = [];
  for (const term of question.terms) {
    const holders = holdersOf(term);
    weights.set(term, weightOf(holders, total));
    if (holders > 0 && holders <= Math.max(FEW, total / 2)) telling.push(term);
  }
  for (const [hint, share] of question.hints)
    if (!weights.has(hint)) weights.set(hint, share * weightOf(holdersOf(hint), total));
  const readable = candidates.flatMap((item, i): (Readable & { item: T })[] =>
    telling.some((term) => held[i]?.has(term))
      ? [{ item, id: -i, title: item.title, content: item.text, revision: 1, updated_at: "" }]
      : [],
  );
  const ranked = new Ranking<(typeof readable)[number]>(question, weights).rank(readable);
  return ranked
    .map(({ item: { item }, score }) => ({ item, score: score * (item.weight ?? 1) }))
    .toSorted((one, other) => other.score - one.score);
}

/** Whether a text has a word of what is said, or one that means the same. */
export const speaksOf = ({ terms, hints }: Question, text: string): boolean =>
  termsOf(text).some((term) => terms.includes(term) || hints.has(term));

/** Characters. A text that is not much longer than an excerpt is given whole, with its lines. */
const EXCERPT = 400;
const WHOLE = 600;
/** Of a very long one, this much is looked through. */
const SEARCHED = 131_072;

/** The part of a text that speaks most of what is asked. */
export function excerptOf(text: string, { terms }: Question): string {
  return text.length <= WHOLE ? text : snippetOf(text.slice(0, SEARCHED), new Set(terms), EXCERPT);
}
