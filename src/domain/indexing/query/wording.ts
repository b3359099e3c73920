import { type Question, readQuestion } from "../../memory/question.ts";
import type { Weights } from "../../memory/rank.ts";
import { relatedTo } from "../../memory/thesaurus.ts";
import { isStopWord, termOf, wordsOf } from "../../memory/words.ts";
import { spoken } from "../words.ts";
import { relatedInCode } from "./thesaurus.ts";

const FILLING: ReadonlySet<string> = new Set(
  [
    "actually anybody anything anyone become becomes came code codebase come comes define defined defines describe",
    "exactly exist exists explain function give given gives go goes handle handled handles happen happened happens help implement",
    "implemented implements know known let lets located make makes making mean meant project repository responsible",
    "say says somebody someone something tell thing things turn turned turns want way ways work worked working works",
  ]
    .join(" ")
    .split(" "),
);
const RELATED = 0.4;
const MADE_OF = 0.6;
const SHORTEST = 4;
const MOST_HINTS = 60;

/** Names join a verb and its particle: `lookup`, `login`, `rollback`. */
const PARTICLES: ReadonlySet<string> = new Set("up down in out off on back over".split(" "));
/** Converts a question about code to index terms: without filler words, with names and their parts. */
export function wordingOf(about: string, now: string): Question {
  const question = readQuestion(spoken(withoutFilling(about)), now);
  const hints = new Map(question.hints);
  const add = (word: string, share: number): void => {
    const term = termOf(word);
    if (!question.terms.includes(term) && !hints.has(term) && hints.size < MOST_HINTS) hints.set(term, share);
  };
  for (const word of joinedIn(about)) add(word, 1);
  // Some stop words mean something in code: `before` is a hook.
  for (const word of wordsOf(about)) for (const other of relatedInCode(termOf(word))) add(other, RELATED);
  for (const word of question.spelled.values()) for (const made of madeOf(word)) add(made, MADE_OF);
  return { ...question, hints, phrases: [] };
}

function joinedIn(about: string): string[] {
  const words = wordsOf(about);
  return words.slice(1).flatMap((word, i) => (PARTICLES.has(word) ? [`${termOf(words[i] ?? "")}${word}`] : []));
}

export const isMet = (term: string, weights: Weights): boolean =>
  [term, ...relatedTo(term), ...relatedInCode(term)].some((each) => weights.has(each));

/** Keeps all words if nothing else would remain. */
function withoutFilling(about: string): string {
  const words = about.split(/\s+/);
  const telling = words.filter((word) => !FILLING.has(word.toLowerCase().replaceAll(/[^\p{L}]/gu, "")));
  const isEmpty = telling.every((word) => wordsOf(word).every(isStopWord));
  return isEmpty ? about : telling.join(" ");
}

/** Verbs that programmers derive: `flatten`, `slugify`, `normalize`. Also the base word of such a verb. */
function madeOf(word: string): string[] {
  if (word.length < SHORTEST || !/^[a-z]+$/.test(word)) return [];
  const root = word.replace(/[ey]$/, "");
  const made = [`${root}ify`, `${root}ize`, `${root}ise`, `${root}en`, `${root}${root.at(-1)}en`];
  const [, base] = /^([a-z]{4,})(?:ify|i[sz]e|ifier|i[sz]er|i[sz]ation)s?$/.exec(word) ?? [];
  return base === undefined ? made : [...made, base, `${base}y`];
}
