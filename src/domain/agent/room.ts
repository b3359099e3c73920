/** Counts tokens. */
export type Count = (text: string) => number;

/** Something of which less can be shown: items, the most important first. */
export interface Cuttable {
  readonly items: readonly string[];
  /** When room is short: the lower, the more of it stays. */
  readonly rank: number;
  /** How much of the room it is sure of, against the shares of others, from 0 to 1. */
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
  const grants = grantsOf(pieces, Math.max(0, room), count);
  return new Map(pieces.map((piece) => [piece, cut(piece.items, grants.get(piece) ?? 0, count)]));
}

/**
 * Each gets what its share comes to at first, so that nobody crowds out the small ones; what they do not need goes to
 * those who need more, the lowest rank first.
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
