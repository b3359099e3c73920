import { isStopWord, termsOf } from "../memory/words.ts";
import type { Finding } from "./finding.ts";
import { categoryName } from "./verdict.ts";

/** Share of the shorter description's words that both must contain. */
const ENOUGH = 0.5;

export interface Likeness {
  readonly at: string;
  readonly place: string;
  readonly key: string;
  readonly words: ReadonlySet<string>;
  /** Words in quotes or written as code. */
  readonly names: ReadonlySet<string>;
}

/** Equal for a finding that is repeated with different lines, quotes, case or spacing. */
export const findingKey = (finding: Finding): string => likenessOf(finding).key;

export function likenessOf({ category, location, description }: Finding): Likeness {
  const at = plainPlace(location);
  const place = `${categoryName(category)}|${at}`;
  return {
    at,
    place,
    key: `${place}|${plainText(description)}`,
    words: wordsIn(description),
    names: namesIn(description),
  };
}

/**
 * Same category, same location, similar words. Findings that name different code or quote different words are
 * different, however similar the rest is.
 */
export function isAlike(one: Likeness, other: Likeness): boolean {
  if (one.key === other.key) return true;
  return one.place === other.place && !nameOthers(one, other) && shared(one.words, other.words) >= ENOUGH;
}

export function isRetold(finding: Likeness, text: string): boolean {
  const told = { words: wordsIn(text), names: namesIn(text) };
  if (finding.words.size === 0 || nameOthers(finding, told)) return false;
  return overlap(finding.words, told.words) / finding.words.size >= ENOUGH;
}

type Named = Pick<Likeness, "names">;

const nameOthers = (one: Named, other: Named): boolean =>
  one.names.size > 0 && other.names.size > 0 && overlap(one.names, other.names) === 0;

function shared(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const fewer = Math.min(one.size, other.size);
  return fewer === 0 ? 0 : overlap(one, other) / fewer;
}

const overlap = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  [...one].filter((word) => other.has(word)).length;

const QUOTES = /["'`“”‘’«»]/g;
const LINES = / ?\(?(?:#l\d+(?:-l?\d+)?|\blines? ?\d+(?: ?[-–,] ?\d+)*|:\d+(?:[:-]\d+)*(?!\w|\.\d))\)?/g;

function plainPlace(location: string): string {
  return withoutLines(location).replaceAll("\\", "/").replace(QUOTES, "").replaceAll(" ", "").replace(/^\.\//, "");
}

const plainText = (description: string): string =>
  withoutLines(description).replace(QUOTES, "").replaceAll("  ", " ").trim().replace(/\.$/, "");

const withoutLines = (text: string): string =>
  text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim().replace(LINES, "");

export function wordsIn(description: string): ReadonlySet<string> {
  const words = withoutLines(description);
  return new Set(termsOf(words).filter((word) => !isStopWord(word)));
}

const QUOTED = /(?<![\p{L}\p{N}])["'`“‘«]([^"'`“”‘’«»]{1,80})["'`”’»](?![\p{L}\p{N}])/gu;
/** Matches a call, but not the plural `file(s)`. */
const WORD = /[\p{L}\p{N}_$]+(?:\((?!s\)))?/gu;

export function namesIn(description: string): ReadonlySet<string> {
  const quoted = Array.from(description.matchAll(QUOTED), ([, name]) => name ?? "");
  const code = (description.match(WORD) ?? []).filter((word) => /\($|._|\p{Ll}\p{Lu}/u.test(word));
  return new Set([...quoted, ...code].flatMap((name) => name.toLowerCase().match(/[\p{L}\p{N}_$]+/gu) ?? []));
}
