import { count } from "../count.ts";
import { sizesMet, typeMet } from "../explore/suggestion.ts";
import { CLASSES, larger, sizeFor, smaller } from "./classes.ts";
import type { ChangeSize, ChangeType } from "./flows.ts";

/** Measurements before a change begins. An absent field was not measurable. */
export interface Outlook {
  readonly files?: { readonly count: number; readonly best: readonly string[]; readonly words: readonly string[] };
  readonly requirements?: readonly string[];
  /** Files that depend on the files it is likely to touch, if the index has them. */
  readonly reach?: number;
}

export interface ProposedSize {
  readonly type: ChangeType;
  readonly size: ChangeSize;
  readonly because: readonly string[];
}

interface Given {
  readonly type?: ChangeType | undefined;
  readonly size?: ChangeSize | undefined;
}

const MOST_NAMED = 5;

/** Measurements decide the size. Words in the description move it by one step. Given values win. */
export function proposeSize(description: string, outlook: Outlook, given: Given = {}): ProposedSize {
  const [type, typeReason] = typeOf(description, given.type);
  const { size, reasons } = sizeOf(description, outlook, type);
  return {
    type,
    size: given.size ?? size,
    because: [typeReason, ...(given.size ? [`${given.size}: as given`] : reasons)],
  };
}

function typeOf(description: string, given: ChangeType | undefined): [ChangeType, string] {
  if (given) return [given, `${given}: as given`];
  const met = typeMet(description);
  if (!met) return ["feature", "feature: no word of it says another type"];
  return [met[0], `${met[0]}: it says "${met[1]}"`];
}

function sizeOf(description: string, outlook: Outlook, type: ChangeType): { size: ChangeSize; reasons: string[] } {
  const measured = measuredSize(outlook);
  // A feature adds new code, so few existing mentions do not make it small.
  const isFloor = measured === "small" && type === "feature";
  const base = isFloor ? "medium" : (measured ?? "medium");
  const { size, reason } = steppedByWords(description, base, measured !== undefined);
  return {
    size,
    reasons: [
      ...measures(outlook),
      ...(measured ? [boundsOf(measured)] : []),
      ...(isFloor ? ["a feature adds what is not there yet, so few mentions do not make it small"] : []),
      ...reason,
      ...(measured || reason.length > 0 ? [] : ["medium: nothing was found that speaks for another size"]),
    ],
  };
}

/** Zero mentions prove nothing, so they give no size. */
function measuredSize({ files, requirements, reach }: Outlook): ChangeSize | undefined {
  const touched = Math.max(files?.count ?? 0, reach ?? 0);
  const named = requirements?.length ?? 0;
  return touched + named === 0 ? undefined : sizeFor({ files: touched, requirements: named });
}

function steppedByWords(
  description: string,
  base: ChangeSize,
  isMeasured: boolean,
): { size: ChangeSize; reason: string[] } {
  const met = sizesMet(description);
  const [low, high] = [met.get("small"), met.get("large")];
  if (low !== undefined && high !== undefined)
    return {
      size: base === "small" ? "medium" : base,
      reason: [`it says both "${low}" and "${high}", so it is not taken for small`],
    };
  const word = low ?? high;
  if (word === undefined) return { size: base, reason: [] };
  if (!isMeasured) return { size: low ? "small" : "large", reason: [`${low ? "small" : "large"}: it says "${word}"`] };
  const size = (low ? smaller(base) : larger(base)) ?? base;
  return { size, reason: [`it says "${word}", which counts for one step`] };
}

function measures({ files, requirements, reach }: Outlook): string[] {
  const words = files?.words.map((word) => `"${word}"`).join(", ");
  return [
    ...(files && files.count > 0
      ? [`${spoken(files.count, "file")} of ${words}: ${listed(files.best, files.count)}`]
      : []),
    ...(requirements?.length
      ? [`requirements and rules that speak of it: ${listed(requirements, requirements.length)}`]
      : []),
    ...(reach ? [`${count(reach, "file")} within reach of them`] : []),
  ];
}

const spoken = (n: number, noun: string): string => `${count(n, noun)} ${n === 1 ? "speaks" : "speak"}`;

function listed(names: readonly string[], total: number): string {
  const shown = names.slice(0, MOST_NAMED);
  return `${shown.join(", ")}${total > shown.length ? ` and ${total - shown.length} more` : ""}`;
}

function boundsOf(size: ChangeSize): string {
  const { files, requirements } = CLASSES[size];
  if (size !== "large") return `a ${size} change has at most ${files} files and ${requirements} requirements`;
  return `a large change is more than ${CLASSES.medium.files} files or ${CLASSES.medium.requirements} requirements`;
}
