import { escapeUnprintable, formatCount, sanitizeText } from "#kernel/model/text-format.ts";

/** Text by others, so the brief puts it in a fence. */
export interface BriefPiece {
  readonly label: string;
  /** Items in order of importance. */
  readonly items: readonly string[];
  /** Pieces with a lower rank keep more when space is short. */
  readonly rank: number;
  /** Guaranteed share of the space, relative to the other shares, from 0 to 1. */
  readonly share?: number | undefined;
  /** Location of the full text; ends a sentence: `` `sdd/steering/tech.md` ``. */
  readonly where: string;
  readonly unit: string;
}

export type BriefMaterial = readonly (BriefPiece | { readonly label: string; readonly remark: string })[];

export interface BriefParts {
  readonly head: string;
  readonly material: BriefMaterial;
  readonly tail: string;
}

export interface Brief {
  readonly text: string;
  readonly tokens: number;
}

/** Cuts each piece from its end, with a line that counts the missing items and names their location. */
export function composeBrief(parts: BriefParts, budget: number, count: TokenCount): Brief {
  const pieces = parts.material.filter((each): each is BriefPiece => "items" in each);
  const all = new Map(pieces.map((piece): [BriefPiece, ShownPart] => [piece, piece]));
  const size = pieces.flatMap(({ items }) => items).reduce((sum, item) => sum + item.length, 0);
  const whole = size <= budget * MAX_TOKEN_CHARACTERS ? measureBrief(parts, all, count) : undefined;
  if (whole && whole.tokens <= budget) return whole;
  const bare = measureBrief(parts, new Map(pieces.map((piece) => [piece, LEAST_SHOWN])), count);
  const grants = grantPieceTokens(pieces, Math.max(0, budget - bare.tokens), count);
  const shown = new Map(pieces.map((piece) => [piece, cutItemsToFit(piece.items, grants.get(piece) ?? 0, count)]));
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
  const blocks = parts.material.map((each) =>
    "items" in each ? formatBriefPiece(each, shown.get(each) ?? NOTHING_SHOWN) : `### ${each.label}\n\n${each.remark}`,
  );
  const text = `${[parts.head.trim(), ...blocks, parts.tail.trim()].join("\n\n")}\n`;
  return { text, tokens: count(text) };
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
  const [all, begun] = [formatCount(items.length, unit), isBegun ? ", one of them in part" : ""];
  const some = missing === items.length && !isBegun ? `all ${all}` : `${missing} of ${all}${begun}`;
  const what = items.length === 1 ? (isBegun ? "the rest of it" : "all of it") : some;
  return `Left out, because it would not fit: ${what}. Read ${missing === 1 ? "it" : "them"} in ${where}.`;
}

export type TokenCount = (text: string) => number;

/** Whole items, and the beginning of the next one if only few fit. */
interface ShownPart {
  readonly items: readonly string[];
  readonly beginning?: string;
}

const NOTHING_SHOWN: ShownPart = { items: [] };
/** Its cost is the cost of the text around the piece. */
const LEAST_SHOWN: ShownPart = { items: [], beginning: "" };
/** Upper bound of characters per token: longer text exceeds the limit without counting. */
const MAX_TOKEN_CHARACTERS = 16;
const MIN_BEGINNING_TOKENS = 24;

/** First gives each piece its share, so that large pieces cannot crowd out small ones; the rest by rank. */
function grantPieceTokens(pieces: readonly BriefPiece[], room: number, count: TokenCount): Map<BriefPiece, number> {
  const inOrder = pieces.toSorted((one, other) => one.rank - other.rank);
  const costs = new Map(inOrder.map((piece) => [piece, countItemTokens(piece.items, room, count)]));
  const shares = pieces.reduce((sum, piece) => sum + getPieceShare(piece), 0);
  const all = Math.max(1, shares);
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

const getPieceShare = ({ share = 0.5 }: BriefPiece): number => share;

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

const isPartShown = ({ items, beginning }: ShownPart = NOTHING_SHOWN): boolean =>
  items.length > 0 || beginning !== undefined;

function reduceShownPart({ items, beginning }: ShownPart, tokens: number, count: TokenCount): ShownPart {
  if (beginning !== undefined) return { items };
  let [taken, left] = [0, items.length];
  while (left > 0 && taken < tokens) taken += count(`${items[--left]}\n`);
  return { items: items.slice(0, left) };
}

/** Longer than any row of backticks in the text, so the text cannot close its own fence. */
export function createTextFence(text: string): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([row]) => row.length));
  return "`".repeat(Math.max(3, longest + 1));
}

/** Makes invisible characters visible, so text cannot hide, move other text or end a line. */
export const splitPrintableLines = (text: string): string[] =>
  text.split(/\r\n|\r|\n/).map((line) => escapeUnprintable(line.replaceAll("\t", "    ")).trimEnd());

/** Text by others inside our own sentence. The limit keeps it too short for an injected instruction. */
export const quoteForeignName = (text: string, limit = 100): string => sanitizeText(text, limit).replaceAll("`", "'");

const PART_INCLUDE = /\{\{> ([a-z-]+)\}\}/g;
/** Stops parts that include each other. */
const MAX_PART_DEPTH = 5;

export const listIncludedParts = (text: string): string[] =>
  Array.from(text.matchAll(PART_INCLUDE), ([, name = ""]) => name);

/** Replaces each `{{> severity}}` with its part. Parts may include other parts. */
export function expandTextParts(text: string, parts: ReadonlyMap<string, string>, depth = 0): string {
  if (depth > MAX_PART_DEPTH) throw new Error("The parts of a text name each other in a circle.");
  return text.replace(PART_INCLUDE, (_, name: string) => {
    const part = parts.get(name);
    if (part === undefined) throw new Error(`The text takes in "${name}", and there is no such part.`);
    return expandTextParts(part.trim(), parts, depth + 1);
  });
}
