import { termsOf } from "../memory/words.ts";

export const CATEGORIES = ["state", "api", "async", "data", "security", "integration"] as const;
export type Category = (typeof CATEGORIES)[number];

/** Words of each category. The most specific category comes first and wins a tie. */
const WORDS: Readonly<Record<Category, string>> = {
  security: [
    "auth authentication authorization permission password secret token credential encrypt hash csrf xss injection",
    "sanitize escape trust privilege login session cookie tls certificate signature leak",
  ].join(" "),
  async: [
    "async await promise concurrent concurrency race parallel thread lock deadlock timeout retry backoff queue worker",
    "event stream debounce cancel abort schedule interval idempotent backpressure",
  ].join(" "),
  state: [
    "state store reducer cache invalidate snapshot mutable mutation immutable transition lifecycle memo singleton",
    "context undo global stale reset",
  ].join(" "),
  api: [
    "api endpoint route request response http rest graphql rpc payload header status contract interface signature",
    "argument parameter client server version pagination handler caller",
  ].join(" "),
  data: [
    "data database sql query schema migration table column index row record transaction json yaml csv parse serialize",
    "format encoding unicode timezone date decimal validation model field null",
  ].join(" "),
  integration: [
    "integration dependency package library plugin webhook provider vendor external upstream config environment build",
    "deploy ci docker import module adapter sdk file path process",
  ].join(" "),
};

const TERMS: ReadonlyMap<string, readonly Category[]> = termsByWord();

function termsByWord(): Map<string, Category[]> {
  const known = new Map<string, Category[]>();
  for (const [category, words] of Object.entries(WORDS) as [Category, string][])
    for (const term of new Set(termsOf(words))) known.set(term, [...(known.get(term) ?? []), category]);
  return known;
}

const GIVEN = /^\s*(?:\(([a-z]+)\)\s|\[([a-z]+)\]\s|([a-z]+):\s)/i;
/** A text without category words usually concerns how parts of the project fit together. */
const OTHERWISE: Category = "integration";

/** The category that the text names, otherwise the one with most of its words. */
export function categoryOf(text: string): Category {
  const [, ...said] = GIVEN.exec(text) ?? [];
  const given = namedBy(said);
  if (given) return given;
  const counts = countedIn(text);
  const most = Math.max(0, ...counts.values());
  return (Object.keys(WORDS) as Category[]).find((each) => most > 0 && counts.get(each) === most) ?? OTHERWISE;
}

export function withoutCategory(text: string): string {
  const [begin = "", ...said] = GIVEN.exec(text) ?? [];
  return namedBy(said) ? text.slice(begin.length) : text;
}

const namedBy = (said: readonly (string | undefined)[]): Category | undefined =>
  CATEGORIES.find((each) => said.some((word) => word?.toLowerCase() === each));

export function categoriesIn(text: string, least: number): ReadonlySet<Category> {
  const counts = countedIn(text);
  return new Set(CATEGORIES.filter((each) => (counts.get(each) ?? 0) >= least));
}

function countedIn(text: string): Map<Category, number> {
  const counts = new Map<Category, number>();
  for (const term of new Set(termsOf(text)))
    for (const category of TERMS.get(term) ?? []) counts.set(category, (counts.get(category) ?? 0) + 1);
  return counts;
}
