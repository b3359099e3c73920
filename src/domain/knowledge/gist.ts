import { wordsOf } from "../memory/words.ts";
import { namesIn, wordsIn } from "../review/likeness.ts";

/** What two lessons are compared by. */
export interface Gist {
  readonly key: string;
  readonly words: ReadonlySet<string>;
  /** Words of what stands in quotes or is written as code is. */
  readonly names: ReadonlySet<string>;
  /** Whether it says not to do something: then it is not what tells to do it. */
  readonly isNegative: boolean;
}

const NEGATIONS: ReadonlySet<string> = new Set(
  "no not never none without avoid cannot don doesn isn wasn shouldn mustn nobody nothing instead".split(" "),
);
/** Of all the words of both, as much as has to be in both. */
const ENOUGH = 0.6;
/** Fewer than that in common may be chance. */
const LEAST = 2;

export function gistOf(text: string): Gist {
  const words = wordsOf(text);
  return {
    key: words.join(" "),
    words: wordsIn(text),
    names: namesIn(text),
    isNegative: words.some((word) => NEGATIONS.has(word)),
  };
}

/** Whether two texts teach one thing: most of their words are the same, and neither says the contrary or names other code. */
export function isSameLesson(one: Gist, other: Gist): boolean {
  if (one.key === other.key) return true;
  if (one.isNegative !== other.isNegative) return false;
  const common = inBoth(one.words, other.words);
  const isNamedOtherwise = one.names.size > 0 && other.names.size > 0 && inBoth(one.names, other.names) === 0;
  return !isNamedOtherwise && common >= LEAST && (2 * common) / (one.words.size + other.words.size) >= ENOUGH;
}

const inBoth = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  [...one].filter((word) => other.has(word)).length;
