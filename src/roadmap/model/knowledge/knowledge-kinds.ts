import { REVIEW_INSPECTORS } from "../agent/agent-roles.ts";
import { isReservedActionHead } from "../lead/action-ids.ts";
import { extractSearchTerms } from "#kernel/model/search/search-terms.ts";
import { findFreeSlug, createSlug } from "#kernel/model/slug.ts";

/** Incident: a failure. Pattern: a good solution. Reference: a source. */
export const KNOWLEDGE_TYPES = ["incident", "pattern", "reference"] as const;
export type KnowledgeType = (typeof KNOWLEDGE_TYPES)[number];

export const KNOWLEDGE_PHASES = ["specifications", "design", "tasks", "impl"] as const;
export type KnowledgePhase = (typeof KNOWLEDGE_PHASES)[number];

export interface KnowledgeTag {
  /** A feature; `wave-2` or `all` for a review of several features. */
  readonly feature: string;
  readonly role: string;
  /** `[PATTERN] Retries are safe.` */
  readonly tag: string;
  readonly tasks?: readonly string[];
  readonly at: string;
}

export function parseKnowledgeTag(tag: string): { readonly type: KnowledgeType; readonly text: string } | undefined {
  const [, word = "", text = ""] = /^\[([A-Z]+)\]\s+(\S[\s\S]*)$/.exec(tag) ?? [];
  const type = KNOWLEDGE_TYPES.find((each) => each.toUpperCase() === word);
  return type && { type, text: text.trim() };
}

/** False for a wave or for `all`. */
export const isFeatureSource = (feature: string): boolean => !isReservedActionHead(feature);

const DESIGN_ROLES: ReadonlySet<string> = new Set([
  "architect",
  ...REVIEW_INSPECTORS.design.map((name) => `inspector-${name}`),
]);

export function deriveRolePhase(role: string): KnowledgePhase {
  if (role === "task-generator") return "tasks";
  return DESIGN_ROLES.has(role) ? "design" : "impl";
}

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

function removeCategoryPrefix(text: string): string {
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

export interface KnowledgeFileName {
  readonly type: KnowledgeType;
  readonly category: KnowledgeCategory;
  readonly name: string;
}

const KNOWLEDGE_FILE_PATTERN = new RegExp(
  `^(${KNOWLEDGE_TYPES.join("|")})-(${KNOWLEDGE_CATEGORIES.join("|")})-([a-z0-9]+(?:-[a-z0-9]+)*)\\.md$`,
);

export const formatKnowledgeFileName = ({ type, category, name }: KnowledgeFileName): string =>
  `${type}-${category}-${name}.md`;

export function parseKnowledgeFileName(file: string): KnowledgeFileName | undefined {
  const [, type, category, name] = KNOWLEDGE_FILE_PATTERN.exec(file) ?? [];
  return name === undefined
    ? undefined
    : { type: type as KnowledgeType, category: category as KnowledgeCategory, name };
}

const DEFAULT_LESSON_NAME = "lesson";
const MAX_LESSON_NAME = 48;
const LESSON_NAME_FILLERS = new Set("a an and are as at be by is it of on or so that the this to was were".split(" "));

/** `Sessions are renewed at login.` → `sessions-renewed-login`. */
export function deriveLessonName(text: string): string {
  const words = removeCategoryPrefix(text)
    .split(/\s+/)
    .filter((word) => !LESSON_NAME_FILLERS.has(word.toLowerCase()));
  return createSlug(words.join(" "), DEFAULT_LESSON_NAME, MAX_LESSON_NAME);
}

export function normalizeLessonName(said: string): string {
  const own = parseKnowledgeFileName(
    said
      .trim()
      .toLowerCase()
      .replace(/(?:\.md)?$/, ".md"),
  );
  return own?.name ?? createSlug(said.trim().replace(/\.md$/i, ""), DEFAULT_LESSON_NAME, MAX_LESSON_NAME);
}

/** `taken` is in lower case, because some file systems ignore case. */
export function findFreeKnowledgeFile(wanted: KnowledgeFileName, taken: ReadonlySet<string>): string {
  const name = findFreeSlug(wanted.name, (each) => taken.has(formatKnowledgeFileName({ ...wanted, name: each })));
  return formatKnowledgeFileName({ ...wanted, name });
}
