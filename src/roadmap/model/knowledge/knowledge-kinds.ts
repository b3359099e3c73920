// The most specific category comes first and wins a tie.
import CATEGORY_WORDS from "./category-words.json" with { type: "json" };
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

const CATEGORIES_BY_TERM = new Map<string, KnowledgeCategory[]>();
for (const [category, words] of Object.entries(CATEGORY_WORDS) as [KnowledgeCategory, string][])
  for (const term of new Set(extractSearchTerms(words)))
    CATEGORIES_BY_TERM.set(term, [...(CATEGORIES_BY_TERM.get(term) ?? []), category]);

const CATEGORY_PREFIX_PATTERN = /^\s*(?:\(([a-z]+)\)\s|\[([a-z]+)\]\s|([a-z]+):\s)/i;
/** A text without category words usually concerns how parts of the project fit together. */
const DEFAULT_CATEGORY: KnowledgeCategory = "integration";

/** The category that the text names, otherwise the one with most of its words. */
export function detectKnowledgeCategory(text: string): KnowledgeCategory {
  const { category } = readCategoryPrefix(text);
  if (category) return category;
  const counts = countCategoryTerms(text);
  const most = Math.max(1, ...counts.values());
  const categories = Object.keys(CATEGORY_WORDS) as KnowledgeCategory[];
  return categories.find((each) => counts.get(each) === most) ?? DEFAULT_CATEGORY;
}

/** The category that a text names at its start, and the text after it. */
function readCategoryPrefix(text: string): { category: KnowledgeCategory | undefined; rest: string } {
  const [start = "", ...said] = CATEGORY_PREFIX_PATTERN.exec(text) ?? [];
  const category = KNOWLEDGE_CATEGORIES.find((each) => said.some((word) => word?.toLowerCase() === each));
  return { category, rest: category ? text.slice(start.length) : text };
}

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
  const words = readCategoryPrefix(text)
    .rest.split(/\s+/)
    .filter((word) => !LESSON_NAME_FILLERS.has(word.toLowerCase()));
  return createSlug(words.join(" "), DEFAULT_LESSON_NAME, MAX_LESSON_NAME);
}

export function normalizeLessonName(said: string): string {
  const name = said.trim().replace(/\.md$/i, "");
  const own = parseKnowledgeFileName(`${name.toLowerCase()}.md`);
  return own?.name ?? createSlug(name, DEFAULT_LESSON_NAME, MAX_LESSON_NAME);
}

/** `taken` is in lower case, because some file systems ignore case. */
export function findFreeKnowledgeFile(wanted: KnowledgeFileName, taken: ReadonlySet<string>): string {
  const name = findFreeSlug(wanted.name, (each) => taken.has(formatKnowledgeFileName({ ...wanted, name: each })));
  return formatKnowledgeFileName({ ...wanted, name });
}
