import { splitSearchWords } from "../memory/words.ts";
import { extractNamedCode, extractMeaningfulWords } from "../review/likeness.ts";

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
  if (one.isNegative !== other.isNegative) return false;
  const common = countCommonWords(one.words, other.words);
  const isNamedOtherwise = one.names.size > 0 && other.names.size > 0 && countCommonWords(one.names, other.names) === 0;
  return !isNamedOtherwise && hasEnoughOverlap(common, one, other);
}

const hasEnoughOverlap = (common: number, one: LessonSignature, other: LessonSignature): boolean =>
  common >= MIN_SHARED_WORDS && (2 * common) / (one.words.size + other.words.size) >= MIN_LESSON_OVERLAP;

const countCommonWords = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  [...one].filter((word) => other.has(word)).length;

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
