import { extractSearchTerms } from "../memory/words.ts";

export const KNOWLEDGE_CATEGORIES = ["state", "api", "async", "data", "security", "integration"] as const;
export type KnowledgeCategory = (typeof KNOWLEDGE_CATEGORIES)[number];

/** Words of each category. The most specific category comes first and wins a tie. */
const CATEGORY_WORDS: Readonly<Record<KnowledgeCategory, string>> = {
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

const CATEGORIES_BY_TERM: ReadonlyMap<string, readonly KnowledgeCategory[]> = indexCategoryTerms();

function indexCategoryTerms(): Map<string, KnowledgeCategory[]> {
  const known = new Map<string, KnowledgeCategory[]>();
  for (const [category, words] of Object.entries(CATEGORY_WORDS) as [KnowledgeCategory, string][])
    for (const term of new Set(extractSearchTerms(words))) known.set(term, [...(known.get(term) ?? []), category]);
  return known;
}

const CATEGORY_PREFIX_PATTERN = /^\s*(?:\(([a-z]+)\)\s|\[([a-z]+)\]\s|([a-z]+):\s)/i;
/** A text without category words usually concerns how parts of the project fit together. */
const DEFAULT_CATEGORY: KnowledgeCategory = "integration";

/** The category that the text names, otherwise the one with most of its words. */
export function detectKnowledgeCategory(text: string): KnowledgeCategory {
  const [, ...said] = CATEGORY_PREFIX_PATTERN.exec(text) ?? [];
  const given = findNamedCategory(said);
  if (given) return given;
  const counts = countCategoryTerms(text);
  const most = Math.max(0, ...counts.values());
  return (
    (Object.keys(CATEGORY_WORDS) as KnowledgeCategory[]).find((each) => most > 0 && counts.get(each) === most) ??
    DEFAULT_CATEGORY
  );
}

export function removeCategoryPrefix(text: string): string {
  const [begin = "", ...said] = CATEGORY_PREFIX_PATTERN.exec(text) ?? [];
  return findNamedCategory(said) ? text.slice(begin.length) : text;
}

const findNamedCategory = (said: readonly (string | undefined)[]): KnowledgeCategory | undefined =>
  KNOWLEDGE_CATEGORIES.find((each) => said.some((word) => word?.toLowerCase() === each));

export function listTextCategories(text: string, least: number): ReadonlySet<KnowledgeCategory> {
  const counts = countCategoryTerms(text);
  return new Set(KNOWLEDGE_CATEGORIES.filter((each) => (counts.get(each) ?? 0) >= least));
}

function countCategoryTerms(text: string): Map<KnowledgeCategory, number> {
  const counts = new Map<KnowledgeCategory, number>();
  for (const term of new Set(extractSearchTerms(text)))
    for (const category of CATEGORIES_BY_TERM.get(term) ?? []) counts.set(category, (counts.get(category) ?? 0) + 1);
  return counts;
}
