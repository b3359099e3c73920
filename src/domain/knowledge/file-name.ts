import { findFreeSlug, createSlug } from "../slug.ts";
import { CATEGORIES, type Category, withoutCategory } from "./category.ts";
import { KNOWLEDGE_TYPES, type KnowledgeType } from "./tag.ts";

export interface FileName {
  readonly type: KnowledgeType;
  readonly category: Category;
  readonly name: string;
}

const NAMED = new RegExp(`^(${KNOWLEDGE_TYPES.join("|")})-(${CATEGORIES.join("|")})-([a-z0-9]+(?:-[a-z0-9]+)*)\\.md$`);

export const fileOf = ({ type, category, name }: FileName): string => `${type}-${category}-${name}.md`;

export function readFileName(file: string): FileName | undefined {
  const [, type, category, name] = NAMED.exec(file) ?? [];
  return name === undefined ? undefined : { type: type as KnowledgeType, category: category as Category, name };
}

const FALLBACK = "lesson";
const COMFORTABLE = 48;
const FILLERS = new Set("a an and are as at be by is it of on or so that the this to was were".split(" "));

/** `Sessions are renewed at login.` → `sessions-renewed-login`. */
export function nameFor(text: string): string {
  const words = withoutCategory(text)
    .split(/\s+/)
    .filter((word) => !FILLERS.has(word.toLowerCase()));
  return createSlug(words.join(" "), FALLBACK, COMFORTABLE);
}

export function nameGiven(said: string): string {
  const own = readFileName(
    said
      .trim()
      .toLowerCase()
      .replace(/(?:\.md)?$/, ".md"),
  );
  return own?.name ?? createSlug(said.trim().replace(/\.md$/i, ""), FALLBACK, COMFORTABLE);
}

/** `taken` is in lower case, because some file systems ignore case. */
export function freeFile(wanted: FileName, taken: ReadonlySet<string>): string {
  const name = findFreeSlug(wanted.name, (each) => taken.has(fileOf({ ...wanted, name: each })));
  return fileOf({ ...wanted, name });
}
