import words from "./common-words.json" with { type: "json" };
import { formatCount, formatShortList } from "#kernel/model/text-format.ts";
import {
  CHANGE_SIZES,
  DOCUMENTED_SIZES,
  type ChangeSize,
  type ChangeType,
  type DocumentedSize,
} from "#kernel/model/stages/change-stages.ts";
import type { ChangeGrowth, ChangeRecord } from "./change-record.ts";

/** Upper bounds. Beyond those of a medium change a reviewer cannot keep it in mind, so it needs a design. */
const CHANGE_SIZE_LIMITS: Readonly<Record<ChangeSize, ChangeGrowth>> = {
  quick: { files: 3, lines: 50, requirements: 1 },
  small: { files: 5, lines: 200, requirements: 2 },
  medium: { files: 20, lines: 1_000, requirements: 10 },
  large: { files: Infinity, lines: Infinity, requirements: Infinity },
};

const GROWTH_MEASURES = ["files", "lines", "requirements"] as const;

export function selectSmallestFittingSize(measured: Partial<ChangeGrowth>): DocumentedSize {
  const holds = (size: ChangeSize): boolean =>
    GROWTH_MEASURES.every((name) => (measured[name] ?? 0) <= CHANGE_SIZE_LIMITS[size][name]);
  return DOCUMENTED_SIZES.find(holds) ?? "large";
}

/** Each measure beyond its bound. If the size was kept, a measure is reported again only once it doubles. */
export function describeOutgrownLimits(
  { size, sizings }: Pick<ChangeRecord, "size" | "sizings">,
  growth: ChangeGrowth,
): string[] {
  const last = sizings?.at(-1);
  const rank = (each: ChangeSize): number => CHANGE_SIZES.indexOf(each);
  // A smaller size that was chosen after the work was measured is kept too.
  const kept = last && rank(last.to) <= rank(last.from) ? last : undefined;
  return GROWTH_MEASURES.flatMap((name) => {
    const most = CHANGE_SIZE_LIMITS[size][name];
    // A size that was kept before a document was handed in is kept for the requirements that it names.
    if (kept?.files !== undefined && kept[name] === undefined) return [];
    const before = kept?.[name] ?? 0;
    if (growth[name] <= most || growth[name] < 2 * before) return [];
    const then = before > most ? `, and ${before} when its size was confirmed` : "";
    return [`${formatCount(growth[name], name.slice(0, -1))} (a ${size} change has at most ${most}${then})`];
  });
}

export const nextLargerSize = (size: ChangeSize): DocumentedSize | undefined =>
  DOCUMENTED_SIZES[CHANGE_SIZES.indexOf(size)];
/** Among the sizes that a proposal chooses from. */
export const nextSmallerSize = (size: DocumentedSize): DocumentedSize | undefined =>
  DOCUMENTED_SIZES[DOCUMENTED_SIZES.indexOf(size) - 1];

/** Files written by package managers do not count as work. */
export const isLockFile = (path: string): boolean =>
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|Pipfile\.lock|Gemfile\.lock|composer\.lock|mix\.lock|flake\.lock|Package\.resolved|gradle\.lockfile)$/.test(
    path,
  );

/** Files that `tenon setup` created. They are not the project's code. A damaged manifest names none. */
export function parseSetupFilePaths(manifest: string | undefined): ReadonlySet<string> {
  try {
    const { files = [] } = JSON.parse(manifest ?? "{}") as { files?: readonly { path: string; isNew: boolean }[] };
    return new Set(files.filter(({ isNew }) => isNew).map(({ path }) => path));
  } catch {
    return new Set();
  }
}

/** Measurements before a change begins. An absent field was not measurable. */
export interface ChangeOutlook {
  readonly files?: {
    readonly count: number;
    readonly best: readonly string[];
    readonly words: readonly string[];
    /** Whether the files define the code that the description names, and not only share words with it. */
    readonly isDefined?: boolean;
  };
  readonly requirements?: readonly string[];
}

/** Measurements decide the size. Words in the description move it by one step. Given values win. */
export function proposeChangeSize(
  description: string,
  outlook: ChangeOutlook,
  given: { readonly type?: ChangeType | undefined; readonly size?: DocumentedSize | undefined } = {},
): { readonly type: ChangeType; readonly size: DocumentedSize; readonly because: readonly string[] } {
  const [met, word] = matchTableWords(TYPE_WORDS, description)[0] ?? [];
  const type = given.type ?? met ?? "feature";
  const said = met
    ? `${met}: the description has "${word}"`
    : "feature: the default, as the description names no other type";
  const typeReason = given.type ? `${type}: as given` : said;
  if (given.size) return { type, size: given.size, because: [typeReason, `${given.size}: as given`] };
  const counts = { files: outlook.files?.count ?? 0, requirements: outlook.requirements?.length ?? 0 };
  // Zero mentions prove nothing, so they give no size.
  const measured = counts.files + counts.requirements === 0 ? undefined : selectSmallestFittingSize(counts);
  // A feature adds new code, so few existing mentions do not make it small. A type that is only the default proves nothing.
  const isFeature = (given.type ?? met) === "feature";
  const isFloor = measured === "small" && isFeature && !outlook.files?.isDefined;
  const base = isFloor ? "medium" : (measured ?? "medium");
  const { size, reason } = adjustSizeForWords(description, base, measured !== undefined);
  const { files, requirements } = CHANGE_SIZE_LIMITS[measured === "small" ? "small" : "medium"];
  const because = [
    typeReason,
    ...describeOutlookMeasures(outlook),
    ...(measured === "large" ? [`a large change is more than ${files} files or ${requirements} requirements`] : []),
    ...(measured && measured !== "large"
      ? [`a ${measured} change has at most ${files} files and ${requirements} requirements`]
      : []),
    ...(isFloor ? ["a feature adds new code, so few mentions do not make it small"] : []),
    ...(reason ? [reason] : []),
    ...(measured || reason ? [] : ["medium: the default, as nothing suggests another size"]),
  ];
  return { type, size, because };
}

function adjustSizeForWords(
  text: string,
  base: DocumentedSize,
  isKnown: boolean,
): { size: DocumentedSize; reason?: string } {
  const met = new Map(matchTableWords(SIZE_WORDS, text));
  const [low, high] = [met.get("small"), met.get("large")];
  if (low !== undefined && high !== undefined) {
    const reason = `the description has both "${low}" and "${high}", so it does not count as small`;
    return { size: base === "small" ? "medium" : base, reason };
  }
  const word = low ?? high;
  if (word === undefined) return { size: base };
  const meant = low ? "small" : "large";
  if (!isKnown) return { size: meant, reason: `${meant}: the description has "${word}"` };
  const size = (low ? nextSmallerSize(base) : nextLargerSize(base)) ?? base;
  if (size === base) return { size };
  return { size, reason: `the description has "${word}", which moves it one step` };
}

const MAX_IDS_IN_REASON = 5;

function describeOutlookMeasures({ files, requirements = [] }: ChangeOutlook): string[] {
  const reasons: string[] = [];
  if (files && files.count > 0) {
    const verb = `${files.isDefined ? "define" : "mention"}${files.count === 1 ? "s" : ""}`;
    const spoken = files.words.map((word) => `"${word}"`).join(", ");
    const best = formatShortList(files.best, MAX_IDS_IN_REASON, files.count);
    reasons.push(`${formatCount(files.count, "file")} ${verb} ${spoken}: ${best}`);
  }
  if (requirements.length > 0)
    reasons.push(`requirements and rules that mention it: ${formatShortList(requirements, MAX_IDS_IN_REASON)}`);
  return reasons;
}

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

const SIZE_WORDS: WordTable<"small" | "large"> = [
  ["small", ["quick", "small", "simple", "trivial", "one-liner", "minor", "typo"]],
  ["large", ["complex", "large", "major", "big", "rewrite", "overhaul"]],
];

export type ChangeSuggestion = NonNullable<ReturnType<typeof suggestTypeAndSize>>;

/** As a change would be proposed for the same text. */
export function suggestTypeAndSize(text: string, outlook: ChangeOutlook = {}) {
  if (text.trim() === "") return undefined;
  const explain = (word: string | undefined): string =>
    word === undefined ? "limited context; adjust as needed" : `it has "${word}"`;
  const [type = "feature", typeWord] = matchTableWords(TYPE_WORDS, text)[0] ?? [];
  const { size } = proposeChangeSize(text, outlook);
  const met = matchTableWords(SIZE_WORDS, text).map(([, word]) => word);
  const said = met.length > 1 ? `it has both "${met.join('" and "')}"` : explain(met[0]);
  const measures = describeOutlookMeasures(outlook);
  const sizeReason = [...measures, ...(measures.length > 0 && met.length === 0 ? [] : [said])].join("; ");
  return { type, type_reason: explain(typeWord), size, size_reason: sizeReason };
}

/** The first word of each row that the text contains. */
const matchTableWords = <Meaning>(table: WordTable<Meaning>, text: string): [Meaning, string][] =>
  table.flatMap(([meaning, known]): [Meaning, string][] => {
    const met = known.find((word) => containsInflectedWord(text, word));
    return met === undefined ? [] : [[meaning, met]];
  });

/** Words without inflected forms: `news` is not `new`. */
const UNINFLECTED_WORDS = new Set(words.uninflected);

/** `fixes` and `fixing` match `fix`, `prefix` does not, and `debugger` does not match `bug`. */
function containsInflectedWord(text: string, word: string): boolean {
  const [first = "", ...rest] = word.split(/[\s-]+/).map((part) => part.replace(/ize$/, "i[sz]e"));
  const regular = first.endsWith("e") ? `${first.slice(0, -1)}(?:e[sd]?|ing)` : `${first}(?:e?s|ed|ing)?`;
  const isDoubled = /[^aeiou][aeiou][bgt]$/.test(first);
  const inflected = isDoubled ? `${regular}|${first}${first.at(-1)}(?:ed|ing)` : regular;
  const all = [UNINFLECTED_WORDS.has(word) ? first : `(?:${inflected})`, ...rest].join("[\\s-]+");
  return new RegExp(`(?<![\\p{L}\\p{N}_])${all}(?![\\p{L}\\p{N}_])`, "iu").test(text);
}
