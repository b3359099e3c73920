import { formatCount } from "../count.ts";
import { matchSizeWords, matchTypeWord } from "../explore/suggestion.ts";
import { CHANGE_SIZE_LIMITS, nextLargerSize, selectSmallestFittingSize, nextSmallerSize } from "./classes.ts";
import type { ChangeSize, ChangeType } from "./flows.ts";

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
