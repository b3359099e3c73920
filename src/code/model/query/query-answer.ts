import { type Page, renderPageMarkdown } from "#kernel/model/page.ts";
import type { QuestionIntent } from "./question-intent.ts";
import type { SuggestedFix } from "#kernel/model/fault.ts";
import { formatOneLine, truncateSummary } from "../summary/summary-text.ts";

/** The key is `src/auth.ts#Session.login`, a path or an id. `at` has its lines. `signature` begins after the name. */
export type QueryHit = Readonly<
  Record<"key" | "at" | "is", string> & Partial<Record<"signature" | "summary", string | undefined>>
>;

type FactLabel =
  | "default"
  | "handled by"
  | "subtypes"
  | "overridden in"
  | "called by"
  | "calls"
  | "tests"
  | "takes and returns"
  | "carried by"
  | "holds"
  | "commits";
export type QueryFact = Readonly<{ what: FactLabel; values: string[]; more: number }>;

export interface QueryAnswer {
  readonly intent: QuestionIntent | "ready" | "nothing";
  readonly hits: QueryHit[];
  readonly more: number;
  readonly facts: QueryFact[];
  readonly specs: string[];
  readonly repaired: { readonly from: string; readonly to: string }[];
  readonly unknown: string[];
  readonly near: string[];
  readonly ready?: { readonly question: string; readonly answer: string; readonly isStale: boolean } | undefined;
}

type CompactAnswer = Pick<QueryAnswer, "intent"> & {
  readonly [Part in keyof QueryAnswer]?: QueryAnswer[Part] | undefined;
} & { readonly why?: readonly string[] | undefined };

function omitEmptyParts(answer: QueryAnswer): CompactAnswer {
  const parts = Object.entries(answer).filter(([, part]) => part !== 0 && !(Array.isArray(part) && part.length === 0));
  return { intent: answer.intent, ...Object.fromEntries(parts) };
}

const NO_PARTS = { hits: [], more: 0, facts: [], specs: [], repaired: [], unknown: [], near: [] };
export const EMPTY_ANSWER: QueryAnswer = { intent: "nothing", ...NO_PARTS };

/** Quotes everything that comes from the repository. */
export function formatAnswerPage(lean: CompactAnswer): Page {
  const { hits = [], facts = [], specs = [], repaired = [], unknown = [], near = [], ready, why = [] } = lean;
  const lines = [...(ready ? [ready.answer] : []), ...facts.map(formatFactLine), ...hits.map(formatHitLine)];
  const spelled = repaired.map(({ from, to }) => `${from} → ${to}`).join(", ");
  const points = [
    ...(ready?.isStale ? ["This answer is out of date: the files it describes have changed."] : []),
    ...(spelled === "" ? [] : [`Corrected spelling: ${spelled}`]),
    ...(unknown.length > 0 ? [`Not in the index: ${unknown.join(", ")}`] : []),
    ...(near.length > 0 ? [`Similar names: ${near.join(", ")}`] : []),
    ...(specs.length > 0 ? [`Specs: ${specs.join(", ")}`] : []),
  ];
  const [spec] = specs;
  const quotes = [
    ...(lines.length > 0
      ? [{ label: "From the repository:", text: lines.join("\n"), ...(ready ? { namesCalls: true } : {}) }]
      : []),
    ...(why.length > 0 ? [{ label: "How it was found:", text: why.join("\n") }] : []),
  ];
  return {
    title: formatAnswerTitle(lean),
    ...(quotes.length > 0 ? { quotes } : {}),
    ...(points.length > 0 ? { points } : {}),
    ...(spec === undefined ? {} : { next: [{ operation: "trace.show", input: { id: spec } }] }),
  };
}

/** `src/auth.ts:10-42 method Session.login(name: string): Logs a user in.` */
function formatHitLine({ key, at, is, signature = "", summary }: QueryHit): string {
  const hash = key.indexOf("#");
  const name = hash === -1 ? (at.includes(":") ? ` ${key}` : "") : ` ${key.slice(hash + 1)}`;
  const place = at.includes(":") ? at : `${hash === -1 ? key : key.slice(0, hash)}:${at}`;
  const behind = signature === "" || /^[(<:]/.test(signature) ? signature : ` ${signature}`;
  return `${place} ${is}${name}${behind}${summary === undefined ? "" : `: ${summary}`}`;
}

function formatFactLine({ what, values, more }: QueryFact): string {
  if (values.length === 0) return `${what}: none found`;
  return `${what}: ${values.join("; ")}${more > 0 ? `; ${more} more` : ""}`;
}

function formatAnswerTitle({ intent, hits = [], more = 0, ready }: CompactAnswer): string {
  if (ready) return `${ready.question}?`;
  if (intent === "nothing") return "No match in the index.";
  if (intent === "changes") return "Recent changes.";
  const total = hits.length + more;
  if (hits.length === 0) return "Found by name.";
  return total === 1 ? "1 match." : `${total} matches, best first.`;
}

export const MAX_ANSWER_BYTES = 1_024;

/** Removes invisible characters, then shrinks the answer until its text and its JSON fit the limit. */
export function shrinkQueryAnswer(answer: QueryAnswer): CompactAnswer {
  // The longest form in which a door prints a fix.
  const formatFix = (fix: SuggestedFix): string =>
    typeof fix === "string"
      ? fix
      : `ask the user to run: tenon ${fix.operation} ----${JSON.stringify(fix.input ?? {})}`;
  const isLarge = (each: QueryAnswer): boolean =>
    [JSON.stringify(omitEmptyParts(each)), renderPageMarkdown(formatAnswerPage(each), formatFix)].some(
      (text) => countUtf8Bytes(text) > MAX_ANSWER_BYTES,
    );
  let fitting = mapAnswerTexts(answer, (text) => formatOneLine(text.toWellFormed()));
  while (isLarge(fitting)) {
    const smaller = ANSWER_REDUCTIONS.map((reduce) => reduce(fitting)).find((each) => each !== undefined);
    if (!smaller) return omitEmptyParts(EMPTY_ANSWER);
    fitting = smaller;
  }
  return omitEmptyParts(fitting);
}

/** A lone surrogate counts as its replacement character. */
export const countUtf8Bytes = (text: string): number => new TextEncoder().encode(text).length;

type AnswerReduction = (answer: QueryAnswer) => QueryAnswer | undefined;

/** Tried in order until the answer fits. The most useful parts go last. */
const ANSWER_REDUCTIONS: readonly AnswerReduction[] = [
  shortenHitText("summary", 80, 1),
  shortenHitText("signature", 60, 1),
  shortenHitText("summary", 0, 4),
  dropLastHit(8),
  dropLastFactValue(4),
  shortenHitText("summary", 60, 1),
  shortenHitText("signature", 0, 4),
  shortenHitText("summary", 0, 2),
  dropLastHit(5),
  shortenHitText("summary", 140),
  shortenHitText("signature", 140),
  dropLastHit(2),
  dropLastListItem("near", 3),
  dropLastListItem("unknown", 2),
  dropLastListItem("repaired", 1),
  dropLastListItem("specs", 3),
  shortenAnswerTexts(160),
  dropLastHit(1),
  dropLastFactValue(1),
  shortenHitText("summary", 60),
  shortenHitText("signature", 60),
  shortenAnswerTexts(80),
  dropLastListItem("specs", 0),
  dropLastListItem("unknown", 0),
  dropLastListItem("near", 0),
  dropLastListItem("repaired", 0),
  shortenHitText("summary", 0),
  shortenHitText("signature", 0),
  shortenAnswerTexts(40),
  dropLastListItem("facts", 1),
  shortenAnswerTexts(12),
];

function dropLastHit(least: number): AnswerReduction {
  return (answer) =>
    answer.hits.length > least ? { ...answer, hits: answer.hits.slice(0, -1), more: answer.more + 1 } : undefined;
}

function dropLastListItem(part: "near" | "unknown" | "repaired" | "specs" | "facts", least: number): AnswerReduction {
  return (answer) => (answer[part].length > least ? { ...answer, [part]: answer[part].slice(0, -1) } : undefined);
}

function dropLastFactValue(least: number): AnswerReduction {
  return (answer) => {
    const at = answer.facts.findLastIndex(({ values }) => values.length > least);
    const long = answer.facts[at];
    if (!long) return undefined;
    const fact = { ...long, values: long.values.slice(0, -1), more: long.more + 1 };
    return { ...answer, facts: answer.facts.with(at, fact) };
  };
}

/** Shortens the last hit first, back to index `from`. The first hits matter most. */
function shortenHitText(part: "summary" | "signature", most: number, from = 0): AnswerReduction {
  return (answer) => {
    const at = answer.hits.findLastIndex((hit, i) => i >= from && (hit[part]?.length ?? 0) > most);
    const hit = answer.hits[at];
    if (!hit) return undefined;
    const { [part]: long = "", ...rest } = hit;
    const shorter = most === 0 ? rest : { ...rest, [part]: clipAnswerText(long, most) };
    return { ...answer, hits: answer.hits.with(at, shorter) };
  };
}

function shortenAnswerTexts(most: number): AnswerReduction {
  return (answer) => {
    const smaller = mapAnswerTexts(answer, (text, what) => clipAnswerText(text, what === "text" ? most * 5 : most));
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
    hits: answer.hits.map(({ key, at, is, signature, summary }) => ({
      key: word(key),
      at: word(at),
      is,
      ...(signature === undefined || signature === "" ? {} : { signature: word(signature) }),
      ...(summary === undefined || summary === "" ? {} : { summary: map(summary, "text") }),
    })),
    facts: answer.facts.map((fact) => ({ ...fact, values: fact.values.map(word) })),
    specs: answer.specs.map(word),
    unknown: answer.unknown.map(word),
    near: answer.near.map(word),
    repaired: answer.repaired.map(({ from, to }) => ({ from: word(from), to: word(to) })),
    ...(ready ? { ready: { ...ready, question: map(ready.question, "text"), answer: map(ready.answer, "text") } } : {}),
  };
}
