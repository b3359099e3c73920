import type { ChangeSize, ChangeType } from "../change/flows.ts";

export interface ChangeSuggestion {
  readonly type: ChangeType;
  readonly type_reason: string;
  readonly size: ChangeSize;
  readonly size_reason: string;
}

const LIMITED_CONTEXT_REASON = "limited context; adjust as needed";

/** The first matching row wins. */
const TYPE_WORDS: readonly (readonly [ChangeType, readonly string[]])[] = [
  ["fix", ["fix", "bug", "crash", "error", "broken", "typo"]],
  ["refactor", ["refactor", "restructure", "reorganize", "clean up"]],
  ["enhancement", ["improve", "enhance", "optimize", "better", "upgrade"]],
  ["feature", ["new", "add", "create", "build", "implement"]],
  // Last, because "add a way to rename" is a feature.
  ["refactor", ["rename"]],
];

const SIZE_WORDS: readonly (readonly [ChangeSize, readonly string[]])[] = [
  ["small", ["quick", "small", "simple", "trivial", "one-liner", "minor", "typo"]],
  ["large", ["complex", "large", "major", "big", "rewrite", "overhaul"]],
];

export function matchTypeWord(text: string): [type: ChangeType, word: string] | undefined {
  return findFirstMatchingWord(TYPE_WORDS, text);
}

export function suggestTypeAndSize(text: string): ChangeSuggestion | undefined {
  if (text.trim() === "") return undefined;
  const type = findFirstMatchingWord(TYPE_WORDS, text);
  const size = findFirstMatchingWord(SIZE_WORDS, text);
  return {
    type: type?.[0] ?? "feature",
    type_reason: type ? `it says "${type[1]}"` : LIMITED_CONTEXT_REASON,
    size: size?.[0] ?? "medium",
    size_reason: size ? `it says "${size[1]}"` : LIMITED_CONTEXT_REASON,
  };
}

export function matchSizeWords(text: string): ReadonlyMap<ChangeSize, string> {
  return new Map(SIZE_WORDS.map((entry) => findFirstMatchingWord([entry], text)).filter((met) => met !== undefined));
}

function findFirstMatchingWord<T>(
  table: readonly (readonly [T, readonly string[]])[],
  text: string,
): [T, string] | undefined {
  for (const [meaning, words] of table) {
    const met = words.find((word) => containsInflectedWord(text, word));
    if (met !== undefined) return [meaning, met];
  }
  return undefined;
}

/** Words without inflected forms: `news` is not `new`. */
const UNINFLECTED_WORDS = new Set(
  "new better broken quick small simple trivial one-liner minor complex large major big".split(" "),
);

/**
 * Matches whole words and inflected forms: `fixes` and `fixing` match `fix`, `prefix` does not, and `debugger` does not
 * match `bug`.
 */
function containsInflectedWord(text: string, word: string): boolean {
  const [first = "", ...rest] = word.split(/[\s-]+/).map((part) => part.replace(/ize$/, "i[sz]e"));
  const isWhole = UNINFLECTED_WORDS.has(word);
  const forms = isWhole
    ? first
    : first.endsWith("e")
      ? `${first.slice(0, -1)}(?:e[sd]?|ing)`
      : `${first}(?:e?s|ed|ing)?`;
  const doubled = /[^aeiou][aeiou][bgt]$/.test(first) && !isWhole ? `|${first}${first.at(-1)}(?:ed|ing)` : "";
  const all = [`(?:${forms}${doubled})`, ...rest].join("[\\s-]+");
  return new RegExp(`(?<![\\p{L}\\p{N}_])${all}(?![\\p{L}\\p{N}_])`, "iu").test(text);
}
