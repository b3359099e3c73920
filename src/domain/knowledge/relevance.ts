import { isStopWord, termsOf } from "../memory/words.ts";
import { categoriesIn } from "./category.ts";
import type { Knowledge } from "./document.ts";
import type { KnowledgePhase, KnowledgeType } from "./tag.ts";

/** What somebody is about to do, as far as it tells which lessons are of use. */
export interface Occasion {
  readonly phase: KnowledgePhase;
  readonly types: readonly KnowledgeType[];
  /** What the feature is about: its description and its design. */
  readonly about: string;
}

/** Words that a lesson has to share with what is done: so many, or all that it has. */
const LEAST = 2;
/** Different words of a category that make a design be about it. */
const ENOUGH_OF_CATEGORY = 4;
/** More than that is not read. */
const MOST = 6;

/** The lessons that are of use, the most telling first: of the phase, and about the same things. */
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

/** Who names no phase means all of them. */
const isOf = (phases: readonly KnowledgePhase[], phase: KnowledgePhase): boolean =>
  phases.length === 0 || phases.includes(phase);

const wordsIn = (text: string): ReadonlySet<string> =>
  new Set(termsOf(text).filter((term) => term.length > 2 && !isStopWord(term)));
