import type { KnowledgeEntry } from "./knowledge-document.ts";
import {
  findFreeKnowledgeFile,
  deriveLessonName,
  listTextCategories,
  type KnowledgePhase,
  type KnowledgeType,
} from "./knowledge-kinds.ts";
import { type LessonSignature, createLessonSignature, LessonIndex, type Lesson, addLessonSource } from "./lesson.ts";
import { isStopWord, extractSearchTerms } from "#kernel/model/search/search-terms.ts";

export interface LessonPlacement {
  readonly lesson: Lesson;
  readonly file: string;
  readonly isNew: boolean;
}

/** Existing files are extended, never overwritten. `taken` lists all names in the folder. */
export function placeLessons(
  lessons: readonly Lesson[],
  known: readonly KnowledgeEntry[],
  taken: readonly string[],
): LessonPlacement[] {
  const files = new LessonIndex<KnowledgeEntry>();
  if (lessons.length > 0) for (const each of known) for (const gist of listEntrySignatures(each)) files.add(gist, each);
  const names = new Set(taken.map((file) => file.toLowerCase()));
  return lessons.map((lesson) => {
    const same = files.find(createLessonSignature(lesson.text), ({ type }) => type === lesson.type);
    if (same) return { lesson, file: same.file, isNew: false };
    const file = findFreeKnowledgeFile({ ...lesson, name: deriveLessonName(lesson.text) }, names);
    names.add(file);
    return { lesson, file, isNew: true };
  });
}

const listEntrySignatures = ({ summary, sources }: KnowledgeEntry): LessonSignature[] =>
  [summary, ...sources.map(({ said }) => said)].filter((text) => text !== "").map(createLessonSignature);

export function applyLessonPlacements(
  known: readonly KnowledgeEntry[],
  places: readonly LessonPlacement[],
): KnowledgeEntry[] {
  const files = new Map(known.map((each) => [each.file, each]));
  for (const { lesson, file } of places) {
    const { type, category, text, phases } = lesson;
    const before = files.get(file) ?? {
      file,
      type,
      category,
      phases,
      title: text,
      summary: text,
      keywords: [],
      verified: "",
      sources: [],
      skill: "",
    };
    files.set(file, { ...before, sources: lesson.sources.reduce(addLessonSource, before.sources) });
  }
  return [...files.values()];
}

export interface KnowledgeNeed {
  readonly phase: KnowledgePhase;
  readonly types: readonly KnowledgeType[];
  readonly about: string;
}

/** A lesson must share this many words with the work, or all its words. */
const MIN_RELEVANT_WORDS = 2;
const MIN_CATEGORY_WORDS = 4;
const MAX_RELEVANT_LESSONS = 6;

export function selectRelevantKnowledge(
  { phase, types, about }: KnowledgeNeed,
  known: readonly KnowledgeEntry[],
): KnowledgeEntry[] {
  const words = extractLessonWords(about);
  const categories = listTextCategories(about, MIN_CATEGORY_WORDS);
  const rated = known
    .filter(({ type, phases, summary }) => types.includes(type) && isPhaseMatch(phases, phase) && summary !== "")
    .map((each) => {
      const own = extractLessonWords([each.title, each.summary, ...each.keywords].join(" "));
      const common = [...own].filter((word) => words.has(word)).length;
      const isAbout = common >= Math.min(MIN_RELEVANT_WORDS, own.size) && own.size > 0;
      return { each, rate: isAbout ? common / own.size + (categories.has(each.category) ? 0.5 : 0) : 0 };
    });
  return rated
    .filter(({ rate }) => rate > 0)
    .toSorted((a, b) => b.rate - a.rate || (a.each.file < b.each.file ? -1 : 1))
    .slice(0, MAX_RELEVANT_LESSONS)
    .map(({ each }) => each);
}

/** An entry without phases applies to all. */
const isPhaseMatch = (phases: readonly KnowledgePhase[], phase: KnowledgePhase): boolean =>
  phases.length === 0 || phases.includes(phase);

const extractLessonWords = (text: string): ReadonlySet<string> =>
  new Set(extractSearchTerms(text).filter((term) => term.length > 2 && !isStopWord(term)));
