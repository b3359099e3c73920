/** Counts tokens. */
export type Count = (text: string) => number;

/** Something of which less can be shown: items, the most important first. */
export interface Cuttable {
  readonly items: readonly string[];
  /** When room is short: the lower, the more of it stays. */
  readonly rank: number;
  /** The part of the room that it may take while others still need some, from 0 to 1. */
  readonly share?: number;
}

/** How much of it is shown: whole items, and the beginning of the next where hardly another is. */
export interface Shown {
  readonly items: readonly string[];
  readonly beginning?: string;
}

export const NOTHING: Shown = { items: [] };
/** As little as can be shown: what it costs then is what is said around it. */
export const LEAST: Shown = { items: [], beginning: "" };
/** A token of usual text has fewer characters than that; what is longer need not be counted to be too long. */
export const LONGEST_TOKEN = 16;
/** Tokens. The beginning of an item says something from here on. */
const LEAST_BEGINNING = 24;
const USUAL_SHARE = 0.5;

/** How much of each fits into so many tokens. */
export function shareOut<T extends Cuttable>(pieces: readonly T[], room: number, count: Count): Map<T, Shown> {
  const grants = grantsOf(pieces, room, count);
  return new Map(pieces.map((piece) => [piece, cut(piece.items, grants.get(piece) ?? 0, count)]));
}

/** Each gets its share at first; what nobody needed goes to those who need more, the lowest rank first. */
function grantsOf<T extends Cuttable>(pieces: readonly T[], room: number, count: Count): Map<T, number> {
  const inOrder = pieces
    .toSorted((one, other) => one.rank - other.rank)
    .map((piece) => ({ piece, cost: costOf(piece.items, room, count) }));
  const grants = new Map<T, number>();
  let left = Math.max(0, room);
  const grant = (piece: T, wanted: number): void => {
    const given = Math.min(wanted, left);
    grants.set(piece, (grants.get(piece) ?? 0) + given);
    left -= given;
  };
  for (const { piece, cost } of inOrder) grant(piece, Math.min(cost, Math.floor(room * (piece.share ?? USUAL_SHARE))));
  for (const { piece, cost } of inOrder) grant(piece, cost - (grants.get(piece) ?? 0));
  return grants;
}

/** What the items cost, or anything over the room as soon as they are beyond it. */
function costOf(items: readonly string[], room: number, count: Count): number {
  let cost = 0;
  for (const item of items) {
    if (cost > room) return cost;
    cost += isTooLong(item, room) ? room + 1 : count(`${item}\n`);
  }
  return cost;
}

const isTooLong = (item: string, room: number): boolean => item.length > room * LONGEST_TOKEN;

function cut(items: readonly string[], grant: number, count: Count): Shown {
  let left = grant;
  for (const [i, item] of items.entries()) {
    const cost = isTooLong(item, left) ? Infinity : count(`${item}\n`);
    if (cost > left) {
      const isHuge = left >= LEAST_BEGINNING && left > grant / 2;
      return { items: items.slice(0, i), ...(isHuge ? { beginning: beginningOf(item, left, count) } : {}) };
    }
    left -= cost;
  }
  return { items };
}

/** As much of an item as fits, with a mark that it goes on. */
function beginningOf(item: string, room: number, count: Count): string {
  const characters = Array.from(item.slice(0, room * LONGEST_TOKEN));
  const begun = (n: number): string => `${characters.slice(0, n).join("")}…`;
  let [low, high] = [0, characters.length];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (count(`${begun(middle)}\n`) <= room) low = middle;
    else high = middle;
  }
  return begun(low);
}

export const isShown = ({ items, beginning }: Shown = NOTHING): boolean => items.length > 0 || beginning !== undefined;

/** The same with less of it, by so many tokens at least or by all that there is. */
export function less({ items, beginning }: Shown, tokens: number, count: Count): Shown {
  if (beginning !== undefined) return { items };
  let [taken, left] = [0, items.length];
  while (left > 0 && taken < tokens) taken += count(`${items[--left]}\n`);
  return { items: items.slice(0, left) };
}
