import { wordsOf } from "../memory/words.ts";
import { namesIn, wordsIn } from "../review/likeness.ts";

export interface Gist {
  readonly key: string;
  readonly words: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  /** Whether it forbids something. A negative lesson never equals a positive one. */
  readonly isNegative: boolean;
}

const NEGATIONS: ReadonlySet<string> = new Set(
  "no not never none without avoid cannot don doesn isn wasn shouldn mustn nobody nothing instead".split(" "),
);
/** Share of the words of both texts that they must have in common. */
const ENOUGH = 0.6;
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

export function isSameLesson(one: Gist, other: Gist): boolean {
  if (one.key === other.key) return true;
  if (one.isNegative !== other.isNegative) return false;
  const common = inBoth(one.words, other.words);
  const isNamedOtherwise = one.names.size > 0 && other.names.size > 0 && inBoth(one.names, other.names) === 0;
  return !isNamedOtherwise && isEnough(common, one, other);
}

const isEnough = (common: number, one: Gist, other: Gist): boolean =>
  common >= LEAST && (2 * common) / (one.words.size + other.words.size) >= ENOUGH;

const inBoth = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  [...one].filter((word) => other.has(word)).length;

/** Finds equal lessons without comparing all of them: only texts with common words are compared. */
export class Gists<T> {
  readonly #all: { readonly gist: Gist; readonly thing: T }[] = [];
  readonly #byKey = new Map<string, number[]>();
  readonly #byWord = new Map<string, number[]>();

  add(gist: Gist, thing: T): void {
    const at = this.#all.push({ gist, thing }) - 1;
    noted(this.#byKey, gist.key, at);
    for (const word of gist.words) noted(this.#byWord, word, at);
  }

  find(gist: Gist, fits: (thing: T) => boolean): T | undefined {
    const common = new Map<number, number>();
    for (const word of gist.words)
      for (const at of this.#byWord.get(word) ?? []) common.set(at, (common.get(at) ?? 0) + 1);
    const likely = [...common].flatMap(([at, words]) => {
      const other = this.#all[at];
      return other && isEnough(words, gist, other.gist) ? [at] : [];
    });
    return [...(this.#byKey.get(gist.key) ?? []), ...likely]
      .toSorted((one, other) => one - other)
      .flatMap((at) => this.#all[at] ?? [])
      .find((each) => isSameLesson(each.gist, gist) && fits(each.thing))?.thing;
  }
}

function noted(places: Map<string, number[]>, name: string, at: number): void {
  const known = places.get(name);
  if (known) known.push(at);
  else places.set(name, [at]);
}
