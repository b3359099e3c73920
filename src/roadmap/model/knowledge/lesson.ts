// The most specific category comes first and wins a tie.
import CATEGORY_WORDS from "./category-words.json" with { type: "json" };
import { REVIEW_INSPECTORS } from "../agent/agent-roles.ts";
import { extractSearchTerms, splitSearchWords } from "#kernel/model/search/search-terms.ts";
import { findFreeSlug, createSlug } from "#kernel/model/slug.ts";
import { compareTexts, escapeUnprintable } from "#kernel/model/text-format.ts";
import { isReservedActionHead } from "../lead/lead-view.ts";
import {
  countSharedWords,
  extractMeaningfulWords,
  extractNamedCode,
  hasDifferentNames,
} from "../review/finding-history.ts";

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

export function deriveRolePhase(role: string): KnowledgePhase {
  if (role === "task-generator") return "tasks";
  const isDesign = role === "architect" || REVIEW_INSPECTORS.design.some((name) => role === `inspector-${name}`);
  return isDesign ? "design" : "impl";
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

interface KnowledgeFileName {
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
  if (name === undefined) return undefined;
  return { type: type as KnowledgeType, category: category as KnowledgeCategory, name };
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

export interface LessonSource {
  readonly feature: string;
  readonly role: string;
  readonly tasks: readonly string[];
  readonly at: string;
  readonly said: string;
}

export interface Lesson {
  /** Stable while the lesson is pending. */
  readonly id: string;
  readonly type: KnowledgeType;
  readonly category: KnowledgeCategory;
  readonly text: string;
  readonly phases: readonly KnowledgePhase[];
  readonly sources: readonly LessonSource[];
  readonly keys: readonly string[];
}

const SHORT_LESSON_ID = 6;

/** Groups tags into lessons. Each tag is compared with the first of a lesson, so that chains do not join two. */
export function groupLessons(tags: ReadonlyMap<string, KnowledgeTag>): Lesson[] {
  const inOrder = [...tags].toSorted(([a, one], [b, other]) => compareTexts(one.at, other.at) || compareTexts(a, b));
  const known = new LessonIndex<{ lesson: Lesson }>();
  for (const [key, tag] of inOrder) {
    const told = parseKnowledgeTag(tag.tag);
    if (!told) continue;
    const category = detectKnowledgeCategory(told.text);
    // The file name and the metadata hold the category.
    const said = { ...told, text: readCategoryPrefix(told.text).rest };
    const gist = createLessonSignature(said.text);
    const { feature, role, tasks = [], at } = tag;
    const source = { feature, role, tasks, at, said: said.text };
    const same = known.find(gist, ({ lesson }) => lesson.type === said.type);
    if (same) {
      const { sources, keys } = same.lesson;
      same.lesson = { ...same.lesson, sources: [...sources, source], keys: [...keys, key] };
      continue;
    }
    known.add(gist, { lesson: { ...said, id: key, category, phases: [], sources: [source], keys: [key] } });
  }
  const lessons = known.things().map(({ lesson }) => lesson);
  const heads = Map.groupBy(lessons, ({ id }) => id.slice(0, SHORT_LESSON_ID));
  return lessons.map((lesson) => {
    const head = lesson.id.slice(0, SHORT_LESSON_ID);
    const learned = new Set(lesson.sources.map(({ role }) => deriveRolePhase(role)));
    // Patterns help designers and builders. Incidents help the phase that could have noticed them.
    if (lesson.type === "pattern") learned.add("design").add("impl");
    const phases = KNOWLEDGE_PHASES.filter((phase) => learned.has(phase));
    return { ...lesson, id: heads.get(head)?.length === 1 ? head : lesson.id, phases };
  });
}

export const hasLessonSource = (known: readonly LessonSource[], { feature, role, said }: LessonSource): boolean =>
  known.some((each) => each.feature === feature && each.role === role && each.said === escapeMarkdownLine(said));

export const listLessonFeatures = (sources: readonly Pick<LessonSource, "feature">[]): string[] =>
  [...new Set(sources.map(({ feature }) => feature).filter((feature) => !isReservedActionHead(feature)))].toSorted();

type LessonSignature = ReturnType<typeof createLessonSignature>;

const NEGATION_WORDS: ReadonlySet<string> = new Set(
  "no not never none without avoid cannot don doesn isn wasn shouldn mustn nobody nothing instead".split(" "),
);
/** Share of the words of both texts that they must have in common. */
const MIN_LESSON_OVERLAP = 0.6;
const MIN_SHARED_WORDS = 2;

export function createLessonSignature(text: string) {
  const words = splitSearchWords(text);
  return {
    key: words.join(" "),
    words: extractMeaningfulWords(text),
    names: extractNamedCode(text),
    /** Whether it forbids something. A negative lesson never equals a positive one. */
    isNegative: words.some((word) => NEGATION_WORDS.has(word)),
  };
}

export function isSameLesson(one: LessonSignature, other: LessonSignature): boolean {
  if (one.key === other.key) return true;
  const shared = countSharedWords(one.words, other.words);
  return one.isNegative === other.isNegative && !hasDifferentNames(one, other) && hasEnoughOverlap(shared, one, other);
}

const hasEnoughOverlap = (shared: number, one: LessonSignature, other: LessonSignature): boolean =>
  shared >= MIN_SHARED_WORDS && (2 * shared) / (one.words.size + other.words.size) >= MIN_LESSON_OVERLAP;

/** Finds equal lessons without comparing all of them: only texts with common words are compared. */
export class LessonIndex<T> {
  readonly #all: { readonly gist: LessonSignature; readonly thing: T }[] = [];
  readonly #byKey = new Map<string, number[]>();
  readonly #byWord = new Map<string, number[]>();

  add(gist: LessonSignature, thing: T): void {
    const at = this.#all.push({ gist, thing }) - 1;
    addIndexPosition(this.#byKey, gist.key, at);
    for (const word of gist.words) addIndexPosition(this.#byWord, word, at);
  }

  things(): T[] {
    return this.#all.map(({ thing }) => thing);
  }

  find(gist: LessonSignature, fits: (thing: T) => boolean): T | undefined {
    const common = new Map<number, number>();
    for (const word of gist.words)
      for (const at of this.#byWord.get(word) ?? []) common.set(at, (common.get(at) ?? 0) + 1);
    const isLikely = (at: number): boolean => {
      const other = this.#all[at];
      return other !== undefined && hasEnoughOverlap(common.get(at) ?? 0, gist, other.gist);
    };
    return [...(this.#byKey.get(gist.key) ?? []), ...[...common.keys()].filter(isLikely)]
      .toSorted((one, other) => one - other)
      .flatMap((at) => this.#all[at] ?? [])
      .find((each) => isSameLesson(each.gist, gist) && fits(each.thing))?.thing;
  }
}

function addIndexPosition(places: Map<string, number[]>, name: string, at: number): void {
  const known = places.get(name);
  if (known) known.push(at);
  else places.set(name, [at]);
}

const MARKDOWN_TAG_START = /(`+)[^`]+\1(?!`)|<(?=[A-Za-z/!?])/g;
const MARKDOWN_BLOCK_START = /^(?=#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|[-=_*]{2,}|`{3}|~{3}|\||\[[^\]]*\]:)/;

/** One line of foreign text, in which nothing is hidden and nothing opens a block. */
export const escapeMarkdownLine = (text: string): string =>
  escapeUnprintable(text.replace(/\s+/g, " ").trim())
    .replaceAll("<!--", "&lt;!--")
    .replace(MARKDOWN_TAG_START, (found) => (found === "<" ? "\\<" : found));

export const escapeMarkdownParagraph = (text: string): string =>
  escapeMarkdownLine(text)
    .replace(MARKDOWN_BLOCK_START, "\\")
    .replace(/^(\d{1,9})(?=[.)](?:\s|$))/, "$1\\");

export const escapeTableCell = (text: string): string =>
  escapeMarkdownLine(text).replaceAll("\\|", "|").replaceAll("|", "\\|");
