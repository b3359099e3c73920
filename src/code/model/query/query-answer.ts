import { type Page, renderPageMarkdown } from "#kernel/model/page.ts";
import type { QuestionIntent } from "./question-intent.ts";
import type { SuggestedFix } from "#kernel/model/fault.ts";
import { formatOneLine, truncateSummary } from "../summary/summary-text.ts";

export interface QueryHit {
  /** `src/auth.ts#Session.login`, `docs/guide.md#install`, a path, `AUTH-001`. */
  readonly key: string;
  /** Lines in the file of the key: `10-42`. Includes the file if the key has none. */
  readonly at: string;
  readonly is: string;
  /** The signature after the name: `(name: string): Promise<Token>`. */
  readonly takes?: string | undefined;
  readonly says?: string | undefined;
}

export interface QueryFact {
  readonly what: "called by" | "calls" | "tests" | "takes and gives" | "carried by" | "holds" | "commits";
  readonly values: string[];
  readonly more: number;
}

export interface QueryAnswer {
  readonly wish: QuestionIntent | "ready" | "nothing";
  readonly hits: QueryHit[];
  readonly more: number;
  readonly facts: QueryFact[];
  readonly specs: string[];
  readonly repaired: { readonly from: string; readonly to: string }[];
  readonly unknown: string[];
  readonly near: string[];
  readonly ready?: { readonly question: string; readonly answer: string; readonly isStale: boolean } | undefined;
}

/** An answer without its empty parts. */
export type CompactAnswer = Pick<QueryAnswer, "wish"> & {
  readonly [Part in keyof QueryAnswer]?: QueryAnswer[Part] | undefined;
};

function omitEmptyParts(answer: QueryAnswer): CompactAnswer {
  const parts = Object.entries(answer).filter(([, part]) => part !== 0 && !(Array.isArray(part) && part.length === 0));
  return { wish: answer.wish, ...Object.fromEntries(parts) };
}

export const EMPTY_ANSWER: QueryAnswer = {
  wish: "nothing",
  hits: [],
  more: 0,
  facts: [],
  specs: [],
  repaired: [],
  unknown: [],
  near: [],
};

/** Quotes everything that comes from the repository. */
export function formatAnswerPage(lean: CompactAnswer): Page {
  const { hits = [], facts = [], specs = [], repaired = [], unknown = [], near = [], ready } = lean;
  const lines = [...(ready ? [ready.answer] : []), ...facts.map(formatFactLine), ...hits.map(formatHitLine)];
  const spelled = repaired.map(({ from, to }) => `${from} → ${to}`).join(", ");
  const points = [
    ...(ready?.isStale ? ["Stale: what it was made from has changed since."] : []),
    ...(spelled === "" ? [] : [`Spelled otherwise: ${spelled}`]),
    ...(unknown.length > 0 ? [`Nowhere in the index: ${unknown.join(", ")}`] : []),
    ...(near.length > 0 ? [`Names that come near: ${near.join(", ")}`] : []),
    ...(specs.length > 0 ? [`Specs: ${specs.join(", ")}`] : []),
  ];
  const [spec] = specs;
  return {
    title: formatAnswerTitle(lean),
    ...(lines.length > 0 ? { quotes: [{ label: "From the repository:", text: lines.join("\n") }] } : {}),
    ...(points.length > 0 ? { points } : {}),
    ...(spec === undefined ? {} : { next: [{ operation: "trace.show", input: { id: spec } }] }),
  };
}

/** `src/auth.ts:10-42 method Session.login(name: string): Logs a user in.` */
function formatHitLine({ key, at, is, takes = "", says }: QueryHit): string {
  const hash = key.indexOf("#");
  const name = hash === -1 ? (at.includes(":") ? ` ${key}` : "") : ` ${key.slice(hash + 1)}`;
  const place = at.includes(":") ? at : `${hash === -1 ? key : key.slice(0, hash)}:${at}`;
  const behind = takes === "" || /^[(<:]/.test(takes) ? takes : ` ${takes}`;
  return `${place} ${is}${name}${behind}${says === undefined ? "" : `: ${says}`}`;
}

function formatFactLine({ what, values, more }: QueryFact): string {
  if (values.length === 0) return `${what}: nothing that is known`;
  return `${what}: ${values.join("; ")}${more > 0 ? `; ${more} more` : ""}`;
}

function formatAnswerTitle({ wish, hits = [], more = 0, ready }: CompactAnswer): string {
  if (ready) return `${ready.question}?`;
  if (wish === "nothing") return "Nothing in the index is about that.";
  if (wish === "changes") return "What changed last.";
  if (hits.length === 0) return "What carries it.";
  const total = hits.length + more;
  return total === 1 ? "1 match." : `${total} matches, best first.`;
}

export const MAX_ANSWER_BYTES = 1_024;

/** Removes invisible characters, then shrinks the answer until its text and its JSON fit the limit. */
export function shrinkQueryAnswer(answer: QueryAnswer): CompactAnswer {
  let fitting = mapAnswerTexts(answer, (text) => formatOneLine(text.toWellFormed()));
  while (!isAnswerSmallEnough(fitting)) {
    const smaller = ANSWER_REDUCTIONS.map((reduce) => reduce(fitting)).find((each) => each !== undefined);
    if (!smaller) return omitEmptyParts(EMPTY_ANSWER);
    fitting = smaller;
  }
  return omitEmptyParts(fitting);
}

const isAnswerSmallEnough = (answer: QueryAnswer): boolean =>
  [JSON.stringify(omitEmptyParts(answer)), renderPageMarkdown(formatAnswerPage(answer), formatLongestFix)].every(
    (text) => countUtf8Bytes(text) <= MAX_ANSWER_BYTES,
  );

/** The longest form in which a door prints a fix. */
const formatLongestFix = (fix: SuggestedFix): string =>
  typeof fix === "string" ? fix : `ask the user to run: tenon ${fix.operation} ----${JSON.stringify(fix.input ?? {})}`;

/** A lone surrogate counts as its replacement character. */
export const countUtf8Bytes = (text: string): number => new TextEncoder().encode(text).length;

type AnswerReduction = (answer: QueryAnswer) => QueryAnswer | undefined;

/** Tried in order until the answer fits. The most useful parts go last. */
const ANSWER_REDUCTIONS: readonly AnswerReduction[] = [
  shortenHitText("says", 80, 1),
  shortenHitText("takes", 60, 1),
  shortenHitText("says", 0, 4),
  dropLastHit(8),
  dropLastFactValue(4),
  shortenHitText("says", 60, 1),
  shortenHitText("takes", 0, 4),
  shortenHitText("says", 0, 2),
  dropLastHit(5),
  shortenHitText("says", 140),
  shortenHitText("takes", 140),
  dropLastHit(2),
  dropLastListItem("near", 3),
  dropLastListItem("unknown", 2),
  dropLastListItem("repaired", 1),
  dropLastListItem("specs", 3),
  shortenAnswerTexts(160),
  dropLastHit(1),
  dropLastFactValue(1),
  shortenHitText("says", 60),
  shortenHitText("takes", 60),
  shortenAnswerTexts(80),
  dropLastListItem("specs", 0),
  dropLastListItem("unknown", 0),
  dropLastListItem("near", 0),
  dropLastListItem("repaired", 0),
  shortenHitText("says", 0),
  shortenHitText("takes", 0),
  shortenAnswerTexts(40),
  dropLastListItem("facts", 1),
  shortenAnswerTexts(12),
];

function dropLastHit(least: number): AnswerReduction {
  return (answer) => {
    if (answer.hits.length <= least) return undefined;
    return { ...answer, hits: answer.hits.slice(0, -1), more: answer.more + 1 };
  };
}

function dropLastListItem(part: "near" | "unknown" | "repaired" | "specs" | "facts", least: number): AnswerReduction {
  return (answer) => (answer[part].length > least ? { ...answer, [part]: answer[part].slice(0, -1) } : undefined);
}

function dropLastFactValue(least: number): AnswerReduction {
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
function shortenHitText(part: "says" | "takes", most: number, from = 0): AnswerReduction {
  return (answer) => {
    const at = answer.hits.findLastIndex((hit, i) => i >= from && (hit[part]?.length ?? 0) > most);
    if (at === -1) return undefined;
    const hits = answer.hits.map((hit, i) => {
      if (i !== at) return hit;
      const { [part]: long = "", ...rest } = hit;
      return most === 0 ? rest : { ...rest, [part]: clipAnswerText(long, most) };
    });
    return { ...answer, hits };
  };
}

function shortenAnswerTexts(most: number): AnswerReduction {
  return (answer) => {
    const smaller = mapAnswerTexts(answer, (text, what) =>
      what === "text" ? clipAnswerText(text, most * 5) : clipAnswerText(text, most),
    );
    return JSON.stringify(smaller) === JSON.stringify(answer) ? undefined : smaller;
  };
}

const clipAnswerText = (text: string, most: number): string =>
  text.length <= most ? text : truncateSummary(text, most);

function mapAnswerTexts(answer: QueryAnswer, map: (text: string, what: "word" | "text") => string): QueryAnswer {
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
