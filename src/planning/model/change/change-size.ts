import { formatCount, formatShortList } from "#kernel/model/text-format.ts";
import { CHANGE_SIZES, type ChangeSize, type ChangeType } from "#kernel/model/stages/change-stages.ts";
import type { ChangeGrowth, ChangeRecord } from "./change-record.ts";

/**
 * Upper bounds per size, used both to propose a size and to detect that a change outgrew it. A small change is read in
 * one sitting. Beyond the bounds of a medium change a reviewer can no longer keep it in mind, so it needs a design.
 */
const CHANGE_SIZE_LIMITS: Readonly<Record<ChangeSize, ChangeGrowth>> = {
  small: { files: 5, lines: 200, requirements: 2 },
  medium: { files: 20, lines: 1_000, requirements: 10 },
  large: { files: Infinity, lines: Infinity, requirements: Infinity },
};

const GROWTH_MEASURES = ["files", "lines", "requirements"] as const;

export function selectSmallestFittingSize(measured: Partial<ChangeGrowth>): ChangeSize {
  const holds = (size: ChangeSize): boolean =>
    GROWTH_MEASURES.every((name) => (measured[name] ?? 0) <= CHANGE_SIZE_LIMITS[size][name]);
  return CHANGE_SIZES.find(holds) ?? "large";
}

/**
 * Returns each measure beyond its bound. After a decision to keep the size, a measure is reported again only once it
 * doubles.
 */
export function describeOutgrownLimits(
  { size, sizings }: Pick<ChangeRecord, "size" | "sizings">,
  growth: ChangeGrowth,
): string[] {
  const last = sizings?.at(-1);
  const kept = last && last.from === last.to ? last : undefined;
  return GROWTH_MEASURES.flatMap((name) => {
    const most = CHANGE_SIZE_LIMITS[size][name];
    const before = kept?.[name] ?? 0;
    if (growth[name] <= most || growth[name] < 2 * before) return [];
    const then = before > most ? `, and ${before} when it was kept` : "";
    return [`${formatCount(growth[name], name.slice(0, -1))} (a ${size} change has at most ${most}${then})`];
  });
}

export const nextLargerSize = (size: ChangeSize): ChangeSize | undefined =>
  CHANGE_SIZES[CHANGE_SIZES.indexOf(size) + 1];
export const nextSmallerSize = (size: ChangeSize): ChangeSize | undefined =>
  CHANGE_SIZES[CHANGE_SIZES.indexOf(size) - 1];

/** Files written by package managers do not count as work. */
const LOCK_FILE_PATTERN =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|Pipfile\.lock|Gemfile\.lock|composer\.lock|mix\.lock|flake\.lock|Package\.resolved|gradle\.lockfile)$/;

export const isLockFile = (path: string): boolean => LOCK_FILE_PATTERN.test(path);

/** Measurements before a change begins. An absent field was not measurable. */
export interface ChangeOutlook {
  readonly files?: { readonly count: number; readonly best: readonly string[]; readonly words: readonly string[] };
  readonly requirements?: readonly string[];
}

/** Measurements decide the size. Words in the description move it by one step. Given values win. */
export function proposeChangeSize(
  description: string,
  outlook: ChangeOutlook,
  given: { readonly type?: ChangeType | undefined; readonly size?: ChangeSize | undefined } = {},
): { readonly type: ChangeType; readonly size: ChangeSize; readonly because: readonly string[] } {
  const [type, typeReason] = proposeChangeType(description, given.type);
  if (given.size) return { type, size: given.size, because: [typeReason, `${given.size}: as given`] };
  const { size, reasons } = estimateChangeSize(description, outlook, type);
  return { type, size, because: [typeReason, ...reasons] };
}

function proposeChangeType(description: string, given: ChangeType | undefined): [ChangeType, string] {
  if (given) return [given, `${given}: as given`];
  const [type, word] = matchTypeWord(description) ?? [];
  return type ? [type, `${type}: it says "${word}"`] : ["feature", "feature: no word of it says another type"];
}

function estimateChangeSize(description: string, outlook: ChangeOutlook, type: ChangeType) {
  const measured = deriveMeasuredSize(outlook);
  // A feature adds new code, so few existing mentions do not make it small.
  const isFloor = measured === "small" && type === "feature";
  const base = isFloor ? "medium" : (measured ?? "medium");
  const { size, reason } = adjustSizeForWords(description, base, measured !== undefined);
  const reasons = [
    ...describeOutlookMeasures(outlook),
    ...(measured ? [describeSizeLimits(measured)] : []),
    ...(isFloor ? ["a feature adds what is not there yet, so few mentions do not make it small"] : []),
    ...(reason ? [reason] : []),
    ...(measured || reason ? [] : ["medium: nothing was found that speaks for another size"]),
  ];
  return { size, reasons };
}

/** Zero mentions prove nothing, so they give no size. */
function deriveMeasuredSize({ files, requirements }: ChangeOutlook): ChangeSize | undefined {
  const measured = { files: files?.count ?? 0, requirements: requirements?.length ?? 0 };
  return measured.files + measured.requirements === 0 ? undefined : selectSmallestFittingSize(measured);
}

function adjustSizeForWords(
  description: string,
  base: ChangeSize,
  isMeasured: boolean,
): { size: ChangeSize; reason?: string } {
  const met = matchSizeWords(description);
  const [low, high] = [met.get("small"), met.get("large")];
  if (low !== undefined && high !== undefined) {
    const reason = `it says both "${low}" and "${high}", so it is not taken for small`;
    return { size: base === "small" ? "medium" : base, reason };
  }
  const word = low ?? high;
  if (word === undefined) return { size: base };
  const meant = low ? "small" : "large";
  if (!isMeasured) return { size: meant, reason: `${meant}: it says "${word}"` };
  const size = (low ? nextSmallerSize(base) : nextLargerSize(base)) ?? base;
  return { size, reason: `it says "${word}", which counts for one step` };
}

const MAX_IDS_IN_REASON = 5;

function describeOutlookMeasures({ files, requirements = [] }: ChangeOutlook): string[] {
  const reasons: string[] = [];
  if (files && files.count > 0) {
    const verb = files.count === 1 ? "speaks" : "speak";
    const words = files.words.map((word) => `"${word}"`).join(", ");
    const best = formatShortList(files.best, MAX_IDS_IN_REASON, files.count);
    reasons.push(`${formatCount(files.count, "file")} ${verb} of ${words}: ${best}`);
  }
  if (requirements.length > 0)
    reasons.push(`requirements and rules that speak of it: ${formatShortList(requirements, MAX_IDS_IN_REASON)}`);
  return reasons;
}

function describeSizeLimits(size: ChangeSize): string {
  const { files, requirements } = CHANGE_SIZE_LIMITS[size === "large" ? "medium" : size];
  return size === "large"
    ? `a large change is more than ${files} files or ${requirements} requirements`
    : `a ${size} change has at most ${files} files and ${requirements} requirements`;
}

export interface ChangeSuggestion {
  readonly type: ChangeType;
  readonly type_reason: string;
  readonly size: ChangeSize;
  readonly size_reason: string;
}

const LIMITED_CONTEXT_REASON = "limited context; adjust as needed";

type WordTable<Meaning> = readonly (readonly [Meaning, readonly string[]])[];

/** The first matching row wins. */
const TYPE_WORDS: WordTable<ChangeType> = [
  ["fix", ["fix", "bug", "crash", "error", "broken", "typo"]],
  ["refactor", ["refactor", "restructure", "reorganize", "clean up"]],
  ["enhancement", ["improve", "enhance", "optimize", "better", "upgrade"]],
  ["feature", ["new", "add", "create", "build", "implement"]],
  // Last, because "add a way to rename" is a feature.
  ["refactor", ["rename"]],
];

const SIZE_WORDS: WordTable<ChangeSize> = [
  ["small", ["quick", "small", "simple", "trivial", "one-liner", "minor", "typo"]],
  ["large", ["complex", "large", "major", "big", "rewrite", "overhaul"]],
];

export const matchTypeWord = (text: string): [type: ChangeType, word: string] | undefined =>
  matchTableWords(TYPE_WORDS, text)[0];

export const matchSizeWords = (text: string): ReadonlyMap<ChangeSize, string> =>
  new Map(matchTableWords(SIZE_WORDS, text));

export function suggestTypeAndSize(text: string): ChangeSuggestion | undefined {
  if (text.trim() === "") return undefined;
  const [type, typeWord] = matchTypeWord(text) ?? [];
  const [size, sizeWord] = matchTableWords(SIZE_WORDS, text)[0] ?? [];
  return {
    type: type ?? "feature",
    type_reason: type ? `it says "${typeWord}"` : LIMITED_CONTEXT_REASON,
    size: size ?? "medium",
    size_reason: size ? `it says "${sizeWord}"` : LIMITED_CONTEXT_REASON,
  };
}

/** The first word of each row that the text contains. */
const matchTableWords = <Meaning>(table: WordTable<Meaning>, text: string): [Meaning, string][] =>
  table.flatMap(([meaning, words]): [Meaning, string][] => {
    const met = words.find((word) => containsInflectedWord(text, word));
    return met === undefined ? [] : [[meaning, met]];
  });

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
  const forms = UNINFLECTED_WORDS.has(word) ? first : `(?:${buildInflections(first)})`;
  const all = [forms, ...rest].join("[\\s-]+");
  return new RegExp(`(?<![\\p{L}\\p{N}_])${all}(?![\\p{L}\\p{N}_])`, "iu").test(text);
}

function buildInflections(word: string): string {
  const forms = word.endsWith("e") ? `${word.slice(0, -1)}(?:e[sd]?|ing)` : `${word}(?:e?s|ed|ing)?`;
  const isDoubled = /[^aeiou][aeiou][bgt]$/.test(word);
  return isDoubled ? `${forms}|${word}${word.at(-1)}(?:ed|ing)` : forms;
}
