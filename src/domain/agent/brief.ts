import { formatCount as counted } from "../count.ts";
import { fenceAround, visibleLines } from "./fence.ts";
import {
  type Count,
  type Cuttable,
  isShown,
  LEAST,
  less,
  LONGEST_TOKEN,
  NOTHING,
  shareOut,
  type Shown,
} from "./room.ts";

/** Text by others, so the brief puts it in a fence. */
export interface Piece extends Cuttable {
  readonly label: string;
  /** Location of the full text; ends a sentence: `` `sdd/steering/tech.md` ``. */
  readonly where: string;
  readonly unit: string;
}

interface Remark {
  readonly label: string;
  readonly remark: string;
}

export type Material = readonly (Piece | Remark)[];

export interface BriefParts {
  readonly head: string;
  readonly material: Material;
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
export function composeBrief(parts: BriefParts, budget: number, count: Count): Brief {
  const pieces = parts.material.filter((each): each is Piece => "items" in each);
  const all = new Map(pieces.map((piece): [Piece, Shown] => [piece, piece]));
  const size = pieces.flatMap(({ items }) => items).reduce((sum, item) => sum + item.length, 0);
  const whole = size <= budget * LONGEST_TOKEN ? measured(parts, all, count) : undefined;
  if (whole && whole.tokens <= budget) return whole;
  const bare = measured(parts, new Map(pieces.map((piece) => [piece, LEAST])), count);
  const shown = shareOut(pieces, budget - bare.tokens, count);
  // Token counts of parts do not add up exactly, so items are dropped until the whole fits.
  const dispensable = pieces.toSorted((one, other) => other.rank - one.rank);
  for (;;) {
    const brief = measured(parts, shown, count);
    if (brief.tokens <= budget) return brief;
    const [last] = dispensable.filter((piece) => isShown(shown.get(piece)));
    if (!last) throw new Error("The role's own text is larger than what its brief may cost.");
    shown.set(last, less(shown.get(last) ?? NOTHING, brief.tokens - budget, count));
  }
}

function measured(parts: BriefParts, shown: ReadonlyMap<Piece, Shown>, count: Count): Brief {
  const text = write(parts, shown);
  return { text, tokens: count(text) };
}

function write({ head, material, tail }: BriefParts, shown: ReadonlyMap<Piece, Shown>): string {
  const blocks = material.map((each) =>
    "items" in each ? writePiece(each, shown.get(each) ?? NOTHING) : `### ${each.label}\n\n${each.remark}`,
  );
  return `${[head.trim(), ...blocks, tail.trim()].join("\n\n")}\n`;
}

function writePiece(piece: Piece, shown: Shown): string {
  const text = [...shown.items, ...(shown.beginning === undefined ? [] : [shown.beginning])].join("\n");
  const fence = fenceAround(text);
  const missing = piece.items.length - shown.items.length;
  return [
    `### ${piece.label}`,
    ...(isShown(shown) ? [`${fence}text\n${text}\n${fence}`] : []),
    ...(missing === 0 ? [] : [leftOut(missing, piece, shown.beginning !== undefined)]),
  ].join("\n\n");
}

function leftOut(missing: number, { items, unit, where }: Piece, isBegun: boolean): string {
  const [all, begun] = [counted(items.length, unit), isBegun ? ", one of them in part" : ""];
  const some = missing === items.length && !isBegun ? `all ${all}` : `${missing} of ${all}${begun}`;
  const what = items.length === 1 ? (isBegun ? "the rest of it" : "all of it") : some;
  return `Left out, because it would not fit: ${what}. Read ${missing === 1 ? "it" : "them"} in ${where}.`;
}

export const linesOf = (text: string): string[] => visibleLines(text.replace(/\s+$/, ""));
