import type { Page } from "../../page.ts";
import type { QuestionIntent } from "./ask.ts";

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
  readonly values: readonly string[];
  readonly more: number;
}

export interface QueryAnswer {
  readonly wish: QuestionIntent | "ready" | "nothing";
  readonly hits: readonly QueryHit[];
  readonly more: number;
  readonly facts: readonly QueryFact[];
  readonly specs: readonly string[];
  readonly repaired: readonly { readonly from: string; readonly to: string }[];
  readonly unknown: readonly string[];
  readonly near: readonly string[];
  readonly ready?: { readonly question: string; readonly answer: string; readonly isStale: boolean } | undefined;
}

export type CompactAnswer = Pick<QueryAnswer, "wish"> & {
  readonly [Part in keyof QueryAnswer]?: QueryAnswer[Part] | undefined;
};

export function omitEmptyParts(answer: QueryAnswer): CompactAnswer {
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
