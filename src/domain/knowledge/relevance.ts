import { isStopWord, termsOf } from "../memory/words.ts";
import { categoriesIn } from "./category.ts";
import type { Knowledge } from "./document.ts";
import type { KnowledgePhase, KnowledgeType } from "./tag.ts";

export interface Occasion {
  readonly phase: KnowledgePhase;
  readonly types: readonly KnowledgeType[];
  readonly about: string;
}

/** A lesson must share this many words with the work, or all its words. */
const LEAST = 2;
const ENOUGH_OF_CATEGORY = 4;
const MOST = 6;

export function relevantTo({ phase, types, about }: Occasion, known: readonly Knowledge[]): Knowledge[] {
  const words = wordsIn(about);
  const categories = categoriesIn(about, ENOUGH_OF_CATEGORY);
  const rated = known
    .filter(({ type, phases, summary }) => types.includes(type) && isOf(phases, phase) && summary !== "")
    .map((each) => {
      const own = wordsIn([each.title, each.summary, ...each.keywords].join(" "));
      const common = [...own].filter((word) => words.has(word)).length;
      const isAbout = common >= Math.min(LEAST, own.size) && own.size > 0;
      return { each, rate: isAbout ? common / own.size + (categories.has(each.category) ? 0.5 : 0) : 0 };
    });
  return rated
    .filter(({ rate }) => rate > 0)
    .toSorted((a, b) => b.rate - a.rate || (a.each.file < b.each.file ? -1 : 1))
    .slice(0, MOST)
    .map(({ each }) => each);
}

/** An entry without phases applies to all. */
const isOf = (phases: readonly KnowledgePhase[], phase: KnowledgePhase): boolean =>
  phases.length === 0 || phases.includes(phase);

const wordsIn = (text: string): ReadonlySet<string> =>
  new Set(termsOf(text).filter((term) => term.length > 2 && !isStopWord(term)));
