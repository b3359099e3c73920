export type TokenCount = (text: string) => number;

/** Items in order of importance. */
export interface CuttablePiece {
  readonly items: readonly string[];
  /** Pieces with a lower rank keep more when space is short. */
  readonly rank: number;
  /** Guaranteed share of the space, relative to the other shares, from 0 to 1. */
  readonly share?: number;
}

/** Whole items, and the beginning of the next one if only few fit. */
export interface ShownPart {
  readonly items: readonly string[];
  readonly beginning?: string;
}

export const NOTHING_SHOWN: ShownPart = { items: [] };
/** Its cost is the cost of the text around the piece. */
export const LEAST_SHOWN: ShownPart = { items: [], beginning: "" };
/** Upper bound of characters per token: longer text exceeds the limit without counting. */
export const MAX_TOKEN_CHARACTERS = 16;
const MIN_BEGINNING_TOKENS = 24;
const DEFAULT_SHARE = 0.5;

export function distributeBriefSpace<T extends CuttablePiece>(
  pieces: readonly T[],
  room: number,
  count: TokenCount,
): Map<T, ShownPart> {
  const grants = grantPieceTokens(pieces, Math.max(0, room), count);
  return new Map(pieces.map((piece) => [piece, cutItemsToFit(piece.items, grants.get(piece) ?? 0, count)]));
}

/**
 * First gives each piece its share, so large pieces cannot crowd out small ones. The unused rest goes to the lowest
 * ranks.
 */
function grantPieceTokens<T extends CuttablePiece>(
  pieces: readonly T[],
  room: number,
  count: TokenCount,
): Map<T, number> {
  const inOrder = pieces.toSorted((one, other) => one.rank - other.rank);
  const costs = new Map(inOrder.map((piece) => [piece, countItemTokens(piece.items, room, count)]));
  const all = Math.max(
    1,
    pieces.reduce((sum, piece) => sum + getPieceShare(piece), 0),
  );
  const grants = new Map(
    inOrder.map((piece) => [piece, Math.min(costs.get(piece) ?? 0, Math.floor((room * getPieceShare(piece)) / all))]),
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

const getPieceShare = ({ share }: CuttablePiece): number => share ?? DEFAULT_SHARE;

/** Stops counting as soon as the limit is exceeded. */
function countItemTokens(items: readonly string[], room: number, count: TokenCount): number {
  let cost = 0;
  for (const item of items) {
    if (cost > room) return cost;
    cost += isLongerThanSpace(item, room) ? room + 1 : count(`${item}\n`);
  }
  return cost;
}

const isLongerThanSpace = (item: string, room: number): boolean => item.length > room * MAX_TOKEN_CHARACTERS;

function cutItemsToFit(items: readonly string[], grant: number, count: TokenCount): ShownPart {
  let left = grant;
  for (const [i, item] of items.entries()) {
    const cost = isLongerThanSpace(item, left) ? Infinity : count(`${item}\n`);
    if (cost > left) {
      const isHuge = left >= MIN_BEGINNING_TOKENS && left > grant / 2;
      return { items: items.slice(0, i), ...(isHuge ? { beginning: cutItemBeginning(item, left, count) } : {}) };
    }
    left -= cost;
  }
  return { items };
}

function cutItemBeginning(item: string, room: number, count: TokenCount): string {
  const characters = Array.from(item.slice(0, room * MAX_TOKEN_CHARACTERS));
  const begun = (n: number): string => `${characters.slice(0, n).join("")}…`;
  let [low, high] = [0, characters.length];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (count(`${begun(middle)}\n`) <= room) low = middle;
    else high = middle;
  }
  return begun(low);
}

export const isPartShown = ({ items, beginning }: ShownPart = NOTHING_SHOWN): boolean =>
  items.length > 0 || beginning !== undefined;

export function reduceShownPart({ items, beginning }: ShownPart, tokens: number, count: TokenCount): ShownPart {
  if (beginning !== undefined) return { items };
  let [taken, left] = [0, items.length];
  while (left > 0 && taken < tokens) taken += count(`${items[--left]}\n`);
  return { items: items.slice(0, left) };
}
