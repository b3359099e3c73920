export type Count = (text: string) => number;

/** Items in order of importance. */
export interface Cuttable {
  readonly items: readonly string[];
  /** Pieces with a lower rank keep more when space is short. */
  readonly rank: number;
  /** Guaranteed share of the space, relative to the other shares, from 0 to 1. */
  readonly share?: number;
}

/** Whole items, and the beginning of the next one if only few fit. */
export interface Shown {
  readonly items: readonly string[];
  readonly beginning?: string;
}

export const NOTHING: Shown = { items: [] };
/** Its cost is the cost of the text around the piece. */
export const LEAST: Shown = { items: [], beginning: "" };
/** Upper bound of characters per token: longer text exceeds the limit without counting. */
export const LONGEST_TOKEN = 16;
const LEAST_BEGINNING = 24;
const USUAL_SHARE = 0.5;

export function shareOut<T extends Cuttable>(pieces: readonly T[], room: number, count: Count): Map<T, Shown> {
  const grants = grantsOf(pieces, Math.max(0, room), count);
  return new Map(pieces.map((piece) => [piece, cut(piece.items, grants.get(piece) ?? 0, count)]));
}

/**
 * First gives each piece its share, so large pieces cannot crowd out small ones. The unused rest goes to the lowest
 * ranks.
 */
function grantsOf<T extends Cuttable>(pieces: readonly T[], room: number, count: Count): Map<T, number> {
  const inOrder = pieces.toSorted((one, other) => one.rank - other.rank);
  const costs = new Map(inOrder.map((piece) => [piece, costOf(piece.items, room, count)]));
  const all = Math.max(
    1,
    pieces.reduce((sum, piece) => sum + shareOf(piece), 0),
  );
  const grants = new Map(
    inOrder.map((piece) => [piece, Math.min(costs.get(piece) ?? 0, Math.floor((room * shareOf(piece)) / all))]),
  );
  let left = room - [...grants.values()].reduce((sum, grant) => sum + grant, 0);
  for (const piece of inOrder) {
    const had = grants.get(piece) ?? 0;
    const more = Math.min((costs.get(piece) ?? 0) - had, left);
    grants.set(piece, had + more);
    left -= more;
  }
  return grants;
}

const shareOf = ({ share }: Cuttable): number => share ?? USUAL_SHARE;

/** Stops counting as soon as the limit is exceeded. */
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

export function less({ items, beginning }: Shown, tokens: number, count: Count): Shown {
  if (beginning !== undefined) return { items };
  let [taken, left] = [0, items.length];
  while (left > 0 && taken < tokens) taken += count(`${items[--left]}\n`);
  return { items: items.slice(0, left) };
}
