import { findFreeSlug, createSlug } from "../slug.ts";
import { KNOWLEDGE_CATEGORIES, type KnowledgeCategory, removeCategoryPrefix } from "./category.ts";
import { KNOWLEDGE_TYPES, type KnowledgeType } from "./tag.ts";

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
