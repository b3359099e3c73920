import {
  type KnowledgeCategory,
  detectKnowledgeCategory,
  isFeatureSource,
  type KnowledgeTag,
  KNOWLEDGE_PHASES,
  type KnowledgePhase,
  type KnowledgeType,
  deriveRolePhase,
  parseKnowledgeTag,
} from "./knowledge-kinds.ts";
import { splitSearchWords } from "#kernel/model/search/search-terms.ts";
import {
  countSharedWords,
  extractMeaningfulWords,
  extractNamedCode,
  hasDifferentNames,
} from "../review/finding-history.ts";
import { escapeUnprintable } from "#kernel/model/text-format.ts";

export interface LessonSource {
  readonly feature: string;
  readonly role: string;
  readonly tasks: readonly string[];
  readonly at: string;
  readonly said: string;
}

/** Tags with the same meaning. */
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

/**
 * Groups tags into lessons. Each tag is compared only with the first of a lesson, so that a chain of small differences
 * does not join two lessons.
 */
export function groupLessons(tags: ReadonlyMap<string, KnowledgeTag>): Lesson[] {
  const inOrder = [...tags].toSorted(
    ([a, one], [b, other]) => compareLessonKeys(one.at, other.at) || compareLessonKeys(a, b),
  );
  const known = new LessonIndex<{ lesson: Lesson }>();
  for (const [key, tag] of inOrder) {
    const said = parseKnowledgeTag(tag.tag);
    if (!said) continue;
    const gist = createLessonSignature(said.text);
    const source = { feature: tag.feature, role: tag.role, tasks: tag.tasks ?? [], at: tag.at, said: said.text };
    const same = known.find(gist, ({ lesson }) => lesson.type === said.type);
    if (same) {
      const { sources, keys } = same.lesson;
      same.lesson = { ...same.lesson, sources: [...sources, source], keys: [...keys, key] };
      continue;
    }
    const category = detectKnowledgeCategory(said.text);
    known.add(gist, { lesson: { ...said, id: key, category, phases: [], sources: [source], keys: [key] } });
  }
  return shortenLessonIds(known.things().map(({ lesson }) => ({ ...lesson, phases: deriveLessonPhases(lesson) })));
}

const compareLessonKeys = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function shortenLessonIds(lessons: readonly Lesson[]): Lesson[] {
  const heads = Map.groupBy(lessons, ({ id }) => id.slice(0, SHORT_LESSON_ID));
  return lessons.map((lesson) => {
    const head = lesson.id.slice(0, SHORT_LESSON_ID);
    return { ...lesson, id: heads.get(head)?.length === 1 ? head : lesson.id };
  });
}

/** Patterns help designers and builders. Incidents help the phase that could have noticed them. */
function deriveLessonPhases({ type, sources }: Lesson): KnowledgePhase[] {
  const learned = new Set(sources.map(({ role }) => deriveRolePhase(role)));
  if (type === "pattern") learned.add("design").add("impl");
  return KNOWLEDGE_PHASES.filter((phase) => learned.has(phase));
}

export const addLessonSource = (known: readonly LessonSource[], source: LessonSource): readonly LessonSource[] =>
  hasLessonSource(known, source) ? known : [...known, { ...source, said: escapeMarkdownLine(source.said) }];

export const hasLessonSource = (known: readonly LessonSource[], { feature, role, said }: LessonSource): boolean =>
  known.some((each) => each.feature === feature && each.role === role && each.said === escapeMarkdownLine(said));

export const listLessonFeatures = (sources: readonly Pick<LessonSource, "feature">[]): string[] =>
  [...new Set(sources.map(({ feature }) => feature).filter(isFeatureSource))].toSorted();

export interface LessonSignature {
  readonly key: string;
  readonly words: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  /** Whether it forbids something. A negative lesson never equals a positive one. */
  readonly isNegative: boolean;
}

const NEGATION_WORDS: ReadonlySet<string> = new Set(
  "no not never none without avoid cannot don doesn isn wasn shouldn mustn nobody nothing instead".split(" "),
);
/** Share of the words of both texts that they must have in common. */
const MIN_LESSON_OVERLAP = 0.6;
const MIN_SHARED_WORDS = 2;

export function createLessonSignature(text: string): LessonSignature {
  const words = splitSearchWords(text);
  return {
    key: words.join(" "),
    words: extractMeaningfulWords(text),
    names: extractNamedCode(text),
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
    const likely = [...common].flatMap(([at, words]) => {
      const other = this.#all[at];
      return other && hasEnoughOverlap(words, gist, other.gist) ? [at] : [];
    });
    return [...(this.#byKey.get(gist.key) ?? []), ...likely]
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
