import { formatCount as counted } from "../count.ts";
import { createTextFence, splitPrintableLines } from "./fence.ts";
import {
  type TokenCount,
  type CuttablePiece,
  isPartShown,
  LEAST_SHOWN,
  reduceShownPart,
  MAX_TOKEN_CHARACTERS,
  NOTHING_SHOWN,
  distributeBriefSpace,
  type ShownPart,
} from "./room.ts";

/** Text by others, so the brief puts it in a fence. */
export interface BriefPiece extends CuttablePiece {
  readonly label: string;
  /** Location of the full text; ends a sentence: `` `sdd/steering/tech.md` ``. */
  readonly where: string;
  readonly unit: string;
}

interface BriefRemark {
  readonly label: string;
  readonly remark: string;
}

export type BriefMaterial = readonly (BriefPiece | BriefRemark)[];

export interface BriefParts {
  readonly head: string;
  readonly material: BriefMaterial;
  readonly tail: string;
}

export interface Brief {
  readonly text: string;
  readonly tokens: number;
}

/**
 * Fits the brief into its budget. Cuts each piece from its end and adds a line with the number of missing items and
 * their location.
 */
export function composeBrief(parts: BriefParts, budget: number, count: TokenCount): Brief {
  const pieces = parts.material.filter((each): each is BriefPiece => "items" in each);
  const all = new Map(pieces.map((piece): [BriefPiece, ShownPart] => [piece, piece]));
  const size = pieces.flatMap(({ items }) => items).reduce((sum, item) => sum + item.length, 0);
  const whole = size <= budget * MAX_TOKEN_CHARACTERS ? measureBrief(parts, all, count) : undefined;
  if (whole && whole.tokens <= budget) return whole;
  const bare = measureBrief(parts, new Map(pieces.map((piece) => [piece, LEAST_SHOWN])), count);
  const shown = distributeBriefSpace(pieces, budget - bare.tokens, count);
  // Token counts of parts do not add up exactly, so items are dropped until the whole fits.
  const dispensable = pieces.toSorted((one, other) => other.rank - one.rank);
  for (;;) {
    const brief = measureBrief(parts, shown, count);
    if (brief.tokens <= budget) return brief;
    const [last] = dispensable.filter((piece) => isPartShown(shown.get(piece)));
    if (!last) throw new Error("The role's own text is larger than what its brief may cost.");
    shown.set(last, reduceShownPart(shown.get(last) ?? NOTHING_SHOWN, brief.tokens - budget, count));
  }
}

function measureBrief(parts: BriefParts, shown: ReadonlyMap<BriefPiece, ShownPart>, count: TokenCount): Brief {
  const text = formatBrief(parts, shown);
  return { text, tokens: count(text) };
}

function formatBrief({ head, material, tail }: BriefParts, shown: ReadonlyMap<BriefPiece, ShownPart>): string {
  const blocks = material.map((each) =>
    "items" in each ? formatBriefPiece(each, shown.get(each) ?? NOTHING_SHOWN) : `### ${each.label}\n\n${each.remark}`,
  );
  return `${[head.trim(), ...blocks, tail.trim()].join("\n\n")}\n`;
}

function formatBriefPiece(piece: BriefPiece, shown: ShownPart): string {
  const text = [...shown.items, ...(shown.beginning === undefined ? [] : [shown.beginning])].join("\n");
  const fence = createTextFence(text);
  const missing = piece.items.length - shown.items.length;
  return [
    `### ${piece.label}`,
    ...(isPartShown(shown) ? [`${fence}text\n${text}\n${fence}`] : []),
    ...(missing === 0 ? [] : [formatOmissionNote(missing, piece, shown.beginning !== undefined)]),
  ].join("\n\n");
}

function formatOmissionNote(missing: number, { items, unit, where }: BriefPiece, isBegun: boolean): string {
  const [all, begun] = [counted(items.length, unit), isBegun ? ", one of them in part" : ""];
  const some = missing === items.length && !isBegun ? `all ${all}` : `${missing} of ${all}${begun}`;
  const what = items.length === 1 ? (isBegun ? "the rest of it" : "all of it") : some;
  return `Left out, because it would not fit: ${what}. Read ${missing === 1 ? "it" : "them"} in ${where}.`;
}

export const splitVisibleLines = (text: string): string[] => splitPrintableLines(text.replace(/\s+$/, ""));
