import type { Fix } from "../../fault.ts";
import { renderMarkdown } from "../../markdown.ts";
import type { Page } from "../../page.ts";
import { oneLineOf, summaryText } from "../summary/one-line.ts";
import type { Wish } from "./ask.ts";

/** Something that answers. */
export interface Hit {
  /** `src/auth.ts#Session.login`, a path, `AUTH-001`. */
  readonly key: string;
  /** Where it stands: `src/auth.ts:10-42`. */
  readonly at: string;
  /** What it is, as code says it: `method Session.login(name: string): Promise<Token>`. */
  readonly is: string;
  /** What is said of it. */
  readonly says?: string | undefined;
}

/** What was wished to be known of the first hit, besides what it is. */
export interface Fact {
  readonly what: "called by" | "calls" | "tests" | "takes and gives" | "carries it" | "holds" | "commits";
  readonly values: readonly string[];
  /** Values that are left out. */
  readonly more: number;
}

export interface Answer {
  readonly wish: Wish | "ready" | "nothing";
  /** Best first. */
  readonly hits: readonly Hit[];
  /** Matches that are left out. */
  readonly more: number;
  readonly facts: readonly Fact[];
  /** Ids that the best hits carry. */
  readonly specs: readonly string[];
  /** Words that nobody wrote, and what was looked for instead. */
  readonly repaired: readonly { readonly from: string; readonly to: string }[];
  /** Names that come near, where nothing was found. */
  readonly near: readonly string[];
  /** An answer that was ready. */
  readonly ready?: { readonly question: string; readonly answer: string; readonly isStale: boolean } | undefined;
}

/** Bytes of UTF-8 that an answer has, as text and as data. */
export const MOST_BYTES = 1_024;

export const EMPTY: Answer = { wish: "nothing", hits: [], more: 0, facts: [], specs: [], repaired: [], near: [] };

/** The answer with nothing in it that cannot be seen, and as much of it as fits into a kilobyte as text and as data. */
export function fitted(answer: Answer): Answer {
  let fitting = cleaned(answer);
  while (!fits(fitting)) {
    const smaller = REDUCTIONS.map((reduce) => reduce(fitting)).find((each) => each !== undefined);
    if (!smaller) return EMPTY;
    fitting = smaller;
  }
  return fitting;
}

const fits = (answer: Answer): boolean =>
  [JSON.stringify(answer), renderMarkdown(pageOf(answer), longestFix)].every((text) => bytesOf(text) <= MOST_BYTES);

/** However a door says it. */
const longestFix = (fix: Fix): string =>
  typeof fix === "string" ? fix : `ask the user to run: tenon ${fix.operation} ----${JSON.stringify(fix.input ?? {})}`;

/** Bytes of UTF-8; half a pair counts as the mark that stands for it. */
export function bytesOf(text: string): number {
  let bytes = 0;
  for (const sign of text) {
    const code = sign.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

type Reduction = (answer: Answer) => Answer | undefined;

/** The first that can be done is done, until the answer fits; what tells most goes last. */
const REDUCTIONS: readonly Reduction[] = [
  fewerHits(3),
  fewerValues(4),
  shorterSays(140),
  fewerHits(2),
  (answer) => (answer.near.length > 3 ? { ...answer, near: answer.near.slice(0, -1) } : undefined),
  (answer) => (answer.repaired.length > 1 ? { ...answer, repaired: answer.repaired.slice(0, -1) } : undefined),
  (answer) => (answer.specs.length > 3 ? { ...answer, specs: answer.specs.slice(0, -1) } : undefined),
  shorterWords(160),
  fewerHits(1),
  fewerValues(1),
  shorterSays(60),
  shorterWords(80),
  (answer) => (answer.specs.length > 0 ? { ...answer, specs: [] } : undefined),
  (answer) => (answer.near.length + answer.repaired.length > 0 ? { ...answer, near: [], repaired: [] } : undefined),
  shorterSays(0),
  shorterWords(40),
  (answer) => (answer.facts.length > 1 ? { ...answer, facts: answer.facts.slice(0, 1) } : undefined),
  shorterWords(12),
];

function fewerHits(least: number): Reduction {
  return (answer) => {
    if (answer.hits.length <= least) return undefined;
    return { ...answer, hits: answer.hits.slice(0, -1), more: answer.more + 1 };
  };
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

/** All of them at once: the others are as long, as a rule. */
function shorterSays(most: number): Reduction {
  return (answer) => {
    if (!answer.hits.some(({ says }) => (says?.length ?? 0) > most)) return undefined;
    const hits = answer.hits.map(({ says, ...hit }) => ({
      ...hit,
      ...(says === undefined || most === 0 ? {} : { says: clipped(says, most) }),
    }));
    return { ...answer, hits };
  };
}

/** Names, paths and signatures have no end in somebody's repository. */
function shorterWords(most: number): Reduction {
  return (answer) => {
    const shorter: Answer = {
      ...answer,
      hits: answer.hits.map((hit) => ({
        ...hit,
        key: clipped(hit.key, most),
        at: tail(hit.at, most),
        is: clipped(hit.is, most),
      })),
      facts: answer.facts.map((fact) => ({ ...fact, values: fact.values.map((value) => clipped(value, most)) })),
      specs: answer.specs.map((id) => clipped(id, most)),
      near: answer.near.map((name) => clipped(name, most)),
      repaired: answer.repaired.map(({ from, to }) => ({ from: clipped(from, most), to: clipped(to, most) })),
      ...(answer.ready
        ? {
            ready: {
              ...answer.ready,
              answer: summaryText(answer.ready.answer, most * 5),
              question: clipped(answer.ready.question, most),
            },
          }
        : {}),
    };
    return JSON.stringify(shorter) === JSON.stringify(answer) ? undefined : shorter;
  };
}

const clipped = (text: string, most: number): string => (text.length <= most ? text : summaryText(text, most));

/** Where something stands is told by the end of it. */
const tail = (text: string, most: number): string =>
  text.length <= most ? text : `…${[...text].slice(-most).join("")}`;

function cleaned(answer: Answer): Answer {
  const line = (text: string): string => oneLineOf(text.toWellFormed());
  return {
    ...answer,
    hits: answer.hits.map(({ key, at, is, says }) => ({
      key: line(key),
      at: line(at),
      is: line(is),
      ...(says === undefined || line(says) === "" ? {} : { says: line(says) }),
    })),
    facts: answer.facts.map((fact) => ({ ...fact, values: fact.values.map(line) })),
    specs: answer.specs.map(line),
    near: answer.near.map(line),
    repaired: answer.repaired.map(({ from, to }) => ({ from: line(from), to: line(to) })),
    ...(answer.ready
      ? { ready: { ...answer.ready, question: line(answer.ready.question), answer: line(answer.ready.answer) } }
      : {}),
  };
}

/** What the answer says to a reader. Whatever the repository says is quoted. */
export function pageOf(answer: Answer): Page {
  const { hits, facts, specs, repaired, near, ready } = answer;
  const lines = [
    ...(ready ? [ready.answer] : []),
    ...facts.flatMap(linesOf),
    ...hits.map(({ at, is, says }) => `${at} ${is}${says === undefined ? "" : `: ${says}`}`),
  ];
  const points = [
    ...(ready?.isStale ? ["Stale: what it was made from has changed since."] : []),
    ...(repaired.length > 0
      ? [`Spelled otherwise: ${repaired.map(({ from, to }) => `${from} → ${to}`).join(", ")}`]
      : []),
    ...(near.length > 0 ? [`Names that come near: ${near.join(", ")}`] : []),
    ...(specs.length > 0 ? [`Specs: ${specs.join(", ")}`] : []),
  ];
  const [spec] = specs;
  return {
    title: titleOf(answer),
    ...(lines.length > 0 ? { quotes: [{ label: "From the repository:", text: lines.join("\n") }] } : {}),
    ...(points.length > 0 ? { points } : {}),
    ...(spec === undefined ? {} : { next: [{ operation: "trace.show", input: { id: spec } }] }),
  };
}

function linesOf({ what, values, more }: Fact): string[] {
  if (values.length === 0) return [`${what}: nothing that is known`];
  return [`${what}: ${values.join("; ")}${more > 0 ? `; ${more} more` : ""}`];
}

function titleOf({ wish, hits, more, ready }: Answer): string {
  if (ready) return `${ready.question}?`;
  if (wish === "nothing") return "Nothing in the index is about that.";
  if (wish === "changes") return "What changed last.";
  const total = hits.length + more;
  return total === 1 ? "1 match." : `${total} matches, best first.`;
}
