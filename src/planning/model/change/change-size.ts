import { formatCount } from "#kernel/model/text-format.ts";
import { CHANGE_SIZES, type ChangeSize, type ChangeType } from "#kernel/model/stages/change-stages.ts";
import type { ChangeGrowth, ChangeRecord } from "./change-record.ts";

/**
 * Upper bounds per size, used both to propose a size and to detect that a change outgrew it. A small change is read in
 * one sitting. Beyond the bounds of a medium change a reviewer can no longer keep it in mind, so it needs a design.
 */
const CHANGE_SIZE_LIMITS: Readonly<Record<ChangeSize, ChangeGrowth>> = {
  small: { files: 5, lines: 200, requirements: 2 },
  medium: { files: 20, lines: 1_000, requirements: 10 },
  large: {
    files: Number.POSITIVE_INFINITY,
    lines: Number.POSITIVE_INFINITY,
    requirements: Number.POSITIVE_INFINITY,
  },
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
  /** Files that depend on the files it is likely to touch, if the index has them. */
  readonly reach?: number;
}

export interface ChangeSizeProposal {
  readonly type: ChangeType;
  readonly size: ChangeSize;
  readonly because: readonly string[];
}

interface GivenTypeAndSize {
  readonly type?: ChangeType | undefined;
  readonly size?: ChangeSize | undefined;
}

const MAX_IDS_IN_REASON = 5;

/** Measurements decide the size. Words in the description move it by one step. Given values win. */
export function proposeChangeSize(
  description: string,
  outlook: ChangeOutlook,
  given: GivenTypeAndSize = {},
): ChangeSizeProposal {
  const [type, typeReason] = proposeChangeType(description, given.type);
  const { size, reasons } = estimateChangeSize(description, outlook, type);
  return {
    type,
    size: given.size ?? size,
    because: [typeReason, ...(given.size ? [`${given.size}: as given`] : reasons)],
  };
}

function proposeChangeType(description: string, given: ChangeType | undefined): [ChangeType, string] {
  if (given) return [given, `${given}: as given`];
  const met = matchTypeWord(description);
  if (!met) return ["feature", "feature: no word of it says another type"];
  return [met[0], `${met[0]}: it says "${met[1]}"`];
}

function estimateChangeSize(
  description: string,
  outlook: ChangeOutlook,
  type: ChangeType,
): { size: ChangeSize; reasons: string[] } {
  const measured = deriveMeasuredSize(outlook);
  // A feature adds new code, so few existing mentions do not make it small.
  const isFloor = measured === "small" && type === "feature";
  const base = isFloor ? "medium" : (measured ?? "medium");
  const { size, reason } = adjustSizeForWords(description, base, measured !== undefined);
  return {
    size,
    reasons: [
      ...describeOutlookMeasures(outlook),
      ...(measured ? [describeSizeLimits(measured)] : []),
      ...(isFloor ? ["a feature adds what is not there yet, so few mentions do not make it small"] : []),
      ...reason,
      ...(measured || reason.length > 0 ? [] : ["medium: nothing was found that speaks for another size"]),
    ],
  };
}

/** Zero mentions prove nothing, so they give no size. */
function deriveMeasuredSize({ files, requirements, reach }: ChangeOutlook): ChangeSize | undefined {
  const touched = Math.max(files?.count ?? 0, reach ?? 0);
  const named = requirements?.length ?? 0;
  return touched + named === 0 ? undefined : selectSmallestFittingSize({ files: touched, requirements: named });
}

function adjustSizeForWords(
  description: string,
  base: ChangeSize,
  isMeasured: boolean,
): { size: ChangeSize; reason: string[] } {
  const met = matchSizeWords(description);
  const [low, high] = [met.get("small"), met.get("large")];
  if (low !== undefined && high !== undefined)
    return {
      size: base === "small" ? "medium" : base,
      reason: [`it says both "${low}" and "${high}", so it is not taken for small`],
    };
  const word = low ?? high;
  if (word === undefined) return { size: base, reason: [] };
  if (!isMeasured) return { size: low ? "small" : "large", reason: [`${low ? "small" : "large"}: it says "${word}"`] };
  const size = (low ? nextSmallerSize(base) : nextLargerSize(base)) ?? base;
  return { size, reason: [`it says "${word}", which counts for one step`] };
}

function describeOutlookMeasures({ files, requirements, reach }: ChangeOutlook): string[] {
  const words = files?.words.map((word) => `"${word}"`).join(", ");
  return [
    ...(files && files.count > 0
      ? [`${formatMentionCount(files.count, "file")} of ${words}: ${formatTruncatedList(files.best, files.count)}`]
      : []),
    ...(requirements?.length
      ? [`requirements and rules that speak of it: ${formatTruncatedList(requirements, requirements.length)}`]
      : []),
    ...(reach ? [`${formatCount(reach, "file")} within reach of them`] : []),
  ];
}

const formatMentionCount = (n: number, noun: string): string =>
  `${formatCount(n, noun)} ${n === 1 ? "speaks" : "speak"}`;

function formatTruncatedList(names: readonly string[], total: number): string {
  const shown = names.slice(0, MAX_IDS_IN_REASON);
  return `${shown.join(", ")}${total > shown.length ? ` and ${total - shown.length} more` : ""}`;
}

function describeSizeLimits(size: ChangeSize): string {
  const { files, requirements } = CHANGE_SIZE_LIMITS[size];
  if (size !== "large") return `a ${size} change has at most ${files} files and ${requirements} requirements`;
  return `a large change is more than ${CHANGE_SIZE_LIMITS.medium.files} files or ${CHANGE_SIZE_LIMITS.medium.requirements} requirements`;
}

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
