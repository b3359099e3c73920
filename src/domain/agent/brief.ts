import { count as counted } from "../count.ts";
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

/** A text that goes with a brief. Others wrote it, so it stands in a fence. */
export interface Piece extends Cuttable {
  readonly label: string;
  /** Where all of it can be read, in words that end a sentence: `` `sdd/steering/tech.md` ``. */
  readonly where: string;
  /** What an item is: `line`, `finding`. */
  readonly unit: string;
}

/** What Tenon says itself where there is no text, as that a file is missing. */
interface Remark {
  readonly label: string;
  readonly remark: string;
}

export type Material = readonly (Piece | Remark)[];

/** All that a brief is made of: the role's own text, the material, and what stands last. */
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
 * The brief within its budget. What does not fit is left out from the end of each piece, and a line says what is missing
 * and where it stands: nothing is left out in silence.
 */
export function composeBrief(parts: BriefParts, budget: number, count: Count): Brief {
  const pieces = parts.material.filter((each): each is Piece => "items" in each);
  const all = new Map(pieces.map((piece): [Piece, Shown] => [piece, piece]));
  const size = pieces.flatMap(({ items }) => items).reduce((sum, item) => sum + item.length, 0);
  const whole = size <= budget * LONGEST_TOKEN ? measured(parts, all, count) : undefined;
  if (whole && whole.tokens <= budget) return whole;
  const bare = measured(parts, new Map(pieces.map((piece) => [piece, LEAST])), count);
  const shown = shareOut(pieces, budget - bare.tokens, count);
  // Counts of parts do not add up to that of the whole, quite: items go from the end until the whole fits.
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

/** A document, line by line. */
export const linesOf = (text: string): string[] => visibleLines(text.replace(/\s+$/, ""));
