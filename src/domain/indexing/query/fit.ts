import type { SuggestedFix } from "../../fault.ts";
import { renderPageMarkdown } from "../../markdown.ts";
import { oneLineOf, summaryText } from "../summary/one-line.ts";
import { type Answer, type Lean, leanOf, NOTHING, pageOf } from "./answer.ts";

export const MOST_BYTES = 1_024;

/** Removes invisible characters, then shrinks the answer until its text and its JSON fit the limit. */
export function fitted(answer: Answer): Lean {
  let fitting = mapped(answer, (text) => oneLineOf(text.toWellFormed()));
  while (!fits(fitting)) {
    const smaller = REDUCTIONS.map((reduce) => reduce(fitting)).find((each) => each !== undefined);
    if (!smaller) return leanOf(NOTHING);
    fitting = smaller;
  }
  return leanOf(fitting);
}

const fits = (answer: Answer): boolean =>
  [JSON.stringify(leanOf(answer)), renderPageMarkdown(pageOf(answer), longestFix)].every(
    (text) => bytesOf(text) <= MOST_BYTES,
  );

/** The longest form in which a door prints a fix. */
const longestFix = (fix: SuggestedFix): string =>
  typeof fix === "string" ? fix : `ask the user to run: tenon ${fix.operation} ----${JSON.stringify(fix.input ?? {})}`;

/** A lone surrogate counts as its replacement character. */
export function bytesOf(text: string): number {
  let bytes = 0;
  for (const sign of text) {
    const code = sign.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

type Reduction = (answer: Answer) => Answer | undefined;

/** Tried in order until the answer fits. The most useful parts go last. */
const REDUCTIONS: readonly Reduction[] = [
  shorter("says", 80, 1),
  shorter("takes", 60, 1),
  shorter("says", 0, 4),
  fewerHits(8),
  fewerValues(4),
  shorter("says", 60, 1),
  shorter("takes", 0, 4),
  shorter("says", 0, 2),
  fewerHits(5),
  shorter("says", 140),
  shorter("takes", 140),
  fewerHits(2),
  fewerOf("near", 3),
  fewerOf("unknown", 2),
  fewerOf("repaired", 1),
  fewerOf("specs", 3),
  shorterWords(160),
  fewerHits(1),
  fewerValues(1),
  shorter("says", 60),
  shorter("takes", 60),
  shorterWords(80),
  fewerOf("specs", 0),
  fewerOf("unknown", 0),
  fewerOf("near", 0),
  fewerOf("repaired", 0),
  shorter("says", 0),
  shorter("takes", 0),
  shorterWords(40),
  fewerOf("facts", 1),
  shorterWords(12),
];

function fewerHits(least: number): Reduction {
  return (answer) => {
    if (answer.hits.length <= least) return undefined;
    return { ...answer, hits: answer.hits.slice(0, -1), more: answer.more + 1 };
  };
}

function fewerOf(part: "near" | "unknown" | "repaired" | "specs" | "facts", least: number): Reduction {
  return (answer) => (answer[part].length > least ? { ...answer, [part]: answer[part].slice(0, -1) } : undefined);
}

function fewerValues(least: number): Reduction {
  return (answer) => {
    const at = answer.facts.findLastIndex(({ values }) => values.length > least);
    if (at === -1) return undefined;
    const facts = answer.facts.map((fact, i) =>
      i === at ? { ...fact, values: fact.values.slice(0, -1), more: fact.more + 1 } : fact,
    );
    return { ...answer, facts };
  };
}

/** Shortens the last hit first, back to index `from`. The first hits matter most. */
function shorter(part: "says" | "takes", most: number, from = 0): Reduction {
  return (answer) => {
    const at = answer.hits.findLastIndex((hit, i) => i >= from && (hit[part]?.length ?? 0) > most);
    if (at === -1) return undefined;
    const hits = answer.hits.map((hit, i) => {
      if (i !== at) return hit;
      const { [part]: long = "", ...rest } = hit;
      return most === 0 ? rest : { ...rest, [part]: clipped(long, most) };
    });
    return { ...answer, hits };
  };
}

function shorterWords(most: number): Reduction {
  return (answer) => {
    const smaller = mapped(answer, (text, what) => (what === "text" ? clipped(text, most * 5) : clipped(text, most)));
    return JSON.stringify(smaller) === JSON.stringify(answer) ? undefined : smaller;
  };
}

const clipped = (text: string, most: number): string => (text.length <= most ? text : summaryText(text, most));

function mapped(answer: Answer, map: (text: string, what: "word" | "text") => string): Answer {
  const word = (text: string): string => map(text, "word");
  const { ready } = answer;
  return {
    ...answer,
    hits: answer.hits.map(({ key, at, is, takes, says }) => ({
      key: word(key),
      at: word(at),
      is,
      ...(takes === undefined || takes === "" ? {} : { takes: word(takes) }),
      ...(says === undefined || says === "" ? {} : { says: map(says, "text") }),
    })),
    facts: answer.facts.map((fact) => ({ ...fact, values: fact.values.map(word) })),
    specs: answer.specs.map(word),
    unknown: answer.unknown.map(word),
    near: answer.near.map(word),
    repaired: answer.repaired.map(({ from, to }) => ({ from: word(from), to: word(to) })),
    ...(ready ? { ready: { ...ready, question: map(ready.question, "text"), answer: map(ready.answer, "text") } } : {}),
  };
}
