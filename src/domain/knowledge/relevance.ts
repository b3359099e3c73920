import { isStopWord, extractSearchTerms } from "../memory/words.ts";
import { listTextCategories } from "./category.ts";
import type { KnowledgeEntry } from "./document.ts";
import type { KnowledgePhase, KnowledgeType } from "./tag.ts";

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
